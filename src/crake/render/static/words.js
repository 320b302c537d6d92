// What a cutoff does, in the words of crake/render/report/words.py.
import { meanCost } from "./counts.js";
import { count, money, percent } from "./numbers.js";

// Names from a table may run from right to left: they are kept apart from the words around them.
const apart = (name) => `\u2068${name}\u2069`;
/** A number alone would read as a count. */
export const classWords = (label) => (/^[-+]?[0-9]+([.][0-9]+)?$/.test(label) ? `class ${label}` : label);

/** How many rows are called positive, how many of them are, how many are missed, what a row costs. */
export function sentence(model, label, cutoff, matrix, measures, costs) {
  const [who, what] = [apart(model), apart(classWords(label))];
  const where = cutoff === null ? "Above all scores" : `At cutoff ${cutoff}`;
  const begin = measures.precision === null
    ? `${where}, ${who} calls none of ${count(measures.total)} rows ${what}.`
    : `${where}, ${who} calls ${count(measures.called)} of ${count(measures.total)} rows ${what}, and ${count(matrix.tp)} of them are: precision ${percent(measures.precision)}.`;
  return `${begin} Of ${count(measures.positives)} rows that are ${what} it misses ${count(matrix.fn)}: recall ${percent(measures.recall)}. A row costs ${money(meanCost(matrix, costs))} on average.`;
}
