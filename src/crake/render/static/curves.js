// Where curves lie in their pictures; the pictures drawn by Python (crake/render/report/plots.py) have the same frame.
import { matrixAt, meanCost, measuresOf } from "./counts.js";

const LEFT = 44;
const TOP = 12;
export const WIDTH = 264;
const HEIGHT = 190;

const tenth = (value) => Math.floor(value * 10 + 0.5) / 10;

/** A share of the width, and of the height, as places in the picture. */
export const placeX = (share) => tenth(LEFT + share * WIDTH);
export const placeY = (share) => tenth(TOP + (1 - share) * HEIGHT);

/** The points of the curves, in shares of width and height, one for each step; null where there is none. */
const points = {
  roc: (series, step) => [series.falsePositives[step] / series.negatives, series.truePositives[step] / series.positives],
  recall: (series, step) => {
    const { recall, precision } = measuresOf(matrixAt(series, step));
    return precision === null ? null : [recall, precision];
  },
  lift: (series, step) => {
    const { share, precision } = measuresOf(matrixAt(series, step));
    return precision === null ? null : [share, precision];
  },
  cost: (series, step, costs, top) => {
    const matrix = matrixAt(series, step);
    return [measuresOf(matrix).share, meanCost(matrix, costs) / top];
  },
};

/** A curve at every step as places in its picture, NaN where it has none: so a step reads two numbers and no more. */
export function traced(name, series, costs, top) {
  const xs = new Float64Array(series.steps + 1).fill(NaN);
  const ys = xs.slice();
  for (let step = 0; step <= series.steps; step += 1) {
    const point = points[name](series, step, costs, top);
    if (point !== null) [xs[step], ys[step]] = [placeX(point[0]), placeY(point[1])];
  }
  return { xs, ys };
}

/** The step whose point is nearest to a place; where only the place along counts, `y` is null. */
export function stepNear({ xs, ys }, x, y) {
  let [best, step] = [Infinity, 0];
  for (let at = 0; at < xs.length; at += 1) {
    const distance = (xs[at] - x) ** 2 + (y === null ? 0 : (ys[at] - y) ** 2);
    if (distance < best) [best, step] = [distance, at];
  }
  return step;
}

/** The largest mean cost over all cutoffs: the top of its picture. */
export function costTop(series, costs) {
  const all = series.truePositives.map((_, step) => meanCost(matrixAt(series, step), costs));
  return Math.max(...all) > 0 ? Math.max(...all) : 1;
}

/** How near to the one before a point is not drawn; of the faint curves behind, fewer are. */
export const NEAR = 0.6;
export const NEAR_BEHIND = 2;

/** The curve as an SVG path, each point told from the one before; those that would fall on it are left out. */
export function path({ xs, ys }, near, fromLeft = false) {
  const last = xs.length - 1;
  let drawn = "";
  let [x, y] = [NaN, NaN];
  for (let step = 0; step <= last; step += 1) {
    if (Number.isNaN(xs[step])) continue;
    if (drawn === "") {
      x = fromLeft ? placeX(0) : xs[step];
      y = ys[step];
      drawn = `M${x} ${y}`;
      if (x === xs[step]) continue;
    } else if (step < last && Math.abs(xs[step] - x) < near && Math.abs(ys[step] - y) < near) continue;
    drawn += `l${short(xs[step] - x)} ${short(ys[step] - y)}`;
    [x, y] = [xs[step], ys[step]];
  }
  return drawn.replaceAll(" -", "-");
}

/** A distance in tenths, as short as it can be: -0.3 → -.3. */
function short(distance) {
  const tenths = Math.round(10 * distance);
  const text = String(tenths / 10);
  return text.replace(/^(-?)0\./, "$1.");
}
