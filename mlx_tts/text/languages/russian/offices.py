"""Russian posts ("нач. цеха", "ст. лейтенант"), inner telephones and words with a slash ("в/ч", "н/к") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import last_stop
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European

# Nominative, genitive, dative, ablative, locative, as prepositions and verbs rarely tell more.
POSTS = {
    "нач.": ("начальник", "начальника", "начальнику", "начальником", "начальнике"),
    "рук.": ("руководитель", "руководителя", "руководителю", "руководителем", "руководителе"),
    "пом.": ("помощник", "помощника", "помощнику", "помощником", "помощнике"),
    "инж.": ("инженер", "инженера", "инженеру", "инженером", "инженере"),
    "спец.": ("специалист", "специалиста", "специалисту", "специалистом", "специалисте"),
    "зав.": ("заведующий", "заведующего", "заведующему", "заведующим", "заведующем"),
    "ком.": ("командир", "командира", "командиру", "командиром", "командире"),
}  # fmt: skip
# What one leads or serves.
OF_WHAT = (
    r"(?:по [а-яё]{3,}|(?:[а-яё]+(?:ого|ей|ой|его|ых|их) )?(?:отдел|цех|смен|участк|управлени|служб|станци|депо|лагер"
    r"|штаб|департамент|бюро|охран|караул|лаборатори|склад|проект|групп|направлени|филиал|секци|кружк|команд"
    r"|директор|министр"
    r"|судь|капитан|депутат|мэр|прокурор|президент|машинист|рот|взвод|полк|батальон|экипаж|отряд|кафедр"
    r"|хозяйств|глав|сектор|центр|отделени"
    r"|производств|объект|гарнизон)[а-яё]{0,4})\b"
)
# An adjective before a post.
RANKS = {"ст.": "старш", "мл.": "младш", "вед.": "ведущ", "гл.": "главн"}
OF_RANK = (
    r"лейтенант|сержант|преподавател|инженер|специалист|сотрудник|научн|менеджер|воспитател|прапорщик|редактор|тренер"
    r"|следовател|медсестр|механик|бухгалтер|врач|энергетик|технолог|конструктор|аналитик|юрист|разработчик|программист"
    r"|консультант|советник|помощник|эксперт|архитектор|художник|режисс[её]р|герой|приз\b|судь|вопрос|тема"
)
HUSHING = {"": "ий", "а": "его", "у": "ему", "ом": "им", "е": "ем", "ь": "ий", "я": "его", "ю": "ему", "ем": "им"}
HARD = {"": "ый", "а": "ого", "у": "ому", "ом": "ым", "е": "ом", "ь": "ый", "я": "ого", "ю": "ому", "ем": "ым"}
SLASHED_ADJECTIVES = {"х/б": "хлопчатобумажн", "ч/б": "чёрно-бел", "ж/б": "железобетонн", "п/о": "послеоперационн",
                      "п/э": "полиэтиленов"}  # fmt: skip
SLASHED = {
    "в/ч": ("войсковая часть", "войсковой части", "войсковой части", "войсковой частью", "войсковой части"),
    "п/я": ("почтовый ящик", "почтового ящика", "почтовому ящику", "почтовым ящиком", "почтовом ящике"),
    "а/п": ("аэропорт", "аэропорта", "аэропорту", "аэропортом", "аэропорту"),
    "к/ф": ("кинофильм", "кинофильма", "кинофильму", "кинофильмом", "кинофильме"),
    "м/ф": ("мультфильм", "мультфильма", "мультфильму", "мультфильмом", "мультфильме"),
    "х/ф": ("художественный фильм", "художественного фильма", "художественному фильму", "художественным фильмом",
            "художественном фильме"),
    "д/ф": ("документальный фильм", "документального фильма", "документальному фильму", "документальным фильмом",
            "документальном фильме"),
    "т/с": ("телесериал", "телесериала", "телесериалу", "телесериалом", "телесериале"),
    "д/с": ("детский сад", "детского сада", "детскому саду", "детским садом", "детском саду"),
    "л/у": ("лимфоузлы", "лимфоузлов", "лимфоузлам", "лимфоузлами", "лимфоузлах"),
    "н/к": ("нижние конечности", "нижних конечностей", "нижним конечностям", "нижними конечностями",
            "нижних конечностях"),
    "в/к": ("верхние конечности", "верхних конечностей", "верхним конечностям", "верхними конечностями",
            "верхних конечностях"),
}  # fmt: skip
CASES = (
    (r"словам|мнению|данным|[Ии]з|[Оо]т|[Дд]о|[Уу]|[Дд]ля|[Бб]ез|[Оо]коло|[Пп]осле|[Сс] экрана", 1),
    (r"[Кк]о?|[Пп]о", 2),
    (
        r"[Нн]ад|[Пп]еред|[Сс]тал[аи]?|[Яя]вляется|[Рр]аботает|[Рр]аботал[аи]?|[Нн]азначен[аы]?|[Сс]лужит"
        r"|[Сс]лужил[аи]?",
        3,
    ),
    (r"[Вв]о?|[Нн]а|[Оо]б?|[Пп]ри", 4),
)


def case_before(match: re.Match[str]) -> int:
    before = text_before(match, 16) + (match.groupdict().get("before") or "")
    return next((case for words, case in CASES if re.search(rf"\b(?:{words}) \Z", before)), 0)


def post(match: re.Match[str]) -> str:
    said = POSTS[match["word"].casefold()][case_before(match)]
    return match["before"] + (said.capitalize() if match["word"][0].isupper() else said)


def rank(match: re.Match[str]) -> str | None:
    """ "ст. лейтенанта": the noun shows the case."""
    word = match["word"].casefold()
    noun = re.match(r" (?:научн(?P<science>ый|ого|ому|ым|ом) |[а-яё-]{3,20}?(?P<end>|а|у|ом|е|ь|я|ю|ем)\b)",
                    text_after(match, 30))  # fmt: skip
    if noun is None or re.match(r" (?:медсестр|тема)", text_after(match, 10)):
        return None
    ends = HUSHING if word != "гл." else HARD
    science = {"ый": "", "ого": "а", "ому": "у", "ым": "ом", "ом": "е"}
    said = RANKS[word] + ends[science[noun["science"]] if noun["science"] else noun["end"]]
    return said.capitalize() if match["word"][0].isupper() else said


def slashed(match: re.Match[str]) -> str:
    """A noun in the case of its preposition; limbs and knots behind another noun are in the genitive."""
    word, case = match["word"], case_before(match)
    if not case and word in ("н/к", "в/к", "л/у") and re.search(r"[а-яё]{2} \Z", text_before(match, 4)):
        case = 1
    return SLASHED[word][case]


def painted(match: re.Match[str]) -> str:
    ends = {"а": "ая", "я": "ая", "ь": "ая", "о": "ое", "е": "ое", "ы": "ые", "и": "ые", "у": "ую", "ю": "ую"}
    return SLASHED_ADJECTIVES[match["word"]] + ends.get(match["noun"][-1], "ый")


def office_rules(own: European) -> tuple[Rule, ...]:
    def inner(match: re.Match[str]) -> str:
        """ "вн. 1-14": its parts one after the other."""
        name = {"в": "внутренний", "д": "добавочный"}[match["name"][0].casefold()]
        if re.search(r"\b[Пп]о \Z", text_before(match, 4)):
            name = f"{name[:-2]}{'ему' if name[0] == 'в' else 'ому'}"
        telephone = " телефон" + ("у" if name.endswith("у") else "")
        name = name.capitalize() if match["name"][0].isupper() else name
        parts = [own.cardinal(int(part)) if part[0] != "0" else own.digits(part) for part in match["n"].split("-")]
        return f"{name}{telephone if match['telephone'] else ''} {', '.join(parts)}"

    posts = one_of([*POSTS, *map(str.capitalize, POSTS)])
    ranks = one_of([*RANKS, *map(str.capitalize, RANKS)])
    return (
        rule(rf"(?P<before>(?:\b[А-ЯЁа-яё]{{1,3}} )?)(?<![\w.])(?P<word>{posts})(?= {OF_WHAT})", post),
        rule(rf"(?<![\w.])(?P<word>{ranks})(?= (?:{OF_RANK}))", rank),
        rule(r"(?<![\w.])(?P<name>[Вв]н|[Вв]нутр|[Дд]об)\.(?P<telephone> тел\.)? ?(?P<n>\d{1,3}(?:-\d{1,3}){1,2})"
             r"(?![\w-])",
             inner),
        rule(rf"(?<![\w/])(?P<word>{one_of(SLASHED)})(?![\w/])", lambda m: slashed(m) + last_stop(m)),
        rule(rf"(?<![\w/])(?P<word>{one_of(SLASHED_ADJECTIVES)})(?= (?P<noun>[а-яё]{{3,20}})\b)", painted),
        # At the end of a sentence an address of the net is one as well.
        rule(r"(?<![\w.])(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?=\.(?:\s|\Z))",
             lambda m: f" {own.web['.']} ".join(own.digits(part) for part in m["ip"].split("."))),
    )  # fmt: skip
