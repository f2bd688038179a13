/* Questions to the daemon, and its problems as sentences. */

export const part = encodeURIComponent;

/* Where the daemon wants a token: kept here, and nowhere that outlives the page. */
let token = "";
export const useToken = (text) => { token = text; };
export const hasToken = () => token !== "";

const headersOf = (type) => ({
	...(type ? {"Content-Type": type} : {}), ...(token ? {Authorization: `Bearer ${token}`} : {}),
});

/* Relative to the page, so that a proxy's prefix stays. */
export function url(path, query) {
	const target = new URL(path, document.baseURI);
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
		this.advice = advice(status, this.body);
	}
}

function sentence(text) {
	const whole = text.charAt(0).toUpperCase() + text.slice(1);
	return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

function advice(status, body) {
	if (body.suggestions?.length) return `Did you mean ${body.suggestions.join(", ")}?`;
	if (body.line) return `Correct line ${body.line} of the file and upload it again.`;
	switch (status) {
	case 0: return "Check that apspd is still running, then try again.";
	case 401: return "";
	case 403: return "Ask whoever runs this daemon for access.";
	case 404: return "It may have been deleted or renamed; the list of graphs shows what is there.";
	case 409: return "Upload the graph again, or choose another profile.";
	case 413: return "Upload a smaller file, or one that is packed by gzip or zstd.";
	case 503: return "Try again in a moment.";
	case 507: return "Delete a graph that is no longer needed, or ask for less.";
	default: return "";
	}
}

const LOST = {detail: "the daemon does not answer"};

async function problem(reply) {
	let body = null;
	try {
		body = await reply.json();
	} catch { /* not ours: a proxy's page */ }
	return new Problem(reply.status, body);
}

export async function ask(method, path, {query, body, type, signal, as = "json"} = {}) {
	let reply;
	try {
		reply = await fetch(url(path, query), {
			method, signal, body, credentials: "same-origin",
			headers: headersOf(type),
		});
	} catch (error) {
		throw error.name === "AbortError" ? error : new Problem(0, LOST);
	}
	if (!reply.ok) throw await problem(reply);
	if (reply.status === 204) return null;
	return as === "json" ? reply.json() : as === "text" ? reply.text() : reply.arrayBuffer();
}

/* A browser sends no token with a plain link, so a link that downloads asks by itself. */
export async function download(event) {
	if (!token) return;
	event.preventDefault();
	const link = event.currentTarget;
	const reply = await fetch(link.href, {headers: headersOf()});
	if (!reply.ok) {
		link.replaceWith((await problem(reply)).message);
		return;
	}
	const saved = document.createElement("a");
	saved.href = URL.createObjectURL(await reply.blob());
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
			let answer = null;
			try {
				answer = JSON.parse(request.responseText);
			} catch { /* not ours */ }
			if (request.status < 300) done(answer);
			else failed(new Problem(request.status, answer));
		};
		request.onerror = () => failed(new Problem(0, LOST));
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
		known = {key, promise: ask("GET", graphPath(record.name, "attributes"), {as: "text"}).then(readAttributes)};
		known.promise.catch(forget);
	}
	return known.promise;
}

export const forget = () => { known = {key: null, promise: null}; };

function readAttributes(text) {
	const [head, ...rows] = readCsv(text);
	return {names: head.slice(1), of: new Map(rows.map((row) => [row[0], row.slice(1)]))};
}

/* RFC 4180: quotes, commas and line ends in them. limit: rows at most. */
export function readCsv(text, separator = ",", limit = Infinity) {
	const rows = [];
	let row = [], at = 0;
	while (at < text.length && rows.length < limit) {
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
		rows.push(row);
		row = [];
	}
	return rows;
}
