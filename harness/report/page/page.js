// Puts the page together, and again whenever something else is chosen.
function choices() {
  const has = (place, n) => D.points.some(p => p[place] === n);
  const list = (names, place) => names.map((t, n) => [n, t]).filter(([n]) => has(place, n));
  const pick = (id, label, options) => options.length > 1 ? `<label>${label} <select id="${id}">${option(options, S[id])}</select></label>` : "";
  document.getElementById("choose").innerHTML = pick("family", "family", list(D.families, 0)) + pick("budget", "budget", list(D.budgets.map(b => `${b.toLocaleString("en")} tokens`), 3)) + pick("reader", "reader", list(D.readers, 2)) + pick("axis", "curves over", [["steps", "steps"], ["turns", "turns"], ["tokens", "tokens"]]) + pick("theme", "theme", [["", "as the system"], ["light", "light"], ["dark", "dark"]]);
  for (const id of ["family", "budget", "reader", "axis"]) {
    const chosen = document.getElementById(id);
    if (chosen) chosen.addEventListener("change", e => { S[id] = id === "axis" ? e.target.value : +e.target.value; draw(); });
  }
  document.getElementById("theme").addEventListener("change", e => { document.documentElement.dataset.theme = e.target.value; });
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
  for (const [id, make] of Object.entries({ table: glance, curves, exits, facts: slices, pareto, budget: budgets, ledger, lost: causes, diagnosis })) document.querySelector(`#${id} .body`).innerHTML = make();
  return sight();
}
(async () => {
  const scope = D.points.find(p => D.measures[p[5]] === "success" && p[6] != null) || D.points[0];
  [S.family, S.reader, S.budget] = [scope[0], scope[2], scope[3]];
  const pooled = D.headlines.filter(h => h[0].startsWith("On these families")), rest = D.headlines.filter(h => !pooled.includes(h));
  const [first, ...others] = [...pooled, ...rest, ["This sweep", "No arm within the budget has a result to head this page."]];
  document.getElementById("where").textContent = first[0];
  document.getElementById("headline").textContent = first[1].replaceAll("95 % ", "95\u00a0%\u00a0");
  document.getElementById("more").innerHTML = others.slice(0, -1).map(h => `<p><b>${esc(h[0])}</b> ${esc(h[1])}</p>`).join("");
  document.getElementById("notes").innerHTML = `<h2>About this sweep</h2>${D.notes.map(n => `<p>${esc(n)}</p>`).join("")}<p>Success under a scripted reader is simulated: the reader is an instrument, not a model. What the columns mean: docs/measures.md.</p>`;
  choices();
  await draw();
  const now = Math.round(performance.now());
  document.documentElement.dataset.ready = now;
  console.info(`longhaul: drawn after ${now} ms, ${document.querySelectorAll("*").length} elements`);
})();
