"use strict";
(async () => {
  const $ = id => document.getElementById(id);

  // Many calls are packed. Tables of the answer are there without them.
  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  const data = $("data"), text = data.textContent, old = data.type === "application/gzip" && !window.DecompressionStream;
  const runs = old ? [] : JSON.parse(data.type === "application/gzip" ? await unpacked(text) : text) || [];

  // el makes an element. Strings become text, never markup.
  function el(tag, props, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(props || {})) {
      if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
      else if (k === "class") e.className = v;
      else if (v !== false && v !== undefined) e.setAttribute(k, v === true ? "" : v);
    }
    e.append(...children.filter(c => c !== null && c !== undefined));
    return e;
  }

  // Figures, as people read them: the exact ones are in the record.
  const count = n => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  function short(n) {
    for (const [unit, name] of [[1e6, " M"], [1e3, " k"]]) {
      if (n >= unit) return (n / unit).toFixed(n >= 100 * unit ? 0 : n >= 10 * unit ? 1 : 2) + name;
    }
    return count(n);
  }
  function money(p) {
    const d = Math.abs(p) / 1e12;
    return (p < 0 ? "-$" : "$") + d.toFixed(d === 0 || d >= 0.1 ? 2 : 4);
  }
  function time(ns) {
    const s = ns / 1e9;
    if (s < 60) return s.toFixed(1) + "s";
    const t = Math.round(s), two = n => String(n).padStart(2, "0");
    return t < 3600 ? Math.floor(t / 60) + "m" + two(t % 60) + "s" : Math.floor(t / 3600) + "h" + two(Math.floor(t / 60) % 60) + "m" + two(t % 60) + "s";
  }
  const share = (n, d) => d > 0 ? (100 * n / d).toFixed(1) + " %" : "–";
  const written = c => (c.w5 || 0) + (c.w1 || 0);
  const prompt = c => (c.cr || 0) + written(c) + (c.in || 0);

  // What titles mean is said of the answer's tables, for those of single runs too.
  const meanings = new Map([...document.querySelectorAll("#answer th[title]")].map(th => [th.textContent, th.title]));

  // sortable lets a table be sorted by its titles: figures by data-v, else by text.
  function sortable(table) {
    table.querySelectorAll("thead th").forEach((th, i) => {
      const name = th.textContent, meaning = meanings.get(name);
      let down = false;
      const button = el("button", { type: "button", title: (meaning ? meaning + "\n" : "") + "sort by " + name, onclick: () => {
        down = !down;
        const key = tr => {
          const td = tr.cells[i];
          return td.dataset.v !== undefined ? Number(td.dataset.v) : null;
        };
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => {
          const x = key(a), y = key(b);
          const by = x !== null && y !== null ? x - y : (x !== null) - (y !== null) || a.cells[i].textContent.localeCompare(b.cells[i].textContent, "en");
          return down ? -by : by;
        });
        table.tBodies[0].append(...rows);
        table.querySelectorAll("th").forEach(o => o.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
      } }, name);
      th.replaceChildren(button);
    });
  }
  document.querySelectorAll("#answer table.sheet").forEach(sortable);

  // callLinks lets the dearest call of each row be opened. A narrow screen stacks the cells
  // of one that says of misses, each behind its title.
  function callLinks() {
    document.querySelectorAll("#answer table.sheet").forEach(table => {
      const titles = [...table.querySelectorAll("thead th")].map(th => th.textContent), at = titles.indexOf("DEAREST CALL");
      if (at < 0) return;
      if (titles.includes("MISS REASON")) table.classList.add("stack");
      for (const tr of table.tBodies[0].rows) [...tr.cells].forEach((td, i) => { td.dataset.title = titles[i]; });
      for (const tr of table.tBodies[0].rows) {
        const run = runs.findIndex(r => r.name === tr.cells[0].textContent), n = Number(tr.cells[at].dataset.v);
        if (run < 0) continue;
        tr.cells[at].replaceChildren(el("button", { type: "button", class: "plain", onclick: () => { state.run = run; state.call = n; show(); link(); $("call").scrollIntoView({ block: "nearest" }); } }, "call " + n));
      }
    });
  }

  // sheet makes a sortable table. Columns: [title, number?, cell(row), value(row)?].
  function sheet(columns, rows, each) {
    const head = el("tr", {}, ...columns.map(([title, right]) => el("th", { scope: "col", class: right ? "n" : "" }, title)));
    const body = rows.map(row => {
      const tr = el("tr", {}, ...columns.map(([, right, cell, value]) => {
        const shown = cell(row);
        const td = el("td", { class: right ? "n" : "" }, shown === undefined ? "" : shown);
        if (value) td.dataset.v = value(row);
        return td;
      }));
      if (each) each(tr, row);
      return tr;
    });
    const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...body));
    sortable(table);
    return el("div", { class: "scroll" }, table);
  }

  const root = $("runs");
  if (old) root.append(el("p", {}, "This browser cannot unpack the calls of single runs; the answer and its tables are above."));
  if (root) root.hidden = false;
  if (runs.length === 0) return;
  const state = { run: 0, call: 0, filter: "", missed: false, most: 300, from: 0, to: 1 };
  let rows = []; // calls that the filter leaves, in order
  let lanes = null;

  const current = () => runs[state.run];
  const callOf = n => current().calls.find(c => c.n === n);

  // tree puts children below their parents.
  function tree(run) {
    const below = new Map();
    run.agents.forEach((a, i) => below.set(a.p, [...(below.get(a.p) || []), i]));
    const out = [];
    const add = i => { out.push(i); (below.get(i) || []).forEach(add); };
    (below.get(-1) || []).forEach(add);
    return out;
  }

  function link() {
    const hash = "#run=" + (current().id.slice(0, 8)) + (state.call ? "&call=" + state.call : "");
    if (location.hash !== hash) history.replaceState(null, "", hash);
  }
  function follow() {
    const want = new URLSearchParams(location.hash.slice(1));
    const at = runs.findIndex(r => want.get("run") && r.id.startsWith(want.get("run")));
    state.run = at >= 0 ? at : Math.max(runs.findIndex(r => r.best), 0);
    state.call = Number(want.get("call")) || 0;
    show();
    if (state.call && $("call")) $("call").scrollIntoView({ block: "nearest" });
  }

  function show() {
    const run = current();
    state.from = 0; state.to = Math.max(run.end, 1);
    const parts = [el("h2", {}, runs.length > 1 ? "Single runs" : "The run")];
    if (runs.length > 1) {
      parts.push(el("div", { class: "tabs", role: "tablist" }, ...runs.map((r, i) =>
        el("button", { type: "button", role: "tab", "aria-selected": String(i === state.run), onclick: () => { state.run = i; state.call = 0; show(); link(); } }, r.name))));
    }
    if (runs.length > 1) parts.push(el("h3", { class: "paper" }, run.name));
    parts.push(el("p", { class: "dim" }, "run " + run.id.slice(0, 8) + " · " + run.note));
    if (run.missing) parts.push(el("p", {}, run.missing));
    parts.push(legend(), el("div", { id: "lanes", class: "lanes" }), zoomBar(), agentTable(run));
    const shared = sharedBySiblings(run);
    if (shared) parts.push(el("h3", {}, "What siblings' first prompts share"), shared);
    if (run.calls.length > 0) {
      parts.push(el("h3", {}, "Calls"), filterBar(), el("div", { id: "call-slot" }), el("div", { id: "calls" }));
    }
    root.replaceChildren(...parts);
    lanes = drawLanes($("lanes"), run, state);
    if (run.calls.length > 0) listCalls();
    if (state.call) pick(state.call, false);
  }

  function legend() {
    const one = (cls, text) => el("span", {}, el("i", { class: cls }), text);
    return el("p", { class: "legend" }, one("read", "cache read"), one("write", "cache write"), one("input", "uncached input"),
      one("output", "output"), one("tool", "tool use"), one("failed", "tool use that failed"), el("span", {}, "☒ call that failed"), el("span", {}, "▼ read less than it could have"),
      one("spawn", "start of an agent"), one("mail", "message"));
  }

  function zoomBar() {
    const button = (text, label, fn) => el("button", { type: "button", class: "plain", "aria-label": label, title: label, onclick: fn }, text);
    return el("div", { class: "bar" }, button("+", "zoom in", () => lanes.zoom(0.5)), button("−", "zoom out", () => lanes.zoom(2)),
      button("all", "show all of it", () => lanes.zoom(0)), el("span", { class: "dim" }, "drag to move, ctrl and wheel to zoom, click a call; ? lists the keys"));
  }

  function agentTable(run) {
    const order = tree(run);
    const known = (n, text) => n < 0 ? "–" : text(n);
    return sheet([
      ["AGENT", false, i => "\u00a0\u00a0".repeat(run.agents[i].d) + run.agents[i].l],
      ["TYPE", false, i => run.agents[i].t],
      ["MODEL", false, i => run.agents[i].m],
      ["FROM", true, i => time(run.agents[i].a), i => run.agents[i].a],
      ["TO", true, i => time(run.agents[i].b), i => run.agents[i].b],
      ["CALLS", true, i => known(run.agents[i].n, count), i => run.agents[i].n],
      ["CACHE READ", true, i => short(run.agents[i].r), i => run.agents[i].r],
      ["CACHE WRITE", true, i => short(run.agents[i].w), i => run.agents[i].w],
      ["OUTPUT", true, i => short(run.agents[i].o), i => run.agents[i].o],
      ["COST", true, i => known(run.agents[i].c, money), i => run.agents[i].c],
      ["ENDED", false, i => run.agents[i].e],
    ], order, (tr, i) => {
      tr.tabIndex = 0;
      const go = () => { state.filter = run.agents[i].l; const f = $("filter"); if (f) { f.value = state.filter; listCalls(); f.scrollIntoView({ block: "nearest" }); } };
      tr.addEventListener("click", go);
      tr.addEventListener("keydown", e => { if (e.key === "Enter") go(); });
    });
  }

  // chain is the places of a prompt's blocks, from the first on.
  function chain(run, at) {
    const out = [];
    for (let i = at; i >= 0; i = run.pieces[i].p) out.push(i);
    return out.reverse();
  }

  function sharedBySiblings(run) {
    if (run.pieces.length === 0) return null;
    const groups = new Map(), first = new Map();
    for (const c of run.calls) if (!first.has(c.g) && c.h >= 0) first.set(c.g, c);
    run.agents.forEach((a, i) => {
      if (a.p < 0 || !first.has(i)) return;
      const key = a.p + " " + a.l.slice(a.l.lastIndexOf("/") + 1).split(".")[0];
      groups.set(key, [...(groups.get(key) || []), i]);
    });
    const list = [...groups.values()].filter(g => g.length > 1).map(g => {
      const chains = g.map(i => chain(run, first.get(i).h));
      let n = 0, bytes = 0, blocks = 0;
      while (n < chains[0].length && chains.every(c => c[n] === chains[0][n])) {
        const p = run.pieces[chains[0][n++]];
        bytes += p.y || 0;
        if (p.k) blocks++;
      }
      const all = g.reduce((s, i) => s + prompt(first.get(i)), 0), warm = g.reduce((s, i) => s + (first.get(i).cr || 0), 0);
      return { parent: run.agents[run.agents[g[0]].p].l, type: [...new Set(g.map(i => run.agents[i].t))].join(", "), n: g.length, blocks, bytes, all, warm };
    });
    if (list.length === 0) return null;
    return sheet([
      ["PARENT", false, r => r.parent], ["TYPE", false, r => r.type], ["CHILDREN", true, r => count(r.n), r => r.n],
      ["SHARED BLOCKS", true, r => count(r.blocks), r => r.blocks], ["SHARED BYTES", true, r => count(r.bytes), r => r.bytes],
      ["FIRST PROMPTS", true, r => short(r.all), r => r.all], ["READ FROM CACHE", true, r => share(r.warm, r.all), r => r.warm / Math.max(r.all, 1)],
    ], list);
  }

  function filterBar() {
    const again = () => { state.most = 300; listCalls(); };
    const missed = el("input", { type: "checkbox", id: "missed", onchange: e => { state.missed = e.target.checked; again(); } });
    missed.checked = state.missed;
    return el("div", { class: "bar" },
      el("input", { type: "search", id: "filter", value: state.filter, placeholder: "filter: agent, type, model, stop or miss reason", "aria-label": "filter calls",
        oninput: e => { state.filter = e.target.value; again(); } }),
      el("label", {}, missed, " missed only"), el("span", { id: "found", class: "dim", role: "status" }));
  }

  function matches(run, c, words) {
    if (state.missed && !c.q) return false;
    const a = run.agents[c.g];
    const text = [c.n, a.l, a.t, a.s, a.m, c.s || "", c.q ? c.q.r : ""].join(" ").toLowerCase();
    return words.every(w => text.includes(w));
  }

  function listCalls() {
    const run = current(), words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    rows = run.calls.filter(c => matches(run, c, words));
    const sum = f => rows.reduce((s, c) => s + f(c), 0), lost = sum(c => c.q ? c.q.c || 0 : 0);
    $("found").textContent = count(rows.length) + " of " + count(run.calls.length) + " calls, " + money(sum(c => c.c || 0)) + " in all" + (lost ? ", of it " + money(lost) + " more than had none missed" : "");
    const part = rows.slice(0, state.most), table = callTable(run, part);
    const more = rows.length > part.length
      ? el("button", { type: "button", class: "plain", onclick: () => { state.most += 1000; listCalls(); } }, "show more (" + count(rows.length - part.length) + ")") : null;
    $("calls").replaceChildren(...[table, more].filter(Boolean));
  }

  function callTable(run, list) {
    return sheet([
      ["CALL", true, c => count(c.n), c => c.n], ["AGENT", false, c => run.agents[c.g].l], ["TYPE", false, c => run.agents[c.g].t],
      ["AT", true, c => time(c.a), c => c.a], ["PROMPT", true, c => count(prompt(c)), prompt],
      ["CACHE READ", true, c => run.billed ? count(c.cr || 0) : "–", c => c.cr || 0], ["CACHE WRITE", true, c => run.billed ? count(written(c)) : "–", written],
      ["UNCACHED", true, c => count(c.in || 0), c => c.in || 0], ["OUTPUT", true, c => count(c.o || 0), c => c.o || 0],
      ["COST", true, c => money(c.c || 0), c => c.c || 0], ["ENDED", false, c => c.x ? "failed: " + (c.s || "no answer") : c.s || ""], ["MISS REASON", false, c => c.q ? c.q.r : ""],
      ["COST OF IT", true, c => c.q ? money(c.q.c || 0) : "", c => c.q ? c.q.c || 0 : 0],
    ], list, (tr, c) => {
      tr.tabIndex = 0; tr.dataset.call = c.n;
      tr.className = (c.x ? "failed" : "") + (c.n === state.call ? " pick" : "");
      tr.addEventListener("click", () => pick(c.n, true));
      tr.addEventListener("keydown", e => { if (e.key === "Enter") pick(c.n, true); });
    });
  }

  function pick(n, scroll) {
    const c = callOf(n);
    if (!c) return;
    state.call = n;
    document.querySelectorAll("tr.pick").forEach(tr => tr.classList.remove("pick"));
    const tr = document.querySelector('tr[data-call="' + n + '"]');
    if (tr) tr.classList.add("pick");
    const panel = describe(current(), c, false);
    $("call-slot").replaceChildren(panel);
    if (scroll) panel.scrollIntoView({ block: "nearest" });
    lanes.draw();
    link();
  }

  // goesOnFrom is the latest earlier call whose prompt, with or without its answer,
  // a prompt begins with, and the place of the last block that both have.
  function goesOnFrom(run, c) {
    const ends = new Map();
    for (const o of run.calls) {
      if (o.n >= c.n) break;
      ends.set(o.h, o.n);
      if (o.w >= 0) ends.set(o.w, o.n);
    }
    for (let i = c.h; i >= 0; i = run.pieces[i].p) if (ends.has(i)) return { call: ends.get(i), at: i };
    return { call: 0, at: -1 };
  }

  // named is an agent with its type and how it was started, where its name does not say that.
  const named = a => a.l + (a.t === a.l ? "" : " (" + a.t + (a.s === a.t || a.s === "root" ? "" : ", " + a.s) + ")");

  const anchor = n => el("button", { type: "button", class: "plain", onclick: () => pick(n, true) }, "call " + count(n));

  function describe(run, c, all) {
    const a = run.agents[c.g], out = el("section", { id: "call", "aria-label": "call " + c.n });
    out.append(el("h3", {}, "call " + count(c.n) + " · " + named(a) + " · its call " + c.k + (c.r ? ", attempt " + (c.r + 1) : "") + " · at " + time(c.a) + (c.z > c.a ? " for " + time(c.z - c.a) : "")));
    const whole = Math.max(prompt(c), 1);
    const seg = (cls, n, name) => { if (!n) return null; const b = el("b", { class: cls, title: name + " " + count(n) }, name + " " + short(n)); b.style.width = 100 * n / whole + "%"; return b; };
    out.append(el("p", {}, a.m + " · prompt " + count(prompt(c)) + " tokens" + (c.y ? ", " + count(c.y) + " bytes" : "") + " · output " + count(c.o || 0) + " tokens · " +
      money(c.c || 0) + ", without a cache " + money(c.u || 0) + (c.s ? " · " + c.s : "")));
    if (run.billed) out.append(el("div", { class: "split", role: "img", "aria-label": "cache read " + count(c.cr || 0) + ", cache write " + count(written(c)) + ", uncached " + count(c.in || 0) },
      ...[seg("read", c.cr, "cache read"), seg("write", written(c), "cache write"), seg("input", c.in, "uncached")].filter(Boolean)));
    const list = el("dl", {});
    const say = (name, ...what) => list.append(el("dt", {}, name), el("dd", {}, ...what));
    const before = c.h >= 0 ? goesOnFrom(run, c) : { call: 0, at: -1 };
    if (before.call) say("goes on from", anchor(before.call), " " + run.agents[callOf(before.call).g].l);
    (c.b || []).forEach((m, i) => say(i === 0 ? "breakpoints" : "", m));
    if (c.q) {
      const q = c.q;
      say("miss reason", q.r + ": " + q.m);
      say("expected", count(q.e) + " tokens read" + (q.a ? " from " : ""), ...(q.a ? [anchor(q.a)] : []), "; written again " + count(q.l));
      if (q.p && q.y >= 0) say("first difference", "block " + q.p + ", byte " + count(q.y));
      say("cost of it", money(q.c || 0) + " more than a hit");
      if (q.k) say("would have kept it", q.k);
    }
    out.append(list);
    if (c.h >= 0) blocks(run, c, before, all, out);
    return out;
  }

  // front says which blocks tools and system prompt are.
  function front(places) {
    return ["tools", "system"].map(level => {
      const of = places.filter(b => b.p.l === level).map(b => b.p.o);
      return of.length === 0 ? "no " + level : level + (of.length > 1 ? " blocks " + of[0] + " to " + of[of.length - 1] : " block " + of[0]);
    }).join(", ");
  }

  function blocks(run, c, before, all, out) {
    const places = chain(run, c.h).map(i => ({ p: run.pieces[i], i })).filter(b => b.p.k);
    const old = new Set(before.at >= 0 ? chain(run, before.at) : []);
    const added = places.filter(b => !old.has(b.i));
    if (c.w >= 0) {
      const answer = chain(run, c.w).filter(i => i > -1 && run.pieces[i].k).slice(places.length).map(i => ({ p: run.pieces[i], i, answer: true }));
      places.push(...answer); added.push(...answer);
    }
    const stateOf = b => b.answer ? "answer" : b.p.o <= (c.rt || 0) ? "read" : b.p.o <= (c.wt || 0) ? "written" : "uncached";
    const shown = all ? places : added;
    const word = { read: "cache read", written: "cache write", uncached: "uncached", answer: "answer" };
    out.append(el("h3", {}, all ? "All " + count(places.length) + " blocks" : "Appended: " + count(added.length) + " of " + count(places.length) + " blocks"),
      el("p", { class: "dim" }, "in front of the messages: " + front(places)),
      el("div", { class: "bar" }, el("button", { type: "button", class: "plain", onclick: () => out.replaceWith(describe(run, c, !all)) }, all ? "show what was appended" : "show all blocks")));
    out.append(sheet([
      ["BLOCK", true, b => count(b.p.o), b => b.p.o], ["LEVEL", false, b => b.p.l], ["ROLE", false, b => b.p.r || ""], ["KIND", false, b => b.p.k + (b.p.n ? " " + b.p.n : "")],
      ["BYTES", true, b => count(b.p.y || 0), b => b.p.y || 0], ["CACHE", false, b => word[stateOf(b)]], ["CONTENT", false, b => b.p.t || ""],
    ], shown, (tr, b) => {
      tr.className = "state-" + stateOf(b) + (c.q && c.q.p === b.p.o && !b.answer ? " parted" : "");
      tr.lastChild.className = "wide";
    }));
    if (run.cut) out.append(el("p", { class: "dim" }, "contents are cut after " + run.cut + " characters; agentsim inspect " + run.id.slice(0, 8) + " --call " + c.n + " --blocks -o json" + (run.at || "") + " has them whole"));
  }

  // Lanes: agents down, virtual time to the right, of it what view has from and to.
  function drawLanes(box, run, view) {
    const order = tree(run), lane = new Map(order.map((i, at) => [i, at]));
    const row = 24, top = 22, right = 8;
    let left = 170; // names are in front of the lanes
    const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": "agents on virtual time, " + run.agents.length + " lanes, " + run.calls.length + " calls; the table of calls below has the same" });
    box.replaceChildren(canvas);
    const g = canvas.getContext("2d");
    let width = 0, tip = $("tip");
    if (!tip) document.body.append(tip = el("div", { id: "tip", hidden: true }));
    const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
    const x = t => left + (t - view.from) / (view.to - view.from) * (width - left - right);
    const y = i => top + lane.get(i) * row;

    function resize() {
      width = box.clientWidth;
      left = Math.min(190, Math.max(80, width / 5));
      const height = top + order.length * row + 6, dpr = window.devicePixelRatio || 1;
      canvas.width = width * dpr; canvas.height = height * dpr;
      canvas.style.width = width + "px"; canvas.style.height = height + "px";
      g.setTransform(dpr, 0, 0, dpr, 0, 0);
      draw();
    }

    function arrow(x1, y1, x2, y2, style) {
      g.strokeStyle = g.fillStyle = style;
      g.beginPath(); g.moveTo(x1, y1); g.lineTo(x2, y2); g.stroke();
      const d = y2 >= y1 ? -1 : 1;
      g.beginPath(); g.moveTo(x2, y2); g.lineTo(x2 - 3, y2 + 5 * d); g.lineTo(x2 + 3, y2 + 5 * d); g.fill();
    }

    function draw() {
      const fg = colour("fg"), dim = colour("dim"), line = colour("line");
      const paint = { read: colour("read"), write: colour("write"), input: colour("input"), output: colour("output"), tool: colour("tool"), worse: colour("worse"), link: colour("link") };
      g.clearRect(0, 0, width, canvas.height);
      g.font = "12px system-ui, sans-serif"; g.textBaseline = "middle"; g.lineWidth = 1;
      const step = niceStep((view.to - view.from) / Math.max(2, (width - left) / 90));
      for (let t = Math.ceil(view.from / step) * step, end = 0; t <= view.to; t += step) {
        g.fillStyle = line; g.fillRect(x(t), top - 4, 1, order.length * row + 4);
        const text = time(t), size = g.measureText(text).width, at = Math.min(x(t) + 3, width - size - 2);
        if (at < end) continue; // it has no room beside the one before
        g.fillStyle = dim; g.fillText(text, at, 10);
        end = at + size + 6;
      }
      order.forEach(i => {
        const a = run.agents[i];
        g.fillStyle = line; g.fillRect(x(a.a), y(i) + 9, Math.max(1, x(a.b) - x(a.a)), 3);
        if (a.p >= 0 && lane.has(a.p)) arrow(x(a.a), y(a.p) + 10, x(a.a), y(i) + 4, dim);
      });
      run.tools.forEach(t => { if (t.z >= view.from && t.a <= view.to) { g.fillStyle = t.x ? paint.worse : paint.tool; g.fillRect(x(t.a), y(t.g) + 17, Math.max(1, x(t.z) - x(t.a)), 3); } });
      run.calls.forEach(c => {
        if (c.z < view.from || c.a > view.to) return;
        const x1 = x(c.a), x2 = Math.max(x1 + 1.5, x(c.z)), whole = Math.max(prompt(c), 1);
        const mid = c.f ? Math.min(x2, Math.max(x1 + 1, x(c.f))) : x2;
        let at = y(c.g) + 3;
        if (c.x) { // it failed: crossed out, and billed or not as the tables say
          g.strokeStyle = paint.worse; g.strokeRect(x1 + 0.5, at + 0.5, Math.max(2, x2 - x1 - 1), 12);
          g.beginPath(); g.moveTo(x1, at); g.lineTo(x2, at + 13); g.moveTo(x2, at); g.lineTo(x1, at + 13); g.stroke();
        } else [["read", c.cr || 0], ["write", written(c)], ["input", c.in || 0]].forEach(([name, n]) => {
          const h = 13 * n / whole;
          g.fillStyle = paint[name]; g.fillRect(x1, at, mid - x1, h); at += h;
        });
        if (!c.x && mid < x2) { g.fillStyle = paint.output; g.fillRect(mid, y(c.g) + 3, x2 - mid, 13); }
        if (c.q) { g.fillStyle = paint.worse; g.beginPath(); g.moveTo(x1 - 4, y(c.g) - 3); g.lineTo(x1 + 4, y(c.g) - 3); g.lineTo(x1, y(c.g) + 3); g.fill(); }
        if (c.n === view.call) { g.strokeStyle = fg; g.lineWidth = 2; g.strokeRect(x1 - 2, y(c.g) + 1, x2 - x1 + 4, 17); g.lineWidth = 1; }
      });
      run.mails.forEach(m => { if (m.f >= 0 && m.z >= view.from && m.a <= view.to && lane.has(m.f) && lane.has(m.g)) arrow(x(m.a), y(m.f) + 10, x(m.z), y(m.g) + (lane.get(m.g) > lane.get(m.f) ? 4 : 16), paint.link); });
      g.fillStyle = colour("bg"); g.fillRect(0, 0, left - 4, canvas.height);
      order.forEach(i => {
        const a = run.agents[i];
        g.fillStyle = dim;
        g.fillText(clipped("\u00a0".repeat(2 * a.d) + (a.t === a.l ? a.l : a.l + " " + a.t), left - 10), 4, y(i) + 10);
      });
      canvas.dataset.drawn = String(run.calls.length);
    }

    // clipped is as much of a text as has room.
    function clipped(text, room) {
      let n = text.length;
      while (n > 1 && g.measureText(text.slice(0, n)).width > room) n--;
      return n < text.length ? text.slice(0, Math.max(1, n - 1)) + "…" : text;
    }

    function niceStep(ns) {
      for (const s of [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400]) if (s * 1e9 >= ns) return s * 1e9;
      return Math.ceil(ns / 86400e9) * 86400e9;
    }

    function hit(e) {
      const r = canvas.getBoundingClientRect(), px = e.clientX - r.left, py = e.clientY - r.top;
      const i = order[Math.floor((py - top) / row)];
      let best = null, off = 6;
      for (const c of run.calls) {
        if (c.g !== i) continue;
        const d = Math.max(x(c.a) - px, px - x(c.z), 0);
        if (d < off) { off = d; best = c; }
      }
      return best;
    }

    function zoom(factor, at) {
      if (!factor) { view.from = 0; view.to = Math.max(run.end, 1); return draw(); }
      const mid = at === undefined ? (view.from + view.to) / 2 : at, most = Math.max(run.end, 1);
      const span = Math.min(most, Math.max(1e8, (view.to - view.from) * factor));
      view.from = Math.max(0, Math.min(most - span, mid - span * (mid - view.from) / (view.to - view.from)));
      view.to = view.from + span;
      draw();
    }
    function pan(dt) {
      const span = view.to - view.from;
      view.from = Math.max(0, Math.min(Math.max(run.end, 1) - span, view.from + dt));
      view.to = view.from + span;
      draw();
    }

    let held = null, moved = false;
    canvas.addEventListener("pointerdown", e => { held = e.clientX; moved = false; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", e => { held = null; if (!moved) { const c = hit(e); if (c) pick(c.n, true); } });
    canvas.addEventListener("pointermove", e => {
      if (held !== null) {
        if (Math.abs(e.clientX - held) > 2) moved = true;
        pan((held - e.clientX) / (width - left - right) * (view.to - view.from));
        held = e.clientX;
        return;
      }
      const c = hit(e);
      tip.hidden = !c;
      if (!c) return;
      tip.textContent = "call " + c.n + " · " + run.agents[c.g].l + " · " + time(c.a) + "\nprompt " + count(prompt(c)) + ": cache read " + count(c.cr || 0) + ", cache write " + count(written(c)) +
        ", uncached " + count(c.in || 0) + "\noutput " + count(c.o || 0) + " · " + money(c.c || 0) + (c.q ? "\nmissed: " + c.q.r + ", " + count(c.q.l) + " tokens written again" : "");
      tip.style.left = Math.min(e.clientX + 12, innerWidth - 350) + "px"; tip.style.top = e.clientY + 14 + "px";
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("wheel", e => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      const r = canvas.getBoundingClientRect();
      zoom(e.deltaY > 0 ? 1.25 : 0.8, view.from + (e.clientX - r.left - left) / (width - left - right) * (view.to - view.from));
    }, { passive: false });
    resize();
    return { draw, zoom, pan, resize };
  }
  window.addEventListener("resize", () => lanes && lanes.resize());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lanes && lanes.draw());
  window.addEventListener("hashchange", follow);

  // Paper has no tabs: there the other runs stand below the one that is open.
  function unfold() {
    fold();
    const paper = el("section", { id: "paper" });
    root.append(paper);
    for (const r of runs.filter(r => r !== current())) {
      const box = el("div", { class: "lanes" }), shared = sharedBySiblings(r), part = r.calls.slice(0, 300);
      paper.append(el("h2", {}, r.name), el("p", { class: "dim" }, "run " + r.id.slice(0, 8) + " · " + r.note), ...(r.missing ? [el("p", {}, r.missing)] : []), box, agentTable(r),
        ...(shared ? [el("h3", {}, "What siblings' first prompts share"), shared] : []),
        ...(part.length ? [el("h3", {}, part.length < r.calls.length ? "The first " + count(part.length) + " of " + count(r.calls.length) + " calls" : "Calls"), callTable(r, part)] : []));
      drawLanes(box, r, { from: 0, to: Math.max(r.end, 1), call: 0 });
    }
  }
  function fold() { if ($("paper")) $("paper").remove(); }
  window.addEventListener("beforeprint", unfold);
  window.addEventListener("afterprint", fold);

  const keys = [["↓ or j", "next call of those listed"], ["↑ or k", "previous call"], ["m", "next call that missed"], ["← →", "move along the time"], ["+ −", "zoom"], ["0", "show all of it"],
    ["/", "filter the calls"], ["r", "next run"], ["Esc", "leave the filter, close this"], ["?", "this list"]];
  $("help").append(el("h3", {}, "Keys"), el("dl", {}, ...keys.flatMap(([k, what]) => [el("dt", {}, el("kbd", {}, k)), el("dd", {}, what)])));

  function step(by, missed) {
    const at = rows.findIndex(c => c.n === state.call);
    for (let i = at + by; i >= 0 && i < rows.length; i += by) if (!missed || rows[i].q) return pick(rows[i].n, true);
  }
  document.addEventListener("keydown", e => {
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "Escape") { $("help").close(); if (typing) e.target.blur(); return; }
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    const span = state.to - state.from;
    const act = { ArrowDown: () => step(1), j: () => step(1), ArrowUp: () => step(-1), k: () => step(-1), m: () => step(1, true),
      ArrowRight: () => lanes.pan(span / 8), ArrowLeft: () => lanes.pan(-span / 8), "+": () => lanes.zoom(0.5), "-": () => lanes.zoom(2), 0: () => lanes.zoom(0),
      "/": () => $("filter") && $("filter").focus(), "?": () => $("help").showModal(),
      r: () => { state.run = (state.run + 1) % runs.length; state.call = 0; show(); link(); } }[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  callLinks();
  follow();
})();
