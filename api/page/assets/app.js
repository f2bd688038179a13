/* Opens the view that the address names, and asks for the daemon and its token. */
import {route} from "./address.js";
import {hasToken, lost, news, url, useToken} from "./api.js";
import {field, h, replace, say, trouble} from "./dom.js";

const VIEWS = {
	"": () => import("./graphs.js"),
	daemon: () => import("./daemon.js"),
	overview: () => import("./overview.js"),
	path: () => import("./path.js"),
	circuit: () => import("./circuit.js"),
	reach: () => import("./reach.js"),
	groups: () => import("./groups.js"),
	whole: () => import("./whole.js"),
	compare: () => import("./compare.js"),
};

const RETRY_MS = 1000; /* between two attempts to reach a daemon that does not answer */

const main = document.getElementById("main");
let shown = null; /* {key, update, leave} */
let turn = 0, seen = false;

function draw(...nodes) {
	replace(main, ...nodes);
	main.removeAttribute("aria-busy");
}

/* The daemon requires a token: ask for it, then open the same view. */
let refused = null; /* the address for which the form is shown */
function askToken() {
	if (refused !== null) return; /* another request of the same view has already shown the form */
	refused = location.hash;
	turn++;
	shown?.leave.abort();
	shown = null;
	seen = true;
	const input = h("input", {type: "password", required: true, autocomplete: "off", spellcheck: "false"});
	const why = h("div");
	const refuse = () => replace(why, trouble({message: "The daemon does not accept this token.", advice: "Check that you copied all of it, or ask for another one."}));
	if (hasToken()) refuse();
	draw(h("form", {class: "welcome", onsubmit: (e) => {
		e.preventDefault();
		const text = input.value.trim();
		if (/^[\x21-\x7e]+$/.test(text)) { /* browsers send no other characters in the header of the token */
			useToken(text);
			show();
			return;
		}
		refuse();
		input.select();
	}}, h("h1", null, "This daemon requires a token"), why,
	field("Token", input, "The daemon's operator can create one with apspd --new-token. The page keeps it in memory until it is closed or reloaded."),
	h("p", {class: "row start after"}, h("button", {type: "submit", class: "primary"}, "Continue"))));
	document.title = "Token · apspd";
	input.focus();
}

/* Whether a daemon answers. */
const answers = () => fetch(url("healthz")).then((reply) => reply.ok, () => false);

/* No daemon answers: wait for one, then repeat the requests that it did not answer. */
let looking = false;
async function look() {
	if (looking) return;
	looking = true;
	do await new Promise((done) => { setTimeout(done, RETRY_MS); });
	while (!await answers());
	looking = false;
	const messages = [...main.querySelectorAll("[data-lost]")];
	if (!messages.length) return;
	for (const one of messages) /* in a form, only the message is replaced, so that the form keeps its contents */
		if (one.closest("form")) one.replaceWith(h("p", {class: "hint", role: "status"}, "The daemon answers again: please try again."));
	if (!main.querySelector("[data-lost]")) return;
	shown = null;
	show();
}

/* The graph of the view was uploaded again, or has another rule or unit: open the whole view again. */
let replaced = -Infinity;
async function reopen() {
	if (performance.now() - replaced < RETRY_MS) return; /* the view already shows the problem */
	replaced = performance.now();
	shown?.leave.abort();
	shown = null;
	await show();
	main.prepend(h("p", {class: "hint", role: "status"}, "The graph has been uploaded again, or its rule or unit has changed. This page shows it as it is now."));
}

/* A file of the page is missing: another version of the daemon has other files. */
async function missing() {
	return await answers() ? Object.assign(new Error("A file of this page is missing."),
		{advice: "The daemon may have been upgraded: load this page again."}) : lost();
}

async function show() {
	const here = route();
	for (const link of document.querySelectorAll(".top nav a"))
		if (link.hash === (here?.view === "daemon" ? "#/daemon" : "#/")) link.setAttribute("aria-current", "page");
		else link.removeAttribute("aria-current");
	const key = here ? `${here.view} ${here.graph}` : "nothing";
	if (here && shown?.key === key) {
		shown.update(here.params);
		return;
	}
	const mine = ++turn;
	shown?.leave.abort();
	refused = null;
	const leave = new AbortController();
	shown = {key, leave, update: () => {}};
	main.setAttribute("aria-busy", "true"); /* the previous view is shown until the new one is ready */
	try {
		if (!here) throw Object.assign(new Error("This address shows nothing."), {advice: "The list of graphs shows all graphs."});
		const module = await VIEWS[here.view]().catch(async () => {
			throw await missing();
		});
		const view = await module.open({...here, signal: leave.signal});
		if (mine !== turn) return;
		shown.update = view.update;
		draw(view.nodes);
		document.title = `${view.title} · apspd`;
		view.update(route().params); /* the options of the address may have changed meanwhile */
	} catch (error) {
		if (mine !== turn || error.name === "AbortError") return;
		draw(h("h1", null, "Nothing to show"), trouble(error.links?.length || error.status === 0 ? error : Object.assign(error, {links: [["#/", "All graphs"]]})));
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
show().finally(() => (globalThis.requestIdleCallback ?? setTimeout)(() => { /* load all views while the daemon answers */
	for (const load of Object.values(VIEWS)) load().catch(() => {});
}));
