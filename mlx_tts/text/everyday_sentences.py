"""Short everyday sentences by language: what a model speaks when its own speech is needed for a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

SENTENCES = {
    "english": (
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
    "chinese": (
        "今天天气很好，我们去公园散步吧。",
        "请问，去火车站怎么走？",
        "他每天早上喝一杯热茶。",
        "孩子们在院子里高兴地玩。",
        "这本书我已经看过两遍了。",
    ),
    "german": (
        "Heute Morgen lag noch Nebel über den Feldern.",
        "Können Sie mir sagen, wann der nächste Zug fährt?",
        "Meine Schwester backt am Sonntag immer einen Kuchen.",
        "Das alte Haus am Fluss steht schon lange leer.",
        "Vielen Dank, das war wirklich sehr freundlich von Ihnen!",
    ),
    "french": (
        "Ce matin, le marché était plein de monde.",
        "Pouvez-vous me dire où se trouve la gare ?",
        "Ma grand-mère raconte toujours de belles histoires.",
        "Il a oublié son parapluie dans le train.",
        "Quel plaisir de vous revoir ici !",
    ),
    "spanish": (
        "Esta mañana compramos pan y fruta en el mercado.",
        "¿Me puede decir a qué hora sale el autobús?",
        "Mi hermana toca la guitarra todas las noches.",
        "La casa vieja está al lado del río.",
        "¡Qué alegría verte otra vez por aquí!",
    ),
    "italian": (
        "Stamattina il mare era calmo e senza vento.",
        "Mi può dire dove si trova la stazione?",
        "Mio fratello prepara il caffè per tutta la famiglia.",
        "La vecchia casa è vicino al fiume.",
        "Grazie mille, siete stati molto gentili!",
    ),
    "portuguese": (
        "Hoje de manhã o céu estava limpo e azul.",
        "Pode dizer-me onde fica a estação?",
        "A minha irmã gosta de ler antes de dormir.",
        "A casa antiga fica perto do rio.",
        "Muito obrigado, foi um prazer falar consigo!",
    ),
    "russian": (
        "Сегодня утром над рекой стоял густой туман.",
        "Скажите, пожалуйста, как пройти на вокзал?",
        "Моя сестра каждый вечер читает детям сказки.",
        "Старый дом стоит у самого берега реки.",
        "Большое спасибо, вы мне очень помогли!",
    ),
    "japanese": (
        "今日はとても天気がいいので、散歩に行きましょう。",
        "すみません、駅はどこですか。",
        "妹は毎晩ギターを練習しています。",
        "この本はもう二回読みました。",
        "手伝ってくれて、本当にありがとう。",
    ),
    "korean": (
        "오늘은 날씨가 좋아서 공원에 갔어요.",
        "실례지만 기차역이 어디에 있어요?",
        "동생은 매일 저녁 책을 읽어요.",
        "우리는 강을 따라 천천히 걸었어요.",
        "도와주셔서 정말 감사합니다.",
    ),
}


def in_turn(languages: Sequence[str]) -> list[tuple[str, str]]:
    """(language, sentence) of those of the languages that have sentences: the first of each, then the second, and so
    on. English ones where none has any."""
    known = [name for name in languages if name in SENTENCES] or ["english"]
    columns = ([(name, sentence) for sentence in SENTENCES[name]] for name in known)
    return [pair for pair in chain.from_iterable(zip_longest(*columns)) if pair is not None]
