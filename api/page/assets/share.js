/* The curl command and the line of Python that return the same answer. */
import {hasToken, url} from "./api.js";
import {h, replace, ruleText, say} from "./dom.js";

/* Host names of this machine only. */
const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/;

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/* Code of Python, which python() does not quote. */
class Code {
	constructor(text) { this.text = text; }
}
const python = (value) => (value instanceof Code ? value.text : Array.isArray(value) ? `[${value.map(python).join(", ")}]` : value === true ? "True" : JSON.stringify(value));

function curlLine({method = "GET", target, body, file, type}) {
	const words = ["curl"];
	if (file) words.push("-T", quoted(file.replace(/[[\]{}]/g, "\\$&"))); /* curl expands file[1-3] and {a,b} */
	if (type) words.push("-H", quoted(`Content-Type: ${type}`));
	if (hasToken()) words.push("-H", '"Authorization: Bearer $TOKEN"');
	if (method !== "GET" && !(method === "POST" && body) && !(method === "PUT" && file)) words.push("-X", method);
	words.push(quoted(target));
	if (body) words.push("-d", quoted(JSON.stringify(body)));
	return words.join(" ");
}

/* A call in Python; named arguments without a value are omitted. */
export const call = (name, args, named) => `${name}(${[...args.map(python),
	...Object.entries(named ?? {}).filter(([, value]) => given(value)).map(([name_, value]) => `${name_}=${python(value)}`)].join(", ")})`;

const given = (value) => value !== undefined && value !== null && value !== false && value !== "" && value.length !== 0;

/* The call for a graph with a profile. */
export const graphCall = (graph, profile) => call("graph", profile ? [graph, profile] : [graph]);

/*
 * The text that cites the data of a saved figure: graph, upload, rule, unit of weights and
 * question. rule: the rule in the profile's record, because an answer has only the transform.
 */
export const source = (graph, {revision, profile, transform}, rule, units, question) =>
	`apspd · ${graph} · revision ${revision.slice(0, 16)} · profile ${profile}: ${ruleText({...rule, transform}) ?? transform}${units.weight ? ` · weights in ${units.weight}` : ""} · ${question}`;

const pythonCode = (calls) => [call("apspd.connect", [String(url("")).replace(/\/$/, "")]), ...calls].join(".");
const pythonLine = (calls) => `import apspd; ${pythonCode(calls)}`;

/* A graph as an argument of a call. */
export const graphArgument = (graph, profile) => new Code(pythonCode([graphCall(graph, profile)]));

function line(name, text) {
	return h("div", {class: "line"}, h("span", null, name),
		h("code", {tabindex: 0}, text),
		h("button", {type: "button", class: "quiet", "aria-label": `Copy the ${name} line`, onclick: async (e) => {
			try {
				await navigator.clipboard.writeText(text);
				e.target.textContent = "Copied";
				say("Copied.");
			} catch {
				getSelection().selectAllChildren(e.target.previousSibling);
				e.target.textContent = "Selected";
				say("Selected: copy it with the keyboard.");
			}
		}}, "Copy"));
}

/* question: {method, target, body, file, type} for curl; calls: for Python, if its client has them. */
export const share = (question, ...calls) => h("details", {class: "share"},
	h("summary", null, calls.length ? "The same from a terminal or Python" : "The same from a terminal"),
	line("curl", curlLine(question)), calls.length ? line("Python", pythonLine(calls)) : null, calls.length ? where() : null);

/* Replace earlier lines by new ones; the lines stay open or closed. */
export function reshare(place, ...lines) {
	const open = place.querySelector("details")?.open;
	replace(place, share(...lines)).firstChild.open = open;
}

const where = () => (
	h("p", {class: "hint"}, "The Python line needs the file ", h("a", {href: url("apspd.py"), download: "apspd.py"}, "apspd.py"),
		hasToken() ? " and the token in APSPD_TOKEN; " : "; ", "the same for R is ", h("a", {href: url("apspd.R"), download: "apspd.R"}, "apspd.R"),
		". The address of this page shows the same view to others", LOCAL.test(location.hostname) ? " on this machine." : " who may ask this daemon."));
