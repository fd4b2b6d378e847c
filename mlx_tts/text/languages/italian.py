"""Italian: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_marks import reports
from mlx_tts.text.normalise.european_rules import EuropeanReader

# Behind "1" these count nothing.
SMALL_WORDS = frozenset(
    words_of(
        "di e a o in per con che è al del la il lo i gli le un una si no più meno ma se come su fino da tra fra fu "
        "era sono"
    )
)
NAMING = re.compile(
    r"\b(?:[Pp]agina|[Cc]apitolo|[Nn]umero|[Ll]ivello|[Gg]ruppo|[Ss]ala|[Pp]iano|[Pp]orta|[Ll]inea|[Tt]ipo|[Ff]ase|"
    r"[Pp]arte|[Vv]ersione|[Ss]erie|[Cc]anale|[Oo]pzione|[Aa]rticolo|[Ff]igura|[Tt]abella)\s+\Z"
)


A_NOUN = re.compile(
    r"(?!(?:problema|tema|programma|sistema|clima|grammo|chilogramma|diploma|dramma)\b)\w+(?:a|zione|tà)\b"
)
WITH_FIRST = {"l": "il", "dell": "del", "dall": "dal", "all": "al", "nell": "nel", "sull": "sul"}
# Behind "180°" and "3°" these count nothing.
NO_NOUN = frozenset(
    words_of("per con nel nella nelle nei del della delle dei dal dalla alla alle allo fino poi senza che")
)
WARM = re.compile(r"\d ?°C|\b(?:temp\w*|gradi|forno|meteo|massim[ae]|minim[ae])\b")
HIRED = re.compile(r"\b(?:auto|noleggio|camper|campeggio|hotel|affitto|moto|bici\w*|scooter|km illim)\b")
HOUSE_WORDS = {"asc": "ascensore", "arred": "arredamento", "risc": "riscaldamento", "cant": "cantina",
    "balc": "balcone",
    "terr": "terrazzo", "giard": "giardino"}  # fmt: skip


class Italian(European):
    """Only one has a gender; ordinals agree with the word behind them."""

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            Kind(
                "time",
                re.compile(r"\d[-–]\d|\d[.:]\d\d"),
                (
                    rule(
                        r"\b(?P<word>[Uu]ltim[aoei] [a-zà-ÿ]{3,12}|[Pp]artenza|[Aa]rrivo|[Ii]nizio|[Aa]pertura|"
                        r"[Cc]hiusura|[Rr]itrovo|[Rr]ientro|[Cc]heck-in|[Cc]heck-out)(?P<gap>:? )"
                        r"(?P<h>[01]?\d|2[0-4])[.:](?P<m>[0-5]\d)(?![\w:%€]|[.,]\d| ?(?:€|%|euro|km|kg))",
                        lambda m: f"{m['word']}{m['gap']}{self.time(int(m['h']), int(m['m']), None, m)}",
                    ),
                    rule(
                        r"(?:(?<=\bore )|(?<=[Oo]rario ))(?P<a>[01]?\d|2[0-4])(?:[.:](?P<b>[0-5]\d))? ?[-–] ?"
                        r"(?P<c>[01]?\d|2[0-4])(?:[.:](?P<d>[0-5]\d))?(?![\w:]|[.,]\d)",
                        lambda m: (
                            f"{self.time(int(m['a']), int(m['b'] or 0), None, m)} {self.to} "
                            f"{self.time(int(m['c']), int(m['d'] or 0), None, m)}"
                        ),
                    ),
                ),
            ),
            Kind(
                "telephone",
                re.compile(r"\d \d{3} \d{3}|\d sett\."),
                (
                    rule(
                        r"(?<![\w.,-])(?:800|3\d\d) \d{3} \d{3}(?! ?[\w€$%.,]*\w)(?<!000)|(?<![\w.,-])(?:800|3\d\d) "
                        r"\d{3} \d{3}(?= o [a-z\d])",
                        lambda m: ", ".join(self.digits(group) for group in m[0].split()),
                    ),
                    rule(
                        r"(?:(?<=\btra )|(?<=\bfra )|(?<=\bper )|(?<=\bogni )|(?<=\bda ))(?P<n>\d{1,2}) sett\.",
                        lambda m: f"{'una settimana' if m['n'] == '1' else self.cardinal(int(m['n'])) + ' settimane'}",
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(r"\b[cs]/[a-z]|\d[°º] ?p\."),
                (
                    rule(
                        r"(?<![\w./])(?P<with>[cs])/ ?(?P<what>[a-zà-ÿ]{3,20}\b\.?)",
                        lambda m: f"{'con' if m['with'] == 'c' else 'senza'} {self.written_out(m)}",
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,2})[°º] ?p\.(?=[ ,;)]|\Z)",
                        lambda m: f"{self.ordinal(int(m['n']))} piano",
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(
                    r"\b[CVv]\.|c\.a\.|\bL\. ?\d|\bh\b|€/g|\benn|\denn|\d\.[0-5]\d|art\.|\bpers\.|rr\.|[Cc]ol\.|pett\."
                ),
                (
                    rule(
                        r"(?<![\w.])[Cc]\. ?a\.(?= (?:Sig|Dott|Avv|Ing|Gent|Prof|Egr|Rag|Geom|[A-Z][a-z]+ [A-Z]))",
                        "alla cortese attenzione",
                    ),
                    rule(
                        r"(?<![\w.])[Vv]\.(?= (?:fig|pag|Cass|art|cap|tab|anche|allegat|sopra|sotto|nota|infra))",
                        "vedi",
                    ),
                    rule(
                        r"(?<![\w.,/])(?P<n>\d{1,3}) L\.(?= ?(?:n\. ?)?\d{1,4}/\d)",
                        lambda m: f"{self.cardinal(int(m['n']))} legge",
                    ),
                    rule(r"(?<![\w.])L\.(?= ?(?:n\. ?)?\d{1,4}/\d)", "legge "),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,4}(?:,\d\d)?) ?€/g(?!\w)",
                        lambda m: f"{self.price(m['n'], '€')} al giorno" if mentions(HIRED, m.string) else None,
                    ),
                    rule(
                        r"(?<![\w.])h\.? (?P<hour>[01]?\d|2[0-4])[.:](?P<minute>[0-5]\d)(?![\w:]|[.,]\d)",
                        lambda m: f"ore {self.time(int(m['hour']), int(m['minute']), None, m)}",
                    ),
                    rule(
                        r"\b(?P<word>(?:verso|dopo|prima di|entro|tra|fra|intorno al) ?le) (?P<h>[01]?\d|2[0-4])"
                        r"\.(?P<m>[0-5]\d)(?![\w:%€]|[.,]\d| ?[%€])",
                        lambda m: f"{m['word']} {self.time(int(m['h']), int(m['m']), None, m)}",
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{2})(?P<end>enn[ei])(?!\w)",
                        lambda m: f"{self.cardinal(int(m['n']))[:-1]}{m['end']}",
                    ),
                    rule(r"(?<![\w.])[Pp]art\.(?= (?:da\b|ore\b|h\b|\d))", "partenza"),
                    rule(r"(?<![\w.])[Aa]rr\.(?= (?:a\b|ore\b|h\b|\d))", "arrivo"),
                    rule(r"(?<=\ba )pers\.", lambda m: f"persona{self.sentence_stop(m)}"),
                    rule(
                        r"(?<![\w.])(?P<word>[Aa]rr|[Pp]art)\. (?:ore |h )?(?P<h>[01]?\d|2[0-4])[.:](?P<m>[0-5]\d)"
                        r"(?![\w:]|[.,]\d)",
                        lambda m: (
                            f"{'arrivo' if m['word'] in ('arr', 'Arr') else 'partenza'} "
                            f"{self.time(int(m['h']), int(m['m']), None, m)}"
                        ),
                    ),
                    rule(r"(?<![\w.])[Cc]ol\.(?= (?:incl|escl|inclus|compres))", "colazione"),
                    rule(r"(?<![\w.])[Ss]pett\.(?=:? ?\d)", "spettatori"),
                    rule(
                        r"(?<![\w.])h\.? (?=[012]?\d(?:[.:][0-5]\d)?(?: ?[-–] ?[012]?\d(?:[.:][0-5]\d)?)?(?:[ ,"
                        r";)]|\Z))",
                        "ore ",
                    ),
                ),
            ),
            Kind("name", re.compile(r"\bS\."), (rule(r"(?<![\w.])S\. ?(?=(?P<name>[A-ZÀ-Þ][a-zà-ÿ]+))", self._saint),)),
        )

    def gender(self, noun: str) -> str:
        return "f" if A_NOUN.match(noun) else super().gender(noun)

    def per_word(self, word: str) -> str:
        if word == "notte":
            return "a notte"
        return f"all'{word}" if word[0] in "aeiou" else f"{'alla' if word.endswith('a') else 'al'} {word}"

    def scaled(self, written: str, scale: str) -> str:
        return super().scaled(written, scale).replace(" mila", "mila")

    def per_unit(self, sign: str) -> str:
        return "all'" if sign in ("h", "oz") else self.per

    def written_out(self, match: re.Match[str]) -> str:
        """ "asc." behind "s/" is a lift; a full stop that ends the text is kept."""
        what = match["what"]
        said = HOUSE_WORDS.get(what.rstrip("."), what)
        return f"{said}." if said != what and what.endswith(".") and not text_after(match, 40).strip() else said

    def _saint(self, match: re.Match[str]) -> str:
        name = match["name"]
        if name[0] in "AEIOUÀÈÉ":
            return "Sant'"
        if name.endswith("a") and name not in ("Luca", "Nicola"):
            return "Santa "
        return "Santo " if re.match(r"S[^aeiou]|Z", name) else "San "

    def one(self, noun: str, before: str) -> str:
        """ "un libro", "uno zaino", "una casa", "un ora" (as it sounds)."""
        if not noun[:1].islower() or noun in SMALL_WORDS or NAMING.search(before):
            return super().one("", before)
        masculine = re.fullmatch(r"(?:problema|tema|programma|sistema|clima|poeta|pianeta|diploma|dramma)", noun)
        vowel = noun[0] in "aeiouàèéìòù"
        if (re.match(self.feminine, noun) or re.fullmatch(r"\w+(?:a|zione|sione|tà|tù)", noun)) and not masculine:
            return "un" if vowel else "una"
        return "uno" if re.match(r"s[^aeiouàèéìòù]|z|gn|ps|x|y", noun) else "un"

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        if forms[0] == "per cento":
            return f"{self.spoken(written)} per cento"
        return re.sub(r"\buna (?=[aeiou])", "un'", super().counted(written, forms, scale))

    def part(self, bottom: int) -> str | None:
        if bottom in self.parts:
            return self.parts[bottom]
        one = self.ordinal(bottom)
        return f"{one}|{one[:-1]}i"

    def ordinal(self, number: int, form: str = "m") -> str:
        return (
            re.sub(r"iesim", "iesim" if number == 3 else "esim", super().ordinal(number, form))
            if number > 20 and number % 10 == 6
            else super().ordinal(number, form)
        )

    def of_unit(self, unit: str) -> str:
        return f"di {unit}"

    def fraction(self, top: int, bottom: int) -> str:
        return "un mezzo" if (top, bottom) == (1, 2) else super().fraction(top, bottom)

    def regnal(self, number: int, name: str, before: str = "") -> str:
        return self.ordinal(number, "f" if (name.endswith("a") and name != "Andrea") or name == "Elisabetta" else "m")

    def century_words(self, number: int) -> str:
        return self.ordinal(number)

    def ordinal_rules(self) -> tuple[Rule, ...]:
        months = one_of(self.month_names)
        return (
            rule(r"(?<![\w.,])(?P<n>\d{1,7})\.?(?P<mark>[°ºª])(?! ?[CF]\b)(?!\w)", self._ordinal),
            rule(
                rf"(?<!\w)(?P<article>(?i:l|dell|dall|all|nell|sull))['’]1[°º]? (?P<month>{months})"
                r"(?: (?P<year>[12]\d{3}))?(?!\w)",
                self._first,
            ),
        )

    def _first(self, match: re.Match[str]) -> str:
        """ "l'1 luglio"."""
        article = WITH_FIRST[match["article"].casefold()]
        year = f" {self.year(int(match['year']))}" if match["year"] else ""
        return f"{article.capitalize() if match['article'][0].isupper() else article} primo {match['month']}{year}"

    def _ordinal(self, match: re.Match[str]) -> str | None:
        behind = re.match(r" ([a-zà-ÿ]{3,})", text_after(match, 24))
        behind = None if behind and behind[1] in NO_NOUN else behind
        placed = re.search(
            r"(?i)\b(?:arriv\w+|class\w+|è|finì|finito|chiuso|chiude|sale|sono|era|fu) \Z", text_before(match, 16)
        )
        named = re.search(r"[A-Z][a-zà-ÿ]+ \(\Z", text_before(match, 16)) and text_after(match, 1) == ")"
        placed = placed or named or (reports(match.string, self.score_words) and not WARM.search(match.string))
        if match["mark"] == "°" and not behind and ((int(match["n"]) > 39 and not named) or not placed):
            return None
        feminine = match["mark"] == "ª" or (behind is not None and behind[1].endswith("a") and match["mark"] == "°")
        return self.ordinal(int(match["n"]), "f" if feminine else "m")


WORDS = Italian(
    code="it",
    article="il ", and_fraction="e ",
    genders={"m": "cardinal-masculine", "f": "cardinal-feminine"}, numbering="numbering",
        ordinals={"m": "ordinal-masculine", "f": "ordinal-feminine"},
    date="{day} {month}", date_year=" {year}", written_date=r"DAY[.°º]? MONTH(?: YEAR)?", first_of_month="primo",
    clock="{hour} e {minute}", full_hour="{hour}", with_seconds="{hours} e {minutes} e {seconds}", hours={1: "una"},
        hour_sign=r":|\.(?=\d\d(?!\d))(?:(?<=ore \d\.)|(?<=ore \d\d\.)|(?<=lle \d\.)|(?<=lle \d\d\.)|(?<= le \d\d\.))",
    hour_words=r"", to="a", minus="meno", plus="più", point="virgola", dot="punto", percent="per cento|per cento",
        with_cents="{money} e {cents}", half="mezzo|mezza", and_half="e mezzo|e mezza",
    parts={2: "mezzo|mezzi", 3: "terzo|terzi", 4: "quarto|quarti"}, over="su", times="volte", by="per",
        equals="uguale a", per="al", hashtag="hashtag", score="{a} a {b}",
    centuries=(r"(?P<before>\b(?:[Ss]ecolo|[Ss]ec\.) )NUMERAL\b", r"\bNUMERAL(?P<after> (?:secolo|sec\.))(?!\w)",
        r"(?<=[ (])NUMERAL(?= (?:a|d)\. ?C\.)"),
    ordinal_nouns="[Gg]uerra [Mm]ondiale", scale_of=" di",
    feminine=r"(?:atmosfera|parte|ora|libbra|iarda|tonnellata|oncia|caloria|chilocaloria|sterlina|tazza|persona|"
    r"volta|settimana|"
         r"notte|donna|ragazza|casa|pagina|settimana|manciata|fetta)\b",
    scales={"k": "mila|mila", "mln": "milione|milioni", "mln.": "milione|milioni", "mld": "miliardo|miliardi",
        "mld.": "miliardo|miliardi", "milione": "milione|milioni", "miliardo": "miliardo|miliardi",
        "mila": "mila|mila"},
    scale_words=("milioni", "miliardi", "bilioni"),
    abbreviations={"cam.": "camera", "sogg.": "soggiorno", "dur.": "durata", "vel.": "velocità",
        "propr.": "proprietario", "liv.": "livello", "pat.": "patente",
    "esp.": "esperienza", "disl.": "dislivello",
    "sett.": "settimana", "VV.F.": "vigili del fuoco", "VV. F.": "vigili del fuoco", "cl. en.": "classe energetica",
    "escl.": "escluso", "rig.": "rigore", "resp.": "responsabile", "c.c.": "codice civile",
                   "c.p.": "codice penale", "c.p.c.": "codice di procedura civile", "Cass.": "Cassazione",
                   "c.p.p.": "codice di procedura penale", "civ.": "civile", "pen.": "penale", "lett.": "lettera",
                   "D.Lgs.": "decreto legislativo", "d.lgs.": "decreto legislativo", "D. Lgs.": "decreto legislativo",
                   "D.L.": "decreto legge", "d.l.": "decreto legge", "D.P.R.": "D P R",
                   "prob.": "probabilità", "rif.": "riferimento", "cfr.": "confronta",
                   "Cfr.": "confronta", "sig.na": "signorina", "u.s.": "ultimo scorso",
                   "p.v.": "prossimo venturo", "c.m.": "corrente mese", "s.l.m.": "sul livello del mare",
                   "spett.le": "spettabile", "Spett.le": "spettabile", "Ill.mo": "illustrissimo", "dr.": "dottor",
                   "arch.": "architetto", "uff.": "ufficio",
                   "amm.": "amministrazione",
                   "soc.": "società", "prov.": "provincia", "loc.": "località", "fraz.": "frazione", "es.": "esempio",
                   "Es.": "esempio", "tab.": "tabella", "n°": "numero", "N°": "numero", "nº": "numero",
                   "mitt.": "mittente",
                   "dest.": "destinatario", "prot.": "protocollo", "appart.": "appartamento",
                   "appto": "appartamento", "gg.": "giorni", "vs.": "contro",
                   "P.S.": "post scriptum", "P.I.": "partita IVA", "p.iva": "partita IVA", "P.IVA": "partita IVA",
                   "C.F.": "codice fiscale", "c.f.": "codice fiscale", "T°": "temperatura", "qlcn": "qualcuno",
                                      "nnt": "niente", "Sig.": "signor", "Sig.ra": "signora", "sig.": "signor",
                                      "sig.ra": "signora",
                   "Sig.na": "signorina",
        "Sigg.": "signori", "Dott.": "dottor", "dott.": "dottor",
                   "Dott.ssa": "dottoressa", "dott.ssa": "dottoressa", "Prof.": "professor", "prof.": "professor",
                       "Prof.ssa": "professoressa", "prof.ssa": "professoressa", "Avv.": "avvocato", "avv.": "avvocato",
                   "Ing.": "ingegner", "ing.": "ingegner", "Geom.": "geometra", "Rag.": "ragionier",
                       "ecc.": "eccetera", "etc.": "eccetera", "p. es.": "per esempio", "p.es.": "per esempio",
                       "ad es.": "ad esempio",
                   "pag.": "pagina", "pagg.": "pagine", "ca.": "circa", "V.le": "viale", "v.le": "viale",
                       "P.za": "piazza", "P.zza": "piazza", "p.za": "piazza", "p.zza": "piazza", "C.so": "corso",
                       "c.so": "corso",
                   "L.go": "largo", "F.lli": "fratelli", "S.p.A.": "S P A", "S.r.l.": "S R L", "q.b.": "quanto basta",
                       "cmq": "comunque", "Tel.": "telefono", "tel.": "telefono", "cell.": "cellulare",
                       "a.C.": "avanti Cristo",
                   "d.C.": "dopo Cristo", "a. C.": "avanti Cristo", "d. C.": "dopo Cristo", "nr.": "numero",
                       "art.": "articolo", "artt.": "articoli", "c.a.": "corrente anno", "gent.mo": "gentilissimo",
                   "Gent.mo": "gentilissimo", "Gent.ma": "gentilissima", "Egr.": "egregio", "max.": "massimo",
                       "min.": "minimo", "S.": "San", "xché": "perché", "xké": "perché", "xkè": "perché",
                       "xke": "perché", "nn": "non", "tt": "tutto",
                       "qlc": "qualcosa",
                   "qlcs": "qualcosa", "tvb": "ti voglio bene", "sec.": "secolo", "cap.": "capitolo", "vol.": "volume",
                       "fig.": "figura", "int.": "interno", "c/o": "presso", "asc.": "ascensore",
                       "c/c": "conto corrente", "On.": "onorevole", "ab.": "abitanti",
                       "ss.": "seguenti", "Cost.": "Costituzione", "sent.": "sentenza", "§": "paragrafo",
                       "incl.": "inclusa", "pers.": "persone", "ca": "circa", "fatt.": "fattura", "scad.": "scadenza",
                       "gg": "giorni", "Dr.": "dottor",
                       "temp.": "temperatura", "tot.": "totale", "dx": "destra",
                       "sx": "sinistra"},
    before_numbers={"Ø": "diametro", "bin.": "binario", "carr.": "carrozza", "sez.": "sezione", "Sez.": "sezione",
                    "tg.": "taglia", "Tg.": "taglia", "lett.": "lettera", "all.": "allegato", "rep.": "repertorio",
                    "sc.": "scala", "Tab.": "tabella", "int": "interno", "n.": "numero",
                    "n°": "numero", "c.": "comma", "co.": "comma", "p.": "pagina", "pp.": "pagine", "Art.": "articolo",
        "N.": "numero", "km": "chilometro", "Cap.": "capitolo", "Fig.": "figura", "Vol.": "volume"},
    unit_words={"ha": r" (?:[a-zà-ÿ]+(?:to|ta|ti|te|so|sa|si)|già|anche|sempre|un|una|il|la|i|le|lo|poi)\b"},
    judged="difficoltà|voto|valutazione|punteggio|dolore|VAS|NRS", once="una volta", diameter="diametro",
    inch="pollice|pollici", fewer="meno di",
    screens="TV|televisore|schermo|display|monitor|cerchi|bici|tablet|pizza|portatile",
    openers="Il|Lo|La|Gli|Le|[LCD]['’]|Un|Una|Uno|In|Nel|Nella|Nei|Per|Con|Senza|Su|Sul|Sulla|Di|Del|Della|Da|D"
            "al|Dalla|Fino|"
    "Al|Alla|Ai|E|Ma|Se|Non|Si|Suo|Sua|Questo|Questa|È|Sono|Ci|Oggi|Ieri|Domani|Poi|Dopo|Prima|Ora|Anche|Inoltr"
    "e|Quando|"
    "Come|Dove|Chi|Che|Io|Lui|Lei|Noi|Voi|Loro|Tutto|Tutti|Ogni|Altro|Secondo|Tra|Fra|Durante|Solo|Già|Più|Era|"
    "Fu|Ha|Hanno|"
    "Mi|Ti|Grazie|Servire|Cuocere|Unire|Aggiungere|Forno|Tempo|Mancano|Manca|Abbiamo|Allora|Così|Infatti|Quindi|Perciò",
    leading=("pag.", "pagg.", "V.le", "v.le", "P.za", "P.zza", "p.za", "p.zza", "C.so", "c.so", "L.go", "F.lli",
    "Tel.", "tel.",
             "cell.", "nr.", "art.", "artt.", "Gent.mo", "gent.mo", "Gent.ma", "cap.", "vol.", "fig.", "int.",
             "c/o", "p. es.",
             "p.es.", "ad es.", "sent.", "Cass.", "Spett.le", "spett.le", "Geom.", "Rag.", "Dott.ssa", "dott.ssa",
             "Prof.ssa",
             "prof.ssa", "Sig.ra", "sig.ra", "Sig.na", "sig.na", "Sigg.", "rif.", "Rif.", "cfr.", "Cfr.", "v.",
             "Loc.", "loc.",
             "Fraz.", "fraz.", "dr.", "Arch.", "arch.", "tab.", "es.", "Es.", "max.", "min.", "ca.", "lett.", "fatt.",
             "P.S.", "D.Lgs.", "d.lgs.", "Ill.mo", "prot.", "n°", "N°"),
    naming="Porta|Gate|Terminal|terminal|[Ss]ala|[Aa]ula|[Ss]cala|[Bb]inario|[Pp]osto|[Cc]arrozza|[Ll]otto|[Ii]nterno",
    relations={"<": "minore di", ">": "maggiore di", "≤": "minore o uguale a", "≥": "maggiore o uguale a",
               "<=": "minore o uguale a", ">=": "maggiore o uguale a", "≈": "circa", "~": "circa"},
    compass={"N": "nord", "S": "sud", "E": "est", "O": "ovest", "NE": "nordest", "NO": "nordovest", "SE": "sudest",
             "SO": "sudovest", "NNE": "nord-nordest", "NNO": "nord-nordovest", "SSE": "sud-sudest",
             "SSO": "sud-sudovest",
             "ESE": "est-sudest", "ENE": "est-nordest", "OSO": "ovest-sudovest", "ONO": "ovest-nordovest"},
    wind_words="(?:[Vv]ent[oi]|[Bb]rezza|[Rr]affiche)(?: \\w+)? (?:da|di|dai|dal)|[Vv]ento",
    shots="da (?:tre|due|[23])|ai liberi|dal campo|al tiro", seconds_joint="e ",
    enders=("esp.", "escl.", "ecc.", "etc.", "q.b."), out_of="su", titles=("Dr.", "Sig.", "sig.", "Dott.", "dott.",
    "Prof.", "prof.",
        "Avv.", "avv.", "Ing.",
        "ing.", "S.", "Egr.", "On."),
    money={"€": "euro|euro|centesimo|centesimi", "$": "dollaro|dollari|centesimo|centesimi",
        "£": "sterlina|sterline|penny|pence", "¥": "yen|yen|sen|sen", "EUR": "euro|euro|centesimo|centesimi",
           "euro": "euro|euro|centesimo|centesimi", "USD": "dollaro|dollari|centesimo|centesimi",
               "dollari": "dollaro|dollari|centesimo|centesimi",
               "CHF": "franco svizzero|franchi svizzeri|centesimo|centesimi"},
    century_noun="secolo", centuries_noun="secoli", minute_of_play="{ordinal} minuto", power="elevato a",
    per_words={"sett.": "settimana", "settimana": "settimana", "ora": "ora", "pers.": "persona", "die": "giorno",
    "giorno": "giorno", "mese": "mese", "anno": "anno", "persona": "persona",
    "notte": "notte"},
    short_month_words="(?:in|da|fino a|inizio|fine|metà)(?! (?:mar|mag|set|ago|gen|dic|ott)\\b)",
    between_days="a|al|e|ed",
    divided="diviso", pressure_words="pressione|PA", pressure="{a} su {b}",
    units={"‰": "per mille|per mille", "ppb": "parte per miliardo|parti per miliardo",
        "giri/min": "giro al minuto|giri al minuto", **dict.fromkeys(("l/100 km",
        "l/100km"), "litro ogni cento chilometri|litri ogni cento chilometri"),
        "m/s²": "metro al secondo quadrato|metri al secondo quadrato", "pt": "punto|punti", "pt.": "punto|punti",
        "pti": "punto|punti", "pb": "punto base|punti base", "cp": "compressa|compresse", "cpr": "compressa|compresse",
        "gtt": "goccia|gocce", "fl.": "fiala|fiale", "Gbps": "gigabit al secondo|gigabit al secondo",
        "Mb/s": "megabit al secondo|megabit al secondo", "Gb/s": "gigabit al secondo|gigabit al secondo",
        "Mbit/s": "megabit al secondo|megabit al secondo", "sett.": "settimana|settimane", "UI": "unità internazionale|"
        "unità internazionali", "mmol/l": "millimole al litro|millimoli al litro", "MWh": "megawattora|megawattora",
        "GW": "gigawatt|gigawatt", "mV": "millivolt|millivolt", "kV": "chilovolt|chilovolt",
        "kPa": "chilopascal|chilopascal",
        "µl": "microlitro|microlitri", "cc": "centimetro cubo|centimetri cubi", "cucch.": "cucchiaio|cucchiai",
        "cucch.no": "cucchiaino|cucchiaini", "cucch.ni": "cucchiaino|cucchiaini",
        "cucch.na": "cucchiaino|cucchiaini",
        "m2": "metro quadrato|metri quadrati", "km2": "chilometro quadrato|chilometri quadrati",
        "m3": "metro cubo|metri cubi",
        "Kg": "chilogrammo|chilogrammi", "pz": "pezzo|pezzi", "pz.": "pezzo|pezzi",
        "conf.": "confezione|confezioni", "Km":
        "chilometro|chilometri", "nodi": "nodo|nodi", "mAh": "milliampere ora|milliampere ora", "★": "stella|stelle",
        "mmHg": "millimetro di mercurio|millimetri di mercurio",
        "mm Hg": "millimetro di mercurio|millimetri di mercurio", "km/h": "chilometro all'ora|chilometri all'ora",
            "km/s": "chilometro al secondo|chilometri al secondo",
        "t": "tonnellata|tonnellate", "mq": "metro quadrato|metri quadrati",
        "kmq": "chilometro quadrato|chilometri quadrati",
           "mc": "metro cubo|metri cubi", "gr": "grammo|grammi", "gr.": "grammo|grammi", "lt": "litro|litri",
               "kWh": "chilowattora|chilowattora", "mph": "miglio all'ora|miglia all'ora", "dB": "decibel|decibel",
           "Mbps": "megabit al secondo|megabit al secondo", "ab.": "abitante|abitanti", "etto": "etto|etti",
               "hg": "etto|etti", "CV": "cavallo|cavalli", "pers.": "persona|persone", "atm": "atmosfera|atmosfere",
               "ppm": "parte per milione|parti per milione", "bpm": "battito al minuto|battiti al minuto",
               "gg": "giorno|giorni", "bar": "bar|bar", "sec": "secondo|secondi"},
    web={"²": "al quadrato", "³": "al cubo", ".": "punto", "-": "trattino", "_": "trattino basso", "/": "slash",
        ":": "due punti", "@": "chiocciola", "+": "più", "&": "e", "~": "tilde", "=": "uguale", "%": "per cento",
        "#": "cancelletto"},
    rulers=["Luigi", "Carlo", "Enrico", "Vittorio", "Emanuele", "Umberto", "Amedeo", "Giovanni", "Paolo", "Pio",
        "Benedetto", "Leone", "Francesco", "Ferdinando", "Filippo", "Giorgio", "Edoardo", "Elisabetta", "Napoleone",
        "Pietro", "Alessandro", "Nicola", "Caterina", "Federico", "Guglielmo", "Riccardo", "Gregorio", "Innocenzo",
        "Urbano", "Clemente", "Sisto", "Bonifacio", "Ramses", "Lorenzo", "Cosimo", "Margherita", "Leopoldo", "Alfonso",
        "Ottone", "Corrado"],
    numbered_nouns=("capitolo", "Capitolo", "volume", "Volume", "atto", "Atto", "parte", "Parte", "fase", "tipo",
        "titolo", "Titolo", "articolo", "livello", "allegato", "Allegato", "libro", "Libro", "guerra mondiale",
        "Guerra Mondiale"),
    date_words=r"(?:il|al|dal|del|entro il|fino al|giorno)",
        score_words=r"(?:vinto|vince|vinse|battuto|batte|perso|perde|pareggiato|pareggia|risultato|finita|sconfitto|"
        r"punteggio|vincono|avanti|sotto)",
    telephone_words="Tel\\.|tel\\.|Telefono|telefono|[Cc]hiam\\w{1,3} (?:il|al|lo)|cell\\.|Cell\\.|Fax|al numero",
        fixed={"50/50": "cinquanta cinquanta", "24/7": "ventiquattro sette", "h24": "ventiquattro ore",
        "24h": "ventiquattro ore"},
    measure_words="tazza bicchiere litro chilo ora cucchiaio cucchiaino dozzina cipolla limone bustina",
    chat={"k": "che", "x": "per", "dv": "dove", "qnd": "quando", "msg": "messaggio", "grz": "grazie", "sn": "sono",
        "tt": "tutto", "c": "ci", "6": "sei", "scs": "scusa", "dmn": "domani", "prox": "prossimo", "cm": "come",
        "qst": "questo", "ke": "che"},
)  # fmt: skip
LANGUAGE = Language(
    name="italian",
    spellings="it ita italiano",
    common_words="il la lo gli le di che e è un una in per non con del della dei sono si da come anche più ma al alla "
    "nel nella questo ho mi ti ci se suo sua tutto molto fatto quando era essere stato perché dal delle "
    "ha io",
    sentences="it",
    sample="Hai sentito la pioggia stanotte? È cominciata a mezzanotte, e al mattino tutto il giardino brillava."
    " Ho fatto un tè e ho guardato tornare gli uccelli.",
    everyday=(
        "Stamattina il mare era calmo e senza vento.",
        "Mi può dire dove si trova la stazione?",
        "Mio fratello prepara il caffè per tutta la famiglia.",
        "La vecchia casa è vicino al fiume.",
        "Grazie mille, siete stati molto gentili!",
    ),
    recognise=EuropeanReader(WORDS),
)
