"""English: its names, how a text in it is known and cut. The rules that put it into words are read in `all_rules`."""

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Span


def recognise(text: str, variant: str) -> list[Span]:
    from mlx_tts.text.languages.english.all_rules import english  # hundreds of patterns: only where they are needed

    return english(text, variant)


LANGUAGE = Language(
    name="english",
    spellings="en eng",
    common_words="the of and to in a is that it was for on are with as his they be at this have from or had by but not"
    " what all were we when your can said there use an each which she do how their if will up other about"
    " out many then them i me my us our you he him her its who whose than so very no yes just only some "
    "any more most much such own same too could may might must shall should would did does done been "
    "being am into over under after before again once here where why both few while because until against"
    " between through during above down off one two three four five six seven eight nine ten eleven "
    "twelve twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million these those "
    "has let please new old good never always first last every nothing something like time day get got go"
    " went come came make made take took see saw know knew think say says tell told give gave find found",
    sentences="en",
    sample="Did you hear the rain last night? It began at midnight, and by morning the whole garden was shining."
    " I made some tea and watched the birds come back.",
    everyday=(
        "The harbour was quiet when the first boats came home.",
        "She asked whether anybody had seen the blue notebook.",
        "He put the kettle on and waited for the rain to stop.",
        "Could you tell me which bus goes to the station?",
        "We walked along the river and talked about the old house.",
        "Thank you very much, that was exactly what I needed!",
        "If the weather holds, the market opens at nine in the morning.",
        "My brother fixed the chair, but the table is still broken.",
        "Nobody expected the letter to arrive before the weekend.",
        "Please leave your shoes at the door and come in.",
        "What a lovely garden you have behind the kitchen!",
        "The children laughed so loudly that the dog began to bark.",
        "I would rather stay here tonight and read a good book.",
        "Why did they choose such a small room for the meeting?",
        "Turn left at the church, and you will see the bridge.",
        "After a long journey, they finally found a place to rest.",
    ),
    recognise=recognise,
)
