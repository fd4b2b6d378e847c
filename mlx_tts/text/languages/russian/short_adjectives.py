"""Russian adjectives that are cut short before a noun ("соц. сети", "на след. неделе") -> words in the noun's case."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_before, words_of

# Short form -> stem. Which endings a stem takes is told by its last letters.
STEMS = {
    "ген.": "генеральн", "гос.": "государственн", "мед.": "медицинск", "тех.": "техническ", "соц.": "социальн",
    "юр.": "юридическ", "физ.": "физическ", "эл.": "электронн", "муз.": "музыкальн", "нар.": "народн",
    "худ.": "художественн", "англ.": "английск", "нем.": "немецк", "франц.": "французск", "рус.": "русск",
    "исп.": "испанск", "итал.": "итальянск", "кит.": "китайск", "яп.": "японск", "мат.": "материальн",
    "дет.": "детск", "ком.": "коммунальн", "коммун.": "коммунальн", "след.": "следующ", "прошл.": "прошл",
    "прош.": "прошл", "посл.": "последн", "моб.": "мобильн", "науч.": "научн", "совр.": "современн",
    "ж/д": "железнодорожн", "с/х": "сельскохозяйственн", "быв.": "бывш", "руч.": "ручн", "род.": "родительн",
    "стац.": "стационарн", "рос.": "российск", "росс.": "российск", "моск.": "московск", "ср.": "средн",
    "нов.": "нов", "раб.": "рабоч", "мин.": "минимальн", "макс.": "максимальн", "торг.": "торгов",
    "ежемес.": "ежемесячн", "еженед.": "еженедельн", "сан.": "санитарн", "лат.": "латинск",
    "гор.": "горяч", "хол.": "холодн", "авар.": "аварийн", "лаб.": "лабораторн", "предполаг.": "предполагаем",
    "предвар.": "предварительн", "беспл.": "бесплатн", "платн.": "платн", "круглосут.": "круглосуточн",
    "оф.": "официальн", "офиц.": "официальн",
    "кирп.": "кирпичн", "панел.": "панельн", "пан.": "панельн", "монол.": "монолитн", "дерев.": "деревянн",
}  # fmt: skip
# Nouns that such adjectives stand before: stem -> endings of one and of several, by declension.
MASCULINE = (
    "директор адрес агент контракт округ центр отдел номер прокурор институт университет язык перевод артист фильм"
    " театр осмотр паспорт сотрудник состав узел язык словарь год раз месяц день квартал сезон вопрос урок вокзал"
    " билет транспорт переезд техникум колледж диплом рынок визит пол сад дом капитал телефон редактор консул"
    " возраст вес чек срок балл штаб банк музей персонал прибор текст журнал класс дизайн долг сектор взнос завод"
    " налог орган вход проезд сайт"
)
FEMININE = (
    "школа помощь сеть почта служба станция связь часть книга карта улица неделя треть версия группа литература"
    " подпись касса дорога компания комната площадка организация страница глава среда техника продукция литература"
    " пошлина встреча серия цена зарплата температура скорость площадь стоимость валюта безопасность кладь"
    " поликлиника карточка справка сестра страховка статья работа защита экспертиза программа ссылка библиотека вода"
    " парковка доставка запись доходность"
)
PLURAL = "услуги лица сети работы средства новости вещи"
ENDINGS = {  # of an adjective, by what the noun shows
    "m": {"": "m", "а": "g", "у": "d", "ом": "i", "ем": "i", "е": "l"},
    "f": {"а": "f", "я": "f", "": "f", "ы": "o", "и": "o", "е": "o", "у": "c", "ю": "c", "ой": "o", "ей": "o",
          "ью": "o"},
    "p": {"": "p", "ам": "pd", "ям": "pd", "ами": "pi", "ями": "pi", "ах": "pl", "ях": "pl", "ов": "pl", "ев": "pl",
          "ы": "p", "и": "p"},
}  # fmt: skip
HARD = {"m": "ый", "g": "ого", "d": "ому", "i": "ым", "l": "ом", "f": "ая", "o": "ой", "c": "ую", "p": "ые",
        "pd": "ым", "pi": "ыми", "pl": "ых"}  # fmt: skip
SOFT = {"m": "ий", "g": "его", "d": "ему", "i": "им", "l": "ем", "f": "яя", "o": "ей", "c": "юю", "p": "ие",
        "pd": "им", "pi": "ими", "pl": "их"}  # fmt: skip
VELAR = HARD | {"m": "ий", "i": "им", "p": "ие", "pd": "им", "pi": "ими", "pl": "их"}
HUSHING = SOFT | {"f": "ая", "c": "ую"}
# Behind these "сети" and "недели" are one thing in the genitive or the like, else several.
ONE_OF_THEM = re.compile(r"\b(?:[Вв]о?|[Нн]а|[Оо]б?|[Уу]|[Оо]т|[Дд]о|[Дд]ля|[Бб]ез|[Ии]з|[Сс]о?|[Кк]о?|[Пп]осле) \Z")
# Short forms that are said of these alone, as they mean other things elsewhere.
ONLY = {"мат.": "помощь капитал", "ср.": "огонь возраст вес чек срок балл школа температура скорость цена зарплата"
        " стоимость", "нов.": "год неделя"
        " серия версия", "раб.": "день неделя место встреча", "род.": "дом", "мин.": "цена зарплата температура сумма"
        " скорость стоимость взнос", "макс.": "цена зарплата температура скорость стоимость взнос"
        " доходность",
        "оф.": "сайт", "гор.": "вода", "хол.": "вода", "кирп.": "дом", "панел.": "дом", "пан.": "дом", "монол.": "дом",
        "дерев.": "дом",
        "кит.": "язык", "яп.": "язык", "торг.": "центр площадь", "посл.": "год раз месяц день неделя"
        " треть глава страница серия версия сезон квартал урок",
        "быв.": "директор сотрудник редактор консул прокурор"}  # fmt: skip


def declined(word: str, gender: str) -> dict[str, str]:
    """A noun's forms -> which ending of an adjective each asks for."""
    forms: dict[str, str] = {}
    if gender == "m":
        if word.endswith("ень"):  # день
            stem = f"{word[:-3]}н"
            return {word: "m", f"{stem}я": "g", f"{stem}ю": "d", f"{stem}ём": "i", f"{stem}е": "l"}
        stem = word[:-1] if word[-1] in "ьй" else f"{word[:-2]}к" if word == "рынок" else word
        soft = word[-1] in "ьй"
        for ending, form in (
            (("я", "g"), ("ю", "d"), ("ем", "i"), ("е", "l")) if soft else tuple(ENDINGS["m"].items())[1:]
        ):
            forms.setdefault(stem + ending, form)
        forms[word] = "m"
        return forms
    stem = word[:-1] if word[-1] in "аяь" else word
    first = {"а": "а", "я": "я", "ь": "ь"}[word[-1]]
    if first == "ь":
        return {word: "f", f"{stem}и": "o", f"{stem}ью": "o"}
    soft = first == "я"
    one = (("и" if soft or stem[-1] in "кгхжшчщ" else "ы", "o"), ("и" if stem[-1] == "и" else "е", "o"),
           ("ю" if soft else "у", "c"), ("ей" if soft or stem[-1] in "жшчщ" else "ой", "o"))  # fmt: skip
    forms = {stem + ending: form for ending, form in one}
    several = (("ям", "pd"), ("ями", "pi"), ("ях", "pl")) if soft else (("ам", "pd"), ("ами", "pi"), ("ах", "pl"))
    return {word: "f"} | forms | {stem + ending: form for ending, form in several}


def adjective(stem: str, form: str) -> str:
    endings = (
        SOFT
        if stem == "последн" or stem == "средн"
        else HUSHING
        if stem[-1] in "шщч"
        else (VELAR if stem[-1] in "кгх" else HARD)
    )
    return stem + endings[form]


def noun_forms() -> dict[str, tuple[str, str]]:
    """Each form of a noun -> the noun, and the ending of its adjective."""
    table: dict[str, tuple[str, str]] = {}
    for gender, nouns in (("m", MASCULINE), ("f", FEMININE)):
        for noun in words_of(nouns):
            for form, ending in declined(noun, gender).items():
                table.setdefault(form, (noun, ending))
    for noun in words_of(PLURAL):
        table[noun] = (noun, "p")
        stem = noun[:-1]
        for ending, form in (("ам", "pd"), ("ами", "pi"), ("ах", "pl"), ("ям", "pd"), ("ями", "pi"), ("ях", "pl")):
            table.setdefault(stem + ending, (noun, form))
    table |= {
        "лиц": ("лица", "pl"),
        "сетей": ("сети", "pl"),
        "услуг": ("услуги", "pl"),
        "место": ("место", "n"),
        "яз.": ("язык", "m"),
        "работ": ("работы", "pl"),
        "году": ("год", "l"),
        "нед.": ("неделя", "o"),
    }
    table |= dict.fromkeys(("путь", "пути"), ("путь", "m")) | {"пути": ("путь", "p"), "путей": ("путь", "pl"),
              "путям": ("путь", "pd"), "путями": ("путь", "pi"), "путях": ("путь", "pl"),
              "огне": ("огонь", "l"),
              "платёж": ("платёж", "m"), "платежа": ("платёж", "g"), "платежи": ("платёж", "p"),
              "платежей": ("платёж", "pl"), "платежу": ("платёж", "d"), "платежом": ("платёж", "i")}  # fmt: skip
    return table


def adjective_rules() -> tuple[Rule, ...]:
    table = noun_forms()

    def said(match: re.Match[str]) -> str | None:
        short = match["short"]
        small = short[0].lower() + short[1:]
        noun, form = table[match["noun"]]
        only = ONLY.get(small)
        if form == "n" or (only and noun not in words_of(only)):
            return None
        before = text_before(match, 8)
        if small == "ср." and re.search(r"\b[Вв] \Z|\d \Z", before) and noun != "возраст":
            return None
        if small in ("мин.", "с/х") and re.search(r"\d \Z", before):
            return None
        if form == "o" and noun[-1] in "аяьи" and match["noun"][-1] in "иы" and not ONE_OF_THEM.search(before):
            form = "p" if noun in words_of("сеть карта неделя книга") else form
        if noun in words_of(PLURAL) and form == "p" and match["noun"] == "сети" and ONE_OF_THEM.search(before):
            form = "o" if re.search(r"\b(?:[Вв]|[Ии]з|[Оо]т|[Дд]о) \Z", before) and small != "соц." else "p"
        word = adjective(STEMS[small], form)
        return (word[0].upper() + word[1:] if short[0].isupper() else word) + match["gap"]

    shorts = one_of(STEMS | {key[0].upper() + key[1:]: "" for key in STEMS})
    return (rule(rf"(?<![\w.])(?P<short>{shorts})(?P<gap> ?)(?=(?P<noun>{one_of(table)})(?!\w))", said),)
