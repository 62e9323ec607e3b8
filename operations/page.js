"use strict";
(() => {
  const live = document.getElementById("live");
  const pause = document.getElementById("pause");
  const waiting = {}; // parts that came while the page is paused
  let paused = false;

  // put replaces the inside of a part, and keeps what a person does there: open
  // details, and where the focus is.
  function put(id, html) {
    const part = document.getElementById(id);
    if (!part) return;
    const open = [...part.querySelectorAll("details[open]")].map((details) => details.id);
    const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
    part.innerHTML = html; // made by the server, which escapes; scripts in it would not run
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  function say(text) {
    if (live.textContent !== text) live.textContent = text;
  }

  const source = new EventSource("?format=events");
  source.addEventListener("open", () => say(paused ? "Paused" : "Live"));
  source.addEventListener("error", () => say("Not connected. Trying again …"));
  source.addEventListener("end", () => say("The program is shutting down"));
  source.addEventListener("update", (event) => {
    Object.assign(waiting, JSON.parse(event.data));
    if (!paused) show();
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  function show() {
    for (const id of Object.keys(waiting)) {
      put(id, waiting[id]);
      delete waiting[id];
    }
  }

  // A link to a server's settings opens them.
  function reveal() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  }
  addEventListener("hashchange", reveal);
  reveal();

  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Go on" : "Pause";
    say(paused ? "Paused" : "Live");
    if (!paused) show();
  });
})();
