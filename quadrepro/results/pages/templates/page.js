
"use strict";
// The theme comes first, so that a page never flashes in the other one.
const root = document.documentElement;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const keep = (name, value) => { try { return value ? localStorage.setItem(name, value) : localStorage.getItem(name); } catch { return null; } };
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
if (["light", "dark"].includes(keep("theme"))) root.dataset.theme = keep("theme");

document.addEventListener("DOMContentLoaded", () => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("said").textContent = text; };
  const embedded = byId("data") ? JSON.parse(byId("data").textContent) : { cells: [] };

  const make = (tag, attributes = {}, ...children) => {
    const node = tag.startsWith("svg:")
      ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  // Theme.
  const theme = byId("theme");
  const showTheme = () => { theme.textContent = isDark() ? "Light theme" : "Dark theme"; };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep("theme", root.dataset.theme);
    showTheme();
  });
  dark.addEventListener("change", showTheme);
  showTheme();

  // Copying; without a clipboard, as on some pages of files, by a selection.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { readonly: "" });
      area.value = text;
      (byId("entry")?.open ? byId("entry") : document.body).append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  const wireCopy = (button) => {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await copy(button.dataset.file ? embedded.files[button.dataset.file] : button.dataset.copy);
      button.textContent = "Copied";
      say(`${label}: copied`);
      button.focus();
      setTimeout(() => { button.textContent = label; }, 1500);
    });
    return button;
  };
  all(".copy").forEach(wireCopy);
  all(".js").forEach((node) => { node.hidden = false; });

  // Sorting: a number if there is one in the cell, and words otherwise; what is missing comes last.
  const words = new Intl.Collator("en", { numeric: true });
  const keyOf = (row, i) => {
    const cell = row.cells[i];
    const text = (cell.dataset.value ?? cell.textContent).trim();
    const number = i ? text.match(/^[◆*†<\s]*([-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)/) : null;
    if (number) return Number(number[1].replace("−", "-").replaceAll(",", ""));
    return text === "" || text === "–" ? null : text;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return typeof a === typeof b ? words.compare(a, b) : typeof a === "number" ? -1 : 1;
  };
  all("table.sortable").forEach((table) => {
    const body = table.tBodies[0];
    const before = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        const order = next === undefined ? "ascending" : next;
        all("[aria-sort]", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
        if (order) head.setAttribute("aria-sort", order);
        const sign = order === "descending" ? -1 : 1;
        const keys = new Map(before.map((row) => [row, keyOf(row, i)]));
        const sorted = order === null ? before : [...before].sort((a, b) => {
          const [x, y] = [keys.get(a), keys.get(b)];
          return x === null || y === null ? (x === null) - (y === null) : sign * compare(x, y);
        });
        body.append(...sorted);
        say(order ? `sorted by ${button.textContent}, ${order}` : "in the order of the config");
      });
    });
  });

  // Filters: what has all words stays, in the main table or in the index with its sections.
  const has = (text, filter) => filter.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
  const filters = {
    rows: (text) => [...byId("heat").tBodies[0].rows].forEach((row) => { row.hidden = !has(row.cells[0].textContent, text); }),
    columns: (text) => [...byId("heat").tHead.rows[0].cells].slice(1).forEach((head) => {
      const hidden = !has(head.textContent, text);
      [...byId("heat").rows].forEach((row) => { row.cells[head.cellIndex].hidden = hidden; });
    }),
    all: (text) => all("section.card").forEach((card) => {
      const title = card.querySelector("h2").textContent;
      const rows = [...card.querySelector("tbody").rows];
      rows.forEach((row) => { row.hidden = !has(`${title} ${row.cells[0].textContent}`, text); });
      card.hidden = rows.every((row) => row.hidden);
    }),
  };
  const shownRows = () => all("#heat tbody tr:not([hidden]), .card:not([hidden]) tbody tr:not([hidden])").length;
  all("[data-filter]").forEach((input) => {
    const apply = () => { filters[input.dataset.filter](input.value.trim()); };
    input.addEventListener("input", () => {
      apply();
      const columns = all("#heat thead th:not([hidden])").length;
      say(`shown rows: ${shownRows()}${columns ? `, columns: ${columns - 1}` : ""}`);
    });
    apply();
  });

  // Colours of the main table.
  all('input[name="colour"]').forEach((input) => input.addEventListener("change", () => {
    byId("heat").dataset.colour = input.value;
    for (const name of ["position", "rank"]) {
      all(`.key.for-${name}`).forEach((key) => { key.hidden = name !== input.value; });
    }
  }));

  // Entries.
  const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(4))));
  const strip = (cell) => {
    const shown = cell.values.filter((value) => value !== null);
    const printed = cell.printed === "" ? NaN : parseFloat(cell.printed);
    const scaled = cell.printed.includes("%") && cell.unit === "risk" ? printed / 100 : printed;
    const marks = [...shown, scaled, cell.low, cell.high].filter((x) => Number.isFinite(x));
    if (!marks.length) return "";
    const width = Math.min(640, window.innerWidth - 64);
    const [left, right] = [16, width - 16];
    let [low, high] = [Math.min(...marks), Math.max(...marks)];
    if (low === high) [low, high] = [low - (Math.abs(low) || 1) * 0.05, high + (Math.abs(high) || 1) * 0.05];
    const x = (value) => left + ((value - low) / (high - low)) * (right - left);
    const step = 7;
    const stacks = new Map();
    const dots = [...shown].sort((a, b) => a - b).map((value) => {
      const column = Math.round(x(value) / step);
      stacks.set(column, (stacks.get(column) ?? 0) + 1);
      return [x(value), stacks.get(column) - 1];
    });
    const most = Math.max(1, ...stacks.values());
    const rise = Math.min(step, 110 / most);
    const base = 40 + Math.max(30, most * rise);
    const height = base + 34;
    const mean = shown.reduce((sum, value) => sum + value, 0) / shown.length;
    const text = `${shown.length} splits from ${short(Math.min(...shown))} to ${short(Math.max(...shown))}, mean ${cell.mean}`
      + (Number.isFinite(scaled) ? `, printed ${cell.printed}` : "")
      + (cell.low === null ? "" : `, interval from ${short(cell.low)} to ${short(cell.high)}`);
    const svg = make("svg:svg", { viewBox: `0 0 ${width} ${height}`, class: "strip", role: "img", "aria-label": text });
    if (cell.low !== null) {
      svg.append(make("svg:rect", { class: "range", x: x(cell.low), y: 30, width: Math.max(1, x(cell.high) - x(cell.low)), height: base - 24 }));
    }
    svg.append(make("svg:path", { class: "axis", d: `M${left} ${base + 6}H${right}` }));
    for (const part of width < 400 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) {
      const at = low + part * (high - low);
      const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
      svg.append(make("svg:text", { x: x(at), y: base + 24, "text-anchor": anchor }, short(at)));
    }
    dots.forEach(([cx, level]) => svg.append(make("svg:circle", { class: "split", cx, cy: base - level * rise, r: 3.2 })));
    if (shown.length > 1) svg.append(make("svg:path", { class: "mean", d: `M${x(mean)} 30V${base + 6}` }));
    if (Number.isFinite(scaled)) {
      const at = x(scaled);
      svg.append(make("svg:path", { class: "printed", d: `M${at} 22V${base + 6}` }));
      const anchor = at < 90 ? "start" : at > width - 90 ? "end" : "middle";
      svg.append(make("svg:text", { class: "printed-text", x: at, y: 15, "text-anchor": anchor }, `printed ${cell.printed}`));
    }
    return svg;
  };

  const bars = (cell) => {
    const found = new Map();
    cell.chosen.forEach((i) => {
      for (const [name, value] of Object.entries(embedded.chosen[i])) {
        const counts = found.get(name) ?? new Map();
        found.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
      }
    });
    return [...found].flatMap(([name, counts]) => {
      const sorted = [...counts].sort(([a], [b]) => compare(a, b));
      const most = Math.max(...counts.values());
      if ((sorted.length > 12 || (sorted.length > 4 && most === 1)) && sorted.every(([value]) => typeof value === "number")) {
        const values = sorted.flatMap(([value, n]) => Array(n).fill(value));
        const at = (share) => short(values[Math.round(share * (values.length - 1))]);
        return [make("p", {}, `${name}: ${sorted.length} values from ${at(0)} to ${at(1)}, half of them from ${at(0.25)} to ${at(0.75)}, median ${at(0.5)}`)];
      }
      const grid = make("div", { class: "bars" });
      sorted.slice(0, 40).forEach(([value, n]) => grid.append(
        make("span", {}, `${name} = ${typeof value === "number" ? short(value) : value}`),
        make("i", { style: `width:${(100 * n) / most}%`, "aria-hidden": "true" }),
        make("span", {}, `${n} split${n > 1 ? "s" : ""}`),
      ));
      return [grid];
    });
  };

  const splits = (cell) => {
    const test = (i) => cell.tests[cell.tests.length === 1 ? 0 : i];
    const body = make("tbody");
    cell.values.forEach((value, i) => body.append(make("tr", {},
      make("th", { scope: "row" }, cell.repeats[i] ?? String(i)),
      make("td", {}, cell.errors.length ? `${cell.errors[i]} of ${test(i)}` : short(value)),
      make("td", {}, Object.entries(embedded.chosen[cell.chosen[i]]).map(([name, v]) => `${name} ${typeof v === "number" ? short(v) : v}`).join(", ")))));
    const head = make("tr", {}, ...["Split", cell.errors.length ? "Wrong" : cell.unit, "Chosen"].map((text) => make("th", { scope: "col" }, text)));
    const table = make("table", {}, make("thead", {}, head), body);
    const frame = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Splits" }, table);
    return make("details", {}, make("summary", {}, cell.values.length === 1 ? "The split" : `All ${cell.values.length} splits`), frame);
  };

  // What is empty is not in the data.
  const blank = { sd: "", printed: "", place: "", why: "", low: null, high: null, p: null, seconds: null };
  const lists = () => Object.fromEntries(["values", "errors", "tests", "chosen", "repeats", "failed"].map((name) => [name, []]));
  const open = (i) => {
    const cell = { ...blank, ...lists(), ...embedded.cells[i] };
    const unit = cell.unit === "error in percent" ? " %" : "";
    const facts = [["Ours", `${cell.mean}${cell.sd ? ` ± ${cell.sd}` : ""}${unit}, ${cell.unit === "RMSE" ? "RMSE" : "test error"} over ${cell.values.length} split${cell.values.length === 1 ? "" : "s"}`]];
    if (cell.printed) facts.push(["Printed", cell.printed + (cell.place ? `: ${cell.place}` : cell.why ? `: not comparable, ${cell.why}` : "")]);
    if (cell.low !== null) facts.push(["Interval", `${short(cell.low)} to ${short(cell.high)}${unit}, where the printed number lies with probability 0.95 if it stems from splits like ours; p ${cell.p < 0.001 ? "< 0.001" : `= ${cell.p.toFixed(3)}`}`]);
    if (cell.seconds !== null) facts.push(["Time", `${Number(cell.seconds.toPrecision(2))} s a split, measured`]);
    if (embedded.data[cell.row]) facts.push(["Data", make("code", {}, embedded.data[cell.row])]);
    cell.failed.forEach((text) => facts.push(["No result", `split ${text}`]));
    const list = make("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    const chosen = bars(cell);
    const button = make("button", { type: "button", class: "copy", "data-copy": cell.command }, "Copy");
    byId("entry-title").textContent = `${cell.row}, ${cell.column}`;
    byId("entry-body").replaceChildren(
      strip(cell), list,
      ...(chosen.length ? [make("h3", {}, "Chosen hyper-parameters"), ...chosen] : []),
      make("h3", {}, "Compute it again"),
      make("div", { class: "command" }, make("code", {}, cell.command), wireCopy(button)),
      ...(cell.values.length ? [splits(cell)] : []),
    );
    if (!byId("entry").open) byId("entry").showModal();
    byId("entry").scrollTop = 0;
  };
  const linkOf = (td) => {
    const { name } = byId("heat").tHead.rows[0].cells[td.cellIndex].dataset;
    return `#${[embedded.cells[td.dataset.cell].row, name].map(encodeURIComponent).join("/")}`;
  };
  all("[data-cell]").forEach((td) => {
    const button = make("button", { type: "button", "aria-haspopup": "dialog" }, ...td.childNodes);
    button.addEventListener("click", () => {
      history.replaceState(null, "", linkOf(td));
      open(Number(td.dataset.cell));
    });
    td.append(button);
  });
  const entry = byId("entry");
  if (entry) {
    byId("entry-close").addEventListener("click", () => entry.close());
    entry.addEventListener("click", (event) => { if (event.target === entry) entry.close(); });
    // Without the entry in its address, the page opens at its beginning again.
    entry.addEventListener("close", () => history.replaceState(null, "", location.href.replace(/#.*/, "")));
  }

  // A link to an entry or to a table opens it, and paper has no summaries to open.
  const openTarget = () => {
    const linked = all("[data-cell]").find((td) => linkOf(td) === location.hash);
    if (linked) {
      linked.querySelector("button").focus();
      open(Number(linked.dataset.cell));
    }
    byId(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();
  window.addEventListener("beforeprint", () => all("main details").forEach((node) => { node.open = true; }));
});
