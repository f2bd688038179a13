/* Circuits: all arcs on walks between two sets of vertices that are at most a given length. */
import {address} from "./address.js";
import {graphPath, knownOf, post, saveButton, url} from "./api.js";
import {drawDag, folds, strengths} from "./dag.js";
import {count, details, empty, facts, field, h, lengthHead, measured, number, percent, plural, refill, replace, say, select, titled, unknown} from "./dom.js";
import {graphHead, hasLengths, profileOf, profileRecord, unfit, unitsOf} from "./graph_head.js";
import {answering} from "./jobs.js";
import {call, graphCall, share, source} from "./share.js";
import {fromTo, sheet} from "./sheet.js";
import {called, describer, isKind, swapButton} from "./vertex_input.js";
import {bodyOf, forPython, matching, vertexSet} from "./vertex_set.js";

const ARCS = 2000, ARCS_MAX = 100000; /* largest number of arcs of an answer: by default; that the daemon accepts */
const BOUNDS = { /* [name, explanation, first value] */
	slack: ["Slack", "Walks may be longer than the shortest by this share of it: 0.1 is a tenth. 0: shortest paths alone.", "0.1"],
	within: ["Length at most", "The same length for all pairs.", "1"],
	most: ["Arcs at most", "Walks of any length.", "3"],
	hops: ["Arcs exactly", "Walks of any length.", "3"],
};
const FORMATS = [["csv", "CSV"], ["graphml", "GraphML"], ["dot", "Graphviz"], ["cyjs", "Cytoscape"], ["json", "JSON"]]; /* [format and ending, name] */

const none = "(none)"; /* the vertices without a value of `by` */

export async function open({graph, signal}) {
	const head = await graphHead(graph, "circuit", signal);
	const known = await knownOf(head.record);
	const describe = describer(known);
	let now = {}, units = {};
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("circuit", graph, {
			profile: next.profile, from: next.from.labels, from_match: next.from.match, to: next.to.labels, to_match: next.to.match,
			[next.bound === "most" ? "hops" : next.bound]: next.bound === "most" && next.size ? `..${next.size}` : next.size,
			by: next.by, arcs: String(next.arcs) === String(ARCS) ? null : next.arcs,
		});
	};
	const from = vertexSet(head.record, "From", signal, (set) => go({from: set}));
	const to = vertexSet(head.record, "To", signal, (set) => go({to: set}));
	const swap = swapButton(() => go({from: now.to, to: now.from}));
	const options = h("div", {class: "options"}), answer = h("div", {class: "answer"});
	const place = answering(answer, "Looking for the circuit …", signal);

	function update(params) {
		head.update(params);
		const hops = params.get("hops") ?? "";
		const bound = params.has("within") ? "within" : hops.startsWith("..") ? "most" : hops ? "hops" : "slack";
		now = {
			profile: profileOf(params), bound, size: (bound === "slack" ? params.get("slack") : bound === "within" ? params.get("within") : hops.replace("..", "")) ?? "",
			from: {labels: params.getAll("from"), match: params.getAll("from_match")}, to: {labels: params.getAll("to"), match: params.getAll("to_match")},
			by: params.get("by") ?? "", arcs: params.get("arcs") ?? ARCS,
		};
		from.value = now.from;
		to.value = now.to;
		showOptions();
		find();
	}

	function showOptions() {
		const size = h("input", {type: "number", min: now.bound === "slack" ? 0 : null, step: ["slack", "within"].includes(now.bound) ? "any" : 1, value: now.size,
			placeholder: now.bound === "slack" ? "0" : null, onchange: () => go({size: size.value})});
		const bound = select(Object.entries(BOUNDS).map(([key, [text]]) => [key, text]), now.bound, (key) => go({bound: key, size: BOUNDS[key][2]}));
		const arcs = h("input", {type: "number", min: 1, max: ARCS_MAX, value: now.arcs, onchange: () => go({arcs: arcs.value || ARCS})});
		refill(options, field("Walks bounded by", bound), field(titled(BOUNDS[now.bound][0], now.bound === "within" ? unitsOf(head.record, now.profile).length : ""), size, BOUNDS[now.bound][1]),
			known.names.length ? field("Boxes", select([["", "each vertex"], ...known.names.map((name) => [name, `values of ${name}`])], now.by, (by) => go({by}))) : null,
			field("Arcs in the answer", arcs));
	}

	const setText = ({labels, match}) => (match.length ? match.join(" ") : labels.length > 3 ? plural(labels.length, "vertex", "vertices") : labels.map((vertex) => called(vertex, describe)).join(" "));
	const boundText = () => (now.bound === "slack" ? `slack ${now.size || 0}` : now.bound === "within" ? `length ≤ ${measured(now.size, units.length)}` : `arcs ${now.bound === "most" ? "≤" : "="} ${now.size}`);

	function body() {
		const size = Number(now.size || 0);
		return {sources: bodyOf(now.from), targets: bodyOf(now.to), ...now.bound === "slack" ? {slack: size} : now.bound === "within" ? {within: size}
			: {hops: now.bound === "most" ? `..${now.size}` : now.size}, ...now.by ? {by: now.by} : {}, max_arcs: Number(now.arcs)};
	}

	const find = () => place(async (mine) => {
		const question = body(), unasked = [now.from, now.to].some(({labels, match}) => !labels.length && !match.length);
		const instead = unfit(head.record, now.profile, hasLengths, `Profile ${now.profile ?? "default"} has widest paths. Circuits need lengths.`, go)
			?? (unasked ? empty("Choose two sets of vertices to see all that lies between them.", known.names.length ? `Type a value of ${known.names.slice(0, 4).join(", ")}, or labels.` : null) : null);
		if (instead) replace(answer, instead);
		else show(await post(graphPath(graph, "circuit"), question, mine, {profile: now.profile, revision: head.record.revision}), question);
	}, (error) => unknown(error, [...now.from.labels, ...now.to.labels], correct, describe));

	/* A label that is not in the graph is replaced in its set. */
	function correct(wrong, vertex) {
		const right = ({labels, match}) => ({labels: labels.map((one) => (one === wrong ? vertex : one)), match});
		go({from: right(now.from), to: right(now.to)});
	}

	/* The circuit has too many arcs: offer changes that make it smaller. */
	function tooMany(found) {
		const fitting = found.fits === null || found.fits === undefined ? null : String(found.fits);
		const text = `The circuit has ${plural(found.n_arcs, "arc")}, more than the ${count(Number(now.arcs))} that you asked for.`;
		say(text);
		return empty(text, h("p", {class: "row start centred"},
			fitting !== null && fitting !== now.size ? h("button", {type: "button", onclick: () => go({size: fitting})}, `Use ${now.bound === "slack" ? "slack" : "the bound"} ${now.bound === "within" ? measured(fitting, unitsOf(head.record, now.profile).length) : fitting}`) : null,
			known.names.filter((name) => name !== now.by && isKind(name)).map((name) => h("button", {type: "button", onclick: () => go({by: name})}, `Draw by ${name}`)),
			found.n_arcs <= ARCS_MAX && h("button", {type: "button", onclick: () => go({arcs: found.n_arcs})}, `Show all ${plural(found.n_arcs, "arc")}`)));
	}

	/* The vertices of the circuit that are sources or targets; with `by`, the values that some of them have. */
	function ends() {
		const labels = [now.from, now.to].flatMap((set) => (set.match.length ? matching(known, set.match) : set.labels));
		const at = known.names.indexOf(now.by);
		return now.by ? labels.map((vertex) => known.of.get(vertex)?.[at] || none) : labels;
	}

	const name = (vertex) => (now.by ? vertex || none : vertex);

	function show(found, question) {
		units = unitsOf(head.record, now.profile);
		const curl = {method: "POST", target: url(graphPath(graph, "circuit"), {profile: now.profile}), body: question, type: "application/json"};
		const {slack, within, hops, by, max_arcs} = question;
		const same = share(curl, graphCall(graph, now.profile), call("circuit", [now.from, now.to].map(forPython), {slack, within, hops, by, max_arcs}));
		const figures = facts([["Pairs with a walk", count(found.pairs)], ["Pairs without a walk", count(found.skipped)], ["Vertices", found.truncated ? "–" : count(found.vertices.length)], ["Arcs", count(found.n_arcs)]]);
		if (found.truncated || !found.arcs.length) {
			replace(answer, figures, found.truncated ? tooMany(found) : empty("No walk is within the bound."), same);
			return;
		}
		const title = `${setText(now.from)} to ${setText(now.to)}, ${boundText()}${now.by ? `, by ${now.by}` : ""}`, file = `${graph}-circuit`;
		const {strength, words, scale} = strengths(found.transform, found.arcs, units);
		const arcs = found.arcs.map((arc) => ({...arc, from: name(arc.from), to: name(arc.to)}));
		const vertices = found.vertices.map((one) => ({...one, vertex: name(one.vertex)}));
		const chosen = h("div");
		say(`${title}: ${plural(vertices.length, "vertex", "vertices")}, ${plural(arcs.length, "arc")}.`);
		replace(answer, figures, drawDag({
			vertices: vertices.map((one) => ({vertex: one.vertex, layer: one.layer, share: one.share, ...now.by ? {more: plural(one.vertices, "vertex", "vertices")} : {}})),
			arcs: arcs.map((arc) => ({...arc, strength: strength(arc), title: `${called(arc.from, beside)} → ${called(arc.to, beside)}: weight ${measured(number(arc.weight), units.weight)}, length ${measured(number(arc.length), units.length)}, ${plural(arc.pairs, "pair")}`})),
			ends: ends(), describe: beside, scale, act: {name: (vertex) => `Show ${vertex}`, ends: true, call: (vertex) => choose(vertex, vertices, arcs, chosen)},
			file: {name: file, title, source: source(graph, found, profileRecord(head.record, now.profile), units, title)},
			tools: FORMATS.map(([format, text]) => saveButton(text, graphPath(graph, "circuit"), {profile: now.profile, revision: head.record.revision, format}, question, `${file}.${format}`, {"aria-label": `Save as ${text}`})),
		}), h("p", {class: "hint"}, folds(vertices, arcs) ? "Each box is a layer; the tables have its vertices and arcs."
			: `The bar in a box is the share of pairs that use the vertex.${words} Choose a vertex to see its arcs.`), chosen,
		details("The vertices as a table", vertexTable(vertices)),
		details("The arcs as a table", arcTable("Arcs", arcs, `${file}-arcs`)), same);
	}

	const beside = (vertex) => (now.by ? "" : describe(vertex));
	const vertexTable = (vertices) => sheet("Vertices", [{name: now.by || "Vertex", of: ({vertex}) => vertex, beside: ({vertex}) => beside(vertex)}, {name: "Layer", of: ({layer}) => layer},
		...now.by ? [{name: "Vertices", of: (one) => one.vertices}] : [], {name: "Pairs", of: ({pairs}) => pairs}, {name: "Share", of: (one) => one.share, show: (one) => percent(one.share)}],
	vertices, {file: `${graph}-circuit-vertices`});
	const arcTable = (caption, arcs, file) => sheet(caption, [...fromTo(beside),
		{name: titled("Weight", units.weight), key: "weight", of: ({weight}) => weight}, {name: lengthHead(profileRecord(head.record, now.profile), units.length), key: "length", of: ({length}) => length}, ...now.by ? [{name: "Arcs", of: (arc) => arc.arcs}] : [], {name: "Pairs", of: ({pairs}) => pairs}], arcs, {file});

	/* The numbers and the arcs of the vertex that was chosen in the drawing. */
	function choose(vertex, vertices, arcs, place) {
		const one = vertices.find((other) => other.vertex === vertex), own = arcs.filter((arc) => arc.from === vertex || arc.to === vertex);
		replace(place, h("section", {class: "card", "aria-label": `Arcs of ${vertex}`}, h("h3", null, called(vertex, beside)),
			h("p", null, `${plural(one.pairs, "pair")} (${percent(one.share)}) use ${now.by ? "these vertices" : "this vertex"}. `,
				now.by ? null : h("a", {href: address("reach", graph, {profile: now.profile, of: vertex})}, "What it reaches")),
			arcTable(`Arcs of ${vertex}`, own, `${graph}-circuit-${vertex}`)));
		say(`${called(vertex, beside)}: ${plural(own.length, "arc")}.`);
	}

	return {title: `Circuit · ${graph}`, update, nodes: [...head.nodes, h("div", {class: "ask", role: "search", "aria-label": "Circuit"}, from.node, swap, to.node), options, answer]};
}
