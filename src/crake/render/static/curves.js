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
export const points = {
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

/** The largest mean cost over all cutoffs: the top of its picture. */
export function costTop(series, costs) {
  const all = series.truePositives.map((_, step) => meanCost(matrixAt(series, step), costs));
  return Math.max(...all) > 0 ? Math.max(...all) : 1;
}

/** How near to the one before a point is not drawn; of the faint curves behind, fewer are. */
export const NEAR = 0.6;
export const NEAR_BEHIND = 2;

/** The curve as an SVG path; points that would fall on the one before are left out. */
export function path(name, series, near, costs, top) {
  const drawn = [];
  let last = null;
  for (let step = 0; step <= series.steps; step += 1) {
    const point = points[name](series, step, costs, top);
    if (point === null) continue;
    const [x, y] = [placeX(point[0]), placeY(point[1])];
    if (last === null && name === "lift") drawn.push(`${placeX(0)} ${y}`);
    const isNear = last !== null && Math.abs(x - last[0]) < near && Math.abs(y - last[1]) < near;
    if (isNear && step < series.steps) continue;
    drawn.push(`${x} ${y}`);
    last = [x, y];
  }
  return drawn.length ? `M${drawn.join("L")}` : "";
}
