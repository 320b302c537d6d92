// The pictures of a panel: drawn anew for another model, class or cost; marked where the cutoff lies.
import { bars, bins } from "./counts.js";
import { NEAR, NEAR_BEHIND, path, placeX, placeY, traced } from "./curves.js";
import { tick } from "./numbers.js";

const CURVES = ["roc", "recall", "lift"];
const BEHIND = new WeakMap();

/** Pictures in which a point may be dragged. */
export const DRAGGED = [...CURVES, "cost", "histogram"];

/** The pictures of a panel by name, with the parts that move: looked up once, not at every step. */
export function picturesIn(root) {
  const found = {};
  for (const figure of root.querySelectorAll("[data-plot]")) {
    const svg = figure.querySelector("svg");
    const part = (name) => svg.querySelector(`.${name}`);
    const parts = { dot: part("at"), curve: part("curve"), others: part("others"), chance: part("chance"), line: part("at-line"), called: part("called") };
    found[figure.dataset.plot] = { svg, ...parts };
  }
  return found;
}

/** Attributes of an element; one that has its value already is left alone, so that nothing is laid out for it. */
function place(element, places) {
  for (const name in places) {
    const value = String(places[name]);
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/** All curves of one model, those of the others faint behind it. */
export function drawSeries(pictures, series, others) {
  const prevalence = series.positives / (series.positives + series.negatives);
  for (const name of CURVES) {
    const picture = pictures[name];
    picture.traced = traced(name, series);
    place(picture.others, { d: others.map((other) => behind(other)[name]).join("") });
    place(picture.curve, { d: path(picture.traced, NEAR, name === "lift") });
  }
  for (const name of ["recall", "lift"]) {
    place(pictures[name].chance, { y1: placeY(prevalence), y2: placeY(prevalence) });
  }
  relabel(pictures.lift.svg, 1 / prevalence);
  if (pictures.calibration) drawBins(pictures.calibration.svg, series);
  drawBars(pictures.histogram.svg, series);
}

/** The faint curves of a series, drawn at first use. */
function behind(series) {
  const drawn = (name) => path(traced(name, series), NEAR_BEHIND, name === "lift");
  if (!BEHIND.has(series)) BEHIND.set(series, Object.fromEntries(CURVES.map((name) => [name, drawn(name)])));
  return BEHIND.get(series);
}

/** The cost of a row over all cutoffs; `top` is the most. */
export function drawCosts(pictures, series, costs, top) {
  const picture = pictures.cost;
  picture.traced = traced("cost", series, costs, top);
  place(picture.curve, { d: path(picture.traced, NEAR) });
  relabel(picture.svg, top);
}

function relabel(svg, top) {
  svg.querySelectorAll("[data-tick]").forEach((label) => {
    label.textContent = tick(Number(label.dataset.tick) * top);
  });
}

function drawBins(svg, series) {
  const found = bins(series);
  svg.querySelectorAll(".bin").forEach((group, at) => {
    const bin = found[at];
    place(group, { display: bin === null ? "none" : "inline" });
    if (bin === null) return;
    const [interval, dot] = group.children;
    const x = placeX(bin.mean);
    place(interval, { x1: x, x2: x, y1: placeY(bin.low), y2: placeY(bin.high) });
    place(dot, { cx: x, cy: placeY(bin.observed) });
  });
}

function drawBars(svg, series) {
  const shares = bars(series);
  const top = Math.max(...shares.flatMap(({ positive, negative }) => [positive, negative]));
  const height = (share) => placeY(0) - placeY(share / top / 2);
  const [up, down] = [svg.querySelectorAll(".positive"), svg.querySelectorAll(".negative")];
  shares.forEach(({ positive, negative }, at) => {
    place(up[at], { y: placeY(0.5) - height(positive), height: height(positive) });
    place(down[at], { height: height(negative) });
  });
  svg.querySelectorAll("[data-share]").forEach((label) => { label.textContent = `${tick(100 * top)} %`; });
}

/** The dots of a step on the curves that have it. */
export function markCurves(pictures, step) {
  for (const name of [...CURVES, "cost"]) {
    const { dot, traced: { xs, ys } } = pictures[name];
    if (Number.isNaN(xs[step])) place(dot, { display: "none" });
    else place(dot, { display: "inline", cx: xs[step], cy: ys[step] });
  }
}

/** The line of the cutoff over the scores; what lies to its right is called. `share` is its place, 0 … 1. */
export function markScores(pictures, share) {
  const x = placeX(Math.min(1, Math.max(0, share)));
  for (const name of ["calibration", "histogram"]) {
    if (!pictures[name]) continue;
    place(pictures[name].line, { x1: x, x2: x });
    place(pictures[name].called, { x, width: Math.max(0, placeX(1) - x) });
  }
}

/** Where a pointer is, in the picture's own measure. */
export function placeUnder(svg, event) {
  const box = svg.getBoundingClientRect();
  const scale = 320 / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}
