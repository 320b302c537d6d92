// Live parts of the workbench: the progress of a run, and a file that is dropped. Every page works without them.
const job = document.querySelector("[data-events]");
if (job) {
  const source = new EventSource(job.dataset.events);
  source.addEventListener("error", () => {
    job.querySelector("[data-step]").textContent = "crake app does not answer. If it has ended, start it again: what was finished is kept.";
  });
  source.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (state.state !== "waiting" && state.state !== "running") {
      source.close();
      location.reload();
      return;
    }
    const step = state.step;
    if (step && step.of) {
      const part = step.total ? step.done / step.total : 0;
      if (step.total) job.querySelector("[data-progress]").value = (100 * (step.learner - 1 + part)) / step.of;
      const fold = step.total > 1 ? `, ${step.done.toLocaleString("en")} of ${step.total.toLocaleString("en")}` : "";
      const learner = step.of > 1 ? ` (learner ${step.learner} of ${step.of})` : "";
      const words = step.step.charAt(0).toUpperCase() + step.step.slice(1);
      job.querySelector("[data-step]").textContent = `${words}${fold}${learner}`;
    }
    const board = job.querySelector("[data-finished]");
    const lines = board ? board.tBodies[0].rows : [];
    for (const each of (state.finished || []).slice(lines.length)) {
      const row = board.tBodies[0].insertRow();
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = each.learner;
      row.append(name);
      row.insertCell().textContent = each.text;
      board.querySelector("[data-measure]").textContent = each.measure;
      board.hidden = false;
    }
    const notes = job.querySelector("[data-notes]");
    while (notes && notes.children.length < state.notes.length) {
      const item = document.createElement("li");
      item.textContent = state.notes[notes.children.length];
      notes.append(item);
    }
  });
}

// The foot of every page says how far the runs are. It asks from time to time: a stream for each page that is open
// would use up the connections that a browser makes to one address.
const BETWEEN = 1500;
async function followRuns() {
  for (const line of document.hidden ? [] : document.querySelectorAll("[data-job]")) {
    let told = null;
    try {
      told = await (await fetch(`/api/results/${line.dataset.job}`)).json();
    } catch { continue; }
    const [words, bar] = [line.querySelector("[data-step]"), line.querySelector("progress")];
    if (!told.run || !told.run.state) continue;
    if (told.run.state !== "waiting" && told.run.state !== "running") {
      words.textContent = told.run.state === "done" ? "is done" : told.run.message || told.run.state;
      for (const part of [bar, line.querySelector("button")]) part.remove();
      delete line.dataset.job;
    } else if (told.progress && told.progress.of) {
      words.textContent = told.progress.step;
      bar.value = (100 * (told.progress.learner - 1 + told.progress.done / (told.progress.total || 1))) / told.progress.of;
    }
  }
  if (document.querySelector("[data-job]")) setTimeout(followRuns, BETWEEN);
}
setTimeout(followRuns, BETWEEN);

// A cell of the panel's matrix opens its rows, at the cutoff that is set.
const cells = document.querySelector("[data-cells]");
const CELLS = { tp: "found", fn: "missed", fp: "false alarms", tn: "left alone" };
for (const cell of cells ? document.querySelectorAll("[data-panel] [data-cell]") : []) {
  const link = document.createElement("a");
  link.href = cells.dataset.cells;
  link.className = "small";
  link.textContent = "rows";
  link.setAttribute("aria-label", `Rows ${CELLS[cell.dataset.cell]}`);
  link.addEventListener("click", () => {
    const panel = cell.closest("[data-panel]");
    const shown = (name) => panel.querySelector(`[data-in="${name}"]`);
    const learners = JSON.parse(cells.dataset.learners);
    const model = shown("model").selectedOptions[0].textContent;
    const place = Math.max(0, learners.findIndex((name) => name === model));
    const label = panel.querySelector('[data-out="class"]').textContent;
    const cutoff = shown("cutoff").value === "" ? "2" : shown("cutoff").value;
    link.href = `${cells.dataset.cells}?${new URLSearchParams({ model: place, class: label, cutoff, cell: cell.dataset.cell })}`;
  });
  cell.append(link);
}

// Parts of a page that follow a link or a form without a new page: the drawing of a tree, a hand calculation. Of
// several requests the last one is shown, whichever is answered last. Return SHOWN, LATE, or why it cannot be shown.
const [SHOWN, LATE] = ["shown", "late"];
const NO_ANSWER = "crake app does not answer; if it has ended, start it again.";
const addressNow = () => location.pathname + location.search;
let here = addressNow();
let asked = 0;
async function swap(address) {
  asked += 1;
  const mine = asked;
  let [answer, text] = [null, ""];
  try {
    answer = await fetch(address);
    text = await answer.text();
  } catch { /* said below */ }
  if (mine !== asked) return LATE;
  if (!answer) return NO_ANSWER;
  const page = new DOMParser().parseFromString(text, "text/html");
  const parts = [...document.querySelectorAll("[data-swap]")].map((part) => [part, page.querySelector(`[data-swap="${part.dataset.swap}"]`)]);
  if (!answer.ok || parts.some(([, fresh]) => !fresh)) return page.querySelector("main p")?.textContent || NO_ANSWER;
  for (const [part, fresh] of parts) {
    const scrolled = [...part.querySelectorAll("[data-keep]")].map((each) => [each.dataset.keep, each.scrollLeft, each.scrollTop]);
    part.replaceWith(document.importNode(fresh, true));
    for (const [name, left, top] of scrolled) {
      const place = document.querySelector(`[data-keep="${name}"]`);
      if (place) [place.scrollLeft, place.scrollTop] = [left, top];
    }
  }
  document.title = page.title;
  reveal();
  offerCopies();
  return SHOWN;
}

// What a part would show is no longer true: say why there is nothing.
function alertIn(part, words) {
  const why = document.createElement("p");
  why.setAttribute("role", "alert");
  why.textContent = words;
  document.querySelector(`[data-swap=${part}]`).replaceChildren(why);
}

// The box that is looked at is seen, however large the drawing is.
function reveal() {
  for (const frame of document.querySelectorAll(".drawn")) {
    const box = frame.querySelector("a[aria-current]");
    if (!box) continue;
    const [inner, outer] = [box.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) frame.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    if (inner.left < outer.left || inner.right > outer.right) frame.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }
}
reveal();

// The lines at the foot are copied whole, however far they are scrolled. Without a clipboard there is no button.
function offerCopies() {
  for (const figure of navigator.clipboard ? document.querySelectorAll(".foot .code") : []) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const name = figure.querySelector("figcaption").textContent;
    button.setAttribute("aria-label", `Copy: ${name}`);
    button.addEventListener("click", async () => {
      const was = await navigator.clipboard.writeText(figure.querySelector("pre").textContent).then(() => "Copied", () => "Not copied");
      button.textContent = was;
      button.setAttribute("aria-label", `${was}: ${name}`);
      setTimeout(() => { button.textContent = "Copy"; button.setAttribute("aria-label", `Copy: ${name}`); }, 2000);
    });
    figure.querySelector("figcaption").append(button);
  }
}
offerCopies();

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-swap] a");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  const address = link && link.getAttribute("href");
  if (!link || !isPlain || !address.startsWith(`${location.pathname}?`)) return;
  event.preventDefault();
  const label = link.getAttribute("aria-label");
  const outcome = await swap(address.split("#")[0]);
  if (outcome === LATE) return;
  if (outcome !== SHOWN) {
    location.assign(address);
    return;
  }
  history.pushState(null, "", address);
  here = addressNow();
  const again = [...document.querySelectorAll("[data-swap] a")].find((each) => label && each.getAttribute("aria-label") === label);
  if (again) again.focus({ preventScroll: true });
});
window.addEventListener("popstate", () => { if (addressNow() !== here) location.reload(); });

// A button that is pressed twice asks once.
const TWICE = 3000;
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent && event.timeStamp - form.dataset.sent < TWICE) event.preventDefault();
  else form.dataset.sent = event.timeStamp;
});

// Explain: what is changed is worked out at once.
const what = document.querySelector("[data-what-if]");
if (what) {
  let waiting = 0;
  const follow = async () => {
    const address = `${what.getAttribute("action")}?${new URLSearchParams(new FormData(what))}`;
    const outcome = await swap(address);
    if (outcome === SHOWN) {
      history.replaceState(null, "", address);
      here = addressNow();
    }
    if (outcome === SHOWN || outcome === LATE) return;
    alertIn("workings", outcome);
  };
  what.addEventListener("input", (event) => {
    const { target } = event;
    if (target.name === "row") return;
    const pair = target.dataset.slides ?? target.dataset.slid;
    for (const other of pair ? what.querySelectorAll(`[data-slides="${pair}"], [data-slid="${pair}"]`) : []) {
      if (other !== target) other.value = target.value;
    }
    clearTimeout(waiting);
    waiting = setTimeout(follow, 60);
  });
  for (const slider of what.querySelectorAll("[data-slides]")) slider.hidden = false;
}

// Models: the lines below say what Run does with the learners that are ticked now.
const choices = document.querySelector("[data-choices]");
if (choices) {
  choices.addEventListener("change", async () => {
    const fields = new FormData(choices);
    const ticked = fields.getAll("learner").length;
    choices.querySelector("button.main").textContent = ticked ? `Run ${ticked} learner${ticked === 1 ? "" : "s"}` : "Run";
    const asked = new URLSearchParams({ learners: fields.getAll("learner").join(",") });
    for (const [name, text] of fields) if (text && !["learner", "table"].includes(name)) asked.append(name, text);
    const address = `${choices.dataset.choices}&${asked}`;
    const outcome = fields.has("learner") ? await swap(address) : "Tick a learner to see the lines that say the same as Run.";
    if (outcome === LATE) return;
    if (outcome !== SHOWN) {
      alertIn("foot", outcome);
      return;
    }
    history.replaceState(null, "", address);
    here = addressNow();
  });
}

const drop = document.querySelector("[data-drop]");
if (drop) {
  drop.hidden = false;
  const status = drop.querySelector("[data-upload-state]");
  const send = async (file) => {
    status.textContent = `reading ${file.name}`;
    try {
      const answer = await fetch(`/api/uploads?name=${encodeURIComponent(file.name)}`, {
        method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" },
      });
      const document_ = await answer.json();
      if (answer.ok) location.assign(`${drop.dataset.next}${encodeURIComponent(document_.source)}`);
      else status.textContent = document_.error.message;
    } catch {
      status.textContent = `${file.name} was not read: ${NO_ANSWER}`;
    }
  };
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
  });
  drop.querySelector("[data-upload]").addEventListener("change", (event) => {
    if (event.target.files.length) send(event.target.files[0]);
  });
}
