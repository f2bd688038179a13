/* All pairs: statistics, histograms and a picture, for one profile or two side by side. */
import {address} from "./address.js";
import {get, graphPath, knownOf, post, url} from "./api.js";
import {histogram} from "./chart.js";
import {count, empty, facts, field, h, measured, number, percent, plural, refill, replace, say, select, titled, trouble, troubleIn} from "./dom.js";
import {graphHead, hasTables, isWide, named, profileOf, profileRecord, unfit, unitsOf} from "./graph_head.js";
import {bandsOf, ends, heatmap} from "./heatmap.js";
import {answering} from "./jobs.js";
import {distances, ordered, SIDE_MAX} from "./matrix.js";
import {unitsDiffer} from "./rule_form.js";
import {call, graphCall, share} from "./share.js";
import {sheet, shownText} from "./sheet.js";
import {called, describer} from "./vertex_input.js";

const BINS = 60, THRESHOLDS = 2046; /* largest number of bins of a histogram, and of thresholds; the daemon reports at most 2046 of them */
const SURE = THRESHOLDS / 2; /* an answer with fewer thresholds has all of them: the daemon leaves out half of more than 2045, then three quarters, and so on */
const PICTURE_MAX = 50000; /* largest number of vertices of a graph that is shown as a picture */

/* The unit of 1/length. */
const inverse = (unit) => unit && (unit.startsWith("1/") ? unit.slice(2) : `1/${unit}`);

const same = (unit) => unit, none = () => "";
const FIGURES = [ /* [name, value, function from the unit of lengths to the value's unit, function from the value to its text]; some profiles lack some of these values */
	["Pairs with a path", (s) => s.reachable_pairs, none], ["Share of all pairs", (s) => s.reachable_fraction, none, percent],
	["Pairs without", (s) => s.unreachable_pairs, none], ["Vertices left out", (s) => s.left_out, none],
	["Widest", (s) => s.widest, same], ["Narrowest", (s) => s.narrowest, same],
	["Characteristic path length", (s) => s.characteristic_path_length, same], ["Global efficiency", (s) => s.global_efficiency, inverse],
	["Radius", (s) => s.radius, same], ["Diameter", (s) => s.diameter, same],
	["Strong components", (s) => s.strong_components.count, none], ["Largest strong component", (s) => s.strong_components.largest, () => "vertices"],
	["Weak components", (s) => s.weak_components.count, none], ["Largest weak component", (s) => s.weak_components.largest, () => "vertices"],
	["Mean betweenness", (s) => s.betweenness?.mean, none], ["Largest betweenness", (s) => s.betweenness?.max, none],
	["Its vertex", (s) => s.betweenness?.max_vertex, none, (vertex, describe) => called(vertex, describe)],
];

export async function open({graph, signal}) {
	const head = await graphHead(graph, "whole", signal);
	const {record, profiles} = head;
	const known = await knownOf(record);
	const options = h("div", {class: "options"});
	const numbers = h("div", {class: "answer"}), both = h("div"), charts = h("div", {class: "charts"}), statsLine = h("div"), pictures = h("div"), line = h("div");
	const ask = answering(numbers, "Reading the statistics …", signal);
	let now = null, shown = false, none = false; /* shown: the numbers of the present profiles; none: no pair has a path in them */
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("whole", graph, {profile: next.profile, compare: next.compare, scale: next.compare && next.scale !== usualScale(next) ? next.scale : null,
			order: next.order === "component" ? null : next.order});
	};

	/* Why the lengths or widths of the profiles have different units, in words, so that no common scale suits both; "" if they have one unit. */
	const differOf = ({profile, compare}) => (compare ? unitsDiffer(...[profile ?? "default", compare].flatMap((name) => [profileRecord(record, name) ?? {}, `in ${name}`])) : "");
	const usualScale = (chosen) => (differOf(chosen) ? "own" : "one");
	const isMixed = ({profile, compare}) => Boolean(compare) && isWide(record, profile) !== isWide(record, compare);

	function update(params) {
		head.update(params);
		const next = {profile: profileOf(params), compare: params.get("compare"), scale: params.get("scale"), order: params.get("order") ?? "component"};
		if (now && JSON.stringify(now) === JSON.stringify(next)) return;
		if (now?.profile !== next.profile || now?.compare !== next.compare) shown = false;
		now = next;
		const others = profiles.filter((name) => name !== (now.profile ?? "default") && hasTables(profileRecord(record, name) ?? {}));
		refill(options, others.length ? field("Beside it", select([["", "nothing"], ...others.map((name) => [name, name])], now.compare ?? "", (compare) => go({compare}))) : null,
			field("Order of the picture", select([["component", "by component"], ...known.names.map((name) => [name, `by ${name}`]), ["upload", "as uploaded"]], now.order, (order) => go({order}))),
			now.compare && !isMixed(now) ? field("Scale of colours", select([["one", "one for both"], ["own", "each its own"]], now.scale ?? usualScale(now), (scale) => go({scale}))) : null);
		ask(async (mine) => {
			const instead = unfit(record, now.profile, hasTables, `Profile ${now.profile ?? "default"} has no tables, so there are no statistics of all pairs.`, go);
			if (!shown || instead) clear();
			if (instead) replace(numbers, instead);
			else await load(mine);
		}, (error) => {
			clear();
			return trouble(error);
		});
	}

	function clear() {
		for (const place of [both, charts, statsLine, pictures, line]) replace(place);
		shown = false;
	}

	/* The pairs with a path in both profiles, because the other figures of each count its own pairs. */
	async function samePairs([here, there], wide, mine) {
		const {counts, comparable, why_not: why, difference, rule, with: other} = await post(graphPath(graph, "compare"), {with: {profile: there}, top: 1, bins: 1}, mine, {profile: named(here), revision: record.revision});
		const unit = unitsOf(record, here).length, mean = `Their mean ${wide ? "width" : "distance"}`;
		replace(both, h("h2", null, "Pairs with a path in both profiles"),
			facts([["Pairs", count(counts.pairs - counts.lost - counts.gained - counts.unreachable)], ...comparable
				? [[`${mean}, ${here}`, number(difference.mean_here, 6), unit], [`${mean}, ${there}`, number(difference.mean_with, 6), unit], ["Difference", number(difference.mean, 6), unit]] : []]),
			h("p", {class: "hint"}, comparable ? "" : `Their ${wide ? "widths" : "lengths"} are not compared: ${unitsDiffer(rule, `in ${here}`, other.rule, `in ${there}`) || `${why}.`} `, h("a", {href: address("compare", graph, {profile: named(here), with: there})}, "Compare pair by pair")));
	}

	async function load(mine) {
		const chosen = [now.profile ?? "default", ...(now.compare ? [now.compare] : [])];
		const wide = chosen.map((profile) => isWide(record, profile)), mixed = isMixed(now);
		const units = chosen.map((profile) => unitsOf(record, profile).length), common = units.every((one) => one === units[0]) ? units[0] : "";
		if (chosen.length > 1 && !mixed && !both.hasChildNodes()) samePairs(chosen, wide[0], mine).catch(troubleIn(both));
		if (!shown) {
			const bins = wide.map((one) => (one ? THRESHOLDS : BINS));
			const stats = await Promise.all(chosen.map((profile, i) => get(graphPath(graph, "stats"), {bins: bins[i], profile: named(profile), revision: record.revision}, mine)));
			replace(numbers, sheet("Statistics", [{name: "Figure", of: ([name]) => name}, ...chosen.map((profile, i) => ({name: `${profile} (${wide[i] ? "widest" : stats[i].transform})`, key: profile,
				of: ([, value]) => value(stats[i]), show: ([, value, unit, text = shownText]) => measured(value(stats[i]) === undefined ? "–" : text(value(stats[i]), describer(known)), unit(units[i]))}))],
			FIGURES.filter(([, value]) => stats.some((one) => value(one) !== undefined)), {class: "numbers", fixed: true, file: `${graph}-statistics`}),
			chosen.length > 1 ? h("p", {class: "hint"}, "Each column counts the pairs with a path in its own profile. A profile without its far pairs has a smaller mean, so means of different pairs say little about lengths.") : null);
			if (stats.some((one) => (one.radius ?? null) !== null))
				numbers.append(h("p", {class: "hint"}, "Radius and diameter are the least and the largest distance from a vertex to the farthest vertex that it reaches. A vertex that reaches only a few near vertices can set the radius, which may then be less than the characteristic path length."));
			if (stats.some((one) => one.global_efficiency === null && one.reachable_pairs > 0))
				numbers.append(h("p", {class: "hint"}, "Global efficiency is the mean of 1/distance. It is not defined here, because the distance of some pair is 0."));
			const measure = wide[0] ? "width" : "distance";
			replace(statsLine, share({target: url(graphPath(graph, "stats"), {bins: bins[0], profile: now.profile})}, graphCall(graph, now.profile), call("stats", [], {bins: bins[0]})));
			replace(line, share({target: url(graphPath(graph, "matrices", measure), {profile: now.profile})},
				graphCall(graph, now.profile), call("matrix", [measure])));
			say(`${percent(stats[0].reachable_fraction)} of pairs have a path.`);
			shown = true;
			none = stats.every((one) => one.reachable_pairs === 0);
			if (!none) replace(charts, [["Distances of all pairs", common, "distance"], ["Arcs on shortest paths", "", "hop"]].map(([title, unit, kind]) => {
				const given = chosen.map((name, i) => ({name, histogram: stats[i][`${kind}_histogram`]})).filter((one) => one.histogram);
				return given.length ? histogram(title, given, {unit, whole: kind === "hop" || stats.every(({transform}) => transform === "hops"), file: `${graph}-${kind}s`, signal}) : null;
			}), stats.map((one, i) => (one.width_histogram ? thresholds(chosen[i], one, units[i]) : null)));
		}
		if (none) {
			replace(pictures, empty(record.vertices < 2 ? "A graph of one vertex has no pairs to draw." : "No vertex reaches another, so there are no distances to draw."));
			return;
		}
		if (record.vertices > PICTURE_MAX) {
			replace(pictures, h("p", {class: "hint"}, "The graph has too many vertices for a picture of all pairs; the matrix can be downloaded from its overview."));
			return;
		}
		const some = await ordered(record, {order: now.order, profile: now.profile}, mine);
		const matrices = await Promise.all(chosen.map(async (profile) => [profile, await distances(record, some, named(profile), isWide(record, profile), mine)]));
		if (mine.aborted) return;
		const scaleOf = (given, ofWidths) => { /* pairs with large widths are dark, as near pairs are */
			const {least, most} = ends(given, some);
			return ofWidths ? {least: most, most: least} : {least, most};
		};
		const shared = mixed || (now.scale ?? usualScale(now)) === "own" ? null : scaleOf(matrices.map(([, matrix]) => matrix), wide[0]);
		const bands = known.names.includes(now.order) ? bandsOf(some.map(({value}) => value)) : null;
		const differ = differOf(now).replace(/^u/, " U");
		replace(pictures, h("h2", null, "All pairs"),
			h("p", {class: "hint"}, `Rows are sources, columns targets.${record.vertices > SIDE_MAX ? ` ${plural(some.length, "vertex", "vertices")} of ${count(record.vertices)}, evenly spaced in upload order.` : ""}${bands ? ` The names along the axes are values of ${now.order}.` : ""}`),
			chosen.length > 1 ? h("p", {class: "hint"}, `${shared ? "Both have one scale." : "Each picture has a scale of its own: compare their patterns, not their colours."}${differ}`) : null,
			h("div", {class: "maps"}, matrices.map(([profile, matrix], k) => h("section", {"aria-label": `${sizes(wide[k])}, ${profile}`},
				matrices.length > 1 ? h("h3", null, profile) : null,
				heatmap({n: matrix.rows, values: matrix.values, scale: shared ?? scaleOf([matrix], wide[k]), bands, title: `${sizes(wide[k])}, ${profile}`, signal,
					unit: shared ? common : units[k], legend: wide[k] ? `${number((shared ?? scaleOf([matrix], true)).most)}` : null,
					hint: `Point at a pair to read its ${wide[k] ? "width" : "distance"}; click for its path.`,
					nameOf: (row, column) => pairText(some[row], some[column], matrix.values[row * matrix.columns + column], units[k]),
					opened: (row, column) => { location.hash = address("path", graph, {profile: named(profile), from: some[row].vertex, to: some[column].vertex}); }})))));
	}

	/* The number of pairs for each threshold: one table of widths answers all. */
	const thresholds = (profile, {pairs, width_histogram: {widths, pairs: counts}}, unit) => h("figure", null, h("figcaption", null, `Pairs by threshold, ${profile}`),
		h("p", {class: "hint"}, "Each row counts the pairs that have a path on which every arc has at least this weight. ", widths.length < SURE
			? `There ${widths.length === 1 ? "is" : "are"} ${plural(widths.length, "threshold")}; between two of them, the number of pairs stays the same.`
			: `The table has ${plural(widths.length, "threshold")}. If there are more than ${count(THRESHOLDS - 1)}, the daemon leaves out some between these; the number of pairs of each row is exact.`),
		sheet(`Pairs by threshold, ${profile}`, [{name: titled("All weights at least", unit), key: "width", of: ({width}) => width}, {name: "Pairs", of: (one) => one.n, show: (one) => count(one.n)},
			{name: "Share", of: (one) => one.n / pairs, show: (one) => percent(one.n / pairs)}], widths.map((width, i) => ({width, n: counts[i]})), {shown: 12, file: `${graph}-${profile}-thresholds`}));

	const sizes = (ofWidths) => (ofWidths ? "Widths" : "Distances");
	const describe = describer(known);
	function pairText(a, b, distance, unit) {
		const name = ({vertex, value}) => [called(vertex, describe), value && value !== describe(vertex) ? value : ""].filter(Boolean).join(", ");
		return `${name(a)} → ${name(b)}: ${Number.isFinite(distance) ? measured(number(distance, 6), unit) : "no path"}`;
	}

	return {title: `Whole graph · ${graph}`, update,
		nodes: [...head.nodes, options, numbers, both, charts, statsLine, pictures, line]};
}
