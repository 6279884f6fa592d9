// Numbers as words, and finding them again.
const D = JSON.parse(document.getElementById("data").textContent);
const MISSING = "–";
const share = v => v == null ? MISSING : v.toFixed(2).replace(/^(-?)0\./, "$1.");
const percent = v => v == null ? MISSING : v > 0 && v < .005 ? "<1 %" : `${Math.round(100 * v)} %`;
const count = v => v == null ? MISSING : v < 1000 ? String(Math.round(v * 10) / 10) : v < 1e4 ? Math.round(v).toLocaleString("en") : v < 1e6 ? `${(v / 1e3).toFixed(v < 1e5 ? 1 : 0)}k` : `${(v / 1e6).toFixed(2)}M`;
const money = v => v == null ? MISSING : `${v < 0 ? "−" : ""}$${Math.abs(v) >= 1 ? Math.abs(v).toFixed(2) : Math.abs(v) >= .01 ? Math.abs(v).toFixed(3) : Math.abs(v).toFixed(4)}`;
const FOUND = new Map();
for (const p of D.points) FOUND.set(p.slice(0, 6).join(), { value: p[6], low: p[7], high: p[8], n: p[9], planned: p[10] });
const S = { family: 0, reader: 0, budget: 0, axis: "steps", hidden: new Set() };

function at(arm, measure, checkpoint, budget) {
  return FOUND.get([S.family, arm, S.reader, budget == null ? S.budget : budget, checkpoint || 0, D.measures.indexOf(measure)].join()) || null;
}
const val = (arm, measure, checkpoint) => { const p = at(arm, measure, checkpoint); return p ? p.value : null; };
const scoped = (reader = true) => D.points.filter(p => p[0] === S.family && p[3] === S.budget && (!reader || p[2] === S.reader));
const checkpoints = () => [...new Set(scoped().map(p => p[4]).filter(Boolean))].sort((a, b) => a - b);
const arms = () => [...Array(D.own).keys()].filter(a => scoped().some(p => p[1] === a));
const shown = () => arms().filter(a => !S.hidden.has(a));
const main = () => scoped().some(p => D.measures[p[5]] === "success" && p[6] != null) ? "success" : "hit_observation";
const colour = a => D.looks[a][0] === "#000000" ? "var(--ink)" : D.looks[a][0];
const look = a => ({ name: D.arms[a], colour: colour(a), dash: DASHES[D.looks[a][1]], marker: D.looks[a][2] });
const named = m => m === "success" && D.simulated[S.reader] ? "success (simulated)" : m.replace(/_/g, " ").replace("hit observation", "needs met by an observation");
const interval = p => !p || p.value == null ? "" : p.low == null ? (p.n < D.fewest ? `n < ${D.fewest}` : "no spread") : `${share(Math.max(p.low, 0))}–${share(Math.min(p.high, 1))}`;
const title = (a, m, k, p) => `${D.arms[a]}, ${named(m)} ${k ? `at step ${k}` : ""}: ${share(p.value)} ${p.low == null ? "" : `(95 % ${interval(p)})`}, n = ${p.n} of ${p.planned}`;

function grid(heads, rows, wrap) {
  const cells = rows.map(r => `<tr>${r.map((c, i) => i ? `<td${wrap && wrap.includes(i) ? ' class="wrap"' : ""}>${c}</td>` : `<th scope="row">${c}</th>`).join("")}</tr>`);
  return `<div class="scroll" tabindex="0" role="region" aria-label="table"><table><thead><tr>${heads.map((h, i) => `<th scope="col"${wrap && wrap.includes(i) ? ' class="wrap"' : ""}>${h}</th>`).join("")}</tr></thead><tbody>${cells.join("")}</tbody></table></div>`;
}

function glance() {
  const ks = checkpoints(), last = ks[ks.length - 1], m = main();
  const sums = a => ["ending: "].flatMap(n => scoped().filter(p => p[1] === a && D.measures[p[5]].startsWith(n)));
  const order = shown().sort((a, b) => (val(b, m, last) ?? -1) - (val(a, m, last) ?? -1));
  const rows = order.map(a => {
    const p = at(a, m, last), ends = sums(a), early = ends.filter(e => D.measures[e[5]] !== "ending: completed").reduce((s, e) => s + e[6], 0);
    const thin = p && p.planned && p.n / p.planned < .8;
    return [`${swatch(a)} ${esc(D.arms[a])}${D.free.includes(D.arms[a]) ? ' <span class="ci">no budget</span>' : ""}`, p ? `${thin ? '<span class="bad">' : "<span>"}${p.n}/${p.planned}</span>` : MISSING,
      ...ks.map(k => k === last && p && p.value != null ? `<b>${thin ? "too few" : share(p.value)}</b> <span class="ci">${interval(p)}</span>` : share(val(a, m, k))),
      ...ks.map(k => share(val(a, "retention", k))), count(val(a, "tokens_spent", 0)), money(val(a, "money", 0)), money(val(a, "money_ideal", 0)),
      percent(val(a, "fired_share", 0)), percent(val(a, "overflow_share", 0)), ends.length ? `${early}/${ends[0][9]}` : MISSING];
  });
  const heads = ["arm", "n", ...ks.map(k => `${k === ks[0] ? `${named(m)}<br>` : ""}@${k}`), ...ks.map(k => `${k === ks[0] ? "retention<br>" : ""}@${k}`), "tokens<br>spent", "money<br>fitted", "money<br>ideal", "turns<br>fired", "turns<br>overflow", "ended<br>early"];
  return grid(heads, rows) + `<p class="note">Means over instances; 95 % intervals (t) at the last checkpoint. Fitted: a cache with the provider's blocks and misses; ideal: all that was sent before is read. Fired: turns at which something left the view or was made for it; an arm that hardly fires says little. Overflow: the last-resort window was needed.</p>`;
}

function curves() {
  const ks = checkpoints(), xs = { steps: null, turns: "turns", tokens: "tokens_spent" }[S.axis];
  const place = (a, k) => xs ? val(a, xs, k) : k;
  const draw = (m, bounds) => {
    const series = shown().map(a => ({ ...look(a), points: ks.map(k => ({ k, p: at(a, m, k), x: place(a, k) })).filter(q => q.p && q.p.value != null && q.p.n >= D.fewest && q.x != null)
      .map(q => ({ x: q.x, y: q.p.value, low: m === "unbroken" ? null : q.p.low, high: q.p.high, title: title(a, m, q.k, q.p) })) })).filter(s => s.points.length);
    if (bounds && !xs) for (const [i, b] of ["bound_keep", "bound_any"].entries())
      series.push({ name: b, label: b, bare: true, colour: "var(--soft)", dash: i ? "1 4" : "1 2", points: ks.map(k => ({ x: k, p: at(D.arms.indexOf(b), "hit_ratio", k) })).filter(q => q.p && q.p.value != null).map(q => ({ x: q.x, y: q.p.value })) });
    return chart(named(m), series.filter(s => s.points.length), { y: [0, 1], xlabel: { steps: "step", turns: "turns, re-reads included (mean)", tokens: "tokens spent so far (mean)" }[S.axis], xlog: S.axis === "tokens", xticks: xs ? null : ks, xformat: xs ? count : String });
  };
  const has = m => scoped().some(p => D.measures[p[5]] === m && p[4]);
  const few = scoped().some(p => p[4] && p[9] < D.fewest) ? ` Points under n = ${D.fewest} are not drawn.` : "";
  return `<div class="grid">${[main(), "retention", "hit_ratio", "unbroken"].filter(has).map(m => draw(m, m === "hit_ratio")).join("")}</div><p class="note">Bands: 95 % intervals. Unbroken: share of instances without a goal missed so far (its intervals stand in the tooltips). Dotted: computed bounds, which no policy of their class can exceed.${few}</p>`;
}

function exits() {
  const steps = D.exits.steps[S.family] || [], own = D.exits.curves.filter(c => c[0] === S.family && c[2] === S.reader && c[3] === S.budget && shown().includes(c[1]));
  if (!own.length) return `<p class="note">Choose one family to see how its episodes left.</p>`;
  const missed = D.exits.causes.indexOf(D.exits.missed), name = c => D.exits.causes[c].replace(/_/g, " ");
  const stairs = shares => shares.flatMap((y, i) => i ? [{ x: steps[i], y: shares[i - 1] }, { x: steps[i], y }] : [{ x: steps[i], y }]);
  const series = own.filter(c => c[4] === missed).map(c => ({ ...look(c[1]), points: stairs(c[6]) }));
  const causes = [...new Set(own.map(c => c[4]))].sort((a, b) => a - b), ks = checkpoints().filter(k => steps.includes(k));
  const cell = (a, c, k) => { const found = own.find(o => o[1] === a && o[4] === c); return share(found ? found[6][steps.indexOf(k)] : 0); };
  const heads = ["arm", "n", ...causes.flatMap(c => ks.map(k => `${k === ks[0] ? `${esc(name(c))}<br>` : ""}@${k}`))];
  const rows = shown().filter(a => own.some(c => c[1] === a)).map(a => [`${swatch(a)} ${esc(D.arms[a])}`, String(own.find(c => c[1] === a)[5]), ...causes.flatMap(c => ks.map(k => cell(a, c, k)))]);
  const drawn = series.length ? chart("share of episodes that had missed a goal", series, { y: [0, 1], xlabel: "step", plain: true, zero: true }) : "";
  return `${drawn}${grid(heads, rows)}<p class="note">Cumulative incidence: an episode leaves by what comes first, its first missed goal or its end; who was ended by a limit can miss nothing more. Aalen–Johansen, infrastructure faults censored; n counts episodes, repeats apart.</p>`;
}

function slices() {
  const of = prefix => D.measures.filter(m => m.startsWith(prefix) && scoped().some(p => D.measures[p[5]] === m));
  const order = m => parseInt(m.replace(/\D+/, ""), 10) || 0;
  const kinds = of("retention by kind: "), ages = of("retention by age: ").sort((a, b) => order(a) - order(b));
  if (!kinds.length) return `<p class="note">Facts are not known for this family.</p>`;
  const cell = (a, m) => { const p = at(a, m, 0); return p && p.value != null ? `${share(p.value)} <span class="bar" style="width:${Math.round(42 * p.value)}px;opacity:.55"></span><br><span class="ci">${interval(p)}</span>` : MISSING; };
  const short = m => esc(m.split(": ")[1]);
  return grid(["arm", ...kinds.map(short), ...ages.map(m => `${short(m)}<br>steps`)], shown().map(a => [`${swatch(a)} ${esc(D.arms[a])}`, ...kinds.map(m => cell(a, m)), ...ages.map(m => cell(a, m))])) + `<p class="note">Share of live facts that the view held, all checkpoints together, with 95 % intervals over instances. Age: steps since the fact was stated.</p>`;
}

function pareto() {
  const ks = checkpoints(), last = ks[ks.length - 1], m = main();
  const draw = (x, caption, format) => {
    const dots = shown().map(a => ({ a, x: val(a, x, last) ?? val(a, x, 0), p: at(a, m, last) })).filter(d => d.x > 0 && d.p && d.p.value != null);
    const front = dots.filter(d => !dots.some(e => e !== d && e.x <= d.x && e.p.value >= d.p.value && (e.x < d.x || e.p.value > d.p.value))).sort((a, b) => a.x - b.x);
    const line = { name: "front", bare: true, colour: "var(--soft)", dash: "2 3", points: front.flatMap((d, i) => i ? [{ x: d.x, y: front[i - 1].p.value }, { x: d.x, y: d.p.value }] : [{ x: d.x, y: d.p.value }]) };
    const series = dots.map(d => ({ ...look(d.a), loose: true, bars: true, label: front.includes(d) ? D.arms[d.a] : "", points: [{ x: d.x, y: d.p.value, low: d.p.low, high: d.p.high, title: `${title(d.a, m, last, d.p)}; ${format(d.x)}` }] }));
    return chart(caption, front.length > 1 ? [line, ...series] : series, { y: [0, 1.05], xlog: true, xlabel: `${caption.split(" against ")[0]}, an episode (log scale)`, xformat: format });
  };
  const parts = [draw("tokens_spent", `tokens against ${named(m)}`, count)];
  if (shown().some(a => val(a, "money", last) != null || val(a, "money", 0) != null)) parts.push(draw("money", `money (fitted) against ${named(m)}`, money), draw("money_ideal", `money (ideal cache) against ${named(m)}`, money));
  return `<div class="grid">${parts.join("")}</div><p class="note">Dotted: the front; an arm on it is named: none is both cheaper and better. Bars: 95 % intervals. Fewer tokens is not always less money: evicting breaks the cached prefix.</p>`;
}

function budgets() {
  const ks = checkpoints(), last = ks[ks.length - 1];
  const line = (a, extra) => ({ ...extra, points: D.budgets.map((b, i) => ({ b, p: at(a, "hit_ratio", last, i) })).filter(q => q.p && q.p.value != null).map(q => ({ x: q.b, y: q.p.value, low: q.p.low, high: q.p.high, title: title(a, "hit_ratio", last, q.p) })) });
  const series = shown().map(a => line(a, { ...look(a), bars: true })), bounds = D.arms.slice(D.own, D.own + 2).map((b, i) => line(D.own + i, { name: b, label: D.budgets.length < 2 ? "" : b, loose: D.budgets.length < 2, marker: i ? "v" : "^", colour: "var(--soft)", dash: i ? "1 4" : "1 2" }));
  return `<div class="two">${chart(`hit ratio at step ${last}`, [...bounds, ...series].filter(s => s.points.length), { y: [0, 1.05], xlog: D.budgets.length > 1, xlabel: "budget, tokens", xformat: count, xticks: D.budgets.length < 7 ? D.budgets : null })}${grid(["arm", ...D.budgets.map(b => `${b.toLocaleString("en")} tokens`)], [...shown(), D.own, D.own + 1].map(a => [a < D.own ? `${swatch(a)} ${esc(D.arms[a])}` : esc(D.arms[a]), ...D.budgets.map((_, i) => { const p = at(a, "hit_ratio", last, i); return p ? `${share(p.value)} <span class="ci">${interval(p)}</span>` : MISSING; })]))}</div><p class="note">bound_keep: once dropped, never back; bound_any: a free choice each turn. Arms that rewrite text are bounded by neither.</p>`;
}

function ledger() {
  const cols = [["changes", count], ["prefix_lost", count], ["rewritten", count], ["asked", count], ["own_money", money], ["own_money_ideal", money], ["stall", v => v == null ? MISSING : `${v.toFixed(1)} s`], ["net_money", money], ["net_money_ideal", money], ["paid_back", percent]];
  const rows = shown().filter(a => val(a, "changes", 0)).map(a => [`${swatch(a)} ${esc(D.arms[a])}`, ...cols.map(([m, f]) => f(val(a, m, 0)))]);
  if (!rows.length) return `<p class="note">No arm changed its view.</p>`;
  return grid(["arm", "changes", "prefix<br>lost", "tokens<br>rewritten", "own model<br>tokens", "own model<br>fitted", "own model<br>ideal", "stall<br>simulated", "net of a change<br>fitted", "net of a change<br>ideal", "paid<br>back"], rows) + `<p class="note">Means an episode. Prefix lost: tokens of the last request that no cache serves any more. Net: what a change saved until the next one, less the strategy's own calls. Paid back: changes that came out even.</p>`;
}

function causes() {
  const rows = shown().map(a => [a, scoped().filter(p => p[1] === a && D.measures[p[5]].startsWith("unmet need: ")).sort((x, y) => y[6] - x[6])]).filter(r => r[1].length);
  if (!rows.length) return `<p class="note">Every need was met.</p>`;
  return grid(["arm", "unmet", "the event that removed the last provider"], rows.map(([a, l]) => [`${swatch(a)} ${esc(D.arms[a])}`, count(l[0][9]), l.map(p => `${esc(D.measures[p[5]].slice(12))} ${percent(p[6] / p[9])}`).join(", ")]), [2]);
}

function diagnosis() {
  const own = D.diagnosis.filter(d => d.family === D.families[S.family] && d.budget === D.budgets[S.budget] && d.reader === D.readers[S.reader] && shown().includes(D.arms.indexOf(d.arm)));
  if (!own.length) return `<p class="note">No counter rose against the reference arm, or it is not in this scope.</p>`;
  const num = v => Math.abs(v) < 10 ? v.toFixed(2) : count(v);
  const sure = own.filter(d => d.sure), rest = own.filter(d => !d.sure);
  const part = list => grid(["arm", "sign", "counter", "rise", "95 %", "likely cause", "where to look", "remedy"], list.map(d => [`${swatch(D.arms.indexOf(d.arm))} ${esc(d.arm)}`, esc(d.sign), d.counter.replace(/_/g, " "), d.sure ? `<span class="bad">+${num(d.rise)}</span>` : `+${num(d.rise)}`, d.low == null ? `<span class="ci">n = ${d.n}</span>` : `<span class="ci">${num(d.low)} to ${num(d.high)}</span>`, esc(d.cause), esc(d.look), esc(d.remedy)]), [1, 5, 6, 7]);
  return (sure.length ? part(sure) : "") + (rest.length ? `<details><summary>${rest.length} counters that rose within their interval, or without one</summary>${part(rest)}</details>` : "") + `<p class="note">Arm minus reference on the common instances, over whole episodes; coloured: the whole interval lies above 0. Cause and remedy are those of a practitioners' table of symptoms (section 5.1 of a guide to layered memory and active compression); they say where to look first, and prove nothing.</p>`;
}

const swatch = a => `<svg viewBox="0 0 26 10" style="width:26px;display:inline-block;vertical-align:middle" aria-hidden="true"><path d="M0 5H26" stroke="${colour(a)}" stroke-width="2" stroke-dasharray="${DASHES[D.looks[a][1]]}"/>${marker(D.looks[a][2], 13, 5, colour(a))}</svg>`;
