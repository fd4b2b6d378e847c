"""Russian distances ("в 300 м от") and opening hours -> words, in their cases."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import ends_in_one


class Whereabouts:
    """What `Russian` says of them."""

    def number_in_case(self, number: int, case: str, gender: str = "masculine") -> str:
        raise NotImplementedError

    def _at_a_distance(self, match: re.Match[str]) -> str:
        noun = {"км": "километр", "м": "метр", "ч": "час"}.get(match["unit"].rstrip("."), "минут")
        number = match["n"].replace(" ", "")
        one = ends_in_one(number)
        gender = "feminine" if one and noun == "минут" else "masculine"
        return f"{match['before']}{self.number_in_case(int(number), 'locative', gender)} {noun}{'е' if one else 'ах'}"

    def _opening_hours(self, match: re.Match[str]) -> str:
        def moment(hour: str, minute: str) -> str:
            said = self.number_in_case(int(hour), "genitive")
            return said if minute == "00" else f"{said} {self.number_in_case(int(minute), 'genitive', 'feminine')}"

        last = " часов" if match["m2"] == "00" and int(match["h2"]) % 20 != 1 else ""
        return f"{match['before']} {moment(match['h'], match['m'])} до {moment(match['h2'], match['m2'])}{last}"
