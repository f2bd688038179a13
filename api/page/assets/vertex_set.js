/* A set of vertices: conditions such as type:KC, or labels; and how many vertices it has. */
import {knownOf} from "./api.js";
import {afterPress, h, plural, replace} from "./dom.js";
import {called, describer, vertexInput} from "./vertex_input.js";

const CHIPS = 12; /* a longer list of labels is not shown label by label */

/* Splits type:KC at its first colon; null if no attribute has this name. The label counts as an attribute. */
function parsed(condition, names) {
	const colon = condition.indexOf(":"), name = condition.slice(0, colon);
	return colon >= 0 && ["label", ...names].includes(name) ? {name, value: condition.slice(colon + 1)} : null;
}

/*
 * The vertices that meet the conditions, as the daemon chooses them: any of the values of one
 * attribute, and a value of each attribute that is named. Returns the labels.
 */
export function matching({names, of}, conditions) {
	const wanted = new Map();
	for (const condition of conditions) {
		const one = parsed(condition, names);
		if (one) wanted.set(one.name, [...wanted.get(one.name) ?? [], one.value]);
	}
	if (!wanted.size) return [];
	const vertices = [...new Set(wanted.get("label") ?? of.keys())].filter((vertex) => !of.size || of.has(vertex)); /* a graph without attributes has conditions on labels only, and `of` is empty */
	wanted.delete("label");
	const others = [...wanted].map(([name, any]) => [names.indexOf(name), any]);
	return vertices.filter((vertex) => others.every(([at, any]) => any.includes(of.get(vertex)[at])));
}

/* A set as the daemon's requests have it. */
export const bodyOf = ({labels, match}) => (match.length ? {match} : labels);

/* A set as the Python client has it: {"type": ["KC"]}, or labels. */
export function forPython({labels, match}) {
	const conditions = Object.create(null); /* an attribute may be named constructor */
	for (const one of match) {
		const colon = one.indexOf(":");
		(conditions[one.slice(0, colon)] ??= []).push(one.slice(colon + 1));
	}
	return match.length ? conditions : labels;
}

export const isEmpty = ({labels, match}) => !labels.length && !match.length;

/* The labels of a text that was typed: blanks and commas separate them, except in quotes. */
const labelsOf = (text) => [...text.matchAll(/"([^"]+)"|[^\s,]+/g)].map(([one, quoted]) => quoted ?? one);

/* Returns {node, set value({labels, match})}; changed({labels, match}) is called when the user changes the set. offer: {labels: false} if no labels are to be offered. */
export function vertexSet(record, label, signal, changed, offer) {
	const chips = h("p", {class: "chips"}), total = h("p", {class: "hint", role: "status"});
	let now = {labels: [], match: []}, known = {names: [], of: new Map()};
	const combo = vertexInput(record, label, signal, (text, whole) => {
		if (parsed(text, known.names)) changed({labels: [], match: [...new Set([...now.match, text])]});
		else changed({labels: [...new Set([...now.labels, ...whole ? [text] : labelsOf(text)])], match: []});
	}, {sets: true, ...offer});
	knownOf(record).then((all) => {
		known = all;
		show();
	});

	function show() {
		const describe = describer(known), all = [...now.match, ...now.labels];
		const without = (text) => ({labels: now.labels.filter((one) => one !== text), match: now.match.filter((one) => one !== text)});
		replace(chips, all.slice(0, CHIPS).map((text) => h("span", {class: "chip"}, now.match.length ? text : called(text, describe),
			h("button", {type: "button", "aria-label": `Remove ${now.match.length ? text : called(text, describe)}`, onclick: () => changed(without(text))}, "×"))),
		all.length > CHIPS ? `and ${plural(all.length - CHIPS, "other")}` : null);
		total.textContent = !all.length ? "" : plural(now.match.length ? matching(known, now.match).length : now.labels.length, "vertex", "vertices");
	}

	return {node: h("div", {class: "set"}, combo.node, chips, total),
		set value(set) {
			now = set;
			afterPress(show);
		}};
}
