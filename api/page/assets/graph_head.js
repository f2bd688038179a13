/* The head of a graph's views: its name, links to the other views, its profile. */
import {address} from "./address.js";
import {get, graphPath, news} from "./api.js";
import {h, replace, select} from "./dom.js";
import {follow} from "./jobs.js";

const TABS = [["overview", "Overview"], ["path", "Paths"], ["circuit", "Circuits"], ["reach", "Reachability"], ["groups", "Groups"], ["whole", "Whole graph"]];

/* Says that a newer upload is being computed, and that the page shows the previous one until then. */
function coming({revision, pending}, signal) {
	const first = revision && pending?.profiles[0];
	if (first?.state !== "computing") return [];
	const message = h("p", {class: "hint"}, "A newer upload is being computed. This page shows the previous one.");
	return [message, follow(first.job, signal, (job) => {
		if (job.state === "succeeded") news.dispatchEvent(new Event("replaced"));
		else message.textContent = "The newer upload could not be computed. This page shows the previous one.";
	})];
}

/* The head of a view, and the graph's record. The view's other requests use the revision of this record. */
export async function graphHead(graph, view, signal) {
	const record = await get(graphPath(graph), null, signal);
	const profiles = ((record.revision ? record : record.pending)?.profiles ?? []).map((one) => one.name);
	const tabs = h("nav", {class: "tabs", "aria-label": "Views of the graph"});
	const choose = h("div", {class: "profile"});

	function update(params) {
		const profile = params.get("profile") ?? "default";
		replace(tabs, TABS.map(([key, text]) => h("a", {
			href: address(key, graph, {profile: profile === "default" ? null : profile}),
			"aria-current": key === view ? "page" : null,
		}, text)));
		const keep = Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.getAll(name)]));
		replace(choose, view === "overview" || profiles.length < 2 ? null
			: h("label", null, "Profile ", select(profiles.map((name) => [name, name]), profile, (value) => {
				location.hash = address(view, graph, {...keep, profile: value === "default" ? null : value});
			})));
	}
	return {record, profiles, nodes: [h("div", {class: "row"}, h("h1", null, graph), choose), tabs, ...view === "overview" ? [] : coming(record, signal)], update};
}

/* Whether a profile has widest paths: then pairs have widths in place of distances. */
export const isWide = (record, profile) => record.profiles?.find(({name}) => name === (profile ?? "default"))?.path === "widest";

/* The profile of an address, as queries name it: null for `default`. */
export const profileOf = (params) => {
	const profile = params.get("profile");
	return profile && profile !== "default" ? profile : null;
};
