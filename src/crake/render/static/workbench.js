// Live parts of the workbench: the progress of a run, and a file that is dropped. Every page works without them.
const job = document.querySelector("[data-events]");
if (job) {
  const source = new EventSource(job.dataset.events);
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
      job.querySelector("[data-step]").textContent = `${step.step}${fold}${learner}`;
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

const drop = document.querySelector("[data-drop]");
if (drop) {
  drop.hidden = false;
  const status = drop.querySelector("[data-upload-state]");
  const send = async (file) => {
    status.textContent = `reading ${file.name}`;
    const answer = await fetch(`/api/uploads?name=${encodeURIComponent(file.name)}`, {
      method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" },
    });
    const document_ = await answer.json();
    if (answer.ok) location.assign(`${drop.dataset.next}${encodeURIComponent(document_.source)}`);
    else status.textContent = document_.error.message;
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
