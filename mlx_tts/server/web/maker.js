// Chapters of text and settings in, a speech that grows out. Aborting the signal ends it on the server as well.

import { askJson, askPatiently, eventsOf, samplesOf, ServerError } from "./http.js";
import { lexicon } from "./lexicon.js";
import { RATE } from "./speech.js";

const CHAPTER_PAUSE = 1.4; // seconds

// settings: voice, model, language, speed, instructions, seed. chapters: {title, text, plain, seconds}.
export async function make(speech, chapters, settings, { signal, waiting, mostCharacters }) {
  const parts = chapters.flatMap((chapter) => cut(chapter, mostCharacters));
  const seed = settings.seed ?? Math.floor(Math.random() * 2 ** 31);
  const order = (part) => clean({ ...settings, seed, input: part.text, plain: part.plain, lexicon: lexicon.within(part.text) });
  speech.estimatedRest = parts.reduce((sum, part) => sum + part.seconds, 0) / speech.about.speed;
  let next = planOf(order(parts[0]), signal);
  for (const [number, part] of parts.entries()) {
    const plan = await next;
    if (part.begins && number) speech.appendSilence(CHAPTER_PAUSE);
    if (part.begins) speech.beginChapter(part.title);
    speech.estimatedRest = parts.slice(number + 1).reduce((sum, { seconds }) => sum + seconds, 0) / speech.about.speed;
    const first = speech.plan(plan.pieces);
    if (number + 1 < parts.length) {
      next = planOf(order(parts[number + 1]), signal);
      next.catch(() => {}); // it is looked at when its turn comes
    }
    await speak(speech, order(part), first, { signal, waiting });
  }
}

async function planOf(body, signal) {
  return (await askJson("/page/api/plan", body, { signal })).json();
}

async function speak(speech, body, first, { signal, waiting }) {
  const whole = { ...body, response_format: "pcm", stream_format: "sse", marks: true };
  const answer = await askPatiently("/v1/audio/speech", whole, { signal, waiting });
  const offset = speech.length / RATE;
  let complete = false;
  try {
    for await (const event of eventsOf(answer)) {
      if (event.type === "speech.audio.delta") speech.append(samplesOf(event.audio));
      else if (event.type === "speech.audio.piece") speech.mark(first + event.number, event.marks, offset, false);
      else if (event.type === "speech.audio.marks") speech.mark(first + event.number, event.marks, offset, true);
      else if (event.type === "error") throw new ServerError(500, event.error.message);
      else if (event.type === "speech.audio.done") complete = true;
    }
  } catch (error) {
    if (error.name === "AbortError" || error instanceof ServerError) throw error;
    throw new ServerError(0, "The connection to the server broke. What was spoken so far is kept.");
  }
  if (!complete) throw new ServerError(0, "The server ended the speech early. What was spoken so far is kept.");
}

// A chapter that is too long for one request is cut between paragraphs, else between sentences, else anywhere.
function cut(chapter, most) {
  const texts = [];
  let rest = chapter.text;
  while (rest.length > most) {
    const head = rest.slice(0, most);
    const places = ["\n\n", "\n", ". ", " "].map((gap) => head.lastIndexOf(gap) + gap.length);
    const place = places.find((at, i) => head.lastIndexOf(["\n\n", "\n", ". ", " "][i]) > most / 2) ?? most;
    texts.push(rest.slice(0, place));
    rest = rest.slice(place);
  }
  texts.push(rest);
  return texts.filter((text) => text.trim()).map((text, number) => ({
    ...chapter, text, begins: number === 0, seconds: (chapter.seconds * text.length) / chapter.text.length,
  }));
}

function clean(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}
