"""German nouns -> their gender, as far as their endings and a list of common ones tell."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import words_of

NOUNS = {"f": "Frau Klasse Runde Auflage Etage Minute Stunde Woche Liga Staffel Folge Ausgabe Reihe Stelle Welle "
"Etappe Saison Frage Sitzung Medaille "
        "Partie Woche Reise Seite Etappe Stufe Sekunde Million Person Stadt Frist Aufführung Führung Übung "
        "Sendung Show Party Fahrt Nacht Hand Kurve Kategorie Niederlage Dynastie Sinfonie Republik Zeile Spalte Ehe",
         "r": "FC SC Sieg Titel Treffer Punkt Marathon Präsident Kanzler Film Roman Lauf Tag Geburtstag Platz Satz "
             "Stock Spieltag Weltkrieg Preis Teil Band Versuch Bezirk Jahrestag "
             "Hochzeitstag Advent Abend Morgen Monat Gast Kunde Besucher Einsatz Anruf Gang Gegner Lauf Start "
             "Verein Artikel Akt Patient Fall Unfall Versuch Sonntag Grad Kilometer Meter Platz Schritt Teilnehmer",
         "s": "OG UG Obergeschoss Untergeschoss Jahrhundert Kapitel Stockwerk Semester Mal Jubiläum Quartal "
              "Halbjahr Jahr Gebot Tor Saisontor Ligator Länderspieltor Eigentor Siegtor "
              "Kind Spiel Buch Album Konzert Rennen Haus Fest Treffen Opfer Mitglied "
              "Land Bild Ziel Auto Zimmer Lied Foto Problem Turnier Finale Duell Match Bier Glas Geschäft Werk "
              "Stück Heft Video Geschoss Regiment Derby Gedicht Hotel Restaurant Projekt Gesetz Modell Fahrzeug "
              "Flugzeug Schiff Gerät Bundesland Event Festival Kilo Pfund Wort Wunder Stadion Parlament"}  # fmt: skip
GENDER_OF_NOUN = {noun.casefold(): form for form, nouns in NOUNS.items() for noun in nouns.split()}
# Behind an ordinal: the form that it has without an article, and the noun.
SHORT_NOUNS = {"Kl.": ("f", "Klasse"), "Aufl.": ("f", "Auflage"), "Etg.": ("f", "Etage"), "Sem.": ("s", "Semester"),
    "Jg.": ("r", "Jahrgang"), "Hj.": ("s", "Halbjahr"), "Trim.": ("s", "Trimester"),
    "Bez.": ("r", "Bezirk"), "Lj.": ("s", "Lebensjahr"),
    "Abschn.": ("r", "Abschnitt"), "Stck.": ("s", "Stück"), "Rd.": ("f", "Runde"), "Std.": ("f", "Stunde"),
    **{f"{short}.": ("r", day) for short, day in zip(
        words_of("Mo Di Mi Do Fr Sa So"),
        words_of("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"), strict=True)}, "Quart.": ("s",
    "Quartal")}  # fmt: skip
SHORT = frozenset(words_of("tor mal akt ehe og ug fc sc rad ziel teil"))
# Capitalised words behind "1" that are feminine; most nouns in -e are.
FEMININE_NOUN = re.compile(
    r"(?:\w*(?:[Ff]orm|[Nn]uss|[Ww]urst|[Ff]eder|[Nn]adel|[Tt]afel|[Ss]chüssel|[Gg]urke|[Uu]hr|[Ff]ahrt|[Ff]rucht|"
    r"[Pp]aprika|[Pp]izza|[Aa]vocado|[Ss]pur|[Bb]ahn|[Zz]eit|[Aa]rbeit|[Kk]raft|[Ff]rist|[Bb]utter|[Aa]ngabe|[Kk]iwi|"
    r"[Mm]ango|[Mm]auer|[Nn]ummer|[Oo]per|[Ff]eier|[Aa]mpel|[Ii]nsel|[Tt]üte|[Pp]erson|[Ff]rau|[Tt]ür|[Nn]acht|[Ss]tadt|[Mm]utter|[Tt]ochter|"
    r"[Pp]arty|[Tt]asche|[Kk]iste|[Ss]chachtel|[Dd]ose)|"
    r"\w+(?:ung|heit|keit|schaft|ion|tät|enz|anz|ik|ei|ur|in)|Frau|Person|Stadt|Nacht|Hand|Wand|Tür|Zwiebel|Gabel"
    r"|Regel|Tochter|Mutter|Schwester|Firma|Zahl|Bank|Party|Kartoffel|Mark|Million|Milliarde|Packung|Prise|Handvoll|Dose"
    r"|(?!(?:Name|Junge|Käse|Kunde|Hase|Affe|Löwe|Kollege|Auge|Ende|Interesse|Erbe|Bote|Neffe|Experte|Zeuge|Patiente"
    r"|\w*[Bb]ike|\w*[Pp]hone|Update|Upgrade|Image|Interface|Service|Gebäude|\w*[Kk]affee|\w*[Tt]ee|Klee|Schnee|See|Getränk\w*|Ge\w+e|\w+(?:kunde|name|ende))\Z)\w+e)"
)
NAMING = frozenset(words_of("Platz Nummer Gleis Kapitel Teil Klasse Band Seite Zimmer Level Stufe Formel Tor Raum "
     "Linie Typ "
    "Phase Woche Tag Station Spur Punkt Artikel Paragraf"))  # fmt: skip
NEUTER_NOUN = re.compile(
    r"\w+(?:chen|lein|ment|um|ett|tel)|(?:\w*(?:[Gg]las|[Pp]fund|[Bb]rot|[Kk]ilo\w*|[Gg]ramm|[Dd]utzend|[Bb]lech|"
    r"[Ss]tück|"
    r"[Jj]ahr|[Hh]uhn"
    r"|[Ff]ilet|[Dd]utzend|[Ss]et|[Bb]esteck)|Ei|Kind|Haus|Auto|Buch|Zimmer|Bier|Wasser|Bund|Mal)"
)
MASCULINE_UNIT = re.compile(r"(?:\w*(?:[Ll]iter|[Mm]eter|löffel|[Bb]echer|[Tt]ag|[Mm]onat))\Z")


def gender_of_noun(noun: str) -> str | None:
    """The form of an ordinal before a noun, by its end; short nouns are also ends of others ("Direktor")."""
    if not noun[0].isupper():
        return None
    small = noun.casefold()
    for end, form in GENDER_OF_NOUN.items():
        if small == end or (end not in SHORT and small.endswith(end)):
            return form
    return None
