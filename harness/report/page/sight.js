// One instance, turn by turn. A chunk is opened when it is first looked at.
const OPENED = new Map();
async function chunk(n) {
  if (!OPENED.has(n)) {
    const packed = Uint8Array.from(atob(document.getElementById(`chunk${n}`).textContent), c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    OPENED.set(n, JSON.parse(await new Response(stream).text()));
  }
  return OPENED.get(n);
}
const LOOK = { chunk: -1, left: 0, right: 1, step: 1, data: null };
const own = () => D.chunks.map((c, n) => [c[0], c[1], n]).filter(c => c[0] === D.families[S.family]);
const run = a => LOOK.data && LOOK.data.runs.find(r => r.arm === a && r.reader === S.reader && (r.budget ?? null) === (D.budgets[S.budget] ?? null));
const ids = view => view.flatMap(v => Array.isArray(v) ? Array.from({ length: v[1] - v[0] + 1 }, (_, i) => v[0] + i) : [v]);
const turnAt = (r, step) => { let n = r.turns.findIndex(t => t[0] + Math.max(t[1], 1) > step); return n < 0 ? r.turns.length - 1 : n; };
const before = (r, n) => { for (let i = n - 1; i >= 0; i--) if (r.turns[i][2] === r.turns[n][2]) return i; return -1; };

function lengths() {
  const runs = shown().map(a => [a, run(a)]).filter(r => r[1]);
  if (!runs.length) return `<p class="note">No record of this instance in this scope.</p>`;
  const marks = [], series = runs.map(([a, r]) => {
    for (const t of r.turns) if (t[6].length) marks.push({ x: t[0], y: t[5], kind: "v", colour: colour(a), title: `${D.arms[a]}, step ${t[0]}: ${[...new Set(t[6].map(e => `${e[0]}:${e[1]}`))].join(", ")}` });
    return { ...look(a), points: r.turns.map(t => ({ x: t[0], y: t[5] })) };
  });
  const capped = series.filter(s => !D.free.includes(s.name));
  const opts = { xlabel: "step", yformat: count, plain: true, cursor: LOOK.step };
  const own = capped.length && capped.length < series.length ? chart("tokens of each request, arms within the budget", capped, { ...opts, marks: marks.filter(m => capped.some(s => m.title.startsWith(`${s.name}, `))) }) : "";
  return `<div class="two">${own}${chart("tokens of each request, all arms", series, { ...opts, marks: own ? [] : marks })}</div><p class="note">One instance. A mark is a turn at which the strategy reported an event; hover to read it.</p>`;
}

const SPEAKER = { s: "system", u: "user", a: "agent", t: "tool" };
function words(r, seg, id, cls, tail) {
  const made = typeof id === "string", m = made ? r.made[id] : null, s = r.segments[seg];
  const [text, who, size] = made ? [LOOK.data.texts[m[0]], "made", m[2]] : [LOOK.data.texts[s[0][id]], SPEAKER[s[1][id]], s[2][id]];
  return `<li class="${made ? "made" : cls}"><b>${esc(made ? id : `m${id}`)} · ${who} · ${size} tokens${tail ? ` · ${esc(tail)}` : ""}</b><br>${esc(text)}</li>`;
}
function side(a) {
  const r = run(a);
  if (!r || !r.turns.length) return `<div><h3>${esc(D.arms[a])}</h3><p class="note">No record in this scope.</p></div>`;
  const n = turnAt(r, LOOK.step), t = r.turns[n], past = before(r, n), old = past < 0 ? [] : ids(r.turns[past][4]), now = ids(t[4]), held = new Set(now), had = new Set(old);
  if (LOOK.step > t[0] + Math.max(t[1], 1) - 1) return `<div><h3>${swatch(a)} ${esc(D.arms[a])}</h3><p class="bad">The episode had ended by then (${esc(r.ending)}).</p></div>`;
  const gone = old.filter(i => !held.has(i)), why = i => { const e = t[6].find(e => { const c = ids(e[2]); return c.includes(i) || (typeof i === "string" && r.made[i] && r.made[i][3].some(x => c.includes(+x.slice(1)))); }); return e ? `by ${e[0]}:${e[1]}` : "no event names it"; };
  const needs = r.needs.filter(q => q[0] >= t[0] && q[0] < t[0] + Math.max(t[1], 1)), out = t[3] - now.filter(i => typeof i === "number").length;
  const asked = needs.length ? needs.map(q => `<li class="${q[2] ? "new" : "gone"}">${q[2] ? "met" : `<span class="bad">missed</span>, lost ${q[4] ? `at turn ${q[4]} ` : ""}by ${esc(q[3] || "unknown")}`}: ${esc(q[1])}</li>`).join("") : "<li>nothing</li>";
  return `<div><h3>${swatch(a)} ${esc(D.arms[a])}: ${t[5].toLocaleString("en")} tokens, ${now.length} messages, ${out} of ${t[3]} left out</h3>
<p class="note">Needed by this step</p><ul class="held" tabindex="0">${asked}</ul>
<p class="note">Left the view since the turn before: ${gone.length}</p>${gone.length ? `<ul class="held" tabindex="0">${gone.map(i => words(r, t[2], i, "gone", why(i))).join("")}</ul>` : ""}
<p class="note">Held, newest first</p><ul class="held" tabindex="0">${now.slice().reverse().map(i => words(r, t[2], i, had.has(i) ? "" : "new")).join("")}</ul></div>`;
}
function sides() {
  const body = document.querySelector("#sight .views"), missed = [LOOK.left, LOOK.right].flatMap(a => (run(a) || { needs: [] }).needs.filter(q => !q[2]).map(q => q[0]));
  if (!body) return;
  document.getElementById("at").textContent = LOOK.step;
  document.getElementById("step").value = LOOK.step;
  body.innerHTML = side(LOOK.left) + side(LOOK.right);
  LOOK.missed = [...new Set(missed)].sort((a, b) => a - b);
}
function option(list, chosen) { return list.map(([v, t]) => `<option value="${v}"${v === chosen ? " selected" : ""}>${esc(t)}</option>`).join(""); }

async function sight() {
  const mine = own(), body = document.querySelector("#sight .body"), top = document.querySelector("#length .body");
  if (!mine.length) { body.innerHTML = top.innerHTML = `<p class="note">Choose one family to see its episodes.</p>`; return; }
  if (!mine.some(c => c[2] === LOOK.chunk)) LOOK.chunk = mine[0][2];
  LOOK.data = await chunk(LOOK.chunk);
  const here = arms().filter(a => run(a));
  if (!here.includes(LOOK.left)) LOOK.left = here[0] ?? 0;
  if (!here.includes(LOOK.right) || LOOK.right === LOOK.left) LOOK.right = here.find(a => a !== LOOK.left) ?? LOOK.left;
  const last = Math.max(1, ...here.flatMap(a => run(a).turns.map(t => t[0] + Math.max(t[1], 1) - 1)));
  if (!LOOK.touched) { const first = [LOOK.right, LOOK.left].flatMap(a => run(a) ? run(a).needs : []).find(q => !q[2]); LOOK.step = first ? first[0] : Math.min(last, 20); }
  LOOK.step = Math.min(LOOK.step, last);
  top.innerHTML = lengths();
  body.innerHTML = `<div class="row"><label>instance <select id="instance">${option(mine.map(c => [c[2], c[1]]), LOOK.chunk)}</select></label>
<label>left <select id="left">${option(here.map(a => [a, D.arms[a]]), LOOK.left)}</select></label><label>right <select id="right">${option(here.map(a => [a, D.arms[a]]), LOOK.right)}</select></label></div>
<div class="row"><label style="flex:1">step <input type="range" id="step" min="1" max="${last}" value="${LOOK.step}"> <output id="at">${LOOK.step}</output></label><button id="prev">← missed need</button><button id="next">missed need →</button></div><div class="two views"></div>
<p class="note">Green: new in this view. Pink: made by the strategy. Orange: gone. Long messages are cut; their tokens are those of the whole.</p>`;
  sides();
  const on = (id, event, f) => document.getElementById(id).addEventListener(event, f);
  const go = step => { LOOK.touched = true; LOOK.step = step; sides(); };
  on("instance", "change", e => { LOOK.chunk = +e.target.value; LOOK.touched = false; sight(); });
  for (const name of ["left", "right"]) on(name, "change", e => { LOOK[name] = +e.target.value; sides(); });
  on("step", "input", e => go(+e.target.value));
  on("step", "change", () => { top.innerHTML = lengths(); });
  on("prev", "click", () => go(LOOK.missed.filter(s => s < LOOK.step).pop() ?? LOOK.step));
  on("next", "click", () => go(LOOK.missed.find(s => s > LOOK.step) ?? LOOK.step));
}
