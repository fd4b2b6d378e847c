// A voice and a sentence in, heard at once: short samples, next to the player. One at a time.

import { askPatiently } from "./http.js";
import { listening } from "./listening.js";
import { icon, say } from "./words.js";

const sound = new Audio();
let current = null; // the button that began what is heard, and how it is named

sound.addEventListener("ended", rest);

function rest() {
  sound.pause();
  if (!current) return;
  const { button, name, idle } = current;
  current = null;
  button.replaceChildren(...idle);
  button.setAttribute("aria-label", name);
}

function begin(button) {
  const again = current?.button === button;
  rest();
  if (again) return false;
  current = { button, name: button.getAttribute("aria-label"), idle: [...button.childNodes] };
  button.replaceChildren(icon("stop"));
  button.setAttribute("aria-label", "Stop the sample");
  return true;
}

async function play(blob) {
  sound.volume = listening.volume;
  URL.revokeObjectURL(sound.src);
  sound.src = URL.createObjectURL(blob);
  await sound.play();
}

// The same button stops it. said: what is told when it is heard. tell: by whom, with whether it is an error.
export async function hearVoice(button, said, body, tell = say) {
  if (!begin(button)) return;
  const mine = current;
  try {
    const order = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const { signal } = new AbortController();
    const answer = await askPatiently("/v1/audio/speech", { ...order, response_format: "mp3" }, { signal, waiting: tell });
    const blob = await answer.blob();
    if (current !== mine) return;
    await play(blob);
    tell(said);
  } catch (error) {
    if (current === mine) rest();
    tell(error.message, true);
  }
}

export async function hearBlob(button, blob) {
  if (!begin(button)) return;
  try {
    await play(blob);
  } catch {
    rest();
    say("This browser cannot play the file. The server may still be able to read it.", true);
  }
}
