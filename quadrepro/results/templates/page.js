"use strict";
// The theme comes first, so that a page never flashes in the other one.
const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
let chosen = null;
try { chosen = localStorage.getItem("theme"); } catch { /* Some browsers keep nothing for files. */ }
const showTheme = () => {
  const isDark = (chosen ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  root.classList.toggle("dark", isDark);
  const button = document.getElementById("theme");
  if (button) button.textContent = isDark ? "Light theme" : "Dark theme";
};
showTheme();
prefersDark.addEventListener("change", showTheme);
document.addEventListener("DOMContentLoaded", () => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("said").textContent = text; };
  const make = (tag, attributes = {}, ...children) => {
    const node = tag.startsWith("svg:")
      ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  all(".js, .copy, #theme").forEach((node) => { node.hidden = false; });
  showTheme();
  byId("theme").addEventListener("click", () => {
    chosen = root.classList.contains("dark") ? "light" : "dark";
    try { localStorage.setItem("theme", chosen); } catch { /* It holds for this page alone. */ }
    showTheme();
  });
  const wireCopy = (button) => button.addEventListener("click", () => {
    getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    document.execCommand("copy");
    say("copied");
  });
  all(".copy").forEach(wireCopy);
  // Sorting: a number if there is one in the cell, and words otherwise; what is missing comes last.
  const words = new Intl.Collator("en", { numeric: true });
  const keyOf = (row, i) => {
    const text = (row.cells[i].dataset.value ?? row.cells[i].textContent).trim();
    const number = i ? text.match(/^[†<\s]*([-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)/) : null;
    if (number) return Number(number[1].replace("−", "-").replaceAll(",", ""));
    return text === "" || text === "–" ? null : text;
  };
  const compare = (x, y) => {
    if (typeof x === "number" && typeof y === "number") return x - y;
    return typeof x === typeof y ? words.compare(x, y) : typeof x === "number" ? -1 : 1;
  };
  all("main table").forEach((table) => {
    const before = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      const button = make("button", { type: "button" }, head.textContent || "Name");
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const order = { ascending: "descending", descending: "" }[head.ariaSort] ?? "ascending";
        all("[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
        if (order) head.setAttribute("aria-sort", order);
        const sign = order === "descending" ? -1 : 1;
        const sorted = !order ? before : [...before].sort((a, b) => {
          const [x, y] = [keyOf(a, i), keyOf(b, i)];
          return x === null || y === null ? (x === null) - (y === null) : sign * compare(x, y);
        });
        table.tBodies[0].append(...sorted);
        say(order ? `sorted by ${button.textContent}, ${order}` : "in the order of the config");
      });
    });
  });
  // Filters: what has all words stays, in the main table or in the index with its sections.
  const has = (text, filter) => filter.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
  const heat = byId("heat");
  const filters = {
    rows: (text) => [...heat.tBodies[0].rows].forEach((row) => { row.hidden = !has(row.cells[0].textContent, text); }),
    columns: (text) => [...heat.tHead.rows[0].cells].slice(1).forEach((head) => {
      const hidden = !has(head.textContent, text);
      [...heat.rows].forEach((row) => { row.cells[head.cellIndex].hidden = hidden; });
    }),
    all: (text) => all(".card").forEach((card) => {
      const rows = all("tbody tr", card);
      rows.forEach((row) => { row.hidden = !has(`${card.querySelector("h2").textContent} ${row.cells[0].textContent}`, text); });
      card.hidden = rows.every((row) => row.hidden);
    }),
  };
  all("[data-filter]").forEach((input) => input.addEventListener("input", () => {
    filters[input.dataset.filter](input.value.trim());
    say(`shown rows: ${all("#heat tbody tr:not([hidden]), .card:not([hidden]) tbody tr:not([hidden])").length}`);
  }));
  if (!heat) return;
  // An entry: its splits as dots, our interval and the printed number, above what its template holds.
  const draw = (svg, values) => {
    const { printed, low: left, high: right } = svg.dataset;
    const unit = svg.dataset.percent ? 100 : 1;
    const lines = printed ? [Number(printed)] : [], band = left ? [Number(left), Number(right)] : [];
    const marks = [...values, ...lines, ...band];
    if (!marks.length) return svg.remove();
    let [low, high] = [Math.min(...marks), Math.max(...marks)];
    if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 20, high + (Math.abs(high) || 1) / 20];
    const width = Math.min(640, innerWidth - 64);
    const x = (value) => 16 + ((value - low) / (high - low)) * (width - 32);
    const stacks = new Map();
    const levels = values.map((value) => {
      const column = Math.round(x(value) / 7);
      stacks.set(column, (stacks.get(column) ?? -1) + 1);
      return stacks.get(column);
    });
    const rise = Math.min(7, 110 / Math.max(1, ...levels));
    const base = 70 + rise * Math.max(0, ...levels);
    const add = (tag, attributes, ...children) => svg.append(make(`svg:${tag}`, attributes, ...children));
    svg.setAttribute("viewBox", `0 0 ${width} ${base + 34}`);
    if (left) add("rect", { x: x(band[0]), y: 30, width: Math.max(1, x(band[1]) - x(band[0])), height: base - 24 });
    values.forEach((value, i) => add("circle", { cx: x(value), cy: base - rise * levels[i], r: 3.2 }));
    [low, (low + high) / 2, high].forEach((at, i) =>
      add("text", { x: x(at), y: base + 24, "text-anchor": ["start", "middle", "end"][i] }, String(Number((unit * at).toPrecision(4))).replace("-", "−")));
    if (values.length > 1) add("path", { d: `M${x(values.reduce((sum, value) => sum + value, 0) / values.length)} 30V${base + 6}` });
    for (const at of lines.map(x)) {
      const anchor = at < 90 ? "start" : at > width - 90 ? "end" : "middle";
      add("path", { class: "printed", d: `M${at} 22V${base + 6}` });
      add("text", { class: "printed", x: at, y: 15, "text-anchor": anchor }, `printed ${Number((unit * Number(printed)).toPrecision(12))}`);
    }
  };
  const dialog = byId("entry");
  const open = (id) => {
    const found = byId(id).content.cloneNode(true);
    const values = all("tbody td:nth-child(2)", found).map((td) => parseFloat(td.dataset.value)).filter(Number.isFinite);
    draw(found.querySelector("svg"), values);
    wireCopy(found.querySelector(".copy"));
    dialog.setAttribute("aria-label", found.querySelector("h2").textContent);
    dialog.lastElementChild.replaceChildren(found);
    if (!dialog.open) dialog.showModal();
  };
  all("[data-entry]").forEach((td) => {
    const button = make("button", { type: "button", "aria-haspopup": "dialog" }, ...td.childNodes);
    button.addEventListener("click", () => {
      history.replaceState(null, "", `#${td.dataset.entry}`);
      open(td.dataset.entry);
    });
    td.append(button);
  });
  dialog.addEventListener("close", () => history.replaceState(null, "", location.href.replace(/#.*/, "")));
  // A link to an entry or to a table opens it.
  const openTarget = () => {
    all("[data-entry]").find((td) => `#${td.dataset.entry}` === location.hash)?.firstChild.click();
    byId(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();
});
