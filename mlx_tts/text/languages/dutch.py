"""Dutch: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "dutch",
    "nl nld dut nederlands",
    common_words="de het een en van ik te dat die in niet zijn is was op aan met als voor er maar om hem dan zou "
    "of wat mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe "
    "heeft",
)
