"""A language -> sentences of about eight seconds, for people to read into a microphone and for voices to be heard with.

They are questions and statements with many of the language's sounds, since a clone knows only what it has heard.
"""

from __future__ import annotations

SENTENCES = {
    "english": "Did you hear the rain last night? It began at midnight, and by morning the whole garden was shining. "
    "I made some tea and watched the birds come back.",
    "german": "Hast du heute Nacht den Regen gehört? Um Mitternacht fing er an, und am Morgen glänzte der ganze "
    "Garten. Ich machte mir einen Tee und sah den Vögeln zu.",
    "french": "As-tu entendu la pluie cette nuit ? Elle a commencé vers minuit, et ce matin tout le jardin brillait. "
    "J'ai préparé du thé et j'ai regardé les oiseaux.",
    "spanish": "¿Oíste la lluvia anoche? Empezó a medianoche, y por la mañana brillaba todo el jardín. "
    "Me preparé un té y miré cómo volvían los pájaros.",
    "italian": "Hai sentito la pioggia stanotte? È cominciata a mezzanotte, e al mattino tutto il giardino brillava. "
    "Ho fatto un tè e ho guardato tornare gli uccelli.",
    "portuguese": "Você ouviu a chuva ontem à noite? Começou à meia-noite, e de manhã o jardim inteiro brilhava. "
    "Fiz um chá e fiquei olhando os pássaros.",
    "russian": "Ты слышал ночью дождь? Он начался в полночь, а утром весь сад блестел. "
    "Я заварил чай и смотрел, как возвращаются птицы.",
    "chinese": "你昨天晚上听见下雨了吗？雨是半夜开始下的，到了早上，整个花园都在发亮。我泡了一杯茶，看着小鸟飞回来。",
    "japanese": "昨日の夜、雨の音が聞こえましたか。真夜中に降り始めて、"
    "朝には庭じゅうが光っていました。お茶をいれて、鳥が戻ってくるのを見ていました。",
    "korean": "어젯밤에 빗소리 들었어요? 자정에 내리기 시작해서 아침에는 온 정원이 반짝였어요. "
    "차를 끓여 놓고 새들이 돌아오는 것을 보았어요.",
}


def sentence_in(language: str | None) -> str:
    """The sentences of a language; English where there are none."""
    return SENTENCES.get(language or "", SENTENCES["english"])
