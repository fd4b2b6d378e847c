"""Which Italian words are nouns and of which gender, as the words next to a number need it, and what Italian says
for the forms that it shares with its sisters."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import words_of
from mlx_tts.text.normalise.romance import Alike

# Behind "1" these count nothing.
SMALL_WORDS = frozenset(
    words_of(
        "di e a o in per con che è al del la il lo i gli le un una si no più meno ma se come su fino da tra fra fu "
        "era sono"
    )
)
A_NOUN = re.compile(
    r"(?!(?:problema|tema|programma|sistema|clima|grammo|chilogramma|diploma|dramma|dopoguerra|anteguerra|papa|pianeta"
    r"|poeta|panorama|pentagramma|atleta|pilota|duca|\w+ista|senza|prima)\b)\w+(?:a|zione|tà)\b"
)
# Behind "180°" and "3°" these count nothing.
NO_NOUN = frozenset(
    words_of("per con nel nella nelle nei del della delle dei dal dalla alla alle allo fino poi senza che")
)
# Singular nouns that are feminine by their ending, or that people often count.
FEMININE_ONE = (
    r"\w+(?:a|zione|sione|gione|tà|tù)|mano|notte|parte|chiave|classe|fase|base|frase|neve|febbre|torre|carne|luce"
    r"|voce|croce|legge|fonte|parete|rete|sede|arte|morte|nave|foto|moto|auto|radio|crisi|tesi|analisi|dose|noce|pelle"
    r"|valle|botte|lente|serie|madre|moglie|opinione|unione|pensione|canzone|stazione"
)
FEMININE_IN_E = ("narice", "classe", "notte", "porzione")
HOUSE_WORDS = {"asc": "ascensore", "arred": "arredamento", "risc": "riscaldamento", "cant": "cantina",
    "balc": "balcone",
    "terr": "terrazzo", "giard": "giardino"}  # fmt: skip
ALIKE = Alike(
    aged=("minori di", "maggiori di"),
    plural=r"[a-zà-ÿ]{3,}[ie]",
    university="università", either="o", lasting="per", more="più di", for_whom="per", of_so_many="ogni",
    months="genn gen febbr febb feb apr magg giu lugl lug ago sett ott nov dic", other_months="sett",
    before_months=r"[Ii]n|[Tt]ra|[Aa]|[Dd]a|[Ff]ino a|[Ff]ine|[Ii]nizio|[Mm]età|[Dd]i|e|lo scorso",
    elided_day=True, to_one={"m": "mi", "t": "ti"},
    about={"i": {10: "decina", 15: "quindicina", 20: "ventina", 30: "trentina", 40: "quarantina", 50: "cinquantina",
                 60: "sessantina", 70: "settantina", 80: "ottantina", 90: "novantina"}},
)  # fmt: skip
