/* One graph: its record, its profiles and tables, and changes of them. */
import {address} from "./address.js";
import {ask, downloadLink, get, graphPath, knownOf, part, Problem, put, url} from "./api.js";
import {badge, count, details, facts, field, h, measured, plural, replace, ruleText, say, sharesText, time, troubleIn} from "./dom.js";
import {deriveForm} from "./derive_form.js";
import {graphHead, hasTables, isWide, profileRecord} from "./graph_head.js";
import {follow, isOfData, jobTrouble} from "./jobs.js";
import {profileForm} from "./profile_form.js";
import {call, graphCall, share} from "./share.js";
import {sheet} from "./sheet.js";
import {describer, withoutText} from "./vertex_input.js";

/* The element and the table of a profile. */
const shape = (profile) => profile.element ? `${profile.element} · ${profile.table.slice(0, 8)}` : "–";

const limits = (profile, unit, describe) => [
	profile.min_weight !== null && profile.min_weight !== undefined ? `weights from ${measured(String(profile.min_weight), unit)}` : null,
	sharesText(profile),
	profile.without?.length ? `without ${withoutText(profile.without, describe)}` : null,
	profile.left_out ? `${plural(profile.left_out, "vertex", "vertices")} left out` : null,
	profile.precision === "float64" ? "double precision" : null,
	profile.holds === "none" ? "no tables" : null,
	profile.length_unit && profile.transform !== "hops" ? `${profile.path === "widest" ? "widths" : "lengths"} in ${profile.length_unit}` : null,
	profile.algorithm ? `by ${profile.algorithm}` : null,
	profile.measures?.length ? `with ${profile.measures.join(", ")}` : null,
].filter(Boolean).join(", ");

/* The stored graph from which this one was made. */
const origin = ({graph, revision, by, match}) => [h("a", {href: address("overview", graph), title: `revision ${revision}`}, graph), by ? `, by ${by}` : `, ${match.join(", ")}`];

/* A bundle's graph may be removed at any time while the view opens. */
export const open = ({graph, signal}) => overview(graph, signal).catch(async (error) => {
	throw await refusal(graph, error, signal);
});

async function overview(graph, signal) {
	const head = await graphHead(graph, "overview", signal);
	const place = h("div");
	const jobs = h("div");
	const following = new Set();
	const show = troubleIn(place), view = {refresh, show, signal, describe: () => ""};
	view.attributes = details("Attributes of vertices", attributesForm(graph, view)); /* stays when the rest is drawn again, so that its result can be read */

	async function refresh() {
		const now = await get(graphPath(graph), null, signal);
		const shown = now.revision ? now : now.pending;
		const profiles = shown?.profiles ?? [];
		for (const profile of [...profiles, ...now.pending?.profiles ?? []])
			if (profile.state === "computing" && !following.has(profile.job)) {
				following.add(profile.job);
				jobs.append(follow(profile.job, signal, ended));
			}
		await Promise.all(profiles.map(async (profile) => { /* the job's error lists what may be deleted */
			if (profile.state === "failed" && profile.job) profile.error = await whyFailed(profile, signal);
		}));
		view.describe = describer(await knownOf(now));
		replace(place, content(graph, now, shown, profiles, view));
	}

	/* If the tables of a bundle are refused, the daemon removes the upload, and perhaps the graph: then only the job says why. */
	async function ended(job) {
		await refresh().catch((error) => (job.error && error.type === "unknown-graph" ? replace(place) : show(error)));
		if (job.error && !place.querySelector(".trouble")) jobs.append(jobTrouble(job.error));
	}
	await refresh();
	return {title: graph, nodes: [...head.nodes, receipt(graph), jobs, place], update: head.update};
}

const whyFailed = (profile, signal) => get(`v1/jobs/${profile.job}`, null, signal).then(
	(job) => job.error ?? profile.error, () => profile.error); /* records of old jobs are deleted */

/* The receipt of an upload by this page; it is shown once. */
function receiptOf(graph) {
	const kept = sessionStorage.getItem(`receipt ${graph}`);
	sessionStorage.removeItem(`receipt ${graph}`);
	return kept && JSON.parse(kept);
}

/* The reason why a graph that this page has uploaded is gone: its job has refused the tables of the bundle. If that is not the reason, the problem itself. */
async function refusal(graph, problem, signal) {
	const job = problem.type === "unknown-graph" && receiptOf(graph)?.job;
	const {error} = job ? await get(`v1/jobs/${job}`, {wait: 5}, signal) : {};
	return error ? new Problem(error.status, error) : problem;
}

function receipt(graph) {
	const found = receiptOf(graph);
	if (!found) return null;
	const notes = [
		found.merged ? `${plural(found.merged, "arc")} of a pair that already had one ${found.merged === 1 ? "was" : "were"} merged.` : null,
		found.loops ? `${plural(found.loops, "arc")} from a vertex to itself ${found.loops === 1 ? "changes" : "change"} no distance.` : null,
		...tableNotes(found.tables ?? []),
		...found.warnings,
	].filter(Boolean);
	return h("section", {class: "note", "aria-label": "How the file was read"},
		h("p", null, `Read ${plural(found.rows, "row")} of ${found.format}: ${plural(found.vertices, "vertex", "vertices")}, ${plural(found.arcs, "arc")}.`),
		notes.length ? h("ul", null, notes.map((text) => h("li", null, text))) : null);
}

/* How the tables of a bundle are proved. */
function tableNotes(tables) {
	const by = (prove) => tables.filter((one) => one.prove === prove).length;
	const said = (n, how) => (n ? `The tables of ${plural(n, "profile")} came with the file and answer once they are proved${how}.` : null);
	return [said(by("all"), ", every row"), said(by("seed"), " by a sample of rows"), ...tables.filter((one) => one.kept).map((one) => `The tables of the profile ${one.profile} are kept: ${one.kept}.`), ...tables.filter((one) => one.recompute).map((one) => `The tables of one profile are computed again: ${one.recompute}.`)];
}

function content(graph, now, shown, profiles, view) {
	const link = (path, query, ending, text, props) => downloadLink(graphPath(graph, path), {...query, revision: shown.revision}, graph + ending, text, props);
	const failed = profiles.filter((profile) => ["failed", "cancelled"].includes(profile.state));
	return [
		failed.map((profile) => profile.state === "cancelled"
			? h("div", {class: "trouble"}, h("p", null, `The computation of profile ${profile.name} was cancelled. Compute it again to ask for paths.`),
				h("button", {type: "button", onclick: () => again(graph, profile, view)}, "Compute again"))
			: h("section", {"aria-label": `Profile ${profile.name}`}, profiles.length > 1 ? h("h3", null, `Profile ${profile.name}`) : null, jobTrouble(profile.error),
				isOfData(profile.error) ? null : h("button", {type: "button", onclick: () => again(graph, profile, view)}, "Compute again"))),
		now.revision && now.pending?.error ? h("section", {"aria-label": "The newest upload"},
			h("h3", null, "The newest upload has failed"), jobTrouble(now.pending.error),
			h("p", {class: "hint"}, "This page shows the previous upload.")) : null,
		facts([["Vertices", count(shown.vertices)], ["Arcs uploaded", count(shown.arcs)], ["Format", shown.format], ["Weights in", shown.weight_unit ?? "–"],
			["Uploaded", time(shown.uploaded_at)], ...(shown.derived_from ? [["Made from", origin(shown.derived_from)]] : []), ["Revision", h("code", {title: shown.revision}, shown.revision?.slice(0, 12) ?? "–")]]),
		h("h2", null, "Profiles"),
		h("p", {class: "hint"}, "A profile is a rule that turns weights into lengths, with its own tables."),
		profileTable(graph, profiles, shown.weight_unit, view),
		profiles.filter(({measures, state}) => measures?.includes("betweenness") && state === "ready").map(({name}) => h("p", null,
			link("stats", {profile: name === "default" ? null : name, vertices: 1, sort: "betweenness", format: "csv"}, `-${name}-betweenness.csv`, `Vertices of ${name} as CSV, the largest betweenness first`))),
		details("Add a profile", profileForm(now, view.signal, view.refresh)),
		deriveForm(graph, view.signal),
		view.attributes,
		details("Unit of weights", unitForm(graph, shown.weight_unit, view)),
		details("Download or delete",
			h("p", {class: "row start"}, link("bundle", null, ".apspd.tar", "Save the graph with its tables", {class: "button"}), link("bundle", {tables: "none"}, ".apspd.tar", "without tables")),
			h("p", {class: "hint"}, "One file, a bundle, has the arcs, attributes, profiles and tables. Drop it on the list of graphs of any apspd to restore the graph there."),
			h("p", {class: "row start"}, link("arcs", {format: "csv"}, ".csv", "Arcs as CSV"), link("arcs", {sort: "weight", format: "csv"}, "-strongest.csv", "Strongest arcs first, with attributes"), link("vertices", {format: "csv"}, "-vertices.csv", "Vertices as CSV"),
				!hasTables(profileRecord(shown) ?? {}) ? null : isWide(shown) ? link("matrices/width", null, "-width.npy", "Widths as NumPy")
					: [link("matrices/distance", null, "-distance.npy", "Distances as NumPy"), link("matrices/hops", null, "-hops.npy", "Arcs of these paths as NumPy")]),
			h("p", null, h("button", {type: "button", class: "danger", onclick: (e) => remove(graphPath(graph), `graph ${graph}`, e.target, view, true)}, "Delete this graph"))),
		share({target: url(graphPath(graph))}, graphCall(graph), call("record", [])),
	];
}

const profileTable = (graph, profiles, unit, view) => sheet("Profiles", [{name: "Profile", of: ({name}) => name},
	{name: "Rule", of: (profile) => [ruleText(profile), limits(profile, unit, view.describe)].filter(Boolean).join(", "), show: (profile) => [ruleText(profile) ?? "–", limits(profile, unit, view.describe) ? h("small", null, limits(profile, unit, view.describe)) : null]},
	{name: "State", of: ({state}) => state, show: ({state}) => badge(state)}, {name: "Arcs kept", aside: true, of: ({arcs}) => arcs, show: ({arcs}) => count(arcs)},
	{name: "Table", aside: true, of: shape, show: (profile) => h("code", null, shape(profile))},
	{name: "Actions", show: ({name}) => (name === "default" ? null : h("button", {type: "button", class: "quiet", "aria-label": `Delete profile ${name}`,
		onclick: (e) => remove(graphPath(graph, "profiles", part(name)), `profile ${name}`, e.target, view)}, "Delete"))}],
profiles, {class: "wide brief", file: `${graph}-profiles`});

async function again(graph, profile, {refresh, show}) {
	const rule = {};
	for (const option of ["transform", "duplicates", "invalid", "precision", "min_weight", "algorithm", "measures", "tables", "path", "normalise", "min_share", "normalise_by", "without"])
		if (profile[option] !== null && profile[option] !== undefined) rule[option] = profile[option];
	try {
		await ask("PUT", graphPath(graph, "profiles", part(profile.name)), {body: JSON.stringify(rule), type: "application/json"});
		await refresh();
	} catch (error) {
		show(error);
	}
}

/* Delete on the second press of the button; the first one changes its text. */
async function remove(path, what, button, {refresh, show}, leave = false) {
	if (!button.dataset.sure) {
		button.dataset.sure = "1";
		button.textContent = `Delete ${what} for good`;
		say(`Press again to delete ${what}.`);
		return;
	}
	try {
		await ask("DELETE", path);
		say(`Deleted ${what}.`);
		if (leave) location.hash = "#/";
		else await refresh();
	} catch (error) {
		show(error);
	}
}

/* The form that sets the unit of weights. The unit is only shown; nothing is computed again. */
function unitForm(graph, unit, {refresh, signal}) {
	const problem = h("div"), input = h("input", {value: unit ?? "", maxlength: 63, autocomplete: "off", placeholder: "synapses"});
	return h("form", {class: "card", onsubmit: async (e) => {
		e.preventDefault();
		try {
			await ask("PATCH", graphPath(graph), {body: JSON.stringify({weight_unit: input.value.trim()}), type: "application/json", signal});
			say("The unit is stored.");
			await refresh();
		} catch (error) {
			troubleIn(problem)(error);
		}
	}}, field("Unit", input, "Such as synapses or mm. The unit of lengths follows from each profile's rule. Nothing is computed again."),
	h("p", {class: "row start after"}, h("button", {type: "submit"}, "Store")), problem);
}

function attributesForm(graph, {refresh, signal}) {
	const result = h("div");
	const input = h("input", {type: "file", accept: ".csv,.tsv,text/csv", onchange: async () => {
		const file = input.files[0];
		if (!file) return;
		try {
			const answer = await put(graphPath(graph, "attributes"), {body: file, type: /\.tsv$/i.test(file.name) ? "text/tab-separated-values" : "text/csv", signal});
			replace(result, h("p", null, `${answer.columns.map((column) => column.name).join(", ")}: stored for ${plural(answer.matched, "vertex", "vertices")}.`,
				answer.unknown ? ` ${plural(answer.unknown, "row")} named no vertex of this graph.` : ""));
			say("The attributes are stored.");
			await refresh();
		} catch (error) {
			troubleIn(result)(error);
		}
	}});
	return h("div", {class: "card"}, field("A table with a row for each vertex", input, "CSV with a header: label, then type, side, … Paths, sets and the heatmap are then grouped by them."), result);
}
