// Numbers as people read them: the same digits that Python writes (crake/render/format_numbers.py, report/words.py).

/** A number with so many decimals; an exact half goes to the even digit, as in Python. */
export function fixed(value, decimals) {
  const scaled = value * 2 ** (decimals + 1);
  // Only multiples of 1 / 2^(d + 1) lie exactly between two decimals of d digits.
  if (Number.isInteger(scaled) && scaled % 2 !== 0) {
    const below = Math.floor(value * 10 ** decimals);
    return zero(((below + (Math.abs(below) % 2)) / 10 ** decimals).toFixed(decimals));
  }
  return zero(value.toFixed(decimals));
}

function zero(text) {
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

/** The sign that formulas and axes have. */
function minus(text) {
  return text.replace(/^-/, "−");
}

function grouped(text) {
  const [whole, rest] = text.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? groups : `${groups}.${rest}`;
}

/** A measure with three decimals, a dash where it is undefined. */
export function figure(value, decimals = 3) {
  return value === null ? "–" : minus(fixed(value, decimals));
}

/** A count in groups of three; sums of weights keep a decimal. */
export function count(value) {
  return grouped(fixed(value, Number.isInteger(value) ? 0 : 1));
}

/** A share in percent; never rounded to 0 % or 100 % unless it is. */
export function percent(share) {
  if (share === 0 || (share >= 1 && share < 1 + 1e-9)) return `${fixed(100 * share, 0)}\u00a0%`;
  if (share > 0.9995) return ">\u00a099.9\u00a0%";
  return share < 0.0005 ? "<\u00a00.1\u00a0%" : `${fixed(100 * share, 1)}\u00a0%`;
}

/** A cost in groups of three, with three decimals. */
export function money(value) {
  return minus(grouped(fixed(value, 3)));
}

/** The label of a tick: about three digits, no zeros behind. */
export function tick(value) {
  const text = fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
