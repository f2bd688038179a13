/* Distances between groups of vertices: a picture of both values, mean distance and share of pairs with a path, and a table. */
import {address} from "./address.js";
import {attributes, fewValued, graphPath, post, url} from "./api.js";
import {choice, count, empty, field, h, measured, number, percent, plural, refill, replace, say, select, titled} from "./dom.js";
import {graphHead, isWide, profileOf, unitsOf} from "./graph_head.js";
import {bandsOf, heatmap} from "./heatmap.js";
import {answering} from "./jobs.js";
import {call, graphCall, share} from "./share.js";
import {sheet} from "./sheet.js";
import {called, describer, isKind} from "./vertex_input.js";
import {bodyOf, forPython, isEmpty, vertexSet} from "./vertex_set.js";

const VALUES_MAX = 512; /* largest number of values of an attribute for which the daemon answers all pairs at once */
const words = new Intl.Collator("en", {numeric: true});

/* The two values of a pair of groups: [short, long]. */
const showOf = (wide) => ({mean: wide ? ["Mean width", "Mean width of the pairs with a path"] : ["Mean distance", "Mean distance of the pairs with a path"],
	share: ["Share reachable", "Share of pairs with a path"]});

export async function open({graph, signal}) {
	const head = await graphHead(graph, "groups", signal);
	const known = await attributes(head.record);
	const names = fewValued(known, VALUES_MAX), usual = names.find(isKind) ?? names[0] ?? "";
	const describe = describer(known);
	const options = h("div", {class: "options"}), answer = h("div", {class: "answer"});
	const ask = answering(answer, "Comparing groups …", signal);
	let now = {}, asked = null;
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("groups", graph, {profile: next.profile, by: next.by === usual ? null : next.by, show: next.show === "mean" ? null : next.show,
			from: next.from.labels, from_match: next.from.match, to: next.to.labels, to_match: next.to.match});
	};
	const from = vertexSet(head.record, "Only from", signal, (set) => go({from: set}));
	const to = vertexSet(head.record, "Only to", signal, (set) => go({to: set}));
	/* {sources: of(set), targets: of(set)}, without a set that has no vertices. */
	const sets = (of) => Object.fromEntries([["sources", now.from], ["targets", now.to]].filter(([, set]) => !isEmpty(set)).map(([name, set]) => [name, of(set)]));
	const question = () => ({attribute: now.by, ...sets(bodyOf)});

	function update(params) {
		head.update(params);
		now = {profile: profileOf(params), by: params.get("by") ?? usual, show: params.get("show") === "share" ? "share" : "mean",
			from: {labels: params.getAll("from"), match: params.getAll("from_match")}, to: {labels: params.getAll("to"), match: params.getAll("to_match")}};
		from.value = now.from;
		to.value = now.to;
		refill(options, names.length ? [field("Groups", select(names.map((name) => [name, `by ${name}`]), now.by, (by) => go({by}))),
			choice("Colours", "show", Object.entries(showOf(isWide(head.record, now.profile))).map(([key, [text]]) => [key, text]), now.show, (show) => go({show}))] : null);
		ask(async (mine) => {
			if (!names.length) {
				replace(answer, empty("Groups are vertices with the same value of an attribute.", [h("a", {href: address("overview", graph)}, "Give the graph's vertices attributes")]));
				return;
			}
			const key = JSON.stringify([now.profile, question()]);
			if (asked?.key !== key) asked = {key, found: await post(graphPath(graph, "groups"), question(), mine, {profile: now.profile, revision: head.record.revision})};
			show(asked.found);
		});
	}

	const pathOf = ([from, to]) => address("path", graph, {profile: now.profile, from, to});

	/* The vertices of a set that have this value of the attribute. Conditions of one attribute add vertices, so this value stands in their place. */
	function having(set, value) {
		const at = known.names.indexOf(now.by);
		if (!set.match.length && set.labels.length) return {labels: set.labels.filter((vertex) => (known.of.get(vertex)?.[at] ?? "") === value), match: []};
		return {labels: [], match: [`${now.by}:${value}`, ...set.match.filter((one) => !one.startsWith(`${now.by}:`))]};
	}

	/* The circuit between two groups, with groups as its vertices. */
	function circuitOf(row, column) {
		const from = having(now.from, row), to = having(now.to, column);
		return address("circuit", graph, {profile: now.profile, from: from.labels, from_match: from.match, to: to.labels, to_match: to.match, by: now.by});
	}

	function show(found) {
		const wide = isWide(head.record, now.profile), titles = showOf(wide)[now.show], unit = unitsOf(head.record, now.profile).length;
		const ends = (pair) => (wide ? pair.widest : pair.nearest), best = (pair) => (wide ? pair.max : pair.min); /* the nearest or widest pair, and its value */
		const values = [...new Set(found.groups.flatMap(({from, to}) => [from, to]))].sort(words.compare), n = values.length;
		const at = new Map(values.map((value, i) => [value, i])), cells = Array(n * n).fill(null);
		for (const pair of found.groups) cells[at.get(pair.from) * n + at.get(pair.to)] = pair;
		const drawn = Float64Array.from(cells, (pair) => pair?.[now.show] ?? NaN), finite = drawn.filter(Number.isFinite);
		/* Short distances, large widths and large shares are dark. A few far pairs of groups would make all other colours alike. */
		const sorted = finite.sort((a, b) => a - b), at90 = sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 1, top = sorted.at(-1) ?? 1;
		const [low, high] = [sorted[0] ?? 0, at90 > (sorted[0] ?? 0) ? at90 : top];
		const scale = now.show === "share" ? {least: 1, most: 0} : wide ? {least: top, most: 0} : {least: low < high ? low : 0, most: high};
		const text = (row, column) => {
			const pair = cells[row * n + column];
			if (!pair?.pairs) return `${values[row]} → ${values[column]}: no pairs`;
			return `${values[row]} → ${values[column]}: ${ends(pair) ? `mean ${wide ? "width" : "distance"} ${measured(number(pair.mean), unit)}, ${wide ? "largest" : "least"} ${measured(number(best(pair)), unit)}; ` : ""}${percent(pair.share)} of ${plural(pair.pairs, "pair")} ${pair.pairs === 1 ? "has" : "have"} a path`;
		};
		say(`${plural(n, "group")} by ${now.by}`);
		replace(answer, h("h2", null, titled(titles[1], now.show === "mean" ? unit : "")), h("p", {class: "hint"}, `Rows are sources, columns targets: the ${plural(n, "value")} of ${now.by}. All pairs of different vertices ${isEmpty(now.from) && isEmpty(now.to) ? "" : "of these sets "}count.`),
			heatmap({n, values: drawn, scale, bands: bandsOf(values), title: `${titles[0]} by ${now.by}`, signal, nameOf: text,
				hint: `Point at two groups to read their numbers; click for ${wide ? "their widest path" : "the circuit between them"}.`, unit: now.show === "mean" ? unit : "", legend: `${number(scale.most)}${now.show === "mean" && scale.most < top && !wide ? " and more" : ""}`,
				opened: (row, column) => { /* circuits need distances */
					const pair = cells[row * n + column];
					if (wide ? pair?.widest : pair?.pairs) location.hash = wide ? pathOf(pair.widest) : circuitOf(values[row], values[column]);
				}}),
			h("h2", null, "Pairs of groups"), sheet("Pairs of groups", [{name: "From", of: ({from}) => from}, {name: "To", of: ({to}) => to},
				{name: "Pairs", aside: true, of: ({pairs}) => pairs, show: ({pairs}) => count(pairs)}, {name: "With a path", key: "share", aside: true, of: ({share}) => share, show: ({share}) => percent(share)},
				{name: titled("Mean", unit), key: "mean", of: ({mean}) => mean, show: ({mean}) => number(mean)}, {name: titled(wide ? "Largest" : "Least", unit), key: wide ? "max" : "min", of: best, show: (pair) => number(best(pair))},
				{name: wide ? "Widest pair" : "Nearest pair", aside: true, show: (pair) => (ends(pair)
					? h("a", {href: pathOf(ends(pair))}, ends(pair).map((vertex) => called(vertex, describe)).join(" → ")) : "–")},
				...["from", "to"].map((end, i) => ({name: `${wide ? "widest" : "nearest"}_${end}`, saved: true, of: (pair) => ends(pair)?.[i], beside: (pair) => ends(pair) && describe(ends(pair)[i])}))],
			found.groups.filter(({pairs}) => pairs > 0), {class: "wide brief", file: `${graph}-${now.by}`}),
			share({method: "POST", target: url(graphPath(graph, "groups"), {profile: now.profile}), body: question(), type: "application/json"},
				graphCall(graph, now.profile), call("groups", [now.by], sets(forPython))));
	}

	return {title: `Groups · ${graph}`, update, nodes: [...head.nodes, names.length ? h("div", {class: "ask", role: "search", "aria-label": "Groups"}, from.node, to.node) : null, options, answer]};
}
