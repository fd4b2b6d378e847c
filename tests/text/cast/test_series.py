"""The next book of a series: the same people keep their names and voices."""

from mlx_tts.text.cast.cast_file import CastLine, Character
from mlx_tts.text.cast.series import continued

LIZZY = Character("Elizabeth Bennet", "ivy", ("Lizzy", "Eliza"), "woman")
DARCY = Character("Mr. Darcy", "rowan", (), "man")
COLLINS = Character("Mr. Collins", "miles", (), "man")


def names(characters):
    return [(one.name, one.voice, one.lines) for one in characters]


def test_who_is_known_keeps_name_and_voice_and_who_is_new_has_none():
    found = [Character("Lizzy", None, ("Miss Bennet",), None, 12, "ch. 2"), Character("Kitty", "x", (), "woman", 3)]
    lines = [CastLine(1, 0, 5, "Lizzy"), CastLine(1, 9, 12, "Kitty"), CastLine(2, 0, 4, None)]
    made = continued(found, lines, [LIZZY, DARCY])
    assert names(made.characters) == [("Elizabeth Bennet", "ivy", 12), ("Kitty", None, 3), ("Mr. Darcy", "rowan", 0)]
    assert made.characters[0].aliases == ("Lizzy", "Eliza", "Miss Bennet")
    assert (made.characters[0].sex, made.characters[0].first) == ("woman", "ch. 2")
    assert [line.speaker for line in made.lines] == ["Elizabeth Bennet", "Kitty", None]
    assert made.kept == {"Elizabeth Bennet", "Mr. Darcy"}


def test_two_whom_the_series_knows_as_one_become_one():
    found = [Character("Eliza", lines=2, first="ch. 1"), Character("Elizabeth Bennet", lines=5)]
    made = continued(found, [CastLine(1, 0, 1, "Eliza")], [LIZZY])
    assert names(made.characters) == [("Elizabeth Bennet", "ivy", 7)]
    assert made.lines[0].speaker == "Elizabeth Bennet"


def test_an_alias_that_means_two_people_of_the_series_means_neither():
    found = [Character("The couple", None, ("Lizzy", "Mr. Darcy"), None, 1)]
    made = continued(found, [], [LIZZY, DARCY])
    assert names(made.characters)[0] == ("The couple", None, 1)
    assert made.characters[0].aliases == ()  # a name has one owner in a cast


def test_a_name_goes_before_an_alias():
    other = Character("Eliza", "hazel")
    found = [Character("Mr. Collins", None, ("Eliza",), None, 1)]
    made = continued(found, [], [other, COLLINS])
    assert names(made.characters)[0] == ("Mr. Collins", "miles", 1)
    assert made.characters[0].aliases == ()


def test_without_a_series_nothing_changes_but_the_voices():
    found = (Character("Ann", None, ("Annie",), "woman", 3, "ch. 1"),)
    made = continued(found, (), ())
    assert made.characters == found
    assert not made.kept
