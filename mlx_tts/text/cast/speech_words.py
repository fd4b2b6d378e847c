"""The words by which five languages say who speaks: verbs, pronouns, titles, articles of descriptions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mlx_tts.text.cast.person_words import (
    ENGLISH_NAMES,
    FRENCH_NAMES,
    GERMAN_NAMES,
    MAN,
    SPANISH_NAMES,
    WOMAN,
)

MANY = "several"
NARRATOR = "I"  # who says "I" outside of quotations


@dataclass(frozen=True)
class SpeechWords:
    """Most fields are regular expressions, written without a group around them.

    Verbs: `verbs`, of speech; `plain_verbs`, those of them that only people have as their subject, all where nothing is
    given; `any_verb`, the form of whatever verb stands right behind a quotation; `thoughts`, whose words nobody hears;
    `continuing`, of somebody who speaks on; `sayings`, participles ("saying"); `utterances`, what "was Ann's reply" may
    name; `adverbs`, between subject and verb; `indirect`, behind a verb that only tells what was said ("said that").

    People: `pronouns`, each with a sex, NARRATOR or MANY; `titles`, with a sex where they say one; `articles`, what
    descriptions such as "the banker" begin with; `relations`, whoever belongs to another character, with a sex;
    `possessives`, "his" in "his wife"; `own_family`, who is one person where somebody tells the book ("my aunt");
    `others`, who is not the one that spoke last; `nouns`, for a person without an article; `first_names`, with a sex;
    `no_names`, words with a capital that begin sentences and are no names; `adjectives`, between a verb and a name
    ("said poor Ann"); `following`, in front of which a description ends ("said the man with a hat").

    What is told: `openers`, what stands in front of the subject ("Then Ann sat down"); `clauses`, those of them that
    have a verb of their own; `places`, those that may have no comma behind them ("For a moment Ann was silent");
    `when`, before somebody who comes in; `owners`, pronouns of whoever has something, with a sex; `reflexives`,
    "herself" in "Ann herself"; `body`, what acts for a person ("Ann's eyes"); `silence`, of somebody who does not
    answer; `first_person`, words for who tells the book.

    Grammar: `inverted_inside`, whether "dit Jean" stands within a quotation, between commas; `dashed_inside`, between
    dashes; `verb_second`, whether "Eines Tages sprach Hans" has its subject behind the verb."""

    verbs: str
    pronouns: dict[str, str]
    titles: dict[str, str | None]
    articles: dict[str, str | None]
    relations: dict[str, str]
    adverbs: str
    inverted_inside: bool = False
    dashed_inside: bool = False
    sayings: str = r"(?!)"
    adjectives: str = r"(?!)"
    utterances: str = r"(?!)"
    thoughts: str = r"(?!)"
    openers: str = r"(?!)"
    clauses: str = r"(?!)"
    places: str = r"(?!)"
    owners: dict[str, str] = field(default_factory=dict)
    no_names: str = ""
    plain_verbs: str = ""
    verb_second: bool = False
    possessives: str = r"(?!)"
    nouns: str = r"(?!)"
    own_family: str = r"(?!)"
    continuing: str = r"(?!)"
    when: str = r"(?!)"
    indirect: str = r"(?!)"
    following: str = r"(?!)"
    any_verb: str = r"(?!)"
    others: tuple[str, ...] = ()
    silence: str = r"(?!)"
    first_person: str = r"(?!)"
    reflexives: dict[str, str] = field(default_factory=dict)
    body: str = r"(?!)"
    first_names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A French book may have an English gentleman.
        common = {"Mr.": MAN, "Mrs.": WOMAN, "Miss": WOMAN, "Lord": MAN, "Lady": WOMAN, "Sir": MAN, "Dr.": None}
        object.__setattr__(self, "titles", common | self.titles)
        # The first words of a chapter often stand in capitals: "MRS. HARROW".
        object.__setattr__(self, "titles", self.titles | {title.upper(): sex for title, sex in self.titles.items()})


ENGLISH = SpeechWords(
    verbs=(
        "said|says|say|ask(?:ed|s)|repli(?:ed|es)|answer(?:ed|s)|cri(?:ed|es)|exclaim(?:ed|s)|whisper(?:ed|s)|"
        "mutter(?:ed|s)|murmur(?:ed|s)|remark(?:ed|s)|returned|continue[ds]|add(?:ed|s)|began|begins|shout(?:ed|s)|"
        "called|"
        "observed|inquired|enquired|repeated|interrupted|demanded|declared|thought|scream(?:ed|s)|growled|sighed|"
        "gasped|sobbed|urged|suggested|insisted|agreed|admitted|protested|explained|announced|ejaculated|roared|yelled|"
        "snapped|hissed|stammered|panted|pleaded|begged|retorted|rejoined|responded|put in|chimed in|broke in|went "
        "on|spoke|"
        "goes on|resumed|pursued|grumbled|persisted|ventured|hinted|bellowed|groaned|moaned|croaked|squeaked|wailed|"
        "sneered|chuckled|drawled|commanded|ordered|warned|promised|proposed|proceeded|concluded|pleaded|laughed|"
        "could not help saying|could not help exclaiming|proceeded to say|went on to say|began by saying|"
        "objected|assented|echoed|faltered|told|corrected|confessed|quoth|burst out|struck in|let out|quoted|scolded|"
        "pronounced|mused|reflected|complained|apologi[sz]ed|boasted|conceded|countered|directed|chided|coaxed|"
        "consoled|soothed|encouraged|giggled|greeted|grinned|grunted|implored|instructed|lamented|mocked|mumbled|noted|"
        "offered|prayed|prompted|quer(?:ied|ies)|questioned|quavered|reasoned|rebuked|recited|reminded|reproved|"
        "screeched|shriek(?:ed|s)|snarled|sniffed|snorted|spluttered|sputtered|stated|swore|thundered|uttered|"
        "volunteered|whined|whimpered|wondered|teased|brought out|blurted out|cut in|broke out|broke forth|burst forth|"
        "ran on|spoke up|threw in|called out|cried out|whooped|complimented|interposed|interjected|asserted|affirmed|"
        "acknowledged|advised|argued|assured|bawled|barked|breathed|blurted|cautioned|challenged|claimed|commented|"
        "contradicted|cooed|piped|purred|shrilled|vociferated|expostulated|remonstrated|entreated|besought|bade|"
        "informed|inquires|enquires|assents|adds|remarks|observes|exclaims|declares|whines|laughs|sobs|wails"
    ),
    plain_verbs="said|says|asked|asks|replied|replies|answered|answers|cried|cries|exclaimed|exclaims|whispered|"
    "muttered|murmured|remarked|shouted|inquired|enquired|growled|screamed|sighed|rejoined|retorted|roared|gasped|"
    "sobbed|stammered|thought|yelled|hissed|groaned|chuckled|responded|ejaculated|observed|added|declared|insisted|"
    "demanded|protested|suggested|explained|laughed|grinned|complimented|whooped|announced|objected|admitted|told",
    pronouns={"he": MAN, "she": WOMAN, "they": MANY, "we": MANY, "I": NARRATOR}
    | dict.fromkeys(("someone", "somebody", "some one", "everyone", "everybody", "another"), MANY),
    titles={
        **dict.fromkeys(("Mr.", "Mr", "Sir", "Lord", "Uncle", "King", "Master", "Father", "Brother", "Monsieur"), MAN),
        **dict.fromkeys(("Mrs.", "Mrs", "Miss", "Ms.", "Ms", "Lady", "Aunt", "Queen", "Madame", "Sister"), WOMAN),
        **dict.fromkeys(("Dr.", "Dr", "Doctor", "Prof.", "Professor", "Captain", "Capt.", "Colonel", "Col.")),
        **dict.fromkeys(("Major", "General", "Judge", "Inspector", "Saint", "St.", "Cousin")),
        **dict.fromkeys(("M.", "Herr", "Don", "Señor", "Prince", "Count", "Baron"), MAN),
        **dict.fromkeys(("Mme.", "Mme", "Mademoiselle", "Frau", "Doña", "Señora", "Princess", "Countess"), WOMAN),
    },
    articles={"the": None, "a": None, "an": None},
    possessives="his|her|my|our",
    relations={"wife": WOMAN, "lady": WOMAN, "husband": MAN, "mother": WOMAN, "father": MAN},
    adverbs=r"(?:\w+ly|had|would|used\sto|began\sto|could\sonly|then|only|just|at last|again|soon|always|never|also)",
    sayings="saying|adding|asking|crying|calling|exclaiming|observing|remarking|replying|answering|muttering|murmuring|"
    "whispering|shouting|repeating|thinking",
    adjectives=r"(?!(?:the|an?|his|her|my|our|to|of|about|at|by|for|in|on|with|from|that|as|and|but|when|while|if|"
    r"after|before|until|through|"
    r"upon|over|like|than|not|or|nor|is|was|had)\b)[a-z][a-z-]+",
    utterances="reply|answer|response|comment|remark|retort|rejoinder|question|exclamation|suggestion|cry|observation",
    thoughts="thought|mused|reflected",
    openers="as|when|while|after|before|if|though|although|since|with|at|in|for|on|then|but|and|so|now|just|presently|"
    "suddenly|thereupon|whereupon|here|even|still|yet|instead|next|soon",
    clauses="as|when|while|after|before|if|though|although|since",
    places="with|at|in|for|on",
    owners={"his": MAN, "her": WOMAN},
    no_names="The|A|An|He|She|I|His|Her|My|Our|It|This|That|They|We|You|What|There|But|And|So|Then|When|Who|"
    "Nobody|No|Yes|Presently|If|As|All|After|Before|While|Since|Though|Although|Because|At|In|On|For|To|"
    "From|With|By|Of|One|Some|Any|Every|Each|These|Those|Such|How|Why|Where|Which|Not|Now|Here|Still|Yet|"
    "Nor|Or|Once|Perhaps|Only|Even|Both|Neither|Either|Another|Other|Upon|Without|Until|Till|Everybody|"
    "Somebody|Nothing|Oh|Ah|Well|Meanwhile|Suddenly|Finally|Thus|Hence|Therefore|However|Indeed|Instead|"
    "Later|Soon|Just|Never|Always|Often|Sometimes|Again|Away|Down|Up|Out|Behind|Beyond|Beside|Below|"
    "Above|Across|Along|Among|Around|Between|Like|Many|Most|Much|More|Few|Several|Whoever|Whatever|"
    "Wherever|Whether|Under|Within|Throughout|Towards?|Thereupon|Whereupon|Today|Tomorrow|Tonight|Having|"
    "Being|Seeing|Hearing|Taking|Looking|Turning|Going|Coming|Leaving|Finding|Knowing|Thinking|Feeling|"
    "Sitting|Standing|Rising|Raising|Putting|Getting|Holding|Drawing|Throwing|Making|Giving|Passing|"
    "Opening|Entering|Returning|Approaching|Noticing|Observing|Perceiving|Saying|Speaking|Smiling|"
    "Laughing|Nodding|Pausing|Stopping|Walking|Running|Bowing|Bending|Leaning|Ladyship|Lordship|Majesty|Highness|"
    "Excellency|Worship|Miss|Sir|Lord|Lady|Monsieur|Honou?r|Heavens?|Goodness|Gracious",
    continuing="continued|went on|goes on|resumed|proceeded|added|ran on",
    when="when",
    own_family=r"my\s(?:aunt|uncle|mother|father|brother|sister|wife|husband|grandfather|grandmother|cousin|guardian|"
    r"master|mistress|lady|lord)",
    indirect="that|whether|if|in the affirmative|in the negative",
    following=r"in|with|to|as|at|and|from|who|when|while|after|very|rather|of|again|aloud|by|on|for|but|without|"
    r"whose|\w+ing",
    any_verb="[a-z]+ed",
    others=("the other", "the latter"),
    silence="(?:answered|said|replied) nothing|(?:made|gave|returned) no (?:answer|reply)|(?:did not|didn[’']t) "
    "(?:answer|reply)|was silent",
    first_person="I|me|my|we|us|our",
    reflexives={"himself": MAN, "herself": WOMAN},
    body="eyes?|face|voice|hands?|lips?|mouth|heart|smile|head|brows?|cheeks?|fingers?|gaze|breath|expression|"
    "countenance",
    first_names=ENGLISH_NAMES,
)
GERMAN = SpeechWords(
    verbs=(
        "sagte|fragte|antwortete|rief|erwiderte|flüsterte|meinte|entgegnete|murmelte|schrie|versetzte|sprach|bemerkte|"
        "fuhr|wiederholte|dachte|erklärte|brummte|stammelte|seufzte|lachte|hauchte|zischte|begann|sagt|fragt|ruft|"
        "spricht|antwortet|meint|fragten|riefen|fuhr fort|setzte hinzu|fügte hinzu|stieß hervor|unterbrach|stöhnte|"
        "jammerte|klagte|bat|befahl|versicherte|gestand|wandte ein|warf ein|schluchzte|knurrte|stotterte|raunte|"
        "wunderte sich|lächelte|nickte|dachte bei sich|sprach bei sich"
    ),
    verb_second=True,
    possessives="seine?|ihre?|meine?|unsere?",
    pronouns={"er": MAN, "sie": WOMAN, "ich": NARRATOR, "wir": MANY, "jemand": MANY, "alle": MANY},
    titles={"Herr": MAN, "Frau": WOMAN, "Fräulein": WOMAN, "Onkel": MAN, "Tante": WOMAN, "Doktor": None, "Dr.": None},
    articles={"der": MAN, "die": WOMAN, "das": None},
    relations={"Frau": WOMAN, "Mann": MAN},
    adverbs=r"(?:(?!(?:und|oder|aber|d(?:er|ie|as|em|en)|(?:k?ein|sein|ihr|mein|unser)(?:e[rmns]?)?)\b)[a-zäöüß]+)",
    no_names="Und|Aber|Doch|Da|Dann|Nun|Als|Wenn|Denn|Der|Die|Das|Ein|Eine|Er|Sie|Es|Ich|Wir|Ihr|Was|Wie|Wer|Wo|"
    "Warum|Nein|Ja|Ach|So|Auch|Nur|Noch|Jetzt|Hier|Dort|Mit|Nach|Vor|Bei|Von|Zu|In|Im|Am|An|Auf|Aus|Also|"
    "Jawohl|Dabei|Endlich|Plötzlich|Wieder|Darauf|Hierauf|Nicht|Man|Sein|Seine|Ihre|Kein|Keine|Alle|"
    "Niemand|Jemand|Oder|Sondern|Dieser|Diese|Dieses",
    thoughts="dachte|dachte bei sich",
    openers="und|aber|doch|da|dann|nun|als|während|nachdem|endlich|darauf|hierauf",
    clauses="als|während|nachdem",
    continuing="fuhr fort|fuhr|setzte hinzu|fügte hinzu",
    own_family=r"mein(?:e)?\s(?:Mutter|Vater|Tante|Onkel|Bruder|Schwester|Frau|Mann|Großvater|Großmutter)",
    indirect="dass|daß|ob",
    following="mit|und|in|im|an|am|auf|zu|zum|zur|aus|von|vom|bei|beim|vor|nach|ohne|über|unter|aber|dann|noch|nun|"
    "wieder|sehr|"
    "leise|laut|ruhig|kalt|freundlich|traurig",
    any_verb=r"[a-zäöüß]+te(?:\s+sich)?",
    others=("der andere", "die andere", "dieser", "diese", "jener", "jene"),
    first_names=GERMAN_NAMES,
    silence="schwieg|antwortete nicht|(?:antwortete|erwiderte|sagte) nichts",
    first_person="ich|mir|mich|mein|meine[rmns]?|wir|uns",
)
FRENCH = SpeechWords(
    verbs=(
        "fit observer|fit remarquer|dit|demanda|répondit|s['’]écria|cria|murmura|répliqua|reprit|ajouta|fit|continua|"
        "déclara|pensa|interrompit|"
        "demande|répond|s['’]exclama|chuchota|souffla|balbutia|poursuivit|observa|remarqua|hurla|soupira|"
        "bégaya|balbutie|dis|disait|répétait|répéta|murmurait|criait|reprenait|ajoute|s['’]écrie|déclare|interrogea|"
        "insista|ordonna|gémit|grommela|affirma|expliqua|riposta|supplia|conclut|commença|prononça|annonça|lança"
    ),
    possessives="son|sa|mon|ma|notre",
    pronouns={"il": MAN, "elle": WOMAN, "je": NARRATOR, "on": MANY, "nous": MANY, "quelqu’un": MANY, "quelqu'un": MANY},
    titles={
        **dict.fromkeys(
            ("M.", "Monsieur", "monsieur", "père", "oncle", "maître", "comte", "marquis", "baron", "duc"), MAN
        ),
        **dict.fromkeys(
            ("Mme", "Madame", "madame", "Mlle", "Mademoiselle", "mademoiselle", "maman", "mère", "tante"), WOMAN
        ),
        **dict.fromkeys(("comtesse", "marquise", "baronne", "duchesse"), WOMAN),
        **dict.fromkeys(("docteur", "capitaine", "commandant", "abbé", "général", "colonel")),
    },
    articles={"le": MAN, "la": WOMAN, "l'": None, "l’": None},
    relations={"femme": WOMAN, "mari": MAN},
    adverbs=r"(?:\w+ment|alors)",
    inverted_inside=True,
    no_names="Et|Mais|Puis|Alors|Il|Elle|Ils|Elles|Le|La|Les|Un|Une|Ce|Cette|Je|Tu|Nous|Vous|On|Non|Oui|Ah|Oh|"
    "Quand|Comme|Pourtant|Enfin|Ensuite|Donc|Or|Car|Si|Que|Qui|Quoi|En|Dans|Avec|Pour|Sur|Son|Sa|Ses|"
    "Tout|Cela|Rien|Personne",
    thoughts="pensa",
    openers="et|mais|puis|alors|enfin|quand|comme|lorsque|tandis que|après",
    clauses="quand|comme|lorsque|tandis que",
    continuing="continua|poursuivit|ajouta",
    when="lorsque|quand",
    own_family=r"m(?:on|a)\s(?:mère|père|tante|oncle|frère|sœur|femme|mari|grand-père|grand-mère|maître)",
    indirect="que|si|qu",
    following="à|au|aux|avec|sans|en|et|d['’]un|d['’]une|dans|qui|du|de|des|tout|pour|sur|par|mais|toujours|encore|"
    "après|très|[a-zé]+ment",
    any_verb="[a-zà-ÿ]+(?:a|it|ai|is)",
    others=("l'autre", "l’autre", "celui-ci", "celle-ci", "celui-là", "celle-là", "ce dernier", "cette dernière"),
    first_names=FRENCH_NAMES,
    silence="se tut|(?:ne|n['’]) ?(?:répondit|dit|répliqua) (?:pas|rien|point|mot)|garda le silence",
    first_person=r"je|j['’]\w+|me|m['’]\w+|moi|mon|ma|mes|nous",
)
SPANISH = SpeechWords(
    verbs=(
        "dijo|preguntó|respondió|contestó|exclamó|gritó|murmuró|replicó|añadió|repuso|susurró|pensó|dice|pregunta|"
        "responde|continuó|prosiguió|insistió|explicó|observó|interrumpió|balbució|suspiró|"
        "decía|preguntaba|respondía|contestaba|gritaba|repetía|repitió|agregó|declaró|afirmó|indicó|advirtió|ordenó|"
        "rogó|suplicó|gimió|sollozó|balbuceó|refunfuñó|gruñó|aseguró|propuso|dije|pregunté|respondí|contesté|exclamé"
    ),
    possessives="su|mi|nuestr[oa]",
    pronouns={"él": MAN, "ella": WOMAN, "yo": NARRATOR, "nosotros": MANY, "alguien": MANY, "todos": MANY},
    titles={"don": MAN, "doña": WOMAN, "señor": MAN, "señora": WOMAN, "señorita": WOMAN, "tío": MAN, "tía": WOMAN},
    articles={"el": MAN, "la": WOMAN},
    relations={"mujer": WOMAN, "marido": MAN},
    adverbs=r"(?:\w+mente|entonces)",
    no_names="Y|Pero|Entonces|En|El|La|Los|Las|Un|Una|Yo|Tú|Él|Ella|No|Sí|Cuando|Como|Con|Por|Para|De|Al|A|Que|"
    "Qué|Quién|Pues|Luego|Después|Así|Aquí|Ya|Si|Mas|Esto|Eso|Su|Sus|Todo|Nada|Nadie|Desde|Sin|Sobre",
    thoughts="pensó",
    openers="y|pero|entonces|luego|después|cuando|mientras|al fin|por fin",
    clauses="cuando|mientras",
    continuing="continuó|prosiguió|añadió|agregó",
    when="cuando",
    own_family=r"mi\s(?:madre|padre|tía|tío|hermana|hermano|mujer|marido|abuel[oa]|am[oa])",
    indirect="que|si",
    following=r"a|al|con|en|sin|de|del|por|desde|mientras|cuando|que|y|para|muy|\w+ndo(?:se|les?|l[ao]s?)?|\w+mente",
    any_verb="[a-zá-úñ]+(?:ó|aba|ía)",
    others=("el otro", "la otra", "este", "éste", "esta", "ésta", "aquel", "aquél", "aquella", "aquélla"),
    first_names=SPANISH_NAMES,
    silence="calló|guardó silencio|no (?:respondió|contestó|dijo nada)|nada (?:respondió|contestó|dijo)",
    first_person="yo|me|mí|mi|mis|nos|nosotros",
)
RUSSIAN = SpeechWords(
    verbs=(
        "(?:сказал|спросил|ответил|крикнул|воскликнул|прошептал|проговорил|возразил|отвечал|заметил|подумал|думал|"
        "продолжал|"
        "говорил|вскричал|промолвил|закричал|прибавил|добавил|повторил|пробормотал|спрашивал|начал|перебил|шепнул|"
        "шептал|кричал|заговорил|пояснил|объяснил|признал|"
        "удивил|вздохнул|усмехнул|засмеял|бормотал|повторял|возражал|заметил|молвил|буркнул|рявкнул|протянул|"
        "согласил|отозвал|поправил|попросил|приказал|предложил|решил|сообщил|объявил|настаивал|простонал|прохрипел|"
        "процедил|проворчал|ворчал|изумил|поморщил|хихикал|захихикал|обрадовал|испугал|рассмеял|улыбнул|захохотал|"
        "хохотал|"
        "зарыдал|взмолил|обратил|осведомил|поинтересовал|заорал|взвизгнул|взревел|рассердил|возмутил|обидел)"
        "(?:а|ся|ась)?|произн[её]с(?:ла)?|"
        "говорит|спрашивает|отвечает|кричит|шепчет|восклицает|замечает|продолжает|начинает|бормочет|повторяет|думает|"
        "возражает|перебивает|вздыхает|прибавляет|добавляет|ворчит|смеётся|смеется|вскрикивает|произносит"
    ),
    possessives="его|её|ее|мой|моя|наш|наша",
    # "said the old man" has no article: a word that is no adverb, participle or "to him", before a mark.
    nouns=r"(?:[а-яё]+(?:ый|ий|ой|ая|яя)\s)?(?!(?:тот|этот|кто|ему|мне|нам|вам|ей|им|всем|себе|вдруг|опять|наконец|"
    r"затем|потом|снова|тогда|сам|сама|так|тут|вслух|вслед|ещ[её]|уже|здесь|теперь|сейчас|вновь|сперва|"
    r"голос|тенор|тенорок|бас|дискант|[а-яё]+енький)(?!\w))"
    r"(?:генерал|адмирал|капрал|дьявол|ангел|княгиня|графиня|няня|судья|дядя|тётя|"
    r"[а-яё]{2,}(?:-[а-яё]{2,})?(?<!о)(?<!ом)(?<!ем)(?<!ём)(?<!сь)(?<!ся)(?<!я)(?<!в)(?<!вши)(?<!у)"
    r"(?<!ю)(?<!и)(?<!ы)(?<!е)(?<!ла)(?<!л)(?<!ший)(?<!щий)(?<!мый)(?<!нный))(?=[,.;:!?]|\s+[—–-]|\s*$|\s+(?:с|со|в|"
    r"во|на|после|и|к|у|из|от|за|по|не|над|перед|без|до|о|об|при|через|ещ[её])\b|\s+[а-яё]+(?:[иы]м|[оеё]й|[оеё]м)\b)",
    pronouns={"он": MAN, "она": WOMAN, "я": NARRATOR, "мы": MANY, "кто-то": MANY, "все": MANY, "они": MANY},
    continuing="продолжала?|прибавила?|добавила?",
    when="когда",
    own_family=r"мо[йя]\s(?:мать|отец|т[её]тка|тётушка|дядя|бабушка|дедушка|сестра|брат|жена|муж)",
    indirect="что",
    dashed_inside=True,
    titles={"господин": MAN, "госпожа": WOMAN, "дядя": MAN, "тётя": WOMAN, "князь": MAN, "княгиня": WOMAN},
    articles={},
    relations={"жена": WOMAN, "муж": MAN},
    adverbs=r"(?:\w+о|вдруг|тогда|опять|снова|вполголоса|ш[ёе]потом|(?:[а-яё]+[иыо]м\s)?голосом|на\s+это|ему|ей|мне|"
    r"им|нам)",
    no_names="И|Но|А|Он|Она|Они|Я|Мы|Вы|Что|Как|Когда|Тогда|Потом|Да|Нет|Ну|Это|Вот|Так|Если|Где|Кто|В|На|С|У|К|"
    "По|За|Не|От|Из|До|Его|Её|Их|Все|Всё|Никто",
    thoughts="подумала?|думала?|думает",
    openers="и|а|но|тут|тогда|потом|наконец|вдруг|когда|пока",
    clauses="когда|пока",
    any_verb=r"[а-яё]+(?:л|ла|лся|лась)(?:\s+[а-яё]+ть)?",
    others=("другой", "другая", "тот", "та"),
    silence="(?:ничего )?не (?:ответил|отвечал)а?|(?:про|за|с)?молчала?",
    first_person="я|мне|меня|мной|мой|моя|мо[её]|мы|нам|нас",
)
BY_CODE = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "ru": RUSSIAN}  # ISO 639-1
FEMALE_PAST = re.compile(r"\w+(?:ла)", re.IGNORECASE)  # Russian verbs say the sex of whoever speaks
