/* The upload of a file: recognise it, ask for its meaning, estimate it, send it. */
import {address} from "./address.js";
import {graphPath, post, put, url} from "./api.js";
import {bytes, choice, count, details, duration, facts, field, h, nameInput, otherRule, plural, replace, say, select, table, trouble, troubleIn} from "./dom.js";
import {recognise, transformOf} from "./recognise.js";
import {ruleForm} from "./rule_form.js";
import {call, reshare} from "./share.js";

const MEANINGS = [
	["inv", "Strengths: more is nearer", "Counts of synapses, of flights, of messages. An arc of weight 4 has length 1/4."],
	["none", "Lengths: less is nearer", "Kilometres, minutes, fibre lengths. Weights are used as they are."],
	["hops", "Nothing: every arc counts 1", "Distances are numbers of arcs."],
	["log", "Probabilities of passing", "Weights between 0 and 1, or shares; the most probable chain is the shortest path. Length −ln(weight)."],
	["lognorm", "Strengths, by their ratio to the largest", "The product of the ratios counts, not the sum. Length −ln(weight / largest)."],
	["widest", "Strengths: the weakest arc of a path counts", "One upload answers every threshold: which pairs are connected by arcs of 5 and more?"],
];
const NEW = {name: ""}; /* a graph that is not stored yet, for forms */
const PROOFS = [ /* the ways to treat the tables of a bundle: [value for the daemon, name, explanation] */
	["all", "Proved whole", "Every row is compared with all arcs before it answers. Needs the scope admin."],
	["seed", "Proved by a sample", "Every distance is compared with its path, and 1,024 rows with all arcs. A distance that is too long may be missed. Needs the scope admin."],
	["recompute", "Computed again", "The tables in the file are not used."],
];
const PROVED = 1e11; /* vertices times arcs up to which the daemon proves every row by itself */

/* A name that the daemon accepts: A-Z a-z 0-9 . _ ~ -, not beginning with a dot. */
const nameOf = (file) => file.name.replace(/(\.(csv|tsv|txt|mtx|gr|npy|json|gz|zst|tar|apspd))+$/i, "")
	.replace(/[^A-Za-z0-9._~-]+/g, "-").replace(/^[.-]+|-+$/g, "").slice(0, 128) || "graph";

const nameField = (value, changed) => field("Name of the graph", nameInput({value, oninput: (e) => changed(e.target.value)}), "Letters, digits and . _ ~ -");
const overwriting = (names, name) => (names.has(name) ? `There is a graph '${name}' already: it will be replaced.` : "");

/*
 * Send the file, and show in `place` how much is sent. When the daemon has read it, open the graph.
 * A graph that `names` lacks is not replaced: if it was added meanwhile, names has it from then on,
 * changed() is called, and the user can send the file again. failed(problem) is called if the daemon
 * refuses the file, or with null if the user stops it.
 */
async function transfer(file, name, {names, changed, query, type, place, signal, failed}) {
	const bar = h("progress", {max: 1, value: 0, "aria-label": "Upload"}), far = h("p", {class: "hint"});
	const stop = new AbortController();
	signal.addEventListener("abort", () => stop.abort());
	replace(place, h("div", {class: "row"}, h("p", null, "Sending the file"),
		h("button", {type: "button", onclick: () => stop.abort()}, "Stop")), bar, far);
	say("Sending the file.");
	try {
		const receipt = await put(graphPath(name), {query, body: file, type, fresh: !names.has(name), signal: stop.signal, sent: (share) => {
			bar.value = share;
			far.textContent = share < 1 ? `${bytes(share * file.size)} of ${bytes(file.size)}` : `${bytes(file.size)} sent. The daemon reads them.`;
		}});
		sessionStorage.setItem(`receipt ${name}`, JSON.stringify(receipt));
		location.hash = address("overview", name);
	} catch (error) {
		replace(place);
		if (error.type === "precondition-failed") {
			names.set(name, NEW); /* without its record: the form keeps its options */
			changed();
		}
		failed(error.name === "AbortError" ? null : error);
	}
}

/* names: the stored graphs by name. */
export function uploader(names, signal) {
	const place = h("div");
	const input = h("input", {type: "file", class: "unseen", id: "file", tabindex: -1, "aria-hidden": "true",
		onchange: () => input.files[0] && take(input.files[0])});
	const pick = h("button", {type: "button", onclick: () => input.click()}, "Choose a file");
	const zone = h("div", {class: "drop"},
		h("p", null, h("strong", null, "Drop a file here")), pick, input,
		h("p", {class: "hint"}, "Edge list (CSV, TSV), matrix (CSV, NumPy), Matrix Market, DIMACS or JSON; uncompressed, gzip or zstd. Or a bundle, which restores a saved graph."));
	const node = h("div", null, zone, place);

	/* A file may be dropped anywhere; outside the zone, the browser would leave the page for it. */
	const on = (kind, act) => document.addEventListener(kind, (e) => {
		e.preventDefault();
		act(e);
	}, {signal});
	for (const kind of ["dragenter", "dragover"]) on(kind, () => zone.classList.add("over"));
	on("dragleave", () => zone.classList.remove("over"));
	on("drop", (e) => {
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
		const form = (found.bundle ? bundleForm : uploadForm)(file, found, names, signal, back);
		replace(place, form);
		form.querySelector("h3").focus();
	}
	return node;
}

/* The form of a bundle: what it holds, and the name that the graph gets. */
function bundleForm(file, found, names, signal, back) {
	const {graph, vertices, arcs, profiles, attributes, weight_unit: unit} = found.bundle;
	let name = graph, proof = vertices * arcs <= PROVED ? "all" : "seed";
	const problem = h("div"), overwrites = h("p", {class: "hint warn"}), same = h("div");
	const send = h("button", {type: "submit", class: "primary"}, "Restore the graph");
	const ready = profiles.filter(({tables}) => tables);
	const query = () => (!ready.length ? {} : proof === "recompute" ? {tables: proof} : {prove: proof});

	function changed() {
		overwrites.textContent = overwriting(names, name);
		reshare(same, {method: "PUT", file: file.name, target: url(graphPath(name), query()), type: found.type}, call("load", [file.name, name], {prove: query().prove}));
	}
	async function submit(e, consent) {
		e.preventDefault();
		send.disabled = true;
		await transfer(file, name, {names, changed, query: {...query(), ...consent}, type: found.type, place: problem, signal, failed: (error) => {
			send.disabled = false;
			if (error) replace(problem, error.type === "rule-differs" ? otherRule(error, (again) => submit(again, {default_rule: "replace"}))
				: trouble(error.status === 403 && query().prove ? {message: error.message, advice: "Choose “Computed again”, or ask the daemon's operator for a token with the scope admin."} : error));
		}});
	}
	const form = h("form", {class: "card", onsubmit: submit}, h("h3", {tabindex: -1}, file.name),
		h("p", null, `${found.what} ${bytes(file.size)}.`),
		facts([["Vertices", count(vertices)], ["Arcs", count(arcs)], ["Profiles", profiles.map((one) => one.name).join(", ")],
			["Tables of", ready.length ? ready.map((one) => one.name).join(", ") : "none: they are computed"],
			["Attributes", attributes ? attributes.columns.join(", ") : "–"], ["Weights in", unit ?? "–"]]),
		nameField(name, (value) => { name = value; changed(); }), overwrites,
		ready.length ? choice("What becomes of the tables in the file?", "proof", PROOFS, proof, (value) => { proof = value; changed(); }) : null,
		h("div", {class: "row start after"}, send, h("button", {type: "button", onclick: back}, "Choose another file")), problem, same);
	changed();
	return form;
}

/* The form of an upload, and the query that follows from it. */
function uploadForm(file, found, names, signal, back) {
	const wish = {
		name: nameOf(file), transform: found.transform ?? null, undirected: false,
		unit: null, /* the unit of weights; null: it stays as it is */
		rule: null, /* if the graph has another rule: "keep" or "replace" */
		columns: found.columns ? {...found.columns} : null,
	};
	const estimate = h("div", {class: "estimate", role: "status"});
	const problem = h("div");
	const same = h("div");
	const send = h("button", {type: "submit", class: "primary"}, "Upload and compute");
	const cancel = h("button", {type: "button", onclick: back}, "Choose another file");
	const overwrites = h("p", {class: "hint warn"}), meaning = h("div"), more = h("div");
	const unit = h("input", {maxlength: 63, autocomplete: "off", placeholder: "synapses", oninput: () => { wish.unit = unit.value.trim(); changed(); }});
	const unitField = field("Unit of the weights", unit, "Shown beside numbers. If it is empty, a stored graph keeps its unit.");
	const weightless = () => (wish.columns ? !wish.columns.weight : found.weightless);
	let options = null, optionsFor = null; /* the other options of the rule; the graph to which they belong */

	/* Only weights have a unit and a meaning. */
	function showMeaning() {
		unitField.hidden = weightless();
		replace(meaning, weightless() ? h("p", {class: "hint"}, "There are no weights: every arc counts 1.")
			: choice("What do the weights mean?", "transform", MEANINGS, wish.transform, (value) => { wish.transform = value; wish.rule = null; changed(); }));
	}

	/* A stored graph has attributes, by which vertices can be left out. */
	function showOptions() {
		const record = names.get(wish.name) ?? NEW;
		if (record === optionsFor) return;
		optionsFor = record;
		if (wish.unit === null) unit.value = record.weight_unit ?? "";
		const edited = () => {
			wish.rule = null;
			changed();
		};
		options = ruleForm(record, signal, edited);
		replace(more, options.nodes);
	}
	const rule = () => (wish.rule === "keep" ? {} : options.rule(wish.transform));

	const query = () => ({
		...rule(), weight_unit: weightless() ? null : wish.unit || null, undirected: wish.undirected ? "true" : null, format: found.format, decimal: found.decimal,
		...(wish.columns && found.columnsDiffer(wish.columns) ? {
			from_column: wish.columns.from, to_column: wish.columns.to, weight_column: wish.columns.weight || null,
		} : {}), default_rule: wish.rule === "replace" ? "replace" : null,
	});

	let asking = new AbortController();
	async function changed() {
		showOptions();
		const ready = wish.transform && wish.name;
		send.disabled = !ready;
		overwrites.textContent = overwriting(names, wish.name);
		if (ready) reshare(same, {method: "PUT", file: file.name, target: url(graphPath(wish.name), query()), type: found.type}, call("put", [file.name, wish.name], query()));
		else replace(same);
		asking.abort();
		if (!ready || !found.vertices) {
			estimate.textContent = ready ? "The daemon estimates the time after it has read the file." : "Choose the meaning of the weights to see an estimate.";
			return;
		}
		asking = new AbortController();
		try {
			const e = await post("v1/estimate", {
				...options.rule(wish.transform), vertices: found.vertices, arcs: found.arcs * (wish.undirected ? 2 : 1),
			}, asking.signal);
			estimate.textContent = `${e.seconds < 1 ? "Less than a second" : `About ${duration(e.seconds)}`} of computing on ${e.device ?? "the processor"}, with ${bytes(e.host_bytes)} of memory; ${bytes(e.disk_bytes)} on disk.${e.not_counted.includes("compiling") ? " A first job of its kind also compiles kernels, for up to half a minute." : ""}`;
		} catch (error) {
			troubleIn(estimate)(error);
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
		await transfer(file, wish.name, {names, changed, query: query(), type: found.type, place: problem, signal, failed: (error) => {
			send.disabled = false;
			replace(estimate); /* the estimate no longer applies */
			if (error) replace(problem, error.type !== "rule-differs" ? trouble(error) : otherRule(error, settle("replace"), settle("keep")));
		}});
	}

	const columns = wish.columns ? h("div", {class: "fields"}, ["from", "to", "weight"].map((role) =>
		field({from: "From", to: "To", weight: "Weight"}[role],
			select([...(role === "weight" ? [["", "none"]] : []), ...found.head.map((name) => [name, name])],
				wish.columns[role] ?? "", (value) => {
					wish.columns[role] = value;
					if (role === "weight") {
						wish.transform = transformOf(value);
						wish.rule = null;
						showMeaning();
					}
					changed();
				})))) : null;

	const form = h("form", {class: "card", onsubmit: submit},
		h("h3", {tabindex: -1}, file.name),
		h("p", null, `${found.what} ${bytes(file.size)}`, found.vertices
			? `: ${plural(found.vertices, "vertex", "vertices")}, ${plural(found.arcs, "arc")}.` : "."),
		found.rows ? table("The first rows", {class: "preview"}, found.rows[0].map((name) => h("th", {scope: "col"}, name)), h("tbody", null, found.rows.slice(1).map((row) => h("tr", null, row.map((cell) => h("td", null, cell)))))) : null,
		columns, h("div", {class: "fields"}, nameField(wish.name, (value) => { wish.name = value; wish.rule = null; changed(); }), unitField), overwrites, meaning,
		details("Thresholds, shares, vertices to leave out", more),
		found.list ? h("label", {class: "check"}, h("input", {type: "checkbox",
			onchange: (e) => { wish.undirected = e.target.checked; changed(); }}), " Each row is a connection in both directions") : null,
		estimate, h("div", {class: "row start"}, send, cancel), problem, same);
	showMeaning();
	changed();
	return form;
}
