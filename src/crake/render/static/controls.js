// What people move: the slider, numbers typed, models and classes chosen, costs, points dragged.
import { bestStep, choices, cutoffAt, matrixAt, measuresOf, nearestStep, stepOf, stepOfShare } from "./counts.js";
import { placeX, stepNear, WIDTH } from "./curves.js";
import { fixed } from "./numbers.js";
import { DRAGGED, placeUnder } from "./pictures.js";

/** The number in a field; null where there is none. */
function typed(field) {
  const text = field.value.trim();
  return text === "" || !Number.isFinite(Number(text)) ? null : Number(text);
}

/** Connect every control of a panel with its state. */
export function connect(panel) {
  const { state, input } = panel;
  input("step").addEventListener("input", ({ target }) => state.set({ step: panel.chosen().steps - Number(target.value) }));
  input("model").addEventListener("change", ({ target }) => choose(panel, { model: Number(target.value) }));
  input("class")?.addEventListener("change", ({ target }) => choose(panel, { label: Number(target.value) }));
  connectNumber(panel, "cutoff", (series, cutoff) => nearestStep(series, cutoff), (series, step) => cutoffAt(series, step) ?? "");
  connectNumber(panel, "share", (series, share) => stepOfShare(series, share / 100), shareAt);
  ["tp", "fn", "fp", "tn"].forEach((cost) => connectCost(panel, cost));
  panel.root.querySelectorAll("[data-jump]").forEach((button) => button.addEventListener("click", () => jump(panel, button.dataset.jump)));
  DRAGGED.forEach((name) => follow(panel, name));
}

/** The share of rows called at a step, in percent. */
export function shareAt(series, step) {
  return fixed(100 * measuresOf(matrixAt(series, step)).share, 1);
}

/** Another model or class at the same cutoff. */
function choose(panel, change) {
  const cutoff = cutoffAt(panel.chosen(), panel.state.get().step);
  const { model, label } = { ...panel.state.get(), ...change };
  panel.state.set({ model, label, step: cutoff === null ? 0 : stepOf(panel.series(model, label), cutoff) });
}

/** A number typed goes to the nearest step; the field then says where that is. */
function connectNumber(panel, name, stepFor, valueAt) {
  panel.input(name).addEventListener("change", ({ target }) => {
    const number = typed(target);
    if (number !== null) panel.state.set({ step: stepFor(panel.chosen(), number) });
    target.value = valueAt(panel.chosen(), panel.state.get().step);
  });
}

function connectCost(panel, name) {
  panel.input(name).addEventListener("input", ({ target }) => {
    const cost = typed(target);
    target.setAttribute("aria-invalid", cost === null);
    if (cost !== null) panel.state.set({ [name]: cost });
  });
}

function jump(panel, way) {
  const series = panel.chosen();
  const step = way in choices ? bestStep(series, choices[way](panel.state.get())) : stepOf(series, panel.data.cutoff);
  panel.state.set({ step });
}

function follow(panel, name) {
  const { svg } = panel.pictures[name];
  const move = (event) => panel.state.set({ step: underPointer(panel, name, ...placeUnder(svg, event)) });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    svg.setPointerCapture(event.pointerId);
    move(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (svg.hasPointerCapture(event.pointerId)) move(event);
  });
}

/** The step whose point lies nearest; over scores and shares of rows only the place along counts. */
function underPointer(panel, name, x, y) {
  const { low, high } = panel.data;
  if (name !== "histogram") return stepNear(panel.pictures[name].traced, x, name === "cost" ? null : y);
  return nearestStep(panel.chosen(), low + ((x - placeX(0)) / WIDTH) * (high - low));
}
