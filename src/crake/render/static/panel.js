// The cutoff panel: one cutoff that moves the sentence, the matrix and every curve.
import { connect, shareAt } from "./controls.js";
import { cutoffAt, decoded, matrixAt, meanCost, measuresOf, stepOf } from "./counts.js";
import { costTop } from "./curves.js";
import { count, figure, fixed, money, percent } from "./numbers.js";
import { drawCosts, drawSeries, markCurves, markScores, picturesIn } from "./pictures.js";
import { createState } from "./state.js";
import { classWords, sentence } from "./words.js";

/** Bring a panel to life: `root` holds its controls and pictures, `data` its counts. */
export function startPanel(root, data) {
  const panel = createPanel(root, data);
  panel.state.subscribe((_, changed) => {
    const isOther = changed.has("model") || changed.has("label");
    if (isOther) showSeries(panel);
    if (isOther || ["tp", "fn", "fp", "tn"].some((cost) => changed.has(cost))) showCosts(panel);
    showCutoff(panel);
  });
  connect(panel);
  root.querySelectorAll("[data-live]").forEach((control) => { control.hidden = false; });
  showSeries(panel);
  showCosts(panel);
  showCutoff(panel);
  return panel;
}

function createPanel(root, data) {
  const held = new Map();
  const series = (model, label) => {
    const key = `${model} ${label}`;
    if (!held.has(key)) held.set(key, decoded(data.series[model][label]));
    return held.get(key);
  };
  const [tp, fn, fp, tn] = data.costs;
  const state = createState({ model: 0, label: data.class, step: stepOf(series(0, data.class), data.cutoff), tp, fn, fp, tn });
  const [inputs, outputs, cells] = ["in", "out", "cell"].map((role) => byName(root, role));
  return {
    root,
    data,
    state,
    series,
    pictures: picturesIn(root),
    chosen: () => series(state.get().model, state.get().label),
    input: (name) => inputs.get(name)?.[0],
    cell: (name) => cells.get(name)[0],
    put: (name, text) => outputs.get(name).forEach((place) => write(place, text)),
  };
}

/** The elements that have a role, by the name they have in it: a step then asks the page for nothing. */
function byName(root, role) {
  const found = new Map();
  for (const element of root.querySelectorAll(`[data-${role}]`)) {
    const name = element.dataset[role];
    found.set(name, [...(found.get(name) ?? []), element]);
  }
  return found;
}

/** The text of an element, where it is another one: nothing is laid out for a number that stays. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function showSeries(panel) {
  const { data, put } = panel;
  const { model, label } = panel.state.get();
  const series = panel.chosen();
  const others = data.models.flatMap((_, other) => (other === model ? [] : [panel.series(other, label)]));
  drawSeries(panel.pictures, series, others);
  panel.input("step").max = series.steps;
  put("auc", fixed(series.auc, 3));
  put("class", data.classes[label]);
  put("class-words", classWords(data.classes[label]));
  put("others", data.others[label]);
  put("exact", series.steps === series.distinct ? "" : `${count(series.steps)} of ${count(series.distinct)} cutoffs, with exact counts at each.`);
}

function showCosts(panel) {
  const costs = panel.state.get();
  drawCosts(panel.pictures, panel.chosen(), costs, costTop(panel.chosen(), costs));
}

function showCutoff(panel) {
  const { data, put } = panel;
  const state = panel.state.get();
  const series = panel.chosen();
  const matrix = matrixAt(series, state.step);
  const measures = measuresOf(matrix);
  const cutoff = cutoffAt(series, state.step);
  const label = data.classes[state.label];
  put("sentence", sentence(data.models[state.model], label, cutoff, matrix, measures, state));
  showMatrix(panel, matrix, series);
  for (const name of ["precision", "recall", "specificity", "f1", "accuracy"]) put(name, figure(measures[name]));
  put("lift", figure(measures.lift, 2));
  put("share", percent(measures.share));
  put("cost", money(meanCost(matrix, state)));
  showControls(panel, series, cutoff, `${cutoff ?? "above all scores"}: ${count(measures.called)} rows called ${label}`);
  markCurves(panel.pictures, state.step);
  markScores(panel.pictures, cutoff === null ? 1 : (cutoff - data.low) / (data.high - data.low || 1));
}

function showMatrix(panel, matrix, series) {
  const sides = { tp: series.positives, fn: series.positives, fp: series.negatives, tn: series.negatives };
  for (const [name, rows] of Object.entries(matrix)) {
    const rate = rows / sides[name];
    panel.put(name, count(rows));
    panel.put(`${name}-share`, percent(rate));
    panel.cell(name).style.setProperty("--rate", rate);
  }
}

/** The controls follow, but for a field that somebody is typing in. */
function showControls(panel, series, cutoff, words) {
  const { step } = panel.state.get();
  const slider = panel.input("step");
  slider.value = series.steps - step;
  slider.setAttribute("aria-valuetext", words);
  const values = { cutoff: cutoff ?? "", share: shareAt(series, step) };
  for (const [name, value] of Object.entries(values)) {
    if (document.activeElement !== panel.input(name)) panel.input(name).value = value;
  }
}
