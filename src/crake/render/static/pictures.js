// The pictures of a panel: drawn anew for another model, class or cost; marked where the cutoff lies.
import { bars, bins } from "./counts.js";
import { NEAR, NEAR_BEHIND, path, placeX, placeY, points } from "./curves.js";
import { tick } from "./numbers.js";

const CURVES = ["roc", "recall", "lift"];

/** Pictures in which a point may be dragged. */
export const DRAGGED = [...CURVES, "cost", "histogram"];

export const pictureIn = (root, name) => root.querySelector(`[data-plot="${name}"] svg`);

function place(element, places) {
  for (const [name, value] of Object.entries(places)) element.setAttribute(name, value);
}

/** All curves of one model, those of the others faint behind it. */
export function drawSeries(root, series, others) {
  const prevalence = series.positives / (series.positives + series.negatives);
  for (const name of CURVES) {
    const svg = pictureIn(root, name);
    place(svg.querySelector(".others"), { d: others.map((other) => path(name, other, NEAR_BEHIND)).join("") });
    place(svg.querySelector(".curve"), { d: path(name, series, NEAR) });
  }
  for (const name of ["recall", "lift"]) {
    place(pictureIn(root, name).querySelector(".chance"), { y1: placeY(prevalence), y2: placeY(prevalence) });
  }
  relabel(pictureIn(root, "lift"), 1 / prevalence);
  drawBins(pictureIn(root, "calibration"), series);
  drawBars(pictureIn(root, "histogram"), series);
}

/** The cost of a row over all cutoffs; `top` is the most. */
export function drawCosts(root, series, costs, top) {
  const svg = pictureIn(root, "cost");
  place(svg.querySelector(".curve"), { d: path("cost", series, NEAR, costs, top) });
  relabel(svg, top);
}

function relabel(svg, top) {
  svg.querySelectorAll("[data-tick]").forEach((label) => {
    label.textContent = tick(Number(label.dataset.tick) * top);
  });
}

function drawBins(svg, series) {
  if (svg === null) return;
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
export function markCurves(root, series, step, costs, top) {
  for (const name of [...CURVES, "cost"]) {
    const dot = pictureIn(root, name).querySelector(".at");
    const point = points[name](series, step, costs, top);
    place(dot, { display: point === null ? "none" : "inline" });
    if (point !== null) place(dot, { cx: placeX(point[0]), cy: placeY(point[1]) });
  }
}

/** The line of the cutoff over the scores; what lies to its right is called. `share` is its place, 0 … 1. */
export function markScores(root, share) {
  const x = placeX(Math.min(1, Math.max(0, share)));
  for (const name of ["calibration", "histogram"]) {
    const svg = pictureIn(root, name);
    if (svg === null) continue;
    place(svg.querySelector(".at-line"), { x1: x, x2: x });
    place(svg.querySelector(".called"), { x, width: Math.max(0, placeX(1) - x) });
  }
}

/** The step whose point in this picture is nearest to the pointer; over shares of rows only the place along counts. */
export function stepUnder(svg, name, event, series, costs, top) {
  const box = svg.getBoundingClientRect();
  const scale = 320 / box.width;
  const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  let best = [Infinity, 0];
  for (let step = 0; step <= series.steps; step += 1) {
    const point = points[name](series, step, costs, top);
    if (point === null) continue;
    const distance = Math.hypot(placeX(point[0]) - x, name === "cost" ? 0 : placeY(point[1]) - y);
    if (distance < best[0]) best = [distance, step];
  }
  return best[1];
}
