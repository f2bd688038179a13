/* The form that makes a graph from a stored graph: sums between the values of an attribute, or a part. */
import {address} from "./address.js";
import {ask, get, graphPath, url} from "./api.js";
import {choice, details, field, h, nameInput, plural, replace, say, select, troubleIn} from "./dom.js";
import {call, share} from "./share.js";
import {isKind} from "./vertex_input.js";
import {forPython, vertexSet} from "./vertex_set.js";

const WAYS = [
	["by", "Values of an attribute in place of vertices", "The weights of all arcs between the vertices of two values are added."],
	["match", "Only some of the vertices", "With all arcs between them. Paths through other vertices are lost."],
];

/* The form is made when it is opened, because attributes may be stored in the meantime. */
export function deriveForm(graph, signal) {
	const place = h("div"), node = details("A graph from this graph", place);
	node.addEventListener("toggle", async () => {
		if (!node.open || place.querySelector("form")) return;
		try {
			const record = await get(graphPath(graph), null, signal), names = (record.revision ? record : record.pending)?.attributes ?? [];
			replace(place, names.length ? formOf(record, names, signal)
				: h("p", {class: "hint"}, "Vertices are chosen by their attributes, and this graph has none. Store attributes first."));
		} catch (error) {
			troubleIn(place)(error);
		}
	});
	return node;
}

function formOf(record, names, signal) {
	const wish = {way: "by", by: names.find(isKind) ?? names[0], set: {labels: [], match: []}};
	const name = nameInput(), parts = h("div", {class: "after"}), result = h("div", {class: "after"});
	const button = h("button", {type: "submit", class: "primary"}, "Make the graph");
	const set = vertexSet(record, "Vertices of the new graph", signal, ({labels, match}) => {
		replace(result, labels.length ? h("p", {class: "hint warn", role: "alert"}, `'${labels.join(" ")}' names no attribute. Parts are chosen by attributes, such as side:L.`) : null);
		if (labels.length) return;
		wish.set = {labels, match};
		set.value = wish.set;
		show();
	}, {labels: false});

	function show() {
		button.disabled = wish.way === "match" && !wish.set.match.length;
	}
	function showParts() {
		replace(result);
		replace(parts, wish.way === "by" ? field("Attribute", select(names.map((one) => [one, one]), wish.by, (by) => { wish.by = by; }))
			: [set.node, h("p", {class: "hint"}, "Values of one attribute add vertices; another attribute narrows the choice.")]);
		show();
	}

	async function make(e) {
		e.preventDefault();
		const query = {of: record.name, ...wish.way === "by" ? {by: wish.by} : {match: wish.set.match}};
		button.disabled = true;
		try {
			showMade(await ask("PUT", graphPath(name.value), {query, fresh: true, signal}), query);
		} catch (error) {
			troubleIn(result)(error);
		}
		show();
	}

	function showMade({graph, vertices, arcs, loops, derived}, query) {
		const text = `${graph}: ${plural(vertices, "vertex", "vertices")} and ${plural(arcs, "arc")}, made from ${plural(derived.arcs_used, "arc")}.`;
		say(text);
		replace(result, h("p", null, text, " ", h("a", {href: address("overview", graph)}, `Show ${graph}`)), h("p", {class: "hint"},
			`${plural(derived.vertices_left_out, "vertex", "vertices")} and ${plural(derived.arcs_left_out, "arc")} of ${record.name} are left out.`,
			loops ? ` ${plural(loops, "arc")} from a vertex to itself ${loops === 1 ? "changes" : "change"} no distance.` : null),
		share({method: "PUT", target: url(graphPath(graph), query)}, call("derive", [graph, record.name], {by: query.by, match: query.match && forPython(wish.set)})));
	}

	showParts();
	return h("form", {class: "card", onsubmit: make}, h("div", {class: "fields"}, field("Name of the new graph", name)),
		choice("Its vertices", "derive", WAYS, wish.way, (way) => {
			wish.way = way;
			showParts();
		}), parts, h("div", {class: "row start"}, button), result);
}
