/* The list of graphs, and uploads of new ones. */
import {address} from "./address.js";
import {allGraphs, get, graphPath, put, url} from "./api.js";
import {badge, h, plural, replace, ruleText, say, troubleIn} from "./dom.js";
import {call, share} from "./share.js";
import {sheet} from "./sheet.js";
import {uploader} from "./upload.js";

const SAMPLE = new URL("celegans_newman.csv", import.meta.url);

/* Upload the sample under a name that is not used yet. names: those that were used when the list was opened. */
async function sample(names, signal) {
	const body = await (await fetch(SAMPLE, {signal})).blob();
	for (let i = 1; ; i++) {
		const name = i === 1 ? "celegans" : `celegans-${i}`;
		if (names.has(name)) continue;
		try {
			await put(graphPath(name), {query: {transform: "inv"}, body, type: "text/csv", fresh: true, signal});
			location.hash = address("overview", name);
			return;
		} catch (error) {
			if (error.type !== "precondition-failed") throw error;
		}
	}
}

function stateOf(graph) {
	if (graph.pending) {
		const state = graph.pending.profiles[0]?.state;
		return graph.revision && state !== "failed" ? "computing" : state ?? "waiting";
	}
	const states = graph.profiles.map((profile) => profile.state);
	return ["computing", "failed", "cancelled", "closed"].find((state) => states.includes(state)) ?? (graph.revision ? "ready" : "failed");
}

/* The running job of a graph. */
const jobOf = (graph) => [graph, graph.pending].flatMap((one) => one?.profiles ?? [])
	.find((profile) => profile.state === "computing")?.job;

/* Draw the graphs again after each change of a running job. */
async function keep(graphs, draw, signal) {
	const ended = new Set();
	for (let id; (id = graphs.map(jobOf).find((one) => one && !ended.has(one)));) {
		const job = await get(`v1/jobs/${id}`, {wait: 30}, signal);
		if (!["queued", "running"].includes(job.state)) ended.add(id);
		draw(graphs = await allGraphs(signal));
	}
}

const profileText = ({name, path, transform}) => `${name} · ${path === "widest" ? "widest" : transform ?? "–"}`;
const shownOf = (graph) => (graph.revision ? graph : graph.pending ?? graph);
const COLUMNS = [
	{name: "Graph", of: ({name}) => name, show: ({name}) => h("a", {href: address("overview", name)}, name)},
	{name: "State", of: stateOf, show: (graph) => badge(stateOf(graph))},
	{name: "Vertices", of: (graph) => shownOf(graph).vertices}, {name: "Arcs", of: (graph) => shownOf(graph).arcs},
	{name: "Weights in", aside: true, of: (graph) => shownOf(graph).weight_unit},
	{name: "Profiles", aside: true, of: (graph) => shownOf(graph).profiles.map(profileText).join(", "), show: (graph) => shownOf(graph).profiles.map((profile) => h("span", {class: "chip", title: ruleText(profile)}, profileText(profile)))},
];

export async function open({signal}) {
	const graphs = await allGraphs(signal);
	const names = new Map(graphs.map((graph) => [graph.name, graph]));
	const note = h("div");
	const load = h("button", {type: "button", class: graphs.length ? "quiet" : "primary", onclick: async () => {
		load.disabled = true;
		say("Loading the sample.");
		try {
			await sample(names, signal);
		} catch (error) {
			load.disabled = false;
			troubleIn(note)(error);
		}
	}}, graphs.length ? "Load the sample connectome" : "Load a sample connectome");
	const upload = uploader(names, signal);
	const about = h("p", {class: "hint"}, "The sample: 297 neurons of the worm C. elegans and 2,345 connections (White et al. 1986).");
	const list = h("div");
	const draw = (now) => replace(list, sheet("Graphs", COLUMNS, now, {class: "wide brief", file: "graphs"}));
	draw(graphs);
	keep(graphs, draw, signal).catch(() => {}); /* after a failure, the states stay as they are until the page is reloaded */
	const nodes = graphs.length
		? [h("div", {class: "row"}, h("h1", null, "Graphs"), h("p", {class: "hint"}, plural(graphs.length, "graph"))), list,
			share({target: url("v1/graphs")}, call("graphs", [])), h("h2", null, "Add a graph"), upload, note, h("p", {class: "row start after"}, load), about]
		: [h("div", {class: "welcome"}, h("h1", null, "Shortest paths between everything"),
			h("p", null, "Give apspd a weighted graph: a connectome, a road network, any connection matrix. It computes the distances between all pairs once. Then it answers at once how a signal gets from here to there, how far it is, and what it can reach."),
			h("p", {class: "row start"}, load), about, note), h("h2", null, "Or bring your own"), upload];
	return {title: "Graphs", nodes, update() {}};
}
