/* The vertices that a vertex reaches, or that reach it, within a number of arcs or a distance. */
import {address} from "./address.js";
import {downloadLink, fewValued, get, graphPath, knownOf, part, url} from "./api.js";
import {choice, empty, facts, field, h, measured, number, percent, plural, refill, replace, say, select, titled, trouble, unknown} from "./dom.js";
import {graphHead, isWide, profileOf, profileRecord, unitsOf} from "./graph_head.js";
import {answering} from "./jobs.js";
import {call, graphCall, share} from "./share.js";
import {sheet} from "./sheet.js";
import {called, describer, leftOutText, vertexInput} from "./vertex_input.js";
import {matching} from "./vertex_set.js";

const FIRST = {weight: "strongest", length: "shortest", width: "widest"}; /* the first arc in each order */
const GROUPS = 60; /* an attribute with more values than this groups vertices only if the address names it */

export async function open({graph, signal}) {
	const head = await graphHead(graph, "reach", signal);
	const known = await knownOf(head.record);
	const describe = describer(known);
	let now = {}, wide = false, unit = ""; /* wide: the profile has widths in place of distances; unit: the unit of the widths or distances */
	const usual = fewValued(known, GROUPS)[0] ?? known.names[0] ?? "";
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("reach", graph, {
			profile: next.profile, of: next.of, direction: next.direction === "in" ? "in" : null,
			hops: next.hops, distance: next.distance, group: next.group === usual ? null : next.group,
		});
	};
	const of = vertexInput(head.record, "Vertex", signal, (vertex) => vertex !== now.of && go({of: vertex}));
	const hops = h("input", {type: "number", min: 0, placeholder: "any", onchange: () => go({hops: hops.value})});
	const distance = h("input", {type: "number", step: "any", placeholder: "any", onchange: () => go({distance: distance.value})});
	const distanceField = field("Distance at most", distance);
	const options = h("div", {class: "options"}), answer = h("div", {class: "answer"});
	const ask = answering(answer, "Looking for the vertices …", signal);

	function update(params) {
		head.update(params);
		now = {
			profile: profileOf(params), of: params.get("of") ?? "", direction: params.get("direction") ?? "out",
			hops: params.get("hops") ?? "", distance: params.get("distance") ?? "", group: params.get("group") ?? usual,
		};
		of.value = now.of;
		hops.value = now.hops;
		distance.value = now.distance;
		wide = isWide(head.record, now.profile);
		distanceField.querySelector("label").textContent = titled(wide ? "Width at least" : "Distance at most", unit = unitsOf(head.record, now.profile).length);
		refill(options, choice("Direction", "direction", [["out", "What it reaches"], ["in", "What reaches it"]], now.direction, (direction) => go({direction})),
			known.names.length ? field("Group by", select(known.names.map((name) => [name, name]), now.group, (group) => go({group}))) : null);
		find();
	}

	function find() {
		const query = {
			direction: now.direction === "in" ? "in" : null, max_hops: now.hops,
			...wide ? {min_width: now.distance, values: "width"} : {max_distance: now.distance, values: "distance,hops"}, profile: now.profile,
		};
		const path = graphPath(graph, "vertices", part(now.of), "reachable");
		ask(async (mine) => {
			if ([".", ".."].includes(now.of)) replace(answer, trouble({message: `A browser cannot ask for the vertex '${now.of}', because it removes this label from the path of an address.`, advice: "The Python client can, and so can curl with --path-as-is."}));
			else if (now.of) show(await get(path, {...query, revision: head.record.revision}, mine), path, query);
			else replace(answer, empty("Choose a vertex to see what it reaches, or what reaches it."));
		}, (error) => unknown(error, [now.of], (_, vertex) => go({of: vertex}), describe));
	}

	function show(found, path, query) {
		const others = found.vertices.map((vertex, i) => ({vertex, size: (wide ? found.width : found.distance)[i], hops: found.hops?.[i], steps: found.steps?.[i]}))
			.filter(({vertex}) => vertex !== now.of).sort((a, b) => (wide ? b.size - a.size : a.size - b.size));
		const all = head.record.vertices - (profileRecord(head.record, now.profile)?.left_out ?? 0) - 1, name = called(now.of, describe);
		const reaches = now.direction === "in" ? "is reached by" : "reaches";
		const limit = [now.hops && `within ${plural(Number(now.hops), "arc")}`, now.distance && (wide ? `by weights of at least ${measured(now.distance, unit)}` : `within ${measured(now.distance, unit)}`)].filter(Boolean).join(" and ");
		const csv = {...query, format: "csv"}, same = share({target: url(path, csv)}, graphCall(graph, now.profile), call("reach", [now.of], {
			direction: query.direction, max_hops: now.hops && Number(now.hops), [wide ? "min_width" : "max_distance"]: now.distance && Number(now.distance), values: wide ? ["width"] : ["distance", "hops"]}));
		if (Object.values(found.left_out ?? {}).flat().includes(now.of)) {
			const text = leftOutText([now.of], describe);
			say(text);
			replace(answer, empty(text), same);
			return;
		}
		say(`${name} ${reaches} ${plural(others.length, "vertex", "vertices")}`);
		const order = wide ? "width" : profileRecord(head.record, now.profile)?.transform === "none" ? "length" : "weight";
		replace(answer, facts([[`${name} ${reaches}`, plural(others.length, "vertex", "vertices")],
			["Of all others", all > 0 ? percent(others.length / all) : "–"],
			[wide ? "Narrowest" : "Farthest", others.length ? number(others.at(-1).size) : "–", unit]]),
		h("p", null, downloadLink(graphPath(graph, "vertices", part(now.of), "arcs"), {direction: query.direction, sort: order, profile: now.profile, revision: head.record.revision, format: "csv"}, `${graph}-${now.of}-arcs.csv`,
			`The arcs ${now.direction === "in" ? "to" : "from"} it as CSV, the ${FIRST[order]} first`)),
		limit ? h("p", {class: "hint"}, `Only ${limit}.${now.hops && !wide ? " Steps are the fewest arcs; distance and arcs are those of the path that is shortest by length, which may have more." : ""}`) : null,
		others.length ? [groups(others), h("h2", null, wide ? "Vertices, widest first" : "Vertices, nearest first"), list(others)]
			: empty(`Nothing else ${now.direction === "in" ? "reaches it" : "is reached"}${limit ? ` ${limit}` : ""}.`),
		same);
	}

	/* The number of vertices in the set for each value of the attribute, and their share of those that are not left out. */
	function groups(others) {
		const at = known.names.indexOf(now.group);
		if (at < 0) return h("p", {class: "hint"}, "Give the graph's vertices attributes (Overview) to see them by groups here.");
		const profile = profileRecord(head.record, now.profile), total = new Map(), within = new Map();
		const out = new Set(matching(known, (profile?.served ?? profile)?.without ?? [])); /* served: the rule by which the profile answers while a new one is computed */
		for (const [vertex, values] of known.of) if (vertex !== now.of && !out.has(vertex)) total.set(values[at], (total.get(values[at]) ?? 0) + 1);
		for (const {vertex, size} of others) {
			const value = known.of.get(vertex)?.[at] ?? "";
			const group = within.get(value) ?? {n: 0, nearest: size};
			group.n++;
			within.set(value, group);
		}
		const sorted = [...within].map(([value, group]) => ({value, ...group, share: group.n / total.get(value)})).sort((a, b) => b.n - a.n);
		return [h("h2", null, `By ${now.group}`), sheet(`By ${now.group}`, [{name: now.group, of: ({value}) => value, show: ({value}) => value || "(none)"},
			{name: "Vertices", of: ({n}) => n}, {name: titled(wide ? "Widest" : "Nearest", unit), key: wide ? "widest" : "nearest", of: ({nearest}) => nearest, show: ({nearest}) => number(nearest)},
			{name: "Share of the group", key: "share", drawn: true, of: ({share}) => share, show: ({share, value}) =>
				[percent(share), h("progress", {max: 1, value: share, "aria-label": `Share of ${value || "those without a value"}`})]}],
		sorted, {class: "wide bars", shown: 40, file: `${graph}-${now.of}-by-${now.group}`})];
	}

	const list = (others) => sheet("Vertices", [{name: "Vertex", of: ({vertex}) => vertex, beside: ({vertex}) => describe(vertex)},
		...now.hops !== "" ? [{name: "Steps", of: ({steps}) => steps}] : [],
		{name: titled(wide ? "Width" : "Distance", unit), key: wide ? "width" : "distance", of: ({size}) => size, show: ({size}) => number(size)}, ...wide ? [] : [{name: "Arcs", of: ({hops}) => hops}],
		{name: "Path", show: ({vertex}) => h("a", {href: address("path", graph, {profile: now.profile, from: now.direction === "in" ? vertex : now.of, to: now.direction === "in" ? now.of : vertex}),
			"aria-label": `Path ${now.direction === "in" ? "from" : "to"} ${called(vertex, describe)}`}, "Path")}], others, {class: "wide", file: `${graph}-${now.of}`});

	return {title: `Reachability · ${graph}`, update,
		nodes: [...head.nodes, h("div", {class: "ask two", role: "search", "aria-label": "Reachability"}, of.node,
			field("Arcs at most", hops), distanceField), options, answer]};
}
