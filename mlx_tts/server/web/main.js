// Starts the page: asks for the key where one is needed, then wires sections, colours and dropped files.

import { facts } from "./facts.js";
import { ServerError, setKey } from "./http.js";
import { Speak } from "./speak.js";
import { byId, say } from "./words.js";

const TABS = ["speak", "clone", "machine"];
const THEMES = { "": "as the system has them", light: "light", dark: "dark" };
const SOUND = /\.(wav|mp3|m4a|mp4|aac|ogg|opus|flac|webm)$/i;
const sections = {};

function showTab(name, focus = false) {
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`), chosen = tab === name;
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    byId(tab).hidden = !chosen;
    if (chosen && focus) button.focus();
  }
  history.replaceState(null, "", `#${name}`); // the address says where one is; setting the hash itself would scroll
  scrollTo(0, 0);
  for (const [tab, section] of Object.entries(sections)) section.shown?.(tab === name);
}

function wireTabs() {
  for (const [number, name] of TABS.entries()) {
    const button = byId(`tab-${name}`);
    button.addEventListener("click", () => showTab(name));
    button.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step) showTab(TABS.at((number + step) % TABS.length), true);
    });
  }
}

function wireTheme() {
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("mlx-tts.theme", theme);
    byId("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
    byId("theme").title = `Colours: ${THEMES[theme]}`;
    sections.speak?.wave.draw();
  };
  const stored = localStorage.getItem("mlx-tts.theme");
  set(stored in THEMES ? stored : "");
  const names = Object.keys(THEMES);
  byId("theme").addEventListener("click", () => set(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]));
}

function wireDrop() {
  let depth = 0;
  const holdsFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (on) => (byId("drop").hidden = !on);
  addEventListener("dragenter", (event) => holdsFile(event) && show((depth += 1)));
  addEventListener("dragleave", (event) => holdsFile(event) && show((depth = Math.max(0, depth - 1))));
  addEventListener("dragover", (event) => holdsFile(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    show((depth = 0));
    const [file] = event.dataTransfer.files;
    if (file && (SOUND.test(file.name) || file.type.startsWith("audio/"))) {
      showTab("clone");
      sections.clone?.take(file, file.name);
    } else if (file) {
      showTab("speak");
      sections.speak.openFile(file);
    }
  });
}

function askForKey() {
  const dialog = byId("key-dialog");
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(byId("key").value.trim()), { once: true }));
}

async function start() {
  wireTabs();
  sections.speak = new Speak();
  wireTheme();
  wireDrop();
  for (;;) {
    try {
      await facts.refresh();
      break;
    } catch (error) {
      if (!(error instanceof ServerError) || error.status !== 401) return say(error.message, true);
      if (error.message.includes("wrong")) say("That key is wrong.", true);
      setKey(await askForKey());
    }
  }
  const { Connect } = await import("./connect.js");
  const { Clone } = await import("./clone.js");
  const { Machine } = await import("./machine.js");
  sections.clone = new Clone(sections.speak, showTab);
  sections.machine = new Machine(sections.speak);
  new Connect(sections.speak);
  const asked = location.hash.slice(1);
  if (TABS.includes(asked)) showTab(asked);
  document.body.dataset.ready = "yes";
}

start();
