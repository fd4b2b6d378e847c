"""Languages that are known by their names and perhaps by their words, and have no rules of their own for numbers."""

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Span


def _as_chinese(text: str, variant: str) -> list[Span]:
    from mlx_tts.text.languages.chinese import LANGUAGE

    assert LANGUAGE.recognise is not None
    return LANGUAGE.recognise(text, variant)


LANGUAGES = (
    Language("arabic", "ar ara العربية", script="\u0600-\u06ff"),
    Language("beijing_dialect", "beijing 北京话 北京話 beijinghua", recognise=_as_chinese),
    Language("burmese", "my mya bur မြန်မာ", script="\u1000-\u109f"),
    Language("czech", own_letters="řě", common_words=
             "a se v na je že o s z do to i ale jako za by pro tak po jsem jeho si jsou který však bylo od"),
    Language("danish", "da dan dansk", own_letters="ø", common_words=
             "og i at det er en på til af for ikke der den med som jeg de har et var han men sig vi fra eller havde "
             "blev"),
    Language("dutch", "nl nld dut nederlands", common_words=
             "de het een en van ik te dat die in niet zijn is was op aan met als voor er maar om hem dan zou of wat "
             "mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft"),
    Language("finnish", "fi fin suomi", common_words=
             "ja on ei se että oli hän mutta kun niin ovat kuin olen mitä ole joka myös tämä siitä sen"),
    Language("greek", "el ell gre ελληνικά", script="\u0370-\u03ff"),
    Language("hebrew", "he heb iw עברית", script="\u0590-\u05ff"),
    Language("hindi", "hi hin हिन्दी हिंदी", script="\u0900-\u097f"),
    Language("hungarian", own_letters="ő", common_words=
             "a az és hogy nem is egy ez de volt meg csak már még ki mint vagy ha el azt"),
    Language("indonesian", "id ind", common_words=
             "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada oleh kami"),
    Language("khmer", "km khm ខ្មែរ", script="\u1780-\u17ff"),
    Language("lao", "lo ລາວ", script="\u0e80-\u0eff"),
    Language("malay", "ms msa may zsm melayu"),
    Language("norwegian", "no nor nb nob nn nno norsk"),
    Language("polish", "pl pol polski", own_letters="łę", common_words=
             "w i na z się nie do to że jest o jak ale po co za od tak jego przez już czy tym dla tylko są był jej go "
             "może być"),
    Language("romanian", own_letters="țș", common_words=
             "și în de a la nu o cu este pe că un se din mai pentru sunt care ce au fost sau dar lui"),
    Language("sichuan_dialect", "sichuan sichuanese 四川话 四川話 sichuanhua", recognise=_as_chinese),
    Language("swahili", "sw swa swh kiswahili"),
    Language("swedish", "sv swe svenska", common_words=
             "och i att det som en på är av för med den till inte har de om ett var jag men sig så vi från eller hade "
             "när"),
    Language("tagalog", "tl tgl fil filipino"),
    Language("thai", "th tha ไทย", script="\u0e00-\u0e7f"),
    Language("turkish", "tr tur türkçe turkce", own_letters="ğı", common_words=
             "ve bir bu da de için ile çok ne daha gibi o var ama en kadar sonra olarak ben mi değil her olan"),
    Language("vietnamese", "vi vie", own_letters="đơư", common_words=
             "và của là có không được trong cho một người những với các đã này để khi đến cũng như về tôi"),
)  # fmt: skip
