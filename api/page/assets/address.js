/* Addresses of views, such as #/graphs/larva/path?from=a&to=b: reads the address of the page, and writes addresses of other views. */
import {addParams} from "./api.js";

/* Returns {view, graph, params}, or null if the address names no view. */
export function route() {
	const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
	let words;
	try {
		words = path.split("/").filter(Boolean).map(decodeURIComponent);
	} catch { /* a percent sign that begins no encoded byte */
		return null;
	}
	const params = new URLSearchParams(query ?? "");
	if (words.length === 0) return {view: "", params};
	if (words.length === 1 && words[0] === "daemon") return {view: "daemon", params};
	if (words[0] === "graphs" && words.length === 2) return {view: "overview", graph: words[1], params};
	if (words[0] === "graphs" && words.length === 3 && ["path", "circuit", "reach", "groups", "whole", "compare"].includes(words[2]))
		return {view: words[2], graph: words[1], params};
	return null;
}

export function address(view, graph, params) {
	const query = addParams(new URLSearchParams(), params);
	const place = graph === undefined ? view : `graphs/${encodeURIComponent(graph)}${view === "overview" ? "" : `/${view}`}`;
	return `#/${place}${[...query].length ? `?${query}` : ""}`;
}
