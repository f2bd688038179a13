/* Which view the address names: #/graphs/larva/path?from=a&to=b. */
import {useToken} from "./api.js";
import {field, h, replace, say, trouble} from "./dom.js";

const VIEWS = {
	"": () => import("./graphs.js"),
	daemon: () => import("./daemon.js"),
	overview: () => import("./overview.js"),
	path: () => import("./path.js"),
	reach: () => import("./reach.js"),
	whole: () => import("./whole.js"),
};

const main = document.getElementById("main");
let shown = null; /* {key, update, leave} */
let turn = 0;

/* {view, graph, params}; null where the address names nothing of ours. */
function route() {
	const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
	const words = path.split("/").filter(Boolean).map(decodeURIComponent);
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

/* The daemon answers to those who have a token. */
let tried = false;
function tokenForm() {
	const input = h("input", {type: "password", required: true, autocomplete: "off", spellcheck: "false"});
	return h("form", {class: "welcome", onsubmit: (e) => {
		e.preventDefault();
		tried = true;
		useToken(input.value.trim());
		show();
	}}, h("h1", null, "This daemon wants a token"),
	tried ? trouble({message: "That token is not one of this daemon's."}) : null,
	h("p", null, "Whoever runs the daemon can make one by apspd --new-token. The page keeps it until it is closed or loaded again, and writes it nowhere."),
	field("Token", input), h("p", {class: "row start after"}, h("button", {type: "submit", class: "primary"}, "Continue")));
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
	const first = shown === null;
	const leave = new AbortController();
	shown = {key, leave, update: () => {}};
	try {
		if (!here) throw Object.assign(new Error("This address shows nothing."), {advice: "The list of graphs shows what is there."});
		const module = await VIEWS[here.view]();
		const view = await module.open({...here, signal: leave.signal});
		if (mine !== turn) return;
		shown.update = view.update;
		replace(main, view.nodes);
		document.title = `${view.title} · apspd`;
		view.update(here.params);
	} catch (error) {
		if (mine !== turn || error.name === "AbortError") return;
		if (error.status === 401) {
			replace(main, tokenForm());
			document.title = "Token · apspd";
			shown.key = "nothing";
			return;
		}
		replace(main, h("h1", null, "Nothing to show"), trouble(error, h("p", null, h("a", {href: "#/"}, "All graphs"))));
		document.title = "apspd";
		shown.key = "nothing";
	}
	if (!first) {
		scrollTo(0, 0);
		main.focus({preventScroll: true});
		say(document.title);
	}
}

document.querySelector(".skip").addEventListener("click", (e) => {
	e.preventDefault();
	main.focus();
});
addEventListener("hashchange", show);
show();
