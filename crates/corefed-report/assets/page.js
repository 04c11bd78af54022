// Makes the page explorable. Everything it says is computed from the JSON in the page.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("corefed-data").textContent);
  var $ = function (id) { return document.getElementById(id); };
  function el(tag, attributes, text) {
    var node = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (text !== undefined) node.textContent = text;
    return node;
  }
  // JSON has no infinity: they are text in the data.
  function num(value) {
    if (value === "inf") return Infinity;
    if (value === "-inf") return -Infinity;
    return value;
  }
  function show(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (typeof value === "string") return value === "inf" ? "∞" : value === "-inf" ? "−∞" : value;
    if (value === Infinity) return "∞";
    if (value === -Infinity) return "−∞";
    var size = Math.abs(value), text;
    if (Number.isInteger(value)) text = String(value);
    else if (size >= 1e6 || size < 1e-4) text = value.toExponential(2);
    else text = value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
    return text.replace("-", "−");
  }
  function factor(value) {
    return Number.isFinite(value) && Math.abs(value) < 10 ? value.toFixed(4).replace("-", "−") : show(value);
  }

  // Theme: what the system says until the reader says otherwise.
  var theme = $("theme"), root = document.documentElement;
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() { return root.dataset.theme ? root.dataset.theme === "dark" : system.matches; }
  function nameTheme() { theme.textContent = isDark() ? "Light theme" : "Dark theme"; }
  theme.hidden = false;
  nameTheme();
  theme.addEventListener("click", function () { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  system.addEventListener("change", nameTheme);

  // Downloads, made from what is in the page.
  function save(name, text, type) {
    var url = URL.createObjectURL(new Blob([text], { type: type }));
    var link = el("a", { href: url, download: name });
    document.body.appendChild(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(url); }, 1000);
  }
  function csv(table) {
    function cell(value) {
      var text = value === null ? "" : String(value);
      // A spreadsheet must not take a name for a formula.
      if (typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(text) && value !== "-inf") text = "'" + text;
      return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    }
    return [table.columns].concat(table.rows).map(function (row) { return row.map(cell).join(","); }).join("\r\n") + "\r\n";
  }
  function button(label, action, more) {
    var node = el("button", { type: "button" }, label);
    if (more) node.setAttribute("aria-label", more);
    node.addEventListener("click", action);
    return node;
  }
  document.querySelectorAll("[data-table].save").forEach(function (place) {
    var id = place.dataset.table, table = data.tables[id];
    if (!table) return;
    place.appendChild(button("Save as CSV", function () { save(id + ".csv", csv(table), "text/csv"); }, "Save as CSV: " + table.caption));
    place.appendChild(button("Save as JSON", function () { save(id + ".json", JSON.stringify(table, null, 1), "application/json"); }, "Save as JSON: " + table.caption));
  });
  var list = $("download-list");
  list.appendChild(button("All data of this page (JSON)", function () { save("report.json", JSON.stringify(data, null, 1), "application/json"); }));
  data.files.forEach(function (file) { list.appendChild(button(file.name, function () { save(file.name, file.text, "text/plain"); })); });
  $("downloads").hidden = false;

  // What a mark or a moment of a curve says when it is pointed at.
  var tip = $("tip");
  function say(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    var box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 4)) + "px";
    tip.style.top = (y + 18 + box.height > window.innerHeight ? y - box.height - 10 : y + 18) + "px";
  }
  function hush() {
    tip.hidden = true;
    document.querySelectorAll(".cross").forEach(function (line) { line.remove(); });
  }
  function nearest(svg, event) {
    var x = svg.dataset.x.split(" ").map(Number), y = svg.dataset.y.split(" ").map(Number);
    var table = data.tables[svg.dataset.table], box = svg.getBoundingClientRect();
    var scale = svg.viewBox.baseVal.width / box.width;
    var at = (event.clientX - box.left) * scale, down = (event.clientY - box.top) * scale;
    if (!table || at < x[0] - 8 || at > x[1] + 8 || down < y[0] || down > y[1]) return hush();
    function pixel(value) {
      var share = x[4] ? Math.log(value / x[2]) / Math.log(x[3] / x[2]) : (value - x[2]) / (x[3] - x[2]);
      return x[0] + share * (x[1] - x[0]);
    }
    var best = null, place = 0;
    table.rows.forEach(function (row, k) {
      var value = Number(row[0]), p = pixel(Number.isFinite(value) && row[0] !== "" ? value : k + 1);
      if (best === null || Math.abs(p - at) < Math.abs(place - at)) { best = row; place = p; }
    });
    if (!best) return;
    hush();
    var line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", "cross");
    line.setAttribute("d", "M" + place + " " + y[0] + "V" + y[1]);
    svg.appendChild(line);
    var lines = table.columns.slice(0, 14).map(function (column, k) { return column + ": " + show(best[k]); });
    say(lines.join("\n"), event.clientX, event.clientY);
  }
  document.addEventListener("pointermove", function (event) {
    var mark = event.target.closest && event.target.closest("[data-t]");
    if (mark) return say(mark.getAttribute("data-t"), event.clientX, event.clientY);
    var svg = event.target.closest && event.target.closest("svg[data-x]");
    if (svg) nearest(svg, event); else if (!tip.hidden) hush();
  });
  document.addEventListener("pointerleave", hush);
  window.addEventListener("scroll", hush, { passive: true });

  // Curves can be hidden, to compare the others.
  document.querySelectorAll("figure").forEach(function (figure) {
    var names = [];
    figure.querySelectorAll("g[data-s]").forEach(function (group) { if (!names.includes(group.dataset.s)) names.push(group.dataset.s); });
    if (names.length < 2) return;
    var box = el("details", { "class": "pickers" }), row = el("div", { "class": "save", role: "group", "aria-label": "Curves shown" });
    box.append(el("summary", {}, "Choose curves"), row);
    names.reverse().forEach(function (name) {
      var toggle = button(name, function () {
        var shown = toggle.getAttribute("aria-pressed") !== "true";
        toggle.setAttribute("aria-pressed", String(shown));
        figure.querySelectorAll("g[data-s]").forEach(function (group) { if (group.dataset.s === name) group.style.display = shown ? "" : "none"; });
      });
      toggle.setAttribute("aria-pressed", "true");
      row.appendChild(toggle);
    });
    figure.insertBefore(box, figure.querySelector("details.data"));
  });

  // The explorer.
  var explore = $("explore");
  if (!explore || !data.models.length) return;
  var pick = $("explore-pick"), answer = $("explore-answer"), choose = $("explore-model");
  var total = data.agents.reduce(function (sum, agent) { return sum + agent.weight; }, 0);
  var chosen = new Set(), boxes = [];
  data.agents.forEach(function (agent, k) {
    var label = el("label"), box = el("input", { type: "checkbox", value: k });
    box.addEventListener("change", function () { if (box.checked) chosen.add(k); else chosen.delete(k); update(); });
    label.append(box, el("span", {}, agent.name));
    pick.appendChild(label);
    boxes.push(box);
  });
  if (data.agents.length > 12) {
    var bar = el("div", { "class": "find" }), find = el("input", { type: "search", placeholder: "Find by name", "aria-label": "Find by name" });
    find.addEventListener("input", function () {
      var wanted = find.value.toLowerCase();
      boxes.forEach(function (box, k) { box.parentNode.hidden = !data.agents[k].name.toLowerCase().includes(wanted); box.parentNode.style.display = box.parentNode.hidden ? "none" : ""; });
    });
    bar.appendChild(find);
    bar.appendChild(button("Clear", function () { set([]); }));
    pick.parentNode.insertBefore(bar, pick);
  }
  function set(members) {
    chosen = new Set(members);
    boxes.forEach(function (box, k) { box.checked = chosen.has(k); });
    update();
  }
  // As `corefed_core::exceeds`, which verdicts go by.
  function exceeds(factor, tolerance) { return factor - 1.0 > tolerance; }
  function gain(now, then) { return now > 0 ? then / now : then > 0 ? Infinity : 0; }

  // The best that is known for a group: its own program, or the best of the known models.
  function best(model, members) {
    var key = members.join(), now = model.utilities.map(num);
    var exact = model.coalitions.find(function (c) { return c[0].join() === key; });
    if (exact) {
      return { exact: true, lower: num(exact[1]), upper: num(exact[2]), gains: exact[3].map(num), rival: "the best model for this group" };
    }
    var found = null;
    function offer(name, gains) {
      var least = Math.min.apply(null, gains);
      if (!found || least > found.lower) found = { exact: false, lower: least, upper: Infinity, gains: gains, rival: name };
    }
    data.models.concat(data.rivals).forEach(function (rival) {
      if (rival === model) return;
      var then = members.map(function (k) { return num(rival.utilities[k]); });
      if (then.some(function (u) { return u === null || u === undefined; })) return;
      offer(rival.name, members.map(function (k, j) { return gain(now[k], then[j]); }));
    });
    var own = members.length === 1 ? model.alone[members[0]] : null;
    if (own !== null && own !== undefined) {
      // An audit of the ball finds the best model for one agent exactly.
      var factor = gain(now[members[0]], num(own));
      return { exact: true, lower: factor, upper: factor, gains: [factor], rival: "a model of its own" };
    }
    var known = model.deviation;
    if (known && known.gains.length && members.every(function (k) { return known.members.includes(k); })) {
      offer(known.rival, members.map(function (k) { return num(known.gains[known.members.indexOf(k)]); }));
    }
    return found;
  }
  function names(members) {
    var all = members.map(function (k) { return data.agents[k].name; });
    if (all.length > 12) return all.length + " of " + data.agents.length;
    return all.length < 2 ? all.join("") : all.slice(0, -1).join(", ") + " and " + all[all.length - 1];
  }
  function update() {
    var model = data.models[choose ? Number(choose.value) : 0];
    var members = Array.from(chosen).sort(function (a, b) { return a - b; });
    answer.textContent = "";
    answer.className = "card";
    if (!members.length) {
      answer.appendChild(el("p", {}, "Choose one or more to see what they would need and what they could get."));
      return;
    }
    var weight = members.reduce(function (sum, k) { return sum + data.agents[k].weight; }, 0);
    var share = weight / total, found = best(model, members);
    var all = members.length === data.agents.length;
    var needed = all ? "Everybody together does not leave; the question is whether another model is better for all." : "With " + show(100 * share) + " % of the say, " + (members.length > 1 ? "each member" : "it") + " must get " + factor(1 / share) + " times what it has now.";
    if (!found) {
      answer.appendChild(el("p", { "class": "say" }, "No other model is known for " + names(members) + "."));
      answer.appendChild(el("p", {}, needed));
      return;
    }
    var reach = share * found.lower;
    // Kappa bounds the share times the factor of every smaller group; everybody has a bound of its own.
    var ceiling = model.bounded ? num((all ? model.everybody : model.kappa).hi) : Infinity;
    var limit = Math.min(share * found.upper, ceiling), proven = !exceeds(limit, model.tolerance);
    var more = exceeds(reach, model.tolerance), certified = !found.exact && proven;
    // What is better for everybody is a reason to train, not to leave.
    answer.className += proven ? " good" : more && !all ? " bad" : " open";
    var who = names(members) + (members.length > 1 ? " together" : " alone");
    var verdict = all
      ? (more ? "Everybody could gain at once." : proven ? "No model is better for everybody." : found.exact ? "Whether everybody could gain at once is too close to call." : "No model is known that is better for everybody.")
      : who + (more ? " would leave." : proven ? " would stay." : found.exact ? ": too close to call." : ": no reason to leave is known.");
    answer.dataset.blocks = String(more && !all);
    answer.dataset.reach = String(reach);
    answer.appendChild(el("p", { "class": "say" }, verdict));
    answer.appendChild(el("p", {}, needed));
    var worth = found.exact
      ? (members.length > 1 ? "The most that each of them can have at once is " : "The most it can have is ") + factor(found.lower) + (factor(found.upper) === factor(found.lower) ? "" : " to " + factor(found.upper)) + " times as much (exact)."
      : (certified ? "Certified: no model gives " + (members.length > 1 ? "each of them" : "it") + " more than " + factor(limit / share) + " times as much. Of the models on this page, " : "With ") + found.rival + (certified ? (members.length > 1 ? " gives each at least " : " gives it ") : (members.length > 1 ? " each gets at least " : " it gets ")) + factor(found.lower) + (certified ? " times as much." : " times as much (best found, not exact).");
    answer.appendChild(el("p", {}, worth + (all ? "" : " Possible / needed: " + (certified ? "at most " + factor(limit) : factor(reach)) + ".")));
    var box = el("div", { "class": "scroll", tabindex: "0", role: "region", "aria-label": "Gain of each member" });
    var table = el("table"), head = el("tr"), body = el("tbody");
    table.appendChild(el("caption", {}, "What each member would have with " + found.rival));
    ["member", "now", "then", "gain"].forEach(function (name, k) { head.appendChild(el("th", k ? { scope: "col", "class": "n" } : { scope: "col" }, name)); });
    members.slice(0, 50).forEach(function (k, j) {
      var row = el("tr"), now = num(model.utilities[k]), then = found.gains[j] * now;
      row.appendChild(el("th", { scope: "row" }, data.agents[k].name));
      [show(now), Number.isFinite(then) ? show(then) : "–", "× " + factor(found.gains[j])].forEach(function (text) { row.appendChild(el("td", { "class": "n" }, text)); });
      body.appendChild(row);
    });
    var thead = el("thead");
    thead.appendChild(head);
    table.append(thead, body);
    box.appendChild(table);
    answer.appendChild(box);
  }
  if (choose) choose.addEventListener("change", update);
  explore.hidden = false;
  var first = data.models[0].deviation || (data.models[1] && data.models[1].deviation);
  set(first ? first.members.slice(0, 50) : []);
})();
