// Counts at every cutoff, and what follows from them: the matrix, the measures, the best cutoffs.

/** The series as the page holds it, with counts summed up; step 0 calls no row, the last step calls every row. */
export function decoded(held) {
  const cutoffs = held.c.split(" ").map((text) => Number(text.startsWith("=") ? text.slice(1) : `.${text}`));
  const [truePositives, falsePositives] = held.w ? [[0, ...held.p], [0, ...held.n]] : [summed(held.p), summed(held.n)];
  return {
    cutoffs,
    truePositives,
    falsePositives,
    positives: truePositives.at(-1),
    negatives: falsePositives.at(-1),
    edges: summed(held.e),
    predicted: held.m.map((mean) => (mean === null ? null : mean / 1e5)),
    auc: held.a,
    distinct: held.d,
    steps: cutoffs.length,
  };
}

function summed(differences) {
  const sums = [0];
  for (const difference of differences) sums.push(sums.at(-1) + difference);
  return sums;
}

/** The confusion matrix at a step. */
export function matrixAt(series, step) {
  const tp = series.truePositives[step];
  const fp = series.falsePositives[step];
  return { tp, fn: Math.max(0, series.positives - tp), fp, tn: Math.max(0, series.negatives - fp) };
}

/** The measures of a matrix; null where one is undefined. */
export function measuresOf({ tp, fn, fp, tn }) {
  const called = tp + fp;
  const positives = tp + fn;
  const total = positives + (fp + tn);
  const precision = called ? tp / called : null;
  return {
    precision,
    recall: tp / positives,
    specificity: tn / (fp + tn),
    f1: (2 * tp) / (2 * tp + fp + fn),
    accuracy: (tp + tn) / total,
    lift: precision === null ? null : precision / (positives / total),
    share: called / total,
    called,
    positives,
    total,
  };
}

/** What a row costs on average. */
export function meanCost({ tp, fn, fp, tn }, costs) {
  return (tp * costs.tp + fn * costs.fn + fp * costs.fp + tn * costs.tn) / (tp + fn + (fp + tn));
}

/** The cutoff at a step; null above all scores. */
export function cutoffAt(series, step) {
  return step === 0 ? null : series.cutoffs[step - 1];
}

/** How many cutoffs are at least this one. */
export function stepOf(series, cutoff) {
  let step = 0;
  while (step < series.steps && series.cutoffs[step] >= cutoff) step += 1;
  return step;
}

/** The step whose cutoff is nearest to a number that was typed. */
export function nearestStep(series, cutoff) {
  if (series.cutoffs[0] < cutoff) return cutoff > 1 || series.cutoffs[0] === 0 ? 0 : 1;
  return nearest(series.cutoffs, (each) => Math.abs(each - cutoff)) + 1;
}

/** The step that calls nearest to this share of the rows. */
export function stepOfShare(series, share) {
  const total = series.positives + series.negatives;
  return nearest(series.truePositives, (tp, step) => Math.abs((tp + series.falsePositives[step]) / total - share));
}

function nearest(values, distance) {
  let best = 0;
  values.forEach((value, at) => {
    if (distance(value, at) < distance(values[best], best)) best = at;
  });
  return best;
}

/** The step with the highest worth; of equals (but for roundings) the one that calls the fewest rows. */
export function bestStep(series, worth) {
  const worths = series.truePositives.map((_, step) => worth(matrixAt(series, step)));
  const most = Math.max(...worths);
  const rounding = 1e-12 * Math.max(...worths.map(Math.abs));
  return worths.findIndex((each) => each >= most - rounding);
}

/** Ways to choose a cutoff, as crake.metrics.cutoffs has them. */
export const choices = {
  cost: (costs) => (matrix) => -meanCost(matrix, costs),
  f1: () => (matrix) => measuresOf(matrix).f1,
  youden: () => ({ tp, fn, fp, tn }) => tp / (tp + fn) - fp / (fp + tn),
};

/** Rows of both sides in each bar of the histogram, as shares of their side, from the lowest score on. */
export function bars(series) {
  const shares = [];
  for (let at = 1; at < series.edges.length; at += 1) {
    const [from, to] = [series.edges[at - 1], series.edges[at]];
    const positive = (series.truePositives[to] - series.truePositives[from]) / series.positives;
    const negative = (series.falsePositives[to] - series.falsePositives[from]) / series.negatives;
    shares.unshift({ positive, negative });
  }
  return shares;
}

/** The bins of the calibration, lowest first: mean score, share that came and its Wilson interval; null without rows. */
export function bins(series) {
  return series.predicted.map((mean, bin) => {
    if (mean === null) return null;
    const last = series.edges.length - 1;
    const [from, to] = [series.edges[last - 2 * (bin + 1)], series.edges[last - 2 * bin]];
    const came = series.truePositives[to] - series.truePositives[from];
    const rows = came + series.falsePositives[to] - series.falsePositives[from];
    return { mean, observed: came / rows, ...wilson(came, rows) };
  });
}

const Z = 1.959963984540054;

function wilson(successes, n) {
  const centre = (successes + (Z * Z) / 2) / (n + Z * Z);
  const half = (Z / (n + Z * Z)) * Math.sqrt(successes * ((n - successes) / n) + (Z * Z) / 4);
  const rate = successes / n;
  return { low: Math.min(Math.max(0, centre - half), rate), high: Math.max(Math.min(1, centre + half), rate) };
}
