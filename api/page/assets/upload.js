/* The upload of a file: recognise it, ask for its meaning, estimate it, send it. */
import {address} from "./address.js";
import {graphPath, post, put, url} from "./api.js";
import {bytes, choice, duration, field, h, otherRule, plural, replace, say, select, table, trouble} from "./dom.js";
import {recognise} from "./recognise.js";
import {call, share} from "./share.js";

const MEANINGS = [
	["inv", "Strengths: more is nearer", "Counts of synapses, of flights, of messages. An arc of weight 4 has length 1/4."],
	["none", "Lengths: less is nearer", "Kilometres, minutes, fibre lengths. Weights are used as they are."],
	["hops", "Nothing: every arc counts 1", "Distances are numbers of arcs."],
	["log", "Probabilities of passing", "Weights between 0 and 1; the most probable chain is the shortest path. Length −ln(weight)."],
];

/* A name that the daemon accepts: A-Z a-z 0-9 . _ ~ -, not beginning with a dot. */
const nameOf = (file) => file.name.replace(/(\.(csv|tsv|txt|mtx|gr|npy|json|gz|zst))+$/i, "")
	.replace(/[^A-Za-z0-9._~-]+/g, "-").replace(/^[.-]+|-+$/g, "").slice(0, 128) || "graph";

export function uploader(names, signal) {
	const place = h("div");
	const input = h("input", {type: "file", class: "unseen", id: "file", tabindex: -1, "aria-hidden": "true",
		onchange: () => input.files[0] && take(input.files[0])});
	const pick = h("button", {type: "button", onclick: () => input.click()}, "Choose a file");
	const zone = h("div", {class: "drop"},
		h("p", null, h("strong", null, "Drop a file here")), pick, input,
		h("p", {class: "hint"}, "Edge list (CSV, TSV), matrix (CSV, NumPy), Matrix Market, DIMACS or JSON; uncompressed, gzip or zstd."));
	const node = h("div", null, zone, place);

	for (const kind of ["dragenter", "dragover"])
		zone.addEventListener(kind, (e) => {
			e.preventDefault();
			zone.classList.add("over");
		});
	zone.addEventListener("dragleave", () => zone.classList.remove("over"));
	zone.addEventListener("drop", (e) => {
		e.preventDefault();
		zone.classList.remove("over");
		if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
	});

	const back = () => {
		input.value = "";
		zone.hidden = false;
		replace(place);
		pick.focus();
	};

	async function take(file) {
		replace(place, h("p", {class: "hint"}, `Looking at ${file.name} …`));
		let found;
		try {
			found = await recognise(file);
		} catch (error) {
			found = {refusal: `The file cannot be read: ${error.message}`};
		}
		if (signal.aborted) return;
		if (found.refusal) {
			replace(place, trouble({message: found.refusal, advice: found.advice}));
			input.value = "";
			return;
		}
		zone.hidden = true;
		const form = uploadForm(file, found, names, signal, back);
		replace(place, form);
		form.querySelector("h3").focus();
	}
	return node;
}

/* The form of an upload, and the query that follows from it. */
function uploadForm(file, found, names, signal, back) {
	const wish = {
		name: nameOf(file), transform: found.transform ?? null, undirected: false,
		rule: null, /* if the graph has another rule: "keep" or "replace" */
		columns: found.columns ? {...found.columns} : null,
	};
	const estimate = h("div", {class: "estimate", role: "status"});
	const problem = h("div");
	const same = h("div");
	const send = h("button", {type: "submit", class: "primary"}, "Upload and compute");
	const cancel = h("button", {type: "button", onclick: back}, "Choose another file");
	const nameInput = h("input", {value: wish.name, required: true, maxlength: 128, autocomplete: "off", spellcheck: "false",
		pattern: "[A-Za-z0-9_~\\-][A-Za-z0-9._~\\-]*", oninput: () => { wish.name = nameInput.value; wish.rule = null; changed(); }});
	const overwrites = h("p", {class: "hint warn"});

	const query = () => ({
		transform: wish.rule === "keep" ? null : wish.transform, undirected: wish.undirected ? "true" : null, format: found.format,
		...(wish.columns && found.columnsDiffer(wish.columns) ? {
			from_column: wish.columns.from, to_column: wish.columns.to, weight_column: wish.columns.weight || null,
		} : {}), default_rule: wish.rule === "replace" ? "replace" : null,
	});

	let asking = new AbortController();
	async function changed() {
		const ready = wish.transform && wish.name;
		send.disabled = !ready;
		overwrites.textContent = names.has(wish.name) ? `There is a graph '${wish.name}' already: it will be replaced.` : "";
		replace(same, ready ? share({method: "PUT", file: file.name, target: url(graphPath(wish.name), query()), type: found.type}, call("put", [file.name, wish.name], query())) : null);
		asking.abort();
		if (!ready || !found.vertices) {
			estimate.textContent = ready ? "The daemon estimates the time after it has read the file." : "Choose the meaning of the weights to see an estimate.";
			return;
		}
		asking = new AbortController();
		try {
			const e = await post("v1/estimate", {
				vertices: found.vertices, arcs: found.arcs * (wish.undirected ? 2 : 1), transform: wish.transform,
			}, asking.signal);
			estimate.textContent = `${e.seconds < 1 ? "Less than a second" : `About ${duration(e.seconds)}`} of computing on ${e.device ?? "the processor"}, with ${bytes(e.host_bytes)} of memory; ${bytes(e.disk_bytes)} on disk.${e.not_counted.includes("compiling") ? " A first job of its kind also compiles kernels, for up to half a minute." : ""}`;
		} catch (error) {
			if (error.name !== "AbortError") replace(estimate, trouble(error));
		}
	}

	/* Send the file and keep the graph's rule, or change it. */
	const settle = (rule) => (e) => {
		wish.rule = rule;
		changed();
		submit(e);
	};

	async function submit(e) {
		e.preventDefault();
		send.disabled = true;
		const bar = h("progress", {max: 1, value: 0, "aria-label": "Upload"});
		const stop = new AbortController();
		signal.addEventListener("abort", () => stop.abort());
		replace(problem, h("div", {class: "row"}, h("p", null, "Sending the file"),
			h("button", {type: "button", onclick: () => stop.abort()}, "Stop")), bar);
		say("Sending the file.");
		try {
			const receipt = await put(graphPath(wish.name), {
				query: query(), body: file, type: found.type, sent: (share) => { bar.value = share; }, signal: stop.signal,
			});
			sessionStorage.setItem(`receipt ${wish.name}`, JSON.stringify(receipt));
			location.hash = address("overview", wish.name);
		} catch (error) {
			send.disabled = false;
			replace(estimate); /* the estimate no longer applies */
			replace(problem, error.name === "AbortError" ? null : error.type !== "rule-differs" ? trouble(error)
				: otherRule(error, settle("replace"), settle("keep")));
		}
	}

	const columns = wish.columns ? h("div", {class: "fields"}, ["from", "to", "weight"].map((role) =>
		field({from: "From", to: "To", weight: "Weight"}[role],
			select([...(role === "weight" ? [["", "none"]] : []), ...found.head.map((name) => [name, name])],
				wish.columns[role] ?? "", (value) => { wish.columns[role] = value; changed(); })))) : null;

	const form = h("form", {class: "card", onsubmit: submit},
		h("h3", {tabindex: -1}, file.name),
		h("p", null, `${found.what} ${bytes(file.size)}`, found.vertices
			? `: ${plural(found.vertices, "vertex", "vertices")}, ${plural(found.arcs, "arc")}.` : "."),
		found.rows ? table("The first rows", found.rows[0], found.rows.slice(1), {class: "preview"}) : null,
		columns, field("Name of the graph", nameInput, "Letters, digits and . _ ~ -"), overwrites,
		found.weightless ? h("p", {class: "hint"}, "There are no weights: every arc counts 1.")
			: choice("What do the weights mean?", "transform", MEANINGS, wish.transform, (value) => { wish.transform = value; wish.rule = null; changed(); }),
		found.list ? h("label", {class: "check"}, h("input", {type: "checkbox",
			onchange: (e) => { wish.undirected = e.target.checked; changed(); }}), " Each row is a connection in both directions") : null,
		estimate, h("div", {class: "row start"}, send, cancel), problem, same);
	changed();
	return form;
}
