/* One graph: its record, its profiles and tables, and changes of them. */
import {ask, download, forget, get, graphPath, part, put, url} from "./api.js";
import {badge, count, facts, field, h, plural, replace, ruleText, say, table, time, trouble} from "./dom.js";
import {graphHead, isWide} from "./graph_head.js";
import {follow, isOfData, jobTrouble} from "./jobs.js";
import {profileForm} from "./profile_form.js";
import {call, graphCall, share} from "./share.js";

/* The element and the table of a profile. */
const shape = (profile) => profile.element ? `${profile.element} · ${profile.table.slice(0, 8)}` : "–";

const limits = (profile) => [
	profile.min_weight !== null && profile.min_weight !== undefined ? `weights from ${profile.min_weight}` : null,
	profile.normalise && profile.normalise !== "none" ? `shares of ${profile.normalise}${profile.normalise_by ? ` by ${profile.normalise_by}` : ""}${profile.min_share ? ` from ${profile.min_share}` : ""}` : null,
	profile.without?.length ? `without ${profile.without.join(", ")}` : null,
	profile.left_out ? `${plural(profile.left_out, "vertex", "vertices")} left out` : null,
	profile.precision === "float64" ? "double precision" : null,
	profile.holds === "none" ? "no tables" : null,
	profile.length_unit && profile.transform !== "hops" ? `${profile.path === "widest" ? "widths" : "lengths"} in ${profile.length_unit}` : null,
	profile.algorithm ? `by ${profile.algorithm}` : null,
].filter(Boolean).join(", ");

export async function open({graph, signal}) {
	const head = await graphHead(graph, "overview", signal);
	const place = h("div");
	const jobs = h("div");
	const following = new Set();

	async function refresh() {
		const now = await get(graphPath(graph), null, signal);
		const shown = now.revision ? now : now.pending;
		const profiles = shown?.profiles ?? [];
		for (const profile of [...profiles, ...now.pending?.profiles ?? []])
			if (profile.state === "computing" && !following.has(profile.job)) {
				following.add(profile.job);
				jobs.append(follow(profile.job, signal, () => refresh().catch(show)));
			}
		await Promise.all(profiles.map(async (profile) => { /* the job's error lists what may be deleted */
			if (profile.state === "failed" && profile.job) profile.error = await whyFailed(profile, signal);
		}));
		replace(place, content(graph, now, shown, profiles, {refresh, show, signal}));
	}
	const show = (error) => {
		if (error.name !== "AbortError") replace(place, trouble(error));
	};
	await refresh();
	return {title: graph, nodes: [...head.nodes, receipt(graph), jobs, place], update: head.update};
}

const whyFailed = (profile, signal) => get(`v1/jobs/${profile.job}`, null, signal).then(
	(job) => job.error ?? profile.error, () => profile.error); /* records of old jobs are deleted */

/* The receipt of an upload by this page; it is shown once. */
function receipt(graph) {
	const kept = sessionStorage.getItem(`receipt ${graph}`);
	if (!kept) return null;
	sessionStorage.removeItem(`receipt ${graph}`);
	const found = JSON.parse(kept);
	const notes = [
		found.merged ? `${plural(found.merged, "arc")} of a pair that already had one ${found.merged === 1 ? "was" : "were"} merged.` : null,
		found.loops ? `${plural(found.loops, "arc")} from a vertex to itself ${found.loops === 1 ? "changes" : "change"} no distance.` : null,
		...found.warnings,
	].filter(Boolean);
	return h("section", {class: "note", "aria-label": "How the file was read"},
		h("p", null, `Read ${plural(found.rows, "row")} of ${found.format}: ${plural(found.vertices, "vertex", "vertices")}, ${plural(found.arcs, "arc")}.`),
		notes.length ? h("ul", null, notes.map((text) => h("li", null, text))) : null);
}

function content(graph, now, shown, profiles, view) {
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
			["Uploaded", time(shown.uploaded_at)], ["Revision", h("code", {title: shown.revision}, shown.revision?.slice(0, 12) ?? "–")]]),
		h("h2", null, "Profiles"),
		h("p", {class: "hint"}, "A profile is a rule that turns weights into lengths, with its own tables."),
		table("Profiles", ["Profile", "Rule", "State", "Arcs kept", "Table", "(Actions)"], profiles.map((profile) => [profile.name,
			[ruleText(profile) ?? "–", limits(profile) ? h("small", null, limits(profile)) : null], badge(profile.state), count(profile.arcs),
			h("code", null, shape(profile)), profile.name === "default" ? "" : h("button", {type: "button", class: "quiet", "aria-label": `Delete profile ${profile.name}`,
				onclick: (e) => remove(graphPath(graph, "profiles", part(profile.name)), `profile ${profile.name}`, e.target, view)}, "Delete")]), {class: "wide brief", aside: [3, 4], figures: [3, 5]}),
		h("details", null, h("summary", null, "Add a profile"), profileForm(now, view.signal, view.refresh)),
		h("details", null, h("summary", null, "Attributes of vertices"), attributesForm(graph, view)),
		h("details", null, h("summary", null, "Unit of weights"), unitForm(graph, shown.weight_unit, view)),
		h("details", null, h("summary", null, "Download or delete"),
			h("p", null, h("a", {class: "button", href: url(graphPath(graph, "bundle")), onclick: download, download: `${graph}.apspd.tar`}, "Save the graph with its tables"), " ",
				h("a", {href: url(graphPath(graph, "bundle"), {tables: "none"}), onclick: download, download: `${graph}.apspd.tar`}, "without tables")),
			h("p", {class: "hint"}, "One file, a bundle, has the arcs, attributes, profiles and tables. Drop it on the list of graphs of any apspd to restore the graph there."),
			h("p", {class: "row start"}, h("a", {href: url(graphPath(graph, "arcs"), {format: "csv"}), onclick: download, download: `${graph}.csv`}, "Arcs as CSV"),
				isWide(shown) ? h("a", {href: url(graphPath(graph, "matrices/width")), onclick: download, download: `${graph}-width.npy`}, "Widths as NumPy")
					: [h("a", {href: url(graphPath(graph, "matrices/distance")), onclick: download, download: `${graph}-distance.npy`}, "Distances as NumPy"),
						h("a", {href: url(graphPath(graph, "matrices/hops")), onclick: download, download: `${graph}-hops.npy`}, "Arcs of these paths as NumPy")]),
			h("p", null, h("button", {type: "button", class: "danger", onclick: (e) => remove(graphPath(graph), `graph ${graph}`, e.target, view, true)}, "Delete this graph"))),
		share({target: url(graphPath(graph))}, graphCall(graph), call("record", [])),
	];
}

async function again(graph, profile, {refresh, show}) {
	const rule = {};
	for (const option of ["transform", "duplicates", "invalid", "precision", "min_weight", "algorithm", "tables", "path", "normalise", "min_share", "normalise_by", "without"])
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

/* The form that sets the unit of weights. It changes what is shown, and nothing is computed. */
function unitForm(graph, unit, {refresh, signal}) {
	const problem = h("div"), input = h("input", {value: unit ?? "", maxlength: 63, autocomplete: "off", placeholder: "synapses"});
	return h("form", {class: "card", onsubmit: async (e) => {
		e.preventDefault();
		try {
			await ask("PATCH", graphPath(graph), {body: JSON.stringify({weight_unit: input.value.trim()}), type: "application/json", signal});
			say("The unit is stored.");
			await refresh();
		} catch (error) {
			if (error.name !== "AbortError") replace(problem, trouble(error));
		}
	}}, field("Unit", input, "Such as synapses or mm. The unit of lengths follows from each profile's rule. Nothing is computed again."),
	h("p", {class: "row start after"}, h("button", {type: "submit"}, "Store")), problem);
}

function attributesForm(graph, {signal}) {
	const result = h("div");
	const input = h("input", {type: "file", accept: ".csv,.tsv,text/csv", onchange: async () => {
		const file = input.files[0];
		if (!file) return;
		try {
			const answer = await put(graphPath(graph, "attributes"), {body: file, type: /\.tsv$/i.test(file.name) ? "text/tab-separated-values" : "text/csv", signal});
			forget();
			replace(result, h("p", null, `${answer.columns.map((column) => column.name).join(", ")}: stored for ${plural(answer.matched, "vertex", "vertices")}.`,
				answer.unknown ? ` ${plural(answer.unknown, "row")} named no vertex of this graph.` : ""));
			say("The attributes are stored.");
		} catch (error) {
			if (error.name !== "AbortError") replace(result, trouble(error));
		}
	}});
	return h("div", {class: "card"}, field("A table with a row for each vertex", input, "CSV with a header: label, then type, side, … Paths, sets and the heatmap are then grouped by them."), result);
}
