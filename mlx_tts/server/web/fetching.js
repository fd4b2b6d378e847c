// A model that is not served -> a cell that fetches it: the size is said first, then how far it is. One that is on the
// server's machine is served at once.

import { copyButton } from "./copying.js";
import { facts } from "./facts.js";
import { askJson, eventsOf, sentence } from "./http.js";
import { byId, element, say, size } from "./words.js";

let current = null; // the download that goes on: {id, received, total, control}

export function fetchCell(model) {
  const { id, on_disk: isHere } = model;
  if (!facts.fetches) return isHere ? null : command(id);
  if (current?.id === id) return progress();
  const label = isHere ? "Serve" : "Fetch";
  return element("button", {
    class: "second fetch", "aria-label": `${label} ${id}`, "data-fetch": id,
    "aria-disabled": current ? "true" : null, click: () => propose(model),
  }, label);
}

function fetchButton(id) {
  return document.querySelector(`[data-fetch="${id}"]`);
}

// Without the option the server fetches nothing for a page: here is what its owner runs.
function command(id) {
  const line = `mlx-tts pull ${id}`;
  return element("span", { class: "fetching" },
    copyButton(`the command that fetches ${id}`, () => line, say), element("code", {}, line));
}

function progress() {
  const { id, control } = current;
  const cell = element("span", { class: "fetching under-way" },
    element("progress", { id: "fetch-progress", "aria-label": `Fetching ${id}` }), element("span", { id: "fetch-said" }),
    element("button", { class: "quiet", id: "fetch-stop", "aria-label": `Stop fetching ${id}`, click: () => control.abort() }, "Stop"));
  queueMicrotask(show); // when the cell is in the table
  return cell;
}

function show() {
  const bar = byId("fetch-progress");
  if (!current || !bar) return;
  const { received, total } = current;
  if (total) bar.max = total;
  if (received) bar.value = Math.min(received, bar.max);
  byId("fetch-said").textContent = !received ? "beginning" : received >= total ? "checking what came" : `${Math.floor((100 * received) / total)}% of ${size(total)}`;
}

function propose(model) {
  if (current) return say(`${current.id} is being fetched: wait until it is here, or stop it.`);
  if (model.on_disk) return run(model.id);
  const { id, size_bytes: bytes, repository, licence } = model;
  byId("fetch-name").textContent = `Fetch ${id}?`;
  byId("fetch-what").textContent = `It is a download of ${bytes ? `about ${size(bytes)}` : "unknown size"} from ${repository}${licence ? `, licence ${licence}` : ""}. It goes on while this page is open, and can be stopped.`;
  const dialog = byId("fetch-dialog");
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue === "yes") return run(id);
    fetchButton(id)?.focus({ preventScroll: true }); // the table may have been drawn again meanwhile
  };
  dialog.showModal();
}

async function run(id) {
  const control = new AbortController();
  current = { id, received: 0, total: 0, control };
  redraw("fetch-stop");
  let said, isError = false;
  try {
    for await (const event of eventsOf(await askJson("/page/api/fetch", { model: id }, { signal: control.signal }))) {
      if (event.type === "fetch.failed") throw new Error(sentence(event.message));
      if (event.type === "fetch.done") said = `${id} is here, and can be chosen.`;
      Object.assign(current, event);
      show();
    }
    if (!said) throw new Error("The server broke off. What came whole is kept.");
  } catch (error) {
    isError = error.name !== "AbortError";
    said = isError ? error.message : `Stopped. What came whole of ${id} is kept.`;
  }
  current = null;
  await facts.refresh().catch(() => {});
  redraw(id);
  say(said, isError);
}

// The table anew; who was in the cell stays there.
function redraw(focus) {
  const was = document.activeElement, wasInside = !was || was === document.body || was.closest("#models");
  facts.dispatchEvent(new Event("change"));
  if (wasInside) (byId(focus) ?? fetchButton(focus) ?? byId("models").parentElement).focus({ preventScroll: true });
}
