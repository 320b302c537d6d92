// What a report runs: every cutoff panel in it is brought to life.
import { startPanel } from "./panel.js";

document.querySelectorAll("[data-panel]").forEach((root) => {
  startPanel(root, JSON.parse(root.querySelector("script[type='application/json']").textContent));
});
