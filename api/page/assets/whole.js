/* All pairs: statistics, histograms and a picture, for one profile or two side by side. */
import {address} from "./address.js";
import {attributes, get, graphPath, url} from "./api.js";
import {histogram} from "./chart.js";
import {count, field, h, measured, number, percent, plural, replace, say, select, table, titled, trouble} from "./dom.js";
import {graphHead, hasTables, isWide, profileOf, unfit, unitsOf} from "./graph_head.js";
import {bandsOf, ends, heatmap} from "./heatmap.js";
import {waitFor} from "./jobs.js";
import {distances, ordered, SIDE_MAX} from "./matrix.js";
import {call, graphCall, share} from "./share.js";
import {sheet} from "./sheet.js";
import {called, describer} from "./vertex_input.js";

const BINS = 60;
const PICTURE_MAX = 50000; /* most vertices of a graph that is shown as a picture */

const FIGURES = [ /* [name, text, member that only some profiles have] */
	["Pairs with a path", (s) => `${count(s.reachable_pairs)} (${percent(s.reachable_fraction)})`],
	["Pairs without", (s) => count(s.unreachable_pairs)],
	["Vertices left out", (s) => count(s.left_out), "left_out"],
	["Widest", (s, unit) => measured(number(s.widest, 6), unit), "widest"],
	["Narrowest", (s, unit) => measured(number(s.narrowest, 6), unit), "narrowest"],
	["Characteristic path length", (s, unit) => measured(number(s.characteristic_path_length, 6), unit), "characteristic_path_length"],
	["Global efficiency", (s) => number(s.global_efficiency, 6), "global_efficiency"],
	["Radius", (s, unit) => measured(number(s.radius, 6), unit), "radius"],
	["Diameter", (s, unit) => measured(number(s.diameter, 6), unit), "diameter"],
	["Strong components", (s) => `${count(s.strong_components.count)}, the largest of ${count(s.strong_components.largest)}`],
	["Weak components", (s) => `${count(s.weak_components.count)}, the largest of ${count(s.weak_components.largest)}`],
];

export async function open({graph, signal}) {
	const head = await graphHead(graph, "whole", signal);
	const {record, profiles} = head;
	const known = await attributes(record).catch(() => ({names: [], of: new Map()}));
	const options = h("div", {class: "options"});
	const numbers = h("div", {class: "answer"}), charts = h("div", {class: "charts"}), pictures = h("div"), same = h("div");
	let now = null, asking = new AbortController();
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("whole", graph, {profile: next.profile, compare: next.compare, scale: next.compare ? next.scale : null,
			order: next.order === "component" ? null : next.order});
	};

	function update(params) {
		head.update(params);
		const next = {profile: profileOf(params), compare: params.get("compare"), scale: params.get("scale"), order: params.get("order") ?? "component"};
		if (now && JSON.stringify(now) === JSON.stringify(next)) return;
		const keep = now && now.profile === next.profile && now.compare === next.compare;
		now = next;
		const others = profiles.filter((name) => name !== (now.profile ?? "default") && hasTables(record.profiles?.find((one) => one.name === name) ?? {}));
		if (!options.contains(document.activeElement))
			replace(options, others.length ? field("Beside it", select([["", "nothing"], ...others.map((name) => [name, name])], now.compare ?? "", (compare) => go({compare}))) : null,
				field("Order of the picture", select([["component", "by component"], ...known.names.map((name) => [name, `by ${name}`]), ["upload", "as uploaded"]], now.order, (order) => go({order}))),
				now.compare ? field("Scale of colours", select([["", "one for both"], ["own", "each its own"]], now.scale ?? "", (scale) => go({scale}))) : null);
		find(keep);
	}

	function find(keep = false) {
		asking.abort();
		asking = new AbortController();
		signal.addEventListener("abort", () => asking.abort());
		const mine = asking.signal;
		const instead = unfit(record, now.profile, hasTables, `Profile ${now.profile ?? "default"} has no tables, so there are no statistics of all pairs.`, go);
		if (instead) {
			for (const place of [charts, pictures, same]) replace(place);
			numbers.removeAttribute("aria-busy");
			replace(numbers, instead);
			return;
		}
		numbers.setAttribute("aria-busy", "true");
		load(mine, keep).catch((error) => {
			if (error.name === "AbortError") return;
			for (const place of [charts, pictures, same]) replace(place);
			replace(numbers, waitFor(error, mine, () => find(), () => trouble(error)));
		}).finally(() => {
			if (!mine.aborted) numbers.removeAttribute("aria-busy");
		});
	}

	async function load(mine, keep) {
		const chosen = [now.profile ?? "default", ...(now.compare ? [now.compare] : [])];
		const nameOf = (profile) => (profile === "default" ? null : profile);
		const units = chosen.map((profile) => unitsOf(record, profile).length), common = units.every((one) => one === units[0]) ? units[0] : "";
		if (!keep) {
			const stats = await Promise.all(chosen.map((profile) => get(graphPath(graph, "stats"), {bins: BINS, profile: nameOf(profile), revision: record.revision}, mine)));
			const named = (profile, i) => `${profile} (${isWide(record, profile) ? "widest" : stats[i].transform})`;
			replace(numbers, table("Statistics", ["(Figure)", ...chosen.map(named)],
				FIGURES.filter(([, , member]) => !member || stats.some((one) => one[member] !== undefined)).map(([name, figure]) => [name, ...stats.map((one, i) => figure(one, units[i]))]), {class: "numbers"}));
			const measure = isWide(record, now.profile) ? "width" : "distance";
			replace(same, share({target: url(graphPath(graph, "matrices", measure), {profile: now.profile})},
				graphCall(graph, now.profile), call("matrix", [measure])));
			say(`${percent(stats[0].reachable_fraction)} of pairs have a path.`);
			if (stats.every((one) => one.reachable_pairs === 0)) {
				replace(charts);
				replace(pictures, h("div", {class: "empty"}, h("p", null, record.vertices < 2 ? "A graph of one vertex has no pairs to draw."
					: "No vertex reaches another, so there are no distances to draw.")));
				return;
			}
			const drawn = await Promise.all([[titled("Distances of all pairs", common), "distance_histogram"], ["Arcs on shortest paths", "hop_histogram"]]
				.map(([title, member]) => [title, chosen.map((name, i) => ({name, histogram: stats[i][member]})).filter((one) => one.histogram)])
				.map(([title, given]) => (given.length ? histogram(title, given, signal) : null)));
			if (mine.aborted) return;
			replace(charts, drawn.filter(Boolean), stats.map((one, i) => (one.width_histogram ? thresholds(chosen[i], one, units[i]) : null)));
		}
		if (record.vertices > PICTURE_MAX) {
			replace(pictures, h("p", {class: "hint"}, "The graph has too many vertices for a picture of all pairs; the matrix can be downloaded from its overview."));
			return;
		}
		const some = await ordered(record, {order: now.order, profile: now.profile}, mine);
		const matrices = await Promise.all(chosen.map(async (profile) => [profile, await distances(record, some, nameOf(profile), isWide(record, profile), mine)]));
		if (mine.aborted) return;
		const wide = chosen.map((profile) => isWide(record, profile)), mixed = wide.some((one) => one !== wide[0]);
		const scaleOf = (given, ofWidths) => { /* wide pairs are dark, as near ones are */
			const {least, most} = ends(given, some);
			return ofWidths ? {least: most, most: least} : {least, most};
		};
		const shared = now.scale === "own" || mixed ? null : scaleOf(matrices.map(([, matrix]) => matrix), wide[0]);
		const bands = known.names.includes(now.order) ? bandsOf(some.map(({value}) => value)) : null;
		const [rule, other] = chosen.map((profile) => record.profiles.find(({name}) => name === profile)?.transform);
		replace(pictures, h("h2", null, "All pairs"),
			h("p", {class: "hint"}, `Rows are sources, columns targets.${record.vertices > SIDE_MAX ? ` ${plural(some.length, "vertex", "vertices")} of ${count(record.vertices)}, evenly spaced in upload order.` : ""}${bands ? ` The names along the axes are values of ${now.order}.` : ""}`),
			chosen.length > 1 ? h("p", {class: "hint"}, !shared ? "Each picture has a scale of its own: compare their patterns, not their colours."
				: rule === other ? "Both have one scale." : `Both have one scale, but ${rule} and ${other} measure lengths differently: give each its own scale to compare their patterns.`) : null,
			h("div", {class: "maps"}, matrices.map(([profile, matrix], k) => h("section", {"aria-label": `${sizes(wide[k])}, ${profile}`},
				matrices.length > 1 ? h("h3", null, profile) : null,
				heatmap({n: matrix.rows, values: matrix.values, scale: shared ?? scaleOf([matrix], wide[k]), bands, title: `${sizes(wide[k])}, ${profile}`, signal,
					unit: shared ? common : units[k], legend: wide[k] ? `${number((shared ?? scaleOf([matrix], true)).most)}` : null,
					hint: `Point at a pair to read its ${wide[k] ? "width" : "distance"}; click for its path.`,
					nameOf: (row, column) => pairText(some[row], some[column], matrix.values[row * matrix.columns + column], units[k]),
					opened: (row, column) => { location.hash = address("path", graph, {profile: nameOf(profile), from: some[row].vertex, to: some[column].vertex}); }})))));
	}

	/* The number of pairs for each threshold: one table of widths answers all. */
	const thresholds = (profile, {pairs, width_histogram: {widths, pairs: counts}}, unit) => h("figure", null, h("figcaption", null, `Pairs by threshold, ${profile}`),
		sheet(`Pairs by threshold, ${profile}`, [{name: titled("All weights at least", unit), key: "width", of: ({width}) => width}, {name: "Pairs", of: (one) => one.n, show: (one) => count(one.n)},
			{name: "Share", of: (one) => one.n / pairs, show: (one) => percent(one.n / pairs)}], widths.map((width, i) => ({width, n: counts[i]})), {shown: 12, file: `${graph}-${profile}-thresholds`}));

	const sizes = (ofWidths) => (ofWidths ? "Widths" : "Distances");
	const describe = describer(known);
	function pairText(a, b, distance, unit) {
		const name = ({vertex, value}) => [called(vertex, describe), value && value !== describe(vertex) ? value : ""].filter(Boolean).join(", ");
		return `${name(a)} → ${name(b)}: ${Number.isFinite(distance) ? measured(number(distance, 6), unit) : "no path"}`;
	}

	return {title: `Whole graph · ${graph}`, update,
		nodes: [...head.nodes, options, numbers, charts, pictures, same]};
}
