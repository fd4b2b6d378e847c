// The section Machine: what the server does and has, as figures, small charts and a table.

import { facts, familyOf } from "./facts.js";
import { fetchCell } from "./fetching.js";
import { meanBetween, parse, quantile, sum } from "./figures.js";
import { ask } from "./http.js";
import { byId, capital, element, say, size } from "./words.js";

const EVERY = 1000; // milliseconds
const POINTS = 120;

const seconds = (value) => (value === null ? "–" : value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);
const factor = (value) => (value === null ? "–" : value.toFixed(2));
const count = (value) => String(value ?? 0);

// value: one point a look, null where nothing happened. rest: the figure before anything happened. note: a second line.
const CHARTS = [
  {
    name: "Speaking now", show: count,
    value: (_before, after) => sum(after, "mlx_tts_active_streams"),
    note: (after) => `${sum(after, "mlx_tts_waiting_requests")} waiting, ${sum(after, "mlx_tts_rows_used")} rows in use`,
  },
  {
    name: "First sound", show: seconds,
    value: (before, after) => meanBetween(before, after, "mlx_tts_first_sound_seconds"),
    rest: (after) => quantile(after, "mlx_tts_first_sound_seconds", 0.5),
    note: (after) => `half come within ${seconds(quantile(after, "mlx_tts_first_sound_seconds", 0.5))}, 95% within ${seconds(quantile(after, "mlx_tts_first_sound_seconds", 0.95))}`,
  },
  {
    name: "Real-time factor", show: factor,
    value: (before, after) => meanBetween(before, after, "mlx_tts_real_time_factor"),
    rest: (after) => quantile(after, "mlx_tts_real_time_factor", 0.5),
    note: (after) => `below 1 is faster than it is heard; half are below ${factor(quantile(after, "mlx_tts_real_time_factor", 0.5))}`,
  },
  {
    name: "Requests", show: count, total: true,
    value: (before, after) => sum(after, "mlx_tts_requests_total") - sum(before, "mlx_tts_requests_total"),
    now: (after) => sum(after, "mlx_tts_requests_total"),
    note: (after) => `${sum(after, "mlx_tts_cancelled_total")} stopped early, ${sum(after, "mlx_tts_refused_total")} found no room`,
  },
];

export class Machine {
  constructor(speak) {
    this.visible = false;
    // Also while something is spoken, so that the charts have it when somebody comes to look.
    setInterval(() => !document.hidden && (this.visible || speak.making) && this.look(), EVERY);
    this.points = CHARTS.map(() => []);
    this.before = null;
    byId("charts").append(...CHARTS.map(({ name }, at) => element("li", { class: "card chart" },
      element("h2", {}, name), element("p", { class: "figure", id: `figure-${at}` }, "–"),
      element("canvas", { id: `chart-${at}`, role: "img", "aria-label": `${name} in the last two minutes` }),
      element("p", { class: "soft", id: `note-${at}` }))));
    facts.addEventListener("change", () => this.table());
    this.table();
    this.look(); // what happened before is not new
  }

  shown(visible) {
    this.visible = visible;
    if (!visible) return;
    this.look();
    facts.refresh().catch((error) => say(error.message, true));
  }

  async look() {
    let after;
    try {
      after = parse(await (await ask("/metrics")).text());
    } catch (error) {
      return this.visible ? say(error.message, true) : null;
    }
    const before = this.before ?? after;
    this.before = after;
    CHARTS.forEach((chart, at) => {
      const points = this.points[at];
      points.push(chart.value(before, after));
      if (points.length > POINTS) points.shift();
      const last = chart.now ? chart.now(after) : points.findLast((point) => point !== null) ?? chart.rest?.(after) ?? null;
      byId(`figure-${at}`).textContent = chart.show(last);
      byId(`note-${at}`).textContent = chart.note(after);
      draw(byId(`chart-${at}`), points);
      const shown = points.filter((point) => point !== null);
      byId(`chart-${at}`).setAttribute("aria-label", shown.length
        ? `${chart.name} in the last two minutes: from ${chart.show(Math.min(...shown))} to ${chart.show(Math.max(...shown))}`
        : `${chart.name}: nothing in the last two minutes`);
    });
  }

  table() {
    const served = new Map(facts.models.map((model) => [model.id, model]));
    // Of a family with many sizes those that are recommended, of another all.
    const chosen = new Set(facts.catalogue.filter(({ recommended }) => recommended).map(({ family }) => family));
    const known = facts.catalogue.filter(({ id, family, on_disk: there, recommended }) =>
      served.has(id) || there || recommended || !chosen.has(family));
    const own = facts.models.filter(({ id }) => !facts.catalogue.some((model) => model.id === id));
    const row = (model) => {
      const live = served.get(model.id);
      const state = live ? (live.loaded ? "Loaded" : "Served") : model.on_disk ? "On this machine" : "Can be fetched";
      const can = live?.can ?? model.can ?? {};
      const does = [can.presets && "own voices", can.clones && "clones", can.designs && "designs voices", can.instructs && "follows instructions"];
      const { languages } = model;
      return element("tr", {},
        element("th", { scope: "row" }, model.id),
        element("td", {}, element("span", { class: `state ${live?.loaded ? "on" : ""}` }, state), live ? null : fetchCell(model)),
        element("td", {}, familyOf(model)),
        element("td", { class: "wraps" }, capital(does.filter(Boolean).join(", "))),
        element("td", { class: "number" }, languages.length === 1 ? capital(languages[0]) : String(languages.length || "")),
        element("td", {}, [model.size, model.quantisation].filter(Boolean).join(" · ")),
        element("td", { class: "number" }, size(model.size_bytes)),
        element("td", { class: "wraps" }, model.licence ?? ""));
    };
    byId("fetch-help").hidden = facts.fetches;
    byId("models").replaceChildren(
      element("thead", {}, element("tr", {}, ...["Model", "State", "Family", "What it does", "Languages", "Size", "Disk", "Licence"].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...[...own, ...known].sort((a, b) => rank(served, b) - rank(served, a)).map(row)));
  }
}

const rank = (served, model) => 2 * served.has(model.id) + Boolean(model.on_disk);

function draw(canvas, points) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width) return;
  const scale = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const { color, caretColor } = getComputedStyle(canvas);
  const most = Math.max(...points.filter((point) => point !== null), 0) || 1;
  const place = (point, at) => [width - 3 - ((points.length - 1 - at) * (width - 6)) / (POINTS - 1), height - 4 - (point / most) * (height - 10)];
  pen.strokeStyle = caretColor;
  pen.beginPath();
  pen.moveTo(0, height - 3.5);
  pen.lineTo(width, height - 3.5);
  pen.stroke();
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = 2;
  pen.lineJoin = "round";
  pen.beginPath();
  let last = null;
  points.forEach((point, at) => {
    if (point === null) return;
    last = place(point, at);
    pen.lineTo(...last);
  });
  pen.stroke();
  if (last) {
    pen.beginPath();
    pen.arc(...last, 3, 0, 7);
    pen.fill();
  }
}
