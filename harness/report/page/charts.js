"use strict";
// Small charts in SVG. A series: {name, colour, dash, marker, points: [{x, y, low, high, title}]}.
const DASHES = { "-": "", "--": "6 3", "-.": "7 3 1.5 3" };
const ROUND = x => Math.round(x * 100) / 100;
const esc = s => String(s).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));

function marker(kind, x, y, colour, title, r = 3.6) {
  const tip = title ? `<title>${esc(title)}</title>` : "";
  const shape = {
    s: `<rect x="${x - r}" y="${y - r}" width="${2 * r}" height="${2 * r}"`,
    "^": `<path d="M${x} ${y - r - 1}L${x + r + 1} ${y + r}H${x - r - 1}Z"`,
    v: `<path d="M${x} ${y + r + 1}L${x + r + 1} ${y - r}H${x - r - 1}Z"`,
    D: `<path d="M${x} ${y - r - 1.5}L${x + r + 1.5} ${y}L${x} ${y + r + 1.5}L${x - r - 1.5} ${y}Z"`,
    P: `<path d="M${x - 1.5} ${y - r - 1}h3v3.1h3.1v3h-3.1v3.1h-3v-3.1h-3.1v-3h3.1Z"`,
    X: `<path d="M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}" stroke="${colour}" stroke-width="2.4"`,
    "<": `<path d="M${x - r - 1} ${y}L${x + r} ${y - r - 1}V${y + r + 1}Z"`,
    ">": `<path d="M${x + r + 1} ${y}L${x - r} ${y - r - 1}V${y + r + 1}Z"`,
  }[kind] || `<circle cx="${x}" cy="${y}" r="${r}"`;
  return `${shape} fill="${colour}">${tip}</${shape.slice(1).split(" ")[0]}>`;
}

function ticks(low, high, log) {
  if (log) {
    const found = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++)
      for (const m of [1, 2, 5]) if (m * 10 ** e >= low && m * 10 ** e <= high) found.push(m * 10 ** e);
    if (found.length > 2) return found;
  }
  const raw = (high - low) / 4 || 1, base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find(m => m * base >= raw) * base, found = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-6; t += step) found.push(t);
  return found;
}

// options: xlabel, ylabel, xlog, y: [low, high], xticks, xformat, yformat, marks: [{x, y, kind, title}], plain (no markers)
function chart(caption, series, options) {
  const W = 400, H = 250, L = 46, R = 12, T = 10, B = 38, o = options || {};
  const all = series.flatMap(s => s.points);
  if (!all.length) return `<figure><figcaption>${esc(caption)}</figcaption><p class="note">Nothing to draw: no point has enough instances.</p></figure>`;
  const fold = (f, list) => list.reduce((a, b) => f(a, b), list[0]);
  let x0 = fold(Math.min, all.map(p => p.x)), x1 = fold(Math.max, all.map(p => p.x));
  if (o.xlog) { x0 /= 1.12; x1 *= 1.12; } else { const d = (x1 - x0 || Math.abs(x0) || 1) * 0.04; x0 = o.zero ? 0 : x0 - d; x1 += d; }
  const y0 = o.y ? o.y[0] : 0, y1 = o.y ? o.y[1] : fold(Math.max, all.map(p => p.y)) * 1.06 || 1;
  const scale = v => o.xlog ? Math.log10(v) : v;
  const px = v => ROUND(L + (W - L - R) * (scale(v) - scale(x0)) / (scale(x1) - scale(x0)));
  const py = v => ROUND(H - B - (H - T - B) * (Math.min(Math.max(v, y0), y1) - y0) / (y1 - y0));
  const xf = o.xformat || String, yf = o.yformat || share;
  let out = "";
  for (const t of ticks(y0, y1)) out += `<path d="M${L} ${py(t)}H${W - R}" stroke="var(--faint)"/><text x="${L - 6}" y="${py(t) + 4}" text-anchor="end">${yf(t)}</text>`;
  for (const t of o.xticks || ticks(x0, x1, o.xlog)) out += `<path d="M${px(t)} ${H - B}v4" stroke="var(--soft)"/><text x="${px(t)}" y="${H - B + 16}" text-anchor="middle">${esc(xf(t))}</text>`;
  out += `<path d="M${L} ${H - B}H${W - R}" stroke="var(--soft)"/><text x="${(L + W - R) / 2}" y="${H - 4}" text-anchor="middle">${esc(o.xlabel || "")}</text>`;
  for (const s of series) {
    const p = s.points, band = p.filter(q => q.low != null && q.high != null);
    if (band.length > 1) out += `<path d="M${band.map(q => `${px(q.x)} ${py(q.high)}`).join("L")}L${band.slice().reverse().map(q => `${px(q.x)} ${py(q.low)}`).join("L")}Z" fill="${s.colour}" opacity=".13"/>`;
    if (s.bars) for (const q of band) out += `<path d="M${px(q.x)} ${py(q.low)}V${py(q.high)}" stroke="${s.colour}" opacity=".5" stroke-width="1.5"/>`;
    if (!s.loose) out += `<path d="M${p.map(q => `${px(q.x)} ${py(q.y)}`).join("L")}" fill="none" stroke="${s.colour}" stroke-width="${o.plain ? 1.3 : 1.8}" stroke-dasharray="${s.dash || ""}" stroke-linejoin="round"/>`;
    if (!o.plain && !s.bare) for (const q of p) out += marker(s.marker, px(q.x), py(q.y), s.colour, q.title);
    if (s.label && p.length) out += `<text x="${px(p[p.length - 1].x)}" y="${py(p[p.length - 1].y) - 7}" text-anchor="end">${esc(s.label)}</text>`;
  }
  for (const m of o.marks || []) out += `<g opacity=".85">${marker(m.kind, px(m.x), py(m.y), m.colour, m.title, 1.6)}</g>`;
  if (o.cursor != null) out += `<path d="M${px(o.cursor)} ${T}V${H - B}" stroke="var(--bad)" stroke-width="1.2"/>`;
  const told = series.filter(s => s.points.length && !s.bare).map(s => `${s.name} ${yf(s.points[s.points.length - 1].y)}`).join(", ");
  return `<figure><figcaption>${esc(caption)}</figcaption><svg viewBox="0 0 ${W} ${H}" role="img" aria-label="${esc(`${caption}; last points: ${told}`)}">${out}</svg></figure>`;
}
