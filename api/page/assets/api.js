/* Questions to the daemon, and its problems as sentences. */
import {bytes} from "./dom.js";

export const part = encodeURIComponent;

/* Where the daemon wants a token: kept here, and nowhere that outlives the page. */
let token = "";
export const useToken = (text) => { token = text; };
export const hasToken = () => token !== "";

/* What concerns the page as a whole: "lost", no daemon answers; "token", it wants one;
   "replaced", the graph of a view has been uploaded again. */
export const news = new EventTarget();

const headersOf = (type) => ({
	...(type ? {"Content-Type": type} : {}), ...(token ? {Authorization: `Bearer ${token}`} : {}),
});

/* Relative to the page, so that a proxy's prefix stays; a name and password that the page
   was opened with stay in the browser, which sends them by itself. */
export function url(path, query) {
	const target = new URL(path, document.baseURI);
	target.username = target.password = "";
	target.hash = "";
	target.search = "";
	for (const [name, value] of Object.entries(query ?? {}))
		for (const one of [value].flat())
			if (one !== undefined && one !== null && one !== "") target.searchParams.append(name, one);
	return target;
}

export class Problem extends Error {
	constructor(status, body) {
		super(sentence(body?.detail ?? body?.title ?? `The daemon answered with status ${status}.`));
		this.status = status;
		this.body = body ?? {};
		this.type = this.body.type?.split("/").at(-1) ?? "";
		this.advice = advice(this);
		this.links = links(this);
	}
}

/* Problems to tell of the daemon itself; so all of the page hears of them. */
function heard(problem) {
	if (problem.status === 0) news.dispatchEvent(new Event("lost"));
	if (problem.status === 401) news.dispatchEvent(new Event("token"));
	if (problem.type === "revision-differs") news.dispatchEvent(new Event("replaced"));
	return problem;
}

function sentence(text) {
	const whole = text.charAt(0).toUpperCase() + text.slice(1);
	return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

const ADVICE = {
	"unknown-graph": "It may have been deleted meanwhile.",
	"unknown-profile": "It may have been deleted meanwhile.",
	"unknown-vertex": "Labels are compared letter by letter. Type a part of it to see those that are there.",
	"revision-differs": "It was uploaded again while this page was open: load the page again.",
	"tables-failed": "The overview of the graph says what can be done.",
	"negative-cycle": "Mend these lengths in the file, or choose another rule for its weights, and upload it again.",
	overflow: "Scale the weights of the file down and upload it again.",
	"bad-data": "Mend the file, or choose another rule for its weights, and upload it again.",
	"no-memory": "Ask for less, or compute on a machine with more memory.",
	"solver-died": "Compute again. If it fails again, the daemon's log says how it ended; often memory was short.",
	"solver-stalled": "Compute again. If it fails again, the device or its driver hangs.",
	"device-failed": "Compute again. If it fails again, look at the device on the page Daemon, and at the daemon's log.",
	"proof-failed": "Compute again. If it fails again, the memory or the device of that machine errs.",
	"search-limit": "Ask for less: fewer paths, fewer arcs, less to avoid.",
};

function advice({status, type, body}) {
	if (status === 0) return "Check that apspd runs. This page goes on by itself as soon as it answers.";
	if (body.suggestions?.length) return `Did you mean ${body.suggestions.join(", ")}?`;
	if (body.line) return `Correct line ${body.line} of the file and upload it again.`;
	if (body.deletable?.length) return "Make room first; deleting one of these frees most:";
	if (ADVICE[type]) return ADVICE[type];
	switch (status) {
	case 401: return "";
	case 403: return "Ask whoever runs this daemon for access.";
	case 404: return "It may have been deleted or renamed; the list of graphs shows what is there.";
	case 409: return "Upload the graph again, or choose another profile.";
	case 413: return "Upload a smaller file, or one that is packed by gzip or zstd.";
	case 503: return "Try again in a moment.";
	case 507: return "Ask whoever runs this daemon to make room on its disk, or ask for less.";
	default: return "";
	}
}

/* Where to go from a problem: [address, words, what is said of it]. */
function links({type, body}) {
	const graph = /^#\/graphs\/[^/?]+/.exec(location.hash)?.[0];
	if (type === "unknown-graph") return [["#/", "All graphs"]];
	if (graph && ["tables-failed", "unknown-profile"].includes(type)) return [[graph, "Overview of the graph"]];
	return (body.deletable ?? []).map(({graph: name, profile, bytes: size}) => [
		`#/graphs/${part(name)}`, profile ? `profile ${profile} of ${name}` : `graph ${name}`, bytes(size)]);
}

/* No daemon answers, or a proxy in front of it says so. */
export const lost = () => heard(new Problem(0, {detail: "the daemon does not answer"}));

function problem(status, body) {
	return body === null && [502, 503, 504].includes(status) ? lost() : heard(new Problem(status, body));
}

/* null: not the daemon's, but a proxy's page. */
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

export async function ask(method, path, {query, body, type, signal, as = "json"} = {}) {
	let reply, answer;
	try {
		reply = await fetch(url(path, query), {
			method, signal, body, credentials: "same-origin",
			headers: headersOf(type),
		});
		answer = await (reply.ok && as === "bytes" ? reply.arrayBuffer() : reply.text());
	} catch (error) { /* the connection may end within the answer, too */
		throw error.name === "AbortError" ? error : lost();
	}
	if (!reply.ok) throw problem(reply.status, parsed(answer));
	if (reply.status === 204) return null;
	return as === "json" ? JSON.parse(answer) : answer;
}

/* A browser sends no token with a plain link, so a link that downloads asks by itself. */
export async function download(event) {
	if (!token) return;
	event.preventDefault();
	const link = event.currentTarget;
	let file;
	try {
		const reply = await fetch(link.href, {headers: headersOf()});
		if (!reply.ok) throw problem(reply.status, parsed(await reply.text()));
		file = await reply.blob();
	} catch (error) {
		link.replaceWith((error instanceof Problem ? error : lost()).message);
		return;
	}
	const saved = document.createElement("a");
	saved.href = URL.createObjectURL(file);
	saved.download = link.download;
	saved.click();
	setTimeout(() => URL.revokeObjectURL(saved.href), 60000);
}

export const get = (path, query, signal) => ask("GET", path, {query, signal});
export const post = (path, body, signal, query) =>
	ask("POST", path, {query, body: JSON.stringify(body), type: "application/json", signal});

/* PUT a file, telling sent(share) as it goes. */
export function put(path, {query, body, type, sent, signal}) {
	return new Promise((done, failed) => {
		const request = new XMLHttpRequest();
		request.open("PUT", url(path, query));
		for (const [name, value] of Object.entries(headersOf(type))) request.setRequestHeader(name, value);
		request.upload.onprogress = (e) => sent?.(e.lengthComputable ? e.loaded / e.total : 0);
		request.onload = () => {
			const answer = parsed(request.responseText);
			if (request.status < 300) done(answer);
			else failed(problem(request.status, answer));
		};
		request.onerror = () => failed(lost());
		request.onabort = () => failed(new DOMException("aborted", "AbortError"));
		signal?.addEventListener("abort", () => request.abort());
		request.send(body);
	});
}

export const graphPath = (graph, ...rest) => ["v1/graphs", part(graph), ...rest].join("/");

/* What is known of the vertices of a graph, by its record; kept for the last graph. */
let known = {key: null, promise: null};

export function attributes(record) {
	const shown = record.revision ? record : record.pending ?? record;
	if (!shown.attributes?.length) return Promise.resolve({names: [], of: new Map()});
	const key = `${record.name} ${shown.revision} ${shown.attributes.join()}`;
	if (known.key !== key) {
		known = {key, promise: ask("GET", graphPath(record.name, "attributes"), {query: {revision: shown.revision}, as: "text"}).then(readAttributes)};
		known.promise.catch(forget);
	}
	return known.promise;
}

export const forget = () => { known = {key: null, promise: null}; };

async function readAttributes(text) {
	let names = null;
	const of = new Map();
	await gently(csvRows(text), (row) => {
		if (names) of.set(row[0], row.slice(1));
		else names = row.slice(1);
	});
	return {names: names ?? [], of};
}

/* Do it with each of many things, and rest now and then, so that keys and frames have their turn. */
const WORK_MS = 12, LOOK = 256;
export async function gently(things, work) {
	let began = performance.now(), n = 0;
	for (const thing of things) {
		work(thing);
		if (++n % LOOK === 0 && performance.now() - began > WORK_MS) {
			await new Promise((done) => { setTimeout(done); });
			began = performance.now();
		}
	}
}

/* RFC 4180: quotes, commas and line ends in them. limit: rows at most. */
export function readCsv(text, separator = ",", limit = Infinity) {
	const rows = [];
	for (const row of csvRows(text, separator)) {
		if (rows.length === limit) break;
		rows.push(row);
	}
	return rows;
}

function* csvRows(text, separator = ",") {
	let row = [], at = 0;
	while (at < text.length) {
		let cell;
		if (text[at] === '"') {
			let end = at + 1;
			while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) end += text[end] === '"' ? 2 : 1;
			cell = text.slice(at + 1, end).replaceAll('""', '"');
			at = end + 1;
		} else {
			let end = at;
			while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
			cell = text.slice(at, end);
			at = end;
		}
		row.push(cell);
		if (text[at] === separator && at < text.length) {
			at++;
			if (at === text.length) row.push("");
			continue;
		}
		if (text[at] === "\r") at++;
		if (text[at] === "\n") at++;
		yield row;
		row = [];
	}
}
