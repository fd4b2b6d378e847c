"""A Roman numeral -> its number."""

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def value(numeral: str) -> int:
    """In capitals. A letter before a larger one is taken away from it."""
    numbers = [VALUES[letter] for letter in numeral]
    return sum(-n if i + 1 < len(numbers) and n < numbers[i + 1] else n for i, n in enumerate(numbers))
