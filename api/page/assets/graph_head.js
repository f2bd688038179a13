/* The head of a graph's views: its name, links to the other views, its profile. */
import {address} from "./address.js";
import {get, graphPath, news} from "./api.js";
import {empty, h, LENGTHS, replace, select} from "./dom.js";
import {follow} from "./jobs.js";

const TABS = [["overview", "Overview"], ["path", "Paths"], ["circuit", "Circuits"], ["reach", "Reachability"], ["groups", "Groups"], ["whole", "Whole graph"], ["compare", "Compare"]];

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

/*
 * The head of a view, and the graph's record. The view's other requests use the revision of this record.
 * If the first upload is being computed, the record is that of this upload.
 */
export async function graphHead(graph, view, signal) {
	const stored = await get(graphPath(graph), null, signal), record = stored.revision ? stored : {...stored, ...stored.pending, pending: null};
	const profiles = (record.profiles ?? []).map((one) => one.name);
	/* The links stay when the address changes: a click on one may first end an input, whose text changes the address. */
	const links = TABS.map(([key, text]) => h("a", {"aria-current": key === view ? "page" : null}, text));
	const tabs = h("nav", {class: "tabs", "aria-label": "Views of the graph"}, links);
	const choose = h("div", {class: "profile"});

	/* A rule or a unit may change without a newer upload: then the whole view is opened again. */
	const shown = (now) => JSON.stringify(profiles.map((name) => [unitsOf(now, name), LENGTHS.map((option) => profileRecord(now, name)?.[option])]));
	const check = () => get(graphPath(graph), null, signal).then((now) => shown(now) !== shown(record) && news.dispatchEvent(new Event("replaced")), () => {});
	let opened = false; /* the first update has the record that was just read */

	function update(params) {
		if (opened && view !== "overview") check();
		opened = true;
		const profile = params.get("profile") ?? "default";
		links.forEach((link, i) => { link.href = address(TABS[i][0], graph, {profile: named(profile)}); });
		const keep = Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.getAll(name)]));
		replace(choose, view === "overview" || profiles.length < 2 ? null
			: h("label", null, "Profile ", select(profiles.map((name) => [name, name]), profile, (value) => {
				location.hash = address(view, graph, {...keep, profile: named(value)});
			})));
	}
	return {record, profiles, nodes: [h("div", {class: "row"}, h("h1", null, graph), choose), tabs, ...view === "overview" ? [] : coming(record, signal)], update};
}

/* The profile of a graph's newest upload that is known; `default` without a name. */
export function profileRecord(record, profile) {
	const shown = record.revision ? record : record.pending ?? record;
	return shown.profiles?.find(({name}) => name === (profile ?? "default"));
}

/* Whether a profile has widest paths, so that pairs have widths in place of distances. */
export const isWide = (record, profile) => profileRecord(record, profile)?.path === "widest";

/*
 * If the profile lacks what a view needs, a message with buttons that choose one of the profiles that
 * have it; otherwise null. fits(profile): whether a profile has it; go({profile}) chooses one.
 */
export function unfit(record, profile, fits, message, go) {
	const one = profileRecord(record, profile);
	if (!one || fits(one)) return null;
	const others = (record.profiles ?? []).filter((other) => fits(other) && other.state === "ready").map(({name}) => name);
	return empty(message, others.length ? h("p", {class: "row start centred"}, others.slice(0, 6).map((name) =>
		h("button", {type: "button", onclick: () => go({profile: named(name)})}, `Use profile ${name}`)))
		: [h("a", {href: address("overview", record.name)}, "Add a profile")]);
}
export const hasLengths = (profile) => profile.path !== "widest";
export const hasTables = (profile) => profile.holds !== "none";

/* The units of weights, and of lengths or widths in a profile; "" if they are not known. */
export function unitsOf(record, profile) {
	return {weight: (record.revision ? record : record.pending ?? record).weight_unit ?? "", length: profileRecord(record, profile)?.length_unit ?? ""};
}

/* A profile as addresses and queries name it: null for `default`. */
export const named = (profile) => (profile && profile !== "default" ? profile : null);
export const profileOf = (params) => named(params.get("profile"));
