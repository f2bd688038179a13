/* Which view the address names: #/graphs/larva/path?from=a&to=b. */
import {hasToken, lost, news, url, useToken} from "./api.js";
import {field, h, replace, say, trouble} from "./dom.js";

const VIEWS = {
	"": () => import("./graphs.js"),
	daemon: () => import("./daemon.js"),
	overview: () => import("./overview.js"),
	path: () => import("./path.js"),
	reach: () => import("./reach.js"),
	whole: () => import("./whole.js"),
};

const RETRY_MS = 1000; /* from one look for a daemon that is gone to the next */

const main = document.getElementById("main");
let shown = null; /* {key, update, leave} */
let turn = 0, seen = false;

/* {view, graph, params}; null where the address names nothing of ours. */
function route() {
	const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
	let words;
	try {
		words = path.split("/").filter(Boolean).map(decodeURIComponent);
	} catch { /* a % that is none of an encoding */
		return null;
	}
	const params = new URLSearchParams(query ?? "");
	if (words.length === 0) return {view: "", params};
	if (words.length === 1 && words[0] === "daemon") return {view: "daemon", params};
	if (words[0] === "graphs" && words.length === 2) return {view: "overview", graph: words[1], params};
	if (words[0] === "graphs" && words.length === 3 && ["path", "reach", "whole"].includes(words[2]))
		return {view: words[2], graph: words[1], params};
	return null;
}

export function address(view, graph, params) {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(params ?? {}))
		for (const one of [value].flat())
			if (one !== undefined && one !== null && one !== "") query.append(name, one);
	const place = graph === undefined ? view : `graphs/${encodeURIComponent(graph)}${view === "overview" ? "" : `/${view}`}`;
	return `#/${place}${[...query].length ? `?${query}` : ""}`;
}

/* The daemon answers to those who have a token: the same view comes after it. */
let refused = null; /* a view's address, for which the form is there */
function askToken() {
	if (refused !== null) return; /* another question of the view */
	refused = location.hash;
	turn++;
	shown?.leave.abort();
	shown = null;
	seen = true;
	const input = h("input", {type: "password", required: true, autocomplete: "off", spellcheck: "false"});
	const why = hasToken() ? trouble({message: "The daemon does not take this token.", advice: "Check that all of it was copied, or ask for another."}) : null;
	replace(main, h("form", {class: "welcome", onsubmit: (e) => {
		e.preventDefault();
		useToken(input.value.trim());
		show();
	}}, h("h1", null, "This daemon wants a token"), why,
	field("Token", input, "Whoever runs the daemon can make one by apspd --new-token. The page keeps it until it is closed or loaded again, and writes it nowhere."),
	h("p", {class: "row start after"}, h("button", {type: "submit", class: "primary"}, "Continue"))));
	document.title = "Token · apspd";
	input.focus();
}

/* Whether a daemon is there. */
const answers = () => fetch(url("healthz")).then((reply) => reply.ok, () => false);

/* No daemon answers: look for one, and then ask again what it did not answer. */
let looking = false;
async function look() {
	if (looking) return;
	looking = true;
	do await new Promise((done) => { setTimeout(done, RETRY_MS); });
	while (!await answers());
	looking = false;
	const told = [...main.querySelectorAll("[data-lost]")];
	if (!told.length) return;
	for (const one of told) /* a form keeps what was filled in */
		if (one.closest("form")) one.replaceWith(h("p", {class: "hint", role: "status"}, "The daemon answers again: try once more."));
	if (!main.querySelector("[data-lost]")) return;
	shown = null;
	show();
}

/* The graph of a view was uploaded again: all of the view is asked again, about the newer upload. */
let replaced = -Infinity;
async function reopen() {
	if (performance.now() - replaced < RETRY_MS) return; /* its problem is told */
	replaced = performance.now();
	shown?.leave.abort();
	shown = null;
	await show();
	main.prepend(h("p", {class: "hint", role: "status"}, "The graph has been uploaded again. This is the newer upload."));
}

/* Another version of the daemon has other files. */
async function missing() {
	return await answers() ? Object.assign(new Error("A file of this page is missing."),
		{advice: "The daemon may be of another version by now: load this page again."}) : lost();
}

async function show() {
	const here = route();
	const mine = ++turn;
	for (const link of document.querySelectorAll(".top nav a"))
		if (link.hash === (here?.view === "daemon" ? "#/daemon" : "#/")) link.setAttribute("aria-current", "page");
		else link.removeAttribute("aria-current");
	const key = here ? `${here.view} ${here.graph}` : "nothing";
	if (shown?.key === key) {
		shown.update(here.params);
		return;
	}
	shown?.leave.abort();
	refused = null;
	const leave = new AbortController();
	shown = {key, leave, update: () => {}};
	try {
		if (!here) throw Object.assign(new Error("This address shows nothing."), {advice: "The list of graphs shows what is there."});
		const module = await VIEWS[here.view]().catch(async () => {
			throw await missing();
		});
		const view = await module.open({...here, signal: leave.signal});
		if (mine !== turn) return;
		shown.update = view.update;
		replace(main, view.nodes);
		document.title = `${view.title} · apspd`;
		view.update(here.params);
	} catch (error) {
		if (mine !== turn || error.name === "AbortError") return;
		replace(main, h("h1", null, "Nothing to show"), trouble(error.links?.length || error.status === 0 ? error : Object.assign(error, {links: [["#/", "All graphs"]]})));
		document.title = "apspd";
		shown.key = "nothing";
	}
	if (seen) {
		scrollTo(0, 0);
		main.focus({preventScroll: true});
		say(document.title);
	}
	seen = true;
}

document.querySelector(".skip").addEventListener("click", (e) => {
	e.preventDefault();
	main.focus();
});
addEventListener("hashchange", show);
news.addEventListener("token", askToken);
news.addEventListener("lost", look);
news.addEventListener("replaced", reopen);
show().finally(() => (globalThis.requestIdleCallback ?? setTimeout)(() => { /* all views, while the daemon is there */
	for (const load of Object.values(VIEWS)) load().catch(() => {});
}));
