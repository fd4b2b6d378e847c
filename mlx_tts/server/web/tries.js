// Sentences to try where the sheet is empty, in the language that will be spoken: a fact with figures, talk, a picture.

import { byId, element } from "./words.js";

const TRIES = {
  english: ["en", "Dr. Reed, your train leaves at 7:45 from platform 3, and a ticket is $12.50.", "“Did you hear that?” she whispered. “There it is again!”", "Rain fell on the roof all night, and by morning the whole garden smelled of earth."],
  german: ["de", "Frau Dr. Weber, Ihr Zug fährt um 7:45 Uhr von Gleis 3, und die Karte kostet 12,50 €.", "„Hast du das gehört?“, flüsterte sie. „Da ist es wieder!“", "Die ganze Nacht fiel Regen auf das Dach, und am Morgen roch der Garten nach Erde."],
  french: ["fr", "Votre train part à 7 h 45, quai 3, et le billet coûte 12,50 €.", "« Tu as entendu ? » murmura-t-elle. « Ça recommence ! »", "La pluie est tombée toute la nuit sur le toit, et au matin le jardin sentait la terre."],
  spanish: ["es", "Su tren sale a las 7:45 del andén 3, y el billete cuesta 12,50 €.", "—¿Has oído eso? —susurró ella—. ¡Ahí está otra vez!", "Llovió toda la noche sobre el tejado, y por la mañana el jardín olía a tierra."],
  italian: ["it", "Il suo treno parte alle 7:45 dal binario 3, e il biglietto costa 12,50 €.", "«Hai sentito?» sussurrò lei. «Eccolo di nuovo!»", "Piovve tutta la notte sul tetto, e al mattino il giardino profumava di terra."],
  portuguese: ["pt", "O seu voo parte às 7h45 do portão 3, e o bilhete custa 12,50 €.", "“Quem está aí?”, sussurrou ela. “Outra vez aquele barulho!”", "Choveu a noite toda no telhado, e de manhã o jardim cheirava a terra."],
  russian: ["ru", "Ваш поезд отправляется в 7:45, а билет стоит 1250 рублей.", "«Ты слышал? — прошептала она. — Вот опять!»", "Всю ночь по крыше стучал дождь, а утром сад пах землёй."],
  chinese: ["zh", "您的火车早上7:45从3号站台出发，票价是52.50元。", "“你听见了吗？”她小声说，“又来了！”", "雨在屋顶上下了一整夜，早晨，花园里满是泥土的气息。"],
  japanese: ["ja", "電車は7時45分に3番線から出発します。切符は1,250円です。", "「今の、聞こえた？」と彼女はささやいた。「ほら、また！」", "雨は一晩中屋根をたたき、朝には庭が土の匂いに満ちていました。"],
  korean: ["ko", "기차는 7시 45분에 3번 승강장에서 출발하고, 표는 12,500원입니다.", "“방금 들었어?” 그녀가 속삭였다. “또 들려!”", "밤새 지붕 위로 비가 내렸고, 아침에는 정원에서 흙냄새가 났다."],
};

// chosen: takes the text of the one that was clicked.
export class Tries {
  constructor(chosen) {
    this.chosen = chosen;
    this.language = null;
  }

  // None are shown for a language that has none here.
  show(wanted, language) {
    byId("tries").hidden = !wanted || !(language in TRIES);
    if (byId("tries").hidden || language === this.language) return;
    this.language = language;
    const [code, ...texts] = TRIES[language];
    byId("tries-list").replaceChildren(...texts.map((text) =>
      element("li", {}, element("button", { class: "second", lang: code, click: () => this.chosen(text) }, text))));
  }
}
