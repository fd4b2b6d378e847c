// Languages in, a passage of each out: the first sentence lets a voice be heard, the whole is to be read aloud.

export const PASSAGES = {
  english: ["The morning was quiet, and a little wind came over the hills.", "We walked down to the river and counted the boats. Then somebody laughed, and the day began."],
  german: ["Der Morgen war still, und ein leichter Wind kam über die Hügel.", "Wir gingen zum Fluss hinunter und zählten die Boote. Dann lachte jemand, und der Tag begann."],
  french: ["Le matin était calme, et un peu de vent venait des collines.", "Nous sommes descendus à la rivière pour compter les bateaux. Puis quelqu'un a ri, et la journée a commencé."],
  spanish: ["La mañana era tranquila y un poco de viento venía de las colinas.", "Bajamos al río y contamos los barcos. Entonces alguien se rio y empezó el día."],
  italian: ["Il mattino era tranquillo e un po' di vento veniva dalle colline.", "Siamo scesi al fiume e abbiamo contato le barche. Poi qualcuno ha riso ed è cominciata la giornata."],
  portuguese: ["A manhã estava calma e um vento leve vinha das colinas.", "Descemos ao rio e contamos os barcos. Depois alguém riu, e o dia começou."],
  russian: ["Утро было тихим, и лёгкий ветер дул с холмов.", "Мы спустились к реке и считали лодки. Потом кто-то засмеялся, и день начался."],
  chinese: ["清晨很安静，山上吹来一点微风。", "我们走到河边，数了数小船。后来有人笑了，一天就开始了。"],
  japanese: ["朝は静かで、丘から少し風が吹いていました。", "私たちは川まで歩いて、舟を数えました。それから誰かが笑って、一日が始まりました。"],
  korean: ["아침은 조용했고 언덕에서 바람이 조금 불어왔습니다.", "우리는 강가로 내려가 배를 세었습니다. 그때 누군가 웃었고, 하루가 시작되었습니다."],
};

export function sampleSentence(language) {
  return (PASSAGES[language] ?? PASSAGES.english)[0];
}

export function passage(language) {
  return (PASSAGES[language] ?? PASSAGES.english).join(["chinese", "japanese"].includes(language) ? "" : " ");
}
