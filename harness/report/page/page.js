// Puts the page together, and again whenever something else is chosen.
function choices() {
  const has = (place, n) => D.points.some(p => p[place] === n);
  const list = (names, place) => names.map((t, n) => [n, t]).filter(([n]) => has(place, n));
  const pick = (id, label, options) => options.length > 1 ? `<label>${label} <select id="${id}">${option(options, S[id])}</select></label>` : "";
  document.getElementById("choose").innerHTML = pick("family", "family", list(D.families, 0)) + pick("budget", "budget", list(D.budgets.map(b => `${b.toLocaleString("en")} tokens`), 3)) + pick("reader", "reader", list(D.readers, 2)) + pick("axis", "curves over", [["steps", "steps"], ["turns", "turns"], ["tokens", "tokens"]]);
  for (const id of ["family", "budget", "reader", "axis"]) {
    const chosen = document.getElementById(id);
    if (chosen) chosen.addEventListener("change", e => { S[id] = id === "axis" ? e.target.value : +e.target.value; draw(); });
  }
}
function legend() {
  const box = document.getElementById("legend");
  box.innerHTML = arms().map(a => `<button data-arm="${a}" aria-pressed="${!S.hidden.has(a)}">${swatch(a)} ${esc(D.arms[a])}</button>`).join("");
  for (const button of box.children) button.addEventListener("click", () => {
    const a = +button.dataset.arm;
    if (!S.hidden.delete(a)) S.hidden.add(a);
    draw();
    document.querySelector(`[data-arm="${a}"]`).focus();
  });
}
function draw() {
  legend();
  for (const [id, make] of Object.entries({ table: glance, curves, facts: slices, pareto, budget: budgets, ledger, lost: causes, diagnosis })) document.querySelector(`#${id} .body`).innerHTML = make();
  return sight();
}
(async () => {
  const scope = D.points.find(p => D.measures[p[5]] === "success" && p[6] != null) || D.points[0];
  [S.family, S.reader, S.budget] = [scope[0], scope[2], scope[3]];
  const pooled = D.headlines.filter(h => h.startsWith("all families")), rest = D.headlines.filter(h => !pooled.includes(h)), said = [...pooled, ...rest];
  const first = said[0] || "This sweep: no arm within the budget has a result to head this page.", cut = first.indexOf(": ");
  const sentence = first.slice(cut + 2);
  document.getElementById("headline").textContent = sentence[0].toUpperCase() + sentence.slice(1);
  document.getElementById("where").textContent = first.slice(0, cut);
  document.getElementById("more").innerHTML = said.slice(1).map(h => `<p>${esc(h)}</p>`).join("");
  document.getElementById("notes").innerHTML = `<h2>About this sweep</h2>${D.notes.map(n => `<p>${esc(n)}</p>`).join("")}<p>Success under a scripted reader is simulated: the reader is an instrument, not a model. What the columns mean: docs/measures.md.</p>`;
  choices();
  await draw();
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
