/* Requests to the daemon, and its problems as sentences. */
import {bytes, h, say, trouble} from "./dom.js";
import {saveFile} from "./save.js";

export const part = encodeURIComponent;

/* The token, if the daemon requires one. It is stored only here, and is lost with the page. */
let token = "";
export const useToken = (text) => { token = text; };
export const hasToken = () => token !== "";

/* Events of the whole page: "lost": no daemon answers; "token": the daemon requires a token;
   "replaced": the graph of the view was uploaded again, or has another rule or unit. */
export const news = new EventTarget();

/* fresh: refuse to replace what exists. */
const headersOf = (type, fresh) => ({
	...(type ? {"Content-Type": type} : {}), ...(token ? {Authorization: `Bearer ${token}`} : {}), ...(fresh ? {"If-None-Match": "*"} : {}),
});

/* Append {name: value}; a list gives a name several values, and an empty value is left out. */
export function addParams(params, values) {
	for (const [name, value] of Object.entries(values ?? {}))
		for (const one of [value].flat())
			if (one !== undefined && one !== null && one !== "") params.append(name, one);
	return params;
}

/* URLs are relative to the page, so they keep the prefix of a proxy. If the page was opened
   with a name and password, the browser sends these by itself. */
export function url(path, query) {
	const target = new URL(path, document.baseURI);
	target.username = target.password = "";
	target.hash = "";
	target.search = "";
	addParams(target.searchParams, query);
	return target;
}

export class Problem extends Error {
	constructor(status, body) {
		/* the place of a label in a request's list, such as sources[0], says nothing to readers of the page */
		super(sentence((body?.detail ?? body?.title ?? `The daemon answered with status ${status}.`).replace(/^\w+(\[\d+\])+ (?=')/, "")));
		this.status = status;
		this.body = body ?? {};
		this.type = this.body.type?.split("/").at(-1) ?? "";
		this.advice = advice(this);
		this.links = links(this);
	}
}

/* Announce problems that concern the whole page. */
function announce(problem) {
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
	"unknown-graph": "It may have been deleted in the meantime.",
	"unknown-profile": "It may have been deleted in the meantime.",
	"unknown-vertex": "Labels must match exactly. Type a part of the label to see those that exist.",
	"revision-differs": "It was uploaded again while this page was open: load the page again.",
	"tables-failed": "The overview of the graph shows what you can do.",
	"negative-cycle": "Correct these lengths in the file, or choose another rule for its weights, and upload it again.",
	overflow: "Scale whole weights of the file down, or drop or raise the smallest real ones, and upload it again.",
	"bad-data": "Correct the file and upload it again, or change the rule of the profile.",
	"no-memory": "Ask for less, or compute on a machine with more memory.",
	"solver-died": "Compute again. If it fails again, see the daemon's log; often there was not enough memory.",
	"solver-stalled": "Compute again. If it fails again, the device or its driver is stuck.",
	"device-failed": "Compute again. If it fails again, check the device on the page Daemon, and the daemon's log.",
	"proof-failed": "Compute again. If it fails again, the memory or the device of that machine is faulty.",
	"search-limit": "Ask for fewer paths or fewer arcs, or avoid fewer vertices.",
};

function advice({status, type, body}) {
	if (status === 0) return "Check that apspd runs. This page continues by itself as soon as it answers.";
	if (body.suggestions?.length) return `Did you mean ${body.suggestions.join(", ")}?`;
	if (body.line) return `Correct line ${body.line} of the file and upload it again.`;
	if (body.deletable?.length) return "Free disk space first. Deleting one of these frees most:";
	if (ADVICE[type]) return ADVICE[type];
	switch (status) {
	case 401: return "";
	case 403: return "Ask the daemon's operator for access.";
	case 404: return "It may have been deleted or renamed; the list of graphs shows all graphs.";
	case 409: return "Upload the graph again, or choose another profile.";
	case 413: return "Upload a smaller file, or compress it with gzip or zstd.";
	case 503: return "Try again in a moment.";
	case 507: return "Ask the daemon's operator for more space, or ask for less.";
	default: return "";
	}
}

/* Links that help with a problem: [address, text, remark]. */
function links({type, body}) {
	const graph = /^#\/graphs\/[^/?]+/.exec(location.hash)?.[0];
	if (type === "unknown-graph") return [["#/", "All graphs"]];
	if (graph && ["tables-failed", "unknown-profile"].includes(type)) return [[graph, "Overview of the graph"]];
	return (body.deletable ?? []).map(({graph: name, profile, bytes: size}) => [
		`#/graphs/${part(name)}`, profile ? `profile ${profile} of ${name}` : `graph ${name}`, bytes(size)]);
}

/* Announce that no daemon answers, or that a proxy reports so. */
export const lost = () => announce(new Problem(0, {detail: "the daemon does not answer"}));

function problem(status, body) {
	return body === null && [502, 503, 504].includes(status) ? lost() : announce(new Problem(status, body));
}

/* Returns null for text that is not JSON, such as a page of a proxy. */
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/* as: "json", or a method of Response: "text", "arrayBuffer", "blob". */
export async function ask(method, path, {query, body, type, signal, as = "json", fresh} = {}) {
	let reply, answer;
	try {
		reply = await fetch(url(path, query), {
			method, signal, body, credentials: "same-origin",
			headers: headersOf(type, fresh),
		});
		answer = await (reply.ok && as !== "json" ? reply[as]() : reply.text());
	} catch (error) { /* the connection may also end during the answer */
		throw error.name === "AbortError" ? error : lost();
	}
	if (!reply.ok) throw problem(reply.status, parsed(answer));
	if (reply.status === 204) return null;
	return as === "json" ? JSON.parse(answer) : answer;
}

/* Browsers send no token with a plain link, so with a token the page requests downloads itself. */
async function download(event) {
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
	saveFile(link.download, file);
}

export const downloadLink = (path, query, file, text, props) => h("a", {href: url(path, query), onclick: download, download: file, ...props}, text);

export const get = (path, query, signal) => ask("GET", path, {query, signal});
export const post = (path, body, signal, query) =>
	ask("POST", path, {query, body: JSON.stringify(body), type: "application/json", signal});

/* A button that saves the answer to a POST as a file. */
export function saveButton(text, path, query, body, file, props) {
	const button = h("button", {type: "button", onclick: async () => {
		button.disabled = true;
		try {
			saveFile(file, await ask("POST", path, {query, body: JSON.stringify(body), type: "application/json", as: "blob"}));
			say(`Saved ${file}.`);
		} catch (error) {
			button.parentNode.after(trouble(error));
		}
		button.disabled = false;
	}, ...props}, text);
	return button;
}

/* PUT a file and call sent(fraction) while it is sent. */
export function put(path, {query, body, type, sent, signal, fresh}) {
	return new Promise((done, failed) => {
		const request = new XMLHttpRequest();
		request.open("PUT", url(path, query));
		for (const [name, value] of Object.entries(headersOf(type, fresh))) request.setRequestHeader(name, value);
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

/* All entries of a list that the daemon answers in pages. */
export async function pages(path, member, query, signal) {
	const all = [];
	let cursor = null;
	do {
		const page = await get(path, {...query, cursor}, signal);
		all.push(...page[member]);
		cursor = page.next;
	} while (cursor);
	return all;
}
export const allGraphs = (signal) => pages("v1/graphs", "graphs", {limit: 100}, signal);

/* The attributes of a graph's vertices. The last graph's attributes are kept. */
let known = {stamp: null, promise: null};

export function attributes(record) {
	const shown = record.revision ? record : record.pending ?? record;
	if (!shown.attributes?.length) return Promise.resolve({names: [], of: new Map()});
	if (known.stamp !== record.stamp) { /* each change of a graph gives it another stamp */
		known = {stamp: record.stamp, promise: ask("GET", graphPath(record.name, "attributes"), {query: {revision: shown.revision}, as: "text"}).then(readAttributes)};
		known.promise.catch(() => { known = {stamp: null, promise: null}; });
	}
	return known.promise;
}

/* The attributes of a graph's vertices, or no attributes if they cannot be read. For views that can do without names. */
export const knownOf = (record) => attributes(record).catch(() => ({names: [], of: new Map()}));

/* The attributes with at most `most` different values. */
export const fewValued = ({names, of}, most) => names.filter((_, at) => new Set([...of.values()].map((values) => values[at])).size <= most);

async function readAttributes(text) {
	let names = null;
	const of = new Map();
	await gently(csvRows(text), (row) => {
		if (names) of.set(row[0], row.slice(1));
		else names = row.slice(1);
	});
	return {names: names ?? [], of};
}

/* Call work() for each thing. After each 12 ms, let the browser handle keys and frames. */
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

/* Parse CSV with quoted cells (RFC 4180), at most `limit` rows. */
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
