/* The same answer from a terminal and from Python. */
import {hasToken} from "./api.js";
import {h, say} from "./dom.js";

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;
const python = (value) => JSON.stringify(value);

function curlLine({method = "GET", target, body, file, type}) {
	const words = ["curl"];
	if (file) words.push("-T", quoted(file));
	if (type) words.push("-H", quoted(`Content-Type: ${type}`));
	if (hasToken()) words.push("-H", '"Authorization: Bearer $TOKEN"');
	if (method !== "GET" && !(method === "POST" && body) && !(method === "PUT" && file)) words.push("-X", method);
	words.push(quoted(target));
	if (body) words.push("-d", quoted(JSON.stringify(body)));
	return words.join(" ");
}

function pythonLine({method = "GET", target, body, file, type, as}) {
	const address = python(String(target));
	const headers = [type ? `"Content-Type": ${python(type)}` : null, hasToken() ? '"Authorization": "Bearer " + token' : null].filter(Boolean);
	const options = hasToken() ? `, storage_options={${headers.join(", ")}}` : "";
	const plain = hasToken() ? `u.Request(${address}, headers={${headers.join(", ")}})` : address;
	if (as === "csv") return `import pandas; table = pandas.read_csv(${address}${options})`;
	if (as === "npy")
		return `import io, numpy, urllib.request as u; matrix = numpy.load(io.BytesIO(u.urlopen(${plain}).read()))`;
	const parts = [address];
	if (file) parts.push(`data=open(${python(file)}, "rb").read()`);
	else if (body) parts.push(`data=json.dumps(${pythonValue(body)}).encode()`);
	if (headers.length) parts.push(`headers={${headers.join(", ")}}`);
	if (method !== "GET" && !(method === "POST" && body)) parts.push(`method=${python(method)}`);
	const request = parts.length > 1 ? `u.Request(${parts.join(", ")})` : address;
	return `import json, urllib.request as u; answer = json.load(u.urlopen(${request}))`;
}

const pythonValue = (value) => JSON.stringify(value)
	.replace(/\btrue\b/g, "True").replace(/\bfalse\b/g, "False").replace(/\bnull\b/g, "None");

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

/* question: {method, target, body, file, type, as}. */
export const share = (question) => h("details", {class: "share"},
	h("summary", null, "The same from a terminal or Python"),
	line("curl", curlLine(question)), line("Python", pythonLine(question)),
	h("p", {class: "hint"}, "The address of this page shows the same view to others on this machine."));
