"use strict";
(() => {
  // The list is loaded again when it has changed; where somebody is choosing, it is only said.
  const seen = document.documentElement.dataset.state;
  const choosing = () => document.querySelector("input:checked") || document.activeElement.matches("input");
  async function look() {
    if (document.hidden) return;
    const answer = await fetch("/state").catch(() => null);
    if (!answer || !answer.ok || await answer.text() === seen) return;
    if (choosing()) document.getElementById("newer").hidden = false;
    else location.reload();
  }
  setInterval(look, 2000);
})();
