"use strict";
// Asks once a second what is new, and shows it; the plot keeps what its reader has hidden or zoomed.
(() => {
  const at = (id) => document.getElementById(id);
  let plot = null;

  const show = (state) => {
    if (!state.rows) return;
    at("elapsed").textContent = `${state.elapsed.toFixed(1)} s of the run`;
    at("rows").replaceChildren(...state.rows.map((cells) => {
      const row = document.createElement("tr");
      cells.forEach((words, k) => {
        const cell = document.createElement(k ? "td" : "th");
        cell.textContent = words;
        row.append(cell);
      });
      return row;
    }));
    const events = state.events.length ? state.events : ["None so far."];
    at("happened").replaceChildren(...events.map((words) => {
      const item = document.createElement("li");
      item.textContent = words;
      return item;
    }));
    if (!state.figure.data.length) return;
    if (plot) plot.update(state.figure);
    else plot = plotInPlane(document.querySelector(".plot"), state.figure);
  };

  const ask = async () => {
    try {
      show(await (await fetch("state", { cache: "no-store" })).json());
    } catch {
      at("elapsed").textContent = "The run has ended; its last state is below.";
      return;
    }
    setTimeout(ask, 1000);
  };
  ask();
})();
