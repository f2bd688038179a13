/* Shortest paths between two vertices: one, all, the k shortest, or around avoided vertices. */
import {address} from "./address.js";
import {get, graphPath, knownOf, url} from "./api.js";
import {choice, count, details, empty, facts, field, h, lengthHead, measured, number, plural, refill, replace, say, titled, unknown} from "./dom.js";
import {drawDag, folds, strengths} from "./dag.js";
import {graphHead, isWide, profileOf, profileRecord, unitsOf} from "./graph_head.js";
import {answering} from "./jobs.js";
import {call, graphCall, share, source} from "./share.js";
import {fromTo, sheet} from "./sheet.js";
import {called, describer, leftOutText, swapButton, vertexInput} from "./vertex_input.js";

const SPOKEN = 8; /* if a path has more vertices between its ends, screen readers do not announce them */

export async function open({graph, signal}) {
	const head = await graphHead(graph, "path", signal);
	let now = {};
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("path", graph, {
			profile: next.profile, from: next.from, to: next.to, show: next.show === "one" ? null : next.show,
			k: next.show === "k" ? next.k : null, hops: next.show === "one" ? next.hops : null, avoid: next.avoid, pick: next.pick > 0 ? next.pick : null,
		});
	};
	const from = vertexInput(head.record, "From", signal, (vertex) => vertex !== now.from && go({from: vertex, avoid: [], pick: 0}));
	const to = vertexInput(head.record, "To", signal, (vertex) => vertex !== now.to && go({to: vertex, avoid: [], pick: 0}));
	const options = h("div", {class: "options"}), answer = h("div", {class: "answer"});
	const ask = answering(answer, "Looking for the path …", signal);
	let describe = () => ""; /* the names of vertices, once they are read */
	let pick = null; /* shows another of the k shortest paths */

	function update(params) {
		head.update(params);
		const before = now;
		now = {
			profile: profileOf(params), from: params.get("from") ?? "", to: params.get("to") ?? "",
			show: params.get("show") ?? "one", k: params.get("k") ?? "10", hops: params.get("hops") ?? "",
			avoid: params.getAll("avoid"), pick: Number(params.get("pick") ?? 0),
		};
		from.value = now.from;
		to.value = now.to;
		showOptions();
		if (pick && JSON.stringify({...before, pick: now.pick}) === JSON.stringify(now)) pick();
		else find();
	}

	function showOptions() {
		const k = h("input", {type: "number", min: 1, max: 1000, value: now.k, onchange: () => k.value && go({k: k.value, pick: 0})});
		const hops = h("input", {type: "number", min: 0, value: now.hops, placeholder: "any", onchange: () => go({hops: hops.value})});
		const wide = isWide(head.record, now.profile); /* widest paths cannot be drawn in layers, and have no order */
		refill(options, wide && now.show === "one" ? null : choice("Show", "show", [["one", wide ? "One widest path" : "One shortest path"], ["all", "All of them"], ["k", "The k shortest"]],
			now.show, (show) => go({show, pick: 0})),
		now.show === "k" ? field("How many", k) : null, now.show === "one" ? field("Arcs at most", hops) : null);
	}

	function find() {
		pick = null;
		const query = {
			from: now.from, to: now.to, profile: now.profile, avoid: now.avoid,
			ties: now.show === "all" ? "all" : null, k: now.show === "k" ? now.k : null,
			hops: now.show === "one" && now.hops ? `..${now.hops}` : null,
		};
		ask(async (mine) => {
			if (!now.from || !now.to) {
				replace(answer, empty("Choose two vertices to see how a signal gets from one to the other."));
				return;
			}
			const found = await get(graphPath(graph, "path"), {...query, revision: head.record.revision}, mine);
			describe = describer(await knownOf(head.record));
			if (!mine.aborted) show(found, query);
		}, (error) => [avoided(), unknown(error, [now.from, now.to], (wrong, vertex) => go({[now.from === wrong ? "from" : "to"]: vertex, pick: 0}), describe)]);
	}

	const avoided = () => (now.avoid.length ? h("p", null, "Around: ", now.avoid.map((vertex) => h("span", {class: "chip"}, called(vertex, describe),
		h("button", {type: "button", "aria-label": `Allow ${called(vertex, describe)} again`, onclick: () => go({avoid: now.avoid.filter((v) => v !== vertex)})}, "×")))) : null);

	function show(found, query) {
		const same = share({target: url(graphPath(graph, "path"), query)}, graphCall(graph, now.profile), call("path", [now.from, now.to],
			{ties: query.ties !== null, k: query.k && Number(query.k), hops: query.hops, avoid: now.avoid}));
		if (!found.reachable) {
			const text = whyNone(found);
			say(text);
			replace(answer, avoided(), empty(text, [h("a", {href: address("reach", graph, {of: now.from, profile: now.profile})}, `What ${called(now.from, describe)} reaches`)]), same);
			return;
		}
		const drawing = h("div"), picked = () => Math.min(now.pick, found.paths.length - 1);
		const draw = () => replace(drawing, drawPath(found.paths ? found.paths[picked()] : found, found, query));
		replace(answer, avoided(), found.paths ? pathTable(found.paths, picked) : null, drawing, same);
		if (found.paths) pick = () => {
			for (const one of answer.querySelectorAll("[aria-pressed]")) one.setAttribute("aria-pressed", Number(one.dataset.rank) === picked() + 1);
			draw();
		};
		draw();
	}

	function whyNone({limited_by: limits, left_out: out}) {
		if (out?.length) return leftOutText(out.map((end) => now[end]), describe);
		const kept = (limits ?? []).map((option) => (option === "avoid" ? "around what is avoided" : `of ${plural(Number(now.hops), "arc")} at most`));
		return `There is no path from ${called(now.from, describe)} to ${called(now.to, describe)}${kept.length ? ` ${kept.join(" and ")}, but there are others` : ""}.`;
	}

	/* One path, or all shortest paths at once: numbers, drawing, arcs. */
	function drawPath(shown, found, query) {
		const wide = found.width !== undefined, units = unitsOf(head.record, now.profile);
		const dag = shown.path ? dagOf(shown) : {vertices: shown.vertices, arcs: shown.arcs};
		const {strength, words, scale} = strengths(wide ? "widest" : found.transform, (found.paths ?? [dag]).flatMap(({arcs}) => arcs), units);
		const figures = [wide ? ["Width", shown.width === null ? "–" : number(shown.width, 6), units.length] : ["Distance", number(shown.distance, 6), units.length], ["Arcs", count(shown.hops)],
			now.show === "all" ? ["Shortest paths", found.count === null ? "too many to count" : count(found.count)] : ["Weight", number(shown.weight), units.weight],
			...now.show === "k" ? [["Paths found", count(found.count)]] : []];
		const title = `${called(now.from, describe)} to ${called(now.to, describe)}`, between = shown.path?.slice(1, -1) ?? [];
		say(`${title}: ${figures.map(([term, value, unit]) => `${term} ${measured(value, unit)}`).join(", ")}${between.length && between.length <= SPOKEN ? `, by ${between.map((vertex) => called(vertex, describe)).join(", ")}` : ""}.`);
		return [facts(figures), found.cyclic ? h("p", null, "Arcs of length 0 form cycles here, so the paths have no layers to draw.")
			: drawDag({...dag, arcs: dag.arcs.map((arc) => ({...arc, strength: strength(arc)})), ends: [now.from, now.to], describe, scale,
				act: {name: (vertex) => `Avoid ${vertex}`, mark: "×", call: (vertex) => go({avoid: [...now.avoid, vertex], pick: 0})},
				file: {name: `${graph}-${now.from}-${now.to}`, title, source: source(graph, found, profileRecord(head.record, now.profile), units, url(graphPath(graph, "path"), query).search.slice(1))}}),
		found.truncated ? h("p", {class: "hint"}, `Only ${count(found.arcs.length)} of ${count(found.n_arcs)} arcs are shown.`) : null,
		dag.vertices.length > 2 ? h("p", {class: "hint"}, folds(dag.vertices, dag.arcs) ? "Each box is a layer; the table has the arcs between them."
			: `Choose a vertex in the drawing to go around it.${words}${words && found.paths?.length > 1 ? " All paths of the list have one scale." : ""}`) : null,
		details("The arcs as a table", sheet("Arcs", [...fromTo(describe), {name: titled("Weight", units.weight), key: "weight", of: (arc) => arc.weight},
			{name: lengthHead(profileRecord(head.record, now.profile), units.length), ...dag.arcs.some((arc) => arc.width !== undefined) ? {key: "width", of: (arc) => arc.width} : {key: "length", of: (arc) => arc.length}}], dag.arcs, {file: `${graph}-${now.from}-${now.to}-arcs`}))];
	}

	/* A click on a path draws it. In CSV, a path is an array in JSON, as in the daemon's own CSV. */
	const pathTable = (paths, picked) => sheet("The k shortest paths", [{name: "Rank", of: ({rank}) => rank},
		{name: titled("Distance", unitsOf(head.record, now.profile).length), key: "distance", of: ({distance}) => distance}, {name: "Arcs", key: "hops", of: ({hops}) => hops},
		{name: "Path", of: ({path}) => JSON.stringify(path), beside: ({path}) => (path.some(describe) ? JSON.stringify(path.map(describe)) : ""),
			show: ({path, rank}) => h("button", {type: "button", "data-rank": rank, "aria-pressed": String(rank === picked() + 1), onclick: () => go({pick: rank - 1})},
				path.map((vertex) => called(vertex, describe)).join(" → "))}],
	paths.map((path, i) => ({...path, rank: i + 1})), {class: "wide paths", file: `${graph}-${now.from}-${now.to}-paths`});

	const swap = swapButton(() => {
		[from.input.value, to.input.value] = ["", ""];
		go({from: now.to, to: now.from, avoid: [], pick: 0});
	});
	return {title: `Paths · ${graph}`, update,
		nodes: [...head.nodes, h("div", {class: "ask", role: "search", "aria-label": "Path"}, from.node, swap, to.node), options, answer]};
}

/* A path is a DAG with one vertex in each layer. A vertex that a walk repeats is drawn once. */
function dagOf({path, arcs}) {
	const layer = new Map();
	path.forEach((vertex, i) => layer.has(vertex) || layer.set(vertex, i));
	return {
		vertices: [...layer].map(([vertex, i]) => ({vertex, layer: i})),
		arcs: arcs.map((arc, i) => ({...arc, from: path[i], to: path[i + 1]})),
	};
}
