"""Which Italian words are nouns and of which gender, as the words beside a number need it."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import words_of

# Behind "1" these count nothing.
SMALL_WORDS = frozenset(
    words_of(
        "di e a o in per con che è al del la il lo i gli le un una si no più meno ma se come su fino da tra fra fu "
        "era sono"
    )
)
A_NOUN = re.compile(
    r"(?!(?:problema|tema|programma|sistema|clima|grammo|chilogramma|diploma|dramma)\b)\w+(?:a|zione|tà)\b"
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
FEMININE_IN_E = ("narice", "classe", "notte")
HOUSE_WORDS = {"asc": "ascensore", "arred": "arredamento", "risc": "riscaldamento", "cant": "cantina",
    "balc": "balcone",
    "terr": "terrazzo", "giard": "giardino"}  # fmt: skip
