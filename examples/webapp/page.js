"use strict";
// Keeps the list of reports current. Without it the page works as well: it shows
// how far they are when it is loaded.
(() => {
  const list = document.getElementById("runs");
  if (!list) return; // nobody is signed in
  const connection = document.getElementById("connection");

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function itemFor(run) {
    const progress = element("progress", { max: 1 });
    progress.setAttribute("aria-label", "Report " + run.id);
    return element("li", { id: "run-" + run.id },
      element("p", {}, element("strong", { textContent: "Report " + run.id }), " ", element("span", { className: "badge" })),
      progress, element("p", { className: "message" }));
  }

  function show(runs) {
    const items = runs.map((run) => {
      const item = document.getElementById("run-" + run.id) || itemFor(run);
      item.className = run.state;
      item.querySelector(".badge").textContent = run.state;
      item.querySelector("progress").value = run.progress;
      item.querySelector(".message").textContent = run.message;
      return item;
    });
    if (items.length !== list.children.length || items.some((item, i) => list.children[i] !== item)) list.replaceChildren(...items);
    document.getElementById("none").hidden = items.length > 0;
  }

  const source = new EventSource("/reports/events");
  source.onopen = () => { connection.textContent = ""; };
  source.onerror = () => { connection.textContent = "Not connected. Trying again …"; };
  source.onmessage = (event) => show(JSON.parse(event.data));
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
})();
