"""The letters of Italy's provinces, as they stand behind a town: "Sesto San Giovanni (MI)"."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Rule, rule, text_before, words_of

LETTERS = words_of(
    "AG Agrigento AL Alessandria AN Ancona AO Aosta AR Arezzo AP Ascoli-Piceno AT Asti AV Avellino BA Bari BT "
    "Barletta BL Belluno BN Benevento BG Bergamo BI Biella BO Bologna BZ Bolzano BS Brescia BR Brindisi CA "
    "Cagliari CL Caltanissetta CB Campobasso CE Caserta CT Catania CZ Catanzaro CH Chieti CO Como CS Cosenza CR "
    "Cremona KR Crotone CN Cuneo EN Enna FM Fermo FE Ferrara FI Firenze FG Foggia FC Forlì FR Frosinone GE Genova "
    "GO Gorizia GR Grosseto IM Imperia IS Isernia AQ L'Aquila SP La-Spezia LT Latina LE Lecce LC Lecco LI Livorno "
    "LO Lodi LU Lucca MC Macerata MN Mantova MS Massa-Carrara MT Matera ME Messina MI Milano MO Modena MB Monza "
    "NA Napoli NO Novara NU Nuoro OR Oristano PD Padova PA Palermo PR Parma PV Pavia PG Perugia PU Pesaro PE "
    "Pescara PC Piacenza PI Pisa PT Pistoia PN Pordenone PZ Potenza PO Prato RG Ragusa RA Ravenna RC "
    "Reggio-Calabria RE Reggio-Emilia RI Rieti RN Rimini RM Roma RO Rovigo SA Salerno SS Sassari SV Savona SI "
    "Siena SR Siracusa SO Sondrio TA Taranto TE Teramo TR Terni TO Torino TP Trapani TN Trento TV Treviso TS "
    "Trieste UD Udine VA Varese VE Venezia VB Verbania VC Vercelli VR Verona VV Vibo-Valentia VI Vicenza VT "
    "Viterbo "
)
PROVINCES = {letters: name.replace("-", " ") for letters, name in zip(LETTERS[::2], LETTERS[1::2], strict=True)}
# A town with its number stands in an address, or somebody lives there; elsewhere the letters may be a party's.
TOWN = re.compile(
    r"(?:\b\d{5} |\b(?:[Aa]|[Ii]n|[Dd]a|[Vv]icino|[Cc]omune di|[Nn]ato a|[Rr]esidente a|[Vv]al di) )"
    r"(?P<town>(?:[A-ZÀ-Þ]\w*['’.]? ?(?:d[ei]l? |in |al |sul? )?){1,4})\Z"
)


def province_rule() -> Rule:
    def named(match: re.Match[str]) -> str | None:
        town = TOWN.search(text_before(match, 60))
        words = re.findall(r"[A-ZÀ-Þ]\w+", town["town"]) if town else []
        # "in Realtà Aumentata (RA)": the first letters of a name.
        if not words or (len(words) > 1 and "".join(word[0] for word in words) == match["letters"]):
            return None
        name = PROVINCES[match["letters"]]
        return "" if town and town["town"].strip() == name else f", provincia di {name}"

    return rule(rf" \((?P<letters>{'|'.join(PROVINCES)})\)", named)
