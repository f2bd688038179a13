/* The options of a rule besides its transform: thresholds, shares, the vertices that it leaves out, tables. */
import {knownOf} from "./api.js";
import {field, h, RULES, replace, ruleText, select, titled} from "./dom.js";
import {unitsOf} from "./graph_head.js";
import {vertexSet} from "./vertex_set.js";

const SHARES = [["", "the weights themselves"], ["input", "shares of the receiver's input"], ["output", "shares of the sender's output"]];
const SEVERAL = [["", "the usual"], ["sum", "their sum"], ["min", "the least"], ["max", "the largest"], ["last", "the last"], ["error", "none: refuse the file"]];
const TABLES = [["", "as there is room"], ["all", "all: the fastest answers"], ["distance", "less: some answers take longer"], ["none", "none: rows when asked"]];

/* Why the lengths or widths of two rules have different units, in words; "" if the rules show no reason. place: where a rule holds. */
export function unitsDiffer(rule, place, other, otherPlace) {
	/* under hops, each arc has the length 1, however arcs are merged */
	const merged = ({transform, duplicates}) => (transform === "hops" ? "" : SEVERAL.find(([key]) => key === duplicates)?.[1]);
	const [words, before] = [[ruleText, ""], [merged, "several arcs of one pair count as "]].find(([of]) => of(rule) !== of(other)) ?? [];
	return words ? `units differ: ${before}${words(rule)} ${place}, and ${words(other)} ${otherPlace}.` : "";
}

/* A transform, or "widest", as options of a rule. */
const lengths = (choice) => (choice === "widest" ? {path: "widest"} : {transform: choice});

const numeric = (props) => h("input", {type: "number", step: "any", inputmode: "decimal", ...props});

/*
 * The controls for a stored graph, or for a new one ({name}), which has no attributes yet. Returns
 * {nodes, choices(), rule(choice)}: choices() has the transforms and widest paths in words, [[choice,
 * text]]; rule() has the options that the form says, for one of these choices. changed() is called
 * when they change.
 */
export function ruleForm(record, signal, changed = () => {}) {
	const wish = {several: "", normalise: "", total: "", tables: "", without: {labels: [], match: []}};
	const least = numeric({onchange: changed}), share = numeric({min: 0, max: 1, onchange: changed});
	const first = h("div", {class: "fields after"}), ofShares = h("div", {class: "fields"});
	let names = [];

	const choose = (key, after) => (value) => {
		wish[key] = value;
		after?.();
		changed();
	};
	const without = vertexSet(record, "Leave out", signal, (set) => {
		wish.without = set;
		without.value = set;
		changed();
	});

	function showShares() {
		replace(ofShares, field("Lengths are made from", select(SHARES, wish.normalise, choose("normalise", () => {
			showShares();
			ofShares.querySelector("select").focus();
		})), "Totals of shares also count the arcs that are dropped."),
		wish.normalise ? [field("Drop shares below", share), names.length ? field("Totals from", select([["", "the arcs of the file"], ...names.map((one) => [one, one])], wish.total, choose("total")),
			"An attribute, such as neuPrint's post, that also counts what the file lacks.") : null] : null);
	}

	replace(first, field(titled("Drop weights below", unitsOf(record).weight), least), field("Several arcs of a pair count as", select(SEVERAL, wish.several, choose("several")), "The usual: their sum; if weights are lengths, the least."),
		field("Tables", select(TABLES, wish.tables, choose("tables")), "Without tables, rows are computed when they are asked for, and there are no statistics of all pairs."));
	showShares();
	knownOf(record).then((known) => {
		names = known.names;
		showShares();
	});

	function rule(choice) {
		const left = [...wish.without.match, ...wish.without.labels.map((label) => `label:${label}`)];
		const said = {...lengths(choice), duplicates: wish.several, tables: wish.tables, min_weight: least.value, normalise: wish.normalise};
		if (wish.normalise) Object.assign(said, {normalise_by: wish.total, min_share: share.value});
		for (const name of ["min_weight", "min_share"]) if (said[name]) said[name] = Number(said[name]);
		if (left.length) said.without = left;
		return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== ""));
	}

	const choices = () => [...Object.keys(RULES), "widest"].map((choice) => [choice, ruleText({...lengths(choice), normalise: wish.normalise, normalise_by: wish.total})]);

	return {rule, choices, nodes: [first, ofShares, without.node, h("p", {class: "hint"}, "Vertices that are left out have no paths, and statistics do not count them. The arcs of others keep their lengths.",
		record.attributes?.length ? null : " Without attributes, vertices are chosen by their labels. A label with a blank or comma is written in quotes.")]};
}
