"""The words by which five languages say who speaks: verbs, pronouns, titles, articles of descriptions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

WOMAN, MAN = "woman", "man"
MANY = "several"
NARRATOR = "I"  # who says "I" outside of quotations


@dataclass(frozen=True)
class SpeechWords:
    """verbs: an expression for one. pronouns: each with a sex, or NARRATOR. titles: of people, with a sex where they
    say one. articles: what descriptions such as "the banker" begin with, with a sex where they say one. relations:
    words for whoever belongs to another character, with a sex. adverbs: an expression for words between
    subject and verb. inverted_inside: whether "dit Jean" stands within a quotation, between commas. adjectives: a word
    between a verb and a name ("said poor Ann"). utterances: what "was Ann's reply" may name. thoughts: those verbs
    whose words nobody hears. openers: words that begin
    what stands in front of the subject ("Then Ann sat down"); clauses: those of them that have a verb of their own;
    places: those that may have no comma behind them ("For a moment Ann was silent"). owners: pronouns of whoever has
    something, each with a sex."""

    verbs: str
    pronouns: dict[str, str]
    titles: dict[str, str | None]
    articles: dict[str, str | None]
    relations: dict[str, str]
    adverbs: str
    inverted_inside: bool = False
    sayings: str = r"(?!)"
    adjectives: str = r"(?!)"
    utterances: str = r"(?!)"
    thoughts: str = r"(?!)"
    openers: str = r"(?!)"
    clauses: str = r"(?!)"
    places: str = r"(?!)"
    owners: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # The first words of a chapter often stand in capitals: "MRS. HARROW".
        object.__setattr__(self, "titles", self.titles | {title.upper(): sex for title, sex in self.titles.items()})


ENGLISH = SpeechWords(
    verbs=(
        "said|says|say|ask(?:ed|s)|repli(?:ed|es)|answer(?:ed|s)|cri(?:ed|es)|exclaim(?:ed|s)|whisper(?:ed|s)|"
        "mutter(?:ed|s)|murmur(?:ed|s)|remark(?:ed|s)|returned|continued|added|began|begins|shout(?:ed|s)|called|"
        "observed|inquired|enquired|repeated|interrupted|demanded|declared|thought|scream(?:ed|s)|growled|sighed|"
        "gasped|sobbed|urged|suggested|insisted|agreed|admitted|protested|explained|announced|ejaculated|roared|yelled|"
        "snapped|hissed|stammered|panted|pleaded|begged|retorted|rejoined|responded|put in|chimed in|broke in|went on|"
        "goes on|resumed|pursued|grumbled|persisted|ventured|hinted|bellowed|groaned|moaned|croaked|squeaked|wailed|"
        "sneered|chuckled|drawled|commanded|ordered|warned|promised|proposed|proceeded|concluded|pleaded|laughed|"
        "could not help saying|could not help exclaiming|proceeded to say|went on to say|began by saying|"
        "objected|assented|echoed|faltered|told|corrected|confessed|quoth|burst out|struck in|let out|quoted|scolded|"
        "pronounced|mused|reflected|complained|apologi[sz]ed|boasted|conceded|countered|directed|chided|coaxed|"
        "consoled|soothed|encouraged|giggled|greeted|grinned|grunted|implored|instructed|lamented|mocked|mumbled|noted|"
        "offered|prayed|prompted|quer(?:ied|ies)|questioned|quavered|reasoned|rebuked|recited|reminded|reproved|"
        "screeched|shriek(?:ed|s)|snarled|sniffed|snorted|spluttered|sputtered|stated|swore|thundered|uttered|"
        "volunteered|whined|whimpered|wondered|teased|brought out|blurted out|cut in|broke out|broke forth|burst forth|ran on|spoke up|threw in|called out|cried out"
    ),
    pronouns={"he": MAN, "she": WOMAN, "they": MANY, "I": NARRATOR},
    titles={
        **dict.fromkeys(("Mr.", "Mr", "Sir", "Lord", "Uncle", "King", "Master", "Father", "Brother", "Monsieur"), MAN),
        **dict.fromkeys(("Mrs.", "Mrs", "Miss", "Ms.", "Ms", "Lady", "Aunt", "Queen", "Madame", "Sister"), WOMAN),
        **dict.fromkeys(("Dr.", "Dr", "Doctor", "Prof.", "Professor", "Captain", "Capt.", "Colonel", "Col.")),
        **dict.fromkeys(("Major", "General", "Judge", "Inspector", "Saint", "St.")),
    },
    articles={"the": None, "a": None, "an": None},
    relations={"wife": WOMAN, "lady": WOMAN, "husband": MAN, "mother": WOMAN, "father": MAN},
    adverbs=r"(?:\w+ly|had|then|only|just|at last|again|soon|always|never|also)",
    sayings="saying|adding|asking|crying|calling|exclaiming|observing|remarking|replying|answering|muttering|murmuring|"
    "whispering|shouting|repeating|thinking",
    adjectives=r"(?!(?:to|of|about|at|by|for|in|on|with|from|that|as|and|but|when|while|if|after|before|until|through|"
    r"upon|over|like|than|not|or|nor|is|was|had)\b)[a-z][a-z-]+",
    utterances="reply|answer|response|comment|remark|retort|rejoinder|question|exclamation|suggestion|cry|observation",
    thoughts="thought|mused|reflected",
    openers="as|when|while|after|before|if|though|although|since|with|at|in|for|on|then|but|and|so|now|just|presently|"
    "suddenly|thereupon|whereupon|here|even|still|yet|instead|next|soon",
    clauses="as|when|while|after|before|if|though|although|since",
    places="with|at|in|for|on",
    owners={"his": MAN, "her": WOMAN},
)
GERMAN = SpeechWords(
    verbs=(
        "sagte|fragte|antwortete|rief|erwiderte|flüsterte|meinte|entgegnete|murmelte|schrie|versetzte|sprach|bemerkte|"
        "fuhr|wiederholte|dachte|erklärte|brummte|stammelte|seufzte|lachte|hauchte|zischte|begann|sagt|fragt|ruft"
    ),
    pronouns={"er": MAN, "sie": WOMAN, "ich": NARRATOR},
    titles={"Herr": MAN, "Frau": WOMAN, "Fräulein": WOMAN, "Onkel": MAN, "Tante": WOMAN, "Doktor": None, "Dr.": None},
    articles={"der": MAN, "die": WOMAN, "das": None},
    relations={"Frau": WOMAN, "Mann": MAN},
    adverbs=r"(?:\w+)",
)
FRENCH = SpeechWords(
    verbs=(
        "dit|demanda|répondit|s['’]écria|cria|murmura|répliqua|reprit|ajouta|fit|continua|déclara|pensa|interrompit|"
        "demande|répond|s['’]exclama|chuchota|souffla|balbutia|poursuivit|observa|remarqua|hurla|soupira"
    ),
    pronouns={"il": MAN, "elle": WOMAN, "je": NARRATOR},
    titles={"M.": MAN, "Monsieur": MAN, "Mme": WOMAN, "Madame": WOMAN, "Mlle": WOMAN, "Mademoiselle": WOMAN},
    articles={"le": MAN, "la": WOMAN, "l'": None, "l’": None},
    relations={"femme": WOMAN, "mari": MAN},
    adverbs=r"(?:\w+ment|alors)",
    inverted_inside=True,
)
SPANISH = SpeechWords(
    verbs=(
        "dijo|preguntó|respondió|contestó|exclamó|gritó|murmuró|replicó|añadió|repuso|susurró|pensó|dice|pregunta|"
        "responde|continuó|prosiguió|insistió|explicó|observó|interrumpió|balbució|suspiró"
    ),
    pronouns={"él": MAN, "ella": WOMAN, "yo": NARRATOR},
    titles={"don": MAN, "doña": WOMAN, "señor": MAN, "señora": WOMAN, "señorita": WOMAN, "tío": MAN, "tía": WOMAN},
    articles={"el": MAN, "la": WOMAN},
    relations={"mujer": WOMAN, "marido": MAN},
    adverbs=r"(?:\w+mente|entonces)",
)
RUSSIAN = SpeechWords(
    verbs=(
        "(?:сказал|спросил|ответил|крикнул|воскликнул|прошептал|проговорил|возразил|отвечал|заметил|подумал|продолжал|"
        "говорил|вскричал|промолвил|закричал|прибавил|добавил|повторил|пробормотал|спрашивал|начал|перебил)а?|"
        "произн[её]с(?:ла)?"
    ),
    pronouns={"он": MAN, "она": WOMAN, "я": NARRATOR},
    titles={"господин": MAN, "госпожа": WOMAN, "дядя": MAN, "тётя": WOMAN, "князь": MAN, "княгиня": WOMAN},
    articles={},
    relations={"жена": WOMAN, "муж": MAN},
    adverbs=r"(?:\w+о|вдруг|тогда)",
)
BY_CODE = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "ru": RUSSIAN}  # ISO 639-1
FEMALE_PAST = re.compile(r"\w+(?:ла)", re.IGNORECASE)  # Russian verbs say the sex of whoever speaks
