// SPDX-License-Identifier: MIT
// Shows the data of the page. Texts of it were chosen by the command: they become text nodes, never markup.
"use strict";
(() => {
	const data = JSON.parse(document.getElementById("data").textContent);
	const events = data.events;
	const start = events.find((e) => e.event === "start") || {};
	const end = events.find((e) => e.event === "end");
	const ROW = 28, CHILDREN = 200;
	const known = { predicted: " (predicted)", observed: " (observed)", guessed: " (guessed)" };

	// make("p", {class: "dim"}, "text", node...): an element with attributes and content.
	function make(name, attributes, ...content) {
		const element = document.createElement(name);
		for (const [key, value] of Object.entries(attributes || {}))
			element.setAttribute(key, value);
		element.append(...content);
		return element;
	}
	const at = (id) => document.getElementById(id);
	const time = (e) => e.time.slice(11, 19);
	const kind = (e) => e.event === "refused" ? "bad" : e.event === "used" ? "good"
		: e.event === "changed" || e.event === "planted" ? "change" : "dim";

	// Control characters and those that change the direction of text are shown as their numbers.
	function visible(text) {
		return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
			(c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
	}

	function describe(e) {
		switch (e.event) {
		case "start": return (e.command || []).join(" ");
		case "refused": return e.what + " " + e.subject + ": " + e.reason + (known[e.known] || "");
		case "used": return e.what + " " + e.subject;
		case "limit": return e.limit;
		case "trust": return e.what + " " + e.file;
		case "end": return outcome(e);
		default: return e.what + " " + e.subject + ": " + e.reason;
		}
	}

	function outcome(e) {
		if (e.error !== undefined)
			return "not started: " + e.error;
		const how = e.signal !== undefined ? "signal " + e.signal : "exit status " + e.status;
		return how + (e.cause === "exit" || e.cause === "signal" ? "" : ", ended by: " + e.cause);
	}

	function count(name) {
		return events.reduce((n, e) => n + (e.event === name), 0);
	}

	function fact(name, value, style) {
		return make("div", {}, make("dt", {}, name), make("dd", { class: style || "" }, visible(value)));
	}

	function showHead() {
		at("title").textContent = visible((start.command || ["a session"]).join(" "));
		at("where").textContent = visible(start.project ? "in " + start.project : "");
		at("facts").append(
			fact("session", data.session), fact("started", (start.time || "").replace("T", " ")),
			fact("ended", end ? outcome(end) : "not yet", end && end.status === 0 ? "good" : "bad"),
			fact("seconds", end && end.seconds !== undefined ? end.seconds : "-"),
			fact("refused", count("refused"), count("refused") ? "bad" : "good"),
			fact("used", count("used")),
			fact("changed", count("changed") + count("planted"), count("changed") ? "change" : ""));
	}

	// ---- lines to copy ----

	function copy(text, code, button) {
		const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
		const select = () => {
			const range = document.createRange();
			range.selectNodeContents(code);
			getSelection().removeAllRanges();
			getSelection().addRange(range);
			button.textContent = "Selected";
		};
		if (navigator.clipboard)
			navigator.clipboard.writeText(text).then(done, select);
		else
			select();
	}

	function toCopy(label, text) {
		const code = make("code", {}, visible(text)), button = make("button", { type: "button" }, "Copy");
		button.addEventListener("click", () => copy(text, code, button));
		return make("div", { class: "copy" }, make("span", { class: "dim" }, label), code, button);
	}

	function showRefused() {
		for (const hint of data.hints) {
			const card = make("div", { class: "card" }, make("p", { class: "path bad" }, visible(hint.line)));
			if (hint.allow)
				card.append(toCopy(hint.allow[0] === "-" ? "option" : "policy", hint.allow));
			if (hint.policy)
				card.append(toCopy("policy", hint.policy));
			at("refused-list").append(card);
		}
		if (data.hints.length === 0)
			at("refused-list").append(make("p", {}, "cordon refused nothing that would have succeeded without it."));
	}

	// ---- the tree ----

	const root = { name: "/", nodes: new Map(), used: new Set(), bad: 0, good: 0, change: 0 };

	function addPath(path, style, what) {
		let node = root;
		node[style]++;
		for (const name of path.split("/")) {
			if (name === "")
				continue;
			if (!node.nodes.has(name))
				node.nodes.set(name, { name, nodes: new Map(), used: new Set(), bad: 0, good: 0, change: 0 });
			node = node.nodes.get(name);
			node[style]++;
		}
		node.used.add(style === "bad" ? "refused: " + what : what);
	}

	function counts(node) {
		const parts = [];
		for (const [style, word] of [["bad", "refused"], ["change", "changed"], ["good", "used"]])
			if (node[style] > 0)
				parts.push(make("span", { class: style }, " " + node[style] + " " + word));
		return parts;
	}

	// Folders with a single entry are one line.
	function joined(node) {
		let name = node.name;
		while (node.nodes.size === 1 && node.used.size === 0) {
			node = node.nodes.values().next().value;
			name += (name.endsWith("/") ? "" : "/") + node.name;
		}
		return { node, name };
	}

	function leaf(node, name) {
		const style = node.bad > 0 ? "bad" : node.change > 0 ? "change" : "good";
		return make("li", {}, make("div", { class: "leaf path" }, make("span", {}, visible(name) + " "),
			make("span", { class: style }, [...node.used].join(", "))));
	}

	function branch(first) {
		const { node, name } = joined(first);
		if (node.nodes.size === 0)
			return leaf(node, name);
		const button = make("button", { type: "button", class: "path", "aria-expanded": "false" });
		const item = make("li", {}, button);
		let list = null;
		const label = (open) => button.replaceChildren((open ? "▾ " : "▸ ") + visible(name), ...counts(node));
		button.addEventListener("click", () => {
			const open = button.getAttribute("aria-expanded") === "false";
			button.setAttribute("aria-expanded", String(open));
			if (list === null)
				item.append(list = children(node));
			list.hidden = !open;
			label(open);
		});
		label(false);
		return item;
	}

	function children(node) {
		const list = make("ul", {}), all = [...node.nodes.values()];
		let shown = 0;
		all.sort((a, b) => b.bad - a.bad || b.change - a.change || (a.name < b.name ? -1 : 1));
		const more = make("button", { type: "button" });
		const last = make("li", {}, more);
		const show = () => {
			for (const child of all.slice(shown, shown + CHILDREN))
				list.insertBefore(branch(child), last.parentNode === list ? last : null);
			shown = Math.min(all.length, shown + CHILDREN);
			if (shown === all.length)
				last.remove();
			else
				list.append(last);
			more.textContent = "and " + (all.length - shown) + " more";
		};
		more.addEventListener("click", show);
		show();
		return list;
	}

	function showTree() {
		const styles = { refused: "bad", used: "good", changed: "change", planted: "change" };
		for (const e of events)
			if (styles[e.event] && typeof e.subject === "string" && e.subject[0] === "/")
				addPath(e.subject, styles[e.event], e.what);
		if (root.nodes.size === 0) {
			at("tree").append(make("li", {}, "Nothing: without --trace only refusals and changed files that run later are known."));
			return;
		}
		at("tree").append(branch(root));
		let button = at("tree").querySelector("button");
		for (let depth = 0; button !== null && depth < 2; depth++) {
			button.click();
			button = button.parentNode.querySelector(":scope > ul button");
		}
	}

	// ---- the timeline: only rows in view are elements ----

	function showTimeline() {
		const box = at("rows"), space = make("div", { class: "space" }), search = at("search");
		let shown = events, selected = -1;

		const draw = () => {
			const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 5);
			const last = Math.min(shown.length, first + Math.ceil(box.clientHeight / ROW) + 10);
			const rows = [];
			for (let i = first; i < last; i++) {
				const e = shown[i];
				const row = make("div", { class: "row" + (i === selected ? " on" : ""), "data-row": i },
					make("span", { class: "dim" }, time(e)), make("span", { class: kind(e) }, e.event),
					make("span", { class: "path" }, visible(describe(e))));
				row.style.top = i * ROW + "px";
				rows.push(row);
			}
			space.replaceChildren(...rows);
		};
		const choose = (i) => {
			if (i < 0 || i >= shown.length)
				return;
			selected = i;
			if (i * ROW < box.scrollTop)
				box.scrollTop = i * ROW;
			if ((i + 1) * ROW > box.scrollTop + box.clientHeight)
				box.scrollTop = (i + 1) * ROW - box.clientHeight;
			at("detail").textContent = visible(JSON.stringify(shown[i]));
			draw();
		};
		const filter = () => {
			const words = search.value.toLowerCase();
			const kinds = new Set([...document.querySelectorAll("#kinds input:checked")].map((i) => i.value));
			shown = events.filter((e) => kinds.has(["refused", "used"].includes(e.event) ? e.event : "other") &&
				(words === "" || describe(e).toLowerCase().includes(words)));
			selected = -1;
			space.style.height = shown.length * ROW + "px";
			box.scrollTop = 0;
			at("number").textContent = shown.length + " of " + events.length;
			draw();
		};
		const page = () => Math.max(1, Math.floor(box.clientHeight / ROW) - 1);
		const keys = {
			ArrowDown: () => selected + 1, ArrowUp: () => selected - 1, Home: () => 0, End: () => shown.length - 1,
			PageDown: () => Math.min(shown.length - 1, selected + page()), PageUp: () => Math.max(0, selected - page()),
		};
		box.append(space);
		box.addEventListener("scroll", draw, { passive: true });
		box.addEventListener("keydown", (e) => {
			if (keys[e.key]) {
				e.preventDefault();
				choose(keys[e.key]());
			}
		});
		box.addEventListener("click", (e) => {
			const row = e.target.closest("[data-row]");
			if (row)
				choose(Number(row.dataset.row));
		});
		search.addEventListener("input", filter);
		at("kinds").addEventListener("change", filter);
		addEventListener("resize", draw);
		filter();
	}

	// ---- tables ----

	function table(id, head, rows, none) {
		if (rows.length === 0) {
			at(id).append(make("p", { class: "dim" }, none));
			return;
		}
		const cells = (name, row) => row.map((c) => c instanceof Node ? make(name, {}, c) : make(name, {}, visible(c)));
		at(id).append(make("table", {}, make("thead", {}, make("tr", {}, ...cells("th", head))),
			make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells("td", row))))));
	}

	function showConnections() {
		const words = ["connect", "send", "resolve", "network", "network.udp", "socket"], seen = new Map();
		for (const e of events) {
			if (!words.includes(e.what) || (e.event !== "refused" && e.event !== "used"))
				continue;
			const key = e.event + " " + e.what + " " + e.subject;
			const entry = seen.get(key) || { e, count: 0 };
			entry.count++;
			seen.set(key, entry);
		}
		table("connections", ["name", "what", "answer", "times"], [...seen.values()].map(({ e, count: n }) => [
			make("span", { class: "path" }, visible(e.subject)), e.what,
			make("span", { class: kind(e) }, e.event === "refused" ? "refused: " + visible(e.reason) : "used"), n]),
		"None was refused, and none was made to a listed domain. Connections that the kernel allows are logged with --trace.");
	}

	function showRest() {
		table("limits", ["limit", "reached at"], events.filter((e) => e.event === "limit").map((e) => [e.limit, time(e)]),
			"No limit was reached.");
		table("guarantees", ["guarantee", "kept by"], Object.entries(start.guarantees || {}).map(([name, how]) => [
			make("code", {}, name),
			make("span", { class: /^not kept|tracking only/.test(how) ? "bad" : "" }, visible(how))]), "None.");
		table("sources", ["policy"], (start.sources || []).map((s) => [make("span", { class: "path" }, visible(s))]), "None.");
	}

	showHead();
	showRefused();
	showTree();
	showTimeline();
	showConnections();
	showRest();
	document.documentElement.dataset.ready = "yes";
})();
