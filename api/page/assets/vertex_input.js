/* An input that completes vertices by label or by attribute. */
import {gently, get, graphPath, knownOf} from "./api.js";
import {h, plural, replace, say} from "./dom.js";

const OFFERED = 8;

/* Names a vertex by its attribute `name`, or else by the first attribute that is a type or class, or else by its first attribute. */
export function describer(known) {
	if (!known.names.length) return () => "";
	const find = (pattern) => known.names.findIndex((name) => pattern.test(name));
	const at = [find(/^name$/i), find(/^(type|cell_type|class)$/i), 0].find((place) => place >= 0);
	return (vertex) => known.of.get(vertex)?.[at] ?? "";
}

/* Whether an attribute names kinds of vertices, such as cell types. */
export const isKind = (name) => /^(type|cell_type|class|group)$/i.test(name);

/* A vertex in a sentence: its id, and its name in parentheses. */
export const called = (vertex, describe) => (describe(vertex) ? `${vertex} (${describe(vertex)})` : vertex);

/* Says that these vertices have no paths because a profile leaves them out. */
export const leftOutText = (vertices, describe) => {
	const one = vertices.length === 1;
	return `${vertices.map((vertex) => called(vertex, describe)).join(" and ")} ${one ? "is" : "are"} left out of this profile, and so ${one ? "has" : "have"} no paths.`;
};

export const swapButton = (onclick) => h("button", {type: "button", class: "swap", "aria-label": "Swap from and to", onclick}, "⇄");

/* The conditions that leave vertices out of a rule, as a text. */
export const withoutText = (conditions, describe) => conditions.map((one) => (one.startsWith("label:") ? `label:${called(one.slice(6), describe)}` : one)).join(", ");

/* Maps each value in lower case to the value itself and the first vertices that have it. A
   whole brain has a hundred thousand vertices but far fewer values to search at each key. */
async function holdersOf(attributes) {
	const holders = new Map();
	await gently(attributes, ([vertex, values]) => {
		for (const value of values) {
			const text = value.toLowerCase(), first = holders.get(text);
			if (!first) holders.set(text, {value, vertices: [vertex]});
			else if (first.vertices.length < OFFERED) first.vertices.push(vertex);
		}
	});
	return holders;
}

/* All conditions such as type:KC, and how many vertices meet each: [{condition, value, n}]. */
async function conditionsOf({names, of}) {
	const counts = names.map(() => new Map());
	await gently(of, ([, values]) => values.forEach((value, at) => counts[at].set(value, (counts[at].get(value) ?? 0) + 1)));
	return counts.flatMap((held, at) => [...held].map(([value, n]) => ({condition: `${names[at]}:${value}`, key: value.toLowerCase(), n})));
}

/*
 * Returns {node, input, get value, set value}; a choice calls chosen(text, whole), where whole says that the text is known to be one label or
 * one condition. With sets, conditions such as type:KC are offered, too, and a choice empties the input. Without labels, only conditions are
 * offered.
 */
export function vertexInput(record, label, signal, chosen, {sets = false, labels: withLabels = true} = {}) {
	const id = `vertex-${label.toLowerCase().replace(/\W+/g, "-")}`;
	const input = h("input", {id, role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false",
		"aria-controls": `${id}-list`, "aria-describedby": `${id}-name`, autocomplete: "off", spellcheck: "false", placeholder: sets ? `type:KC${withLabels ? ", or labels" : ""}` : "Label or name"});
	const list = h("ul", {id: `${id}-list`, role: "listbox", "aria-label": label, hidden: true});
	const hint = h("p", {class: "hint name", id: `${id}-name`});
	const node = h("div", {class: "field combo"}, h("label", {for: id}, label), input, list, hint);
	let offered = [], active = -1, asking = new AbortController(), known = {names: [], of: new Map(), holders: new Map()}, conditions = [];
	let edited = false; /* whether the text differs from the last choice because the user has edited it */
	let held = "", shown = ""; /* the label that stands in the box, and its text there: a box shows no line ends */
	knownOf(record).then(async (all) => {
		known = {...all, holders: new Map()};
		describe();
		known = {...all, holders: await (all.holders ??= holdersOf(all.of))};
		if (sets) conditions = await (all.conditions ??= conditionsOf(all));
	});

	function describe() {
		hint.textContent = describer(known)(said());
	}

	function close() {
		list.hidden = true;
		active = -1;
		input.setAttribute("aria-expanded", "false");
		input.removeAttribute("aria-activedescendant");
	}

	function point(to) {
		active = to;
		[...list.children].forEach((item, i) => item.setAttribute("aria-selected", i === active));
		if (active >= 0) {
			input.setAttribute("aria-activedescendant", list.children[active].id);
			list.children[active].scrollIntoView({block: "nearest"});
		} else input.removeAttribute("aria-activedescendant");
	}

	function choose(vertex, whole) {
		edited = false;
		hold(sets ? "" : vertex);
		describe();
		close();
		chosen(vertex, whole);
	}

	function hold(label) {
		held = input.value = label;
		shown = input.value;
	}

	/* The label or text of the box. Blanks at the ends of a text are removed, unless they belong to a label. */
	function said() {
		if (!edited && input.value === shown) return held;
		return known.of.has(input.value) || offered.includes(input.value) ? input.value : input.value.trim();
	}

	/* A text that was typed. It is whole if it is a label, also one of a graph without attributes, which only the list has. */
	function chooseTyped(text) {
		const vertex = vertexOf(text);
		choose(vertex, known.of.has(vertex) || offered.includes(vertex));
	}

	/* The vertex that a text means: the one with this label, or else the only one with this name. Without labels, a text means itself. */
	function vertexOf(text) {
		if (!withLabels) return text;
		const name = describer(known), found = known.of.has(text) ? [] : [...known.of.keys()].filter((vertex) => name(vertex) === text);
		return found.length === 1 ? found[0] : text;
	}

	/* Vertices with an attribute that contains the text; values that begin with it come first. */
	function byAttribute(text) {
		const wanted = text.toLowerCase(), begin = new Map(), within = new Map();
		for (const [key, {value, vertices}] of known.holders) {
			const at = key.indexOf(wanted);
			if (at < 0) continue;
			const found = at === 0 ? begin : within;
			for (const vertex of vertices) if (found.size < OFFERED && !found.has(vertex)) found.set(vertex, value);
			if (begin.size === OFFERED) break;
		}
		for (const [vertex, value] of within) if (!begin.has(vertex)) begin.set(vertex, value);
		return begin;
	}

	/* Conditions that contain the text, those with most vertices first; values that begin with it come before all others. */
	function byCondition(text) {
		const wanted = text.toLowerCase();
		return conditions.filter(({condition, key}) => key !== "" && (key.includes(wanted) || condition.toLowerCase().startsWith(wanted)))
			.sort((a, b) => b.key.startsWith(wanted) - a.key.startsWith(wanted) || b.n - a.n).slice(0, OFFERED);
	}

	async function complete() {
		if (!record.revision && !record.pending) return; /* the graph is not stored yet */
		const text = input.value.trim();
		asking.abort();
		asking = new AbortController();
		const mine = asking.signal;
		let labels;
		try {
			labels = (await get(graphPath(record.name, "vertices"), {q: text, limit: OFFERED}, mine)).vertices;
		} catch {
			return; /* the next key tries again; the request of the view reports problems */
		}
		if (mine.aborted || signal.aborted || document.activeElement !== input) return;
		const found = text.length > 1 ? byAttribute(text) : new Map();
		const met = new Map(sets ? byCondition(text).map(({condition, n}) => [condition, plural(n, "vertex", "vertices")]) : []);
		offered = [...new Set([...met.keys(), ...withLabels ? [...labels, ...found.keys()].slice(0, OFFERED) : []])];
		const name = describer(known);
		/* its description, and the value that matched if that differs */
		const describeOne = (vertex) => met.get(vertex) ?? [...new Set([name(vertex), found.get(vertex)])].filter(Boolean).join(" · ");
		replace(list, offered.map((vertex, i) => h("li", {id: `${id}-${i}`, role: "option", "aria-selected": "false",
			onmousedown: (e) => {
				e.preventDefault();
				choose(vertex, true);
			}}, vertex, describeOne(vertex) ? h("small", null, describeOne(vertex)) : null)));
		list.hidden = offered.length === 0;
		input.setAttribute("aria-expanded", String(!list.hidden));
		point(-1);
		say(offered.length ? `${offered.length} offered.` : "No vertex matches.");
	}

	input.addEventListener("input", () => {
		edited = true;
		describe();
		complete();
	});
	input.addEventListener("focus", () => input.select());
	input.addEventListener("blur", close);
	input.addEventListener("keydown", (e) => {
		if (e.key === "ArrowDown" || e.key === "ArrowUp") {
			e.preventDefault();
			if (list.hidden) complete();
			else point((active + (e.key === "ArrowDown" ? 1 : offered.length) + (active < 0 && e.key === "ArrowUp" ? 1 : 0)) % offered.length);
		} else if (e.key === "Enter") {
			e.preventDefault();
			asking.abort();
			if (active >= 0) choose(offered[active], true);
			else if (said()) chooseTyped(said());
		} else if (e.key === "Escape") close();
	});
	input.addEventListener("change", () => {
		if (said()) chooseTyped(said());
	});

	return {
		node, input,
		get value() { return said(); },
		set value(vertex) {
			if (document.activeElement !== input || !edited || input.value === "") {
				hold(vertex);
				edited = false;
			}
			describe();
		},
	};
}
