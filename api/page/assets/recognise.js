/*
 * Recognises the format of a file from its first bytes, as the daemon does, and counts the
 * graph's vertices and arcs. Nothing is sent to the daemon. Files above COUNT_MAX are not
 * counted.
 */
import {readCsv} from "./api.js";

const COUNT_MAX = 256 * 1024 * 1024;
const HEAD_SIZE = 64 * 1024;

/* The names of columns that the daemon knows, in its order. */
const NAMES = {
	from: ["pre", "source", "from", "bodyid_pre", "body_pre", "pre_root_id", "source_id", "pre_pt_root_id", "pre_id", "i"],
	to: ["post", "target", "to", "bodyid_post", "body_post", "post_root_id", "target_id", "post_pt_root_id", "post_id", "j"],
	weight: ["weight", "syn_count", "synapse_weight", "value", "length", "distance", "cost", "synapses", "count", "w", "size"],
};
const LENGTHS = ["length", "distance", "cost"];

/* The transform that the name of the column of weights implies, or null; "": no column has weights. */
export const transformOf = (weight) => (weight === "" ? "hops" : LENGTHS.includes(weight.trim().toLowerCase()) ? "none" : null);

const TYPES = {
	csv: "text/csv", tsv: "text/tab-separated-values", "csv-matrix": "text/csv;layout=matrix",
	mtx: "text/x-matrix-market", gr: "text/x-dimacs", npy: "application/x-npy", json: "application/json", bundle: "application/x-tar",
};

function columnsOf(head) {
	const lower = head.map((name) => name.trim().toLowerCase());
	const found = {};
	for (const [role, names] of Object.entries(NAMES)) {
		const name = names.find((one) => lower.includes(one));
		if (name) found[role] = head[lower.indexOf(name)];
	}
	return found;
}

const DECIMAL = /^[+-]?\d+,\d+(e[+-]?\d+)?$/i; /* 0,5 */
const isNumber = (text) => text.trim() !== "" && Number.isFinite(Number(text.trim().replace(/^"|"$/g, "")));

/* Whether a cell can only be a label or a name: it is no number, no missing value and not infinite. */
const isText = (text) => !isNumber(text) && !/^("?)(|na|n\/a|#n\/a|nan|null|none|[+-]?inf(inity)?)\1$/i.test(text.trim());

/* Whether a cell can be the name of a column of weights: it has no digit before its first letter, unlike 1,204 and 0x10. */
const isName = (text) => isText(text) && !/^\P{L}*\p{N}/u.test(text);

async function* chunks(file, packed) {
	let stream = file.stream();
	if (packed) stream = stream.pipeThrough(new DecompressionStream("gzip"));
	const reader = stream.getReader();
	try {
		for (;;) {
			const {done, value} = await reader.read();
			if (done) return;
			yield value;
		}
	} finally {
		reader.cancel().catch(() => {});
	}
}

async function headOf(file, packed) {
	const parts = [];
	let size = 0;
	for await (const part of chunks(file, packed)) {
		parts.push(part);
		size += part.length;
		if (size >= HEAD_SIZE) break;
	}
	return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const LINE_END = /\r\n?|\n/;
const isData = (line) => line.trim() !== "" && !/^\s*[#%]/.test(line); /* neither blank nor a comment */

/* A function that gets the lines of a list or matrix and returns those that are data. Inside quotes, with which a cell begins after
 * one of the separators, a line end belongs to the label, and so the line is joined with the next one. */
function joiner(separators) {
	const begin = `(^|[${separators}])[ \\t]*"`;
	const begins = new RegExp(begin), cells = new RegExp(`${begin}(?:[^"]|"")*"`, "g");
	let open = "";
	return (all) => all.flatMap((line) => {
		const text = open + line;
		const more = text.length < HEAD_SIZE && (open !== "" || isData(line)) &&
			(line.includes('"') ? begins.test(text.replace(cells, "$1")) : open !== "");
		open = more ? `${text}\n` : "";
		return more || !isData(text) ? [] : [text];
	});
}

/* The lines of a list or matrix that are data. */
async function* lines(file, packed, separator) {
	const decoder = new TextDecoder(), join = joiner(separator);
	let rest = "";
	for await (const part of chunks(file, packed)) {
		const text = rest + decoder.decode(part, {stream: true});
		const half = text.endsWith("\r"); /* the next part may begin with the \n of this line end */
		const whole = (half ? text.slice(0, -1) : text).split(LINE_END);
		rest = whole.pop() + (half ? "\r" : "");
		yield* join(whole);
	}
	yield* join(rest.split(LINE_END));
}

const starts = (bytes, ...wanted) => wanted.every((byte, i) => bytes[i] === byte);

const REFUSED = [
	[[0x50, 0x4b, 3, 4], "This is a zip archive, as .xlsx and .npz are.", "Save the sheet as CSV, or the array by numpy.save(\"graph.npy\", array)."],
	[[0x4d, 0x41, 0x54, 0x4c], "This is a MATLAB file.", "Save it from Python: numpy.save(\"graph.npy\", scipy.io.loadmat(file)[\"name\"])."],
	[[0x89, 0x48, 0x44, 0x46], "This is an HDF5 file.", "Save its table as CSV: pandas.read_hdf(file).to_csv(\"graph.csv\")."],
	[[0xff, 0xfe, 0, 0], "This text is UTF-32.", "Save it as UTF-8 and try again."],
	[[0, 0, 0xfe, 0xff], "This text is UTF-32.", "Save it as UTF-8 and try again."],
	[[0xff, 0xfe], "This text is UTF-16.", "Save it as UTF-8 and try again."],
	[[0xfe, 0xff], "This text is UTF-16.", "Save it as UTF-8 and try again."],
	[[0x25, 0x50, 0x44, 0x46], "This is a PDF.", "apspd reads tables and matrices: CSV, NumPy, Matrix Market, DIMACS or JSON."],
	[[0x89, 0x50, 0x4e, 0x47], "This is a picture.", "apspd reads tables and matrices: CSV, NumPy, Matrix Market, DIMACS or JSON."],
];

export async function recognise(file) {
	if (file.size === 0) return {refusal: "The file is empty.", advice: "Choose another one."};
	const first = new Uint8Array(await file.slice(0, 4).arrayBuffer());
	if (starts(first, 0x28, 0xb5, 0x2f, 0xfd))
		return {what: "A file compressed with zstd, which the daemon will read,", type: "application/octet-stream"};
	const packed = starts(first, 0x1f, 0x8b);
	const head = await headOf(file, packed);
	for (const [mark, refusal, advice] of REFUSED)
		if (starts(head, ...mark)) return {refusal, advice};
	const text = new TextDecoder().decode(head);
	const found = await look(file, packed, head, text.replace(/^\ufeff/, ""));
	if (!found.refusal && found.format) found.type = TYPES[found.format];
	return found;
}

/* The text of bundle.json, the first file of a tar archive that is a bundle; null if it is none. */
function bundleText(head) {
	const ascii = (from, to) => String.fromCharCode(...head.subarray(from, to)).replace(/\0.*/s, "");
	for (let at = 0; at + 512 <= head.length && ascii(at + 257, at + 262) === "ustar";) {
		const size = Number.parseInt(ascii(at + 124, at + 136), 8) || 0;
		if (ascii(at, at + 100) === "bundle.json") return new TextDecoder().decode(head.subarray(at + 512, at + 512 + size));
		at += 512 + 512 * Math.ceil(size / 512); /* a header of pax */
	}
	return null;
}

function bundle(text) {
	try {
		const found = JSON.parse(text);
		if (!Array.isArray(found.profiles)) throw new Error();
		return {format: "bundle", what: "A bundle: a graph that apspd has saved,", bundle: found, vertices: found.vertices, arcs: found.arcs};
	} catch {
		return {refusal: "This bundle is damaged.", advice: "Save the graph again, or copy the file again."};
	}
}

async function look(file, packed, head, text) {
	const saved = bundleText(head);
	if (saved !== null) return bundle(saved);
	if (text.slice(257, 262) === "ustar") return {refusal: "This is a tar archive, but no bundle of apspd.", advice: "Unpack it, and choose the file with the arcs."};
	if (starts(head, 0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59)) return numpy(text);
	if (/^\s*[{[]/.test(text)) return json(file, packed);
	if (/^%%matrixmarket/i.test(text)) return matrixMarket(file, packed, text);
	if (/^((c([^\S\n][^\n]*)?|\r)?\n)*p (sp|0 )/.test(text)) return dimacs(text);
	if (/^\s*</.test(text))
		return {refusal: "This is XML or a web page.", advice: "GraphML is written as JSON by json.dump(networkx.node_link_data(networkx.read_graphml(file)), open(\"graph.json\", \"w\"))."};
	if (head.includes(0)) return {refusal: "This is no text and no format that apspd knows.", advice: "Bring a table or matrix: CSV, NumPy, Matrix Market, DIMACS or JSON."};
	return separated(file, packed, text);
}

function numpy(text) {
	const shape = /'shape':\s*\((\d+),\s*(\d+)\)/.exec(text);
	if (!shape || shape[1] !== shape[2]) return {refusal: "This NumPy array is not a square matrix.", advice: "Save one with as many rows as columns."};
	const n = Number(shape[1]);
	return {format: "npy", what: "A NumPy matrix,", vertices: n, arcs: n * n};
}

async function matrixMarket(file, packed, text) {
	const kind = text.split("\n", 1)[0].toLowerCase(), twoWays = kind.includes("symmetric");
	const [n, , listed] = text.split(LINE_END).find((line) => line.trim() && !line.startsWith("%"))?.trim().split(/\s+/).map(Number) ?? [];
	let arcs = listed === undefined ? n * n : listed * (twoWays ? 2 : 1);
	if (file.size <= COUNT_MAX && (twoWays || listed === undefined)) arcs = await entries(file, packed, n, listed === undefined, twoWays, kind.includes("skew"));
	return {format: "mtx", what: "A Matrix Market file,", vertices: n, arcs, weightless: kind.includes("pattern"), transform: kind.includes("pattern") ? "hops" : null};
}

/* Count the arcs of a Matrix Market file. A dense one lists all cells of a column, or of its part from the diagonal on (if skew, below it). */
async function entries(file, packed, n, dense, twoWays, skew) {
	let arcs = 0, sized = false, row = Number(skew), column = 0;
	for await (const line of lines(file, packed, "")) {
		const words = sized ? line.trim().split(/\s+/) : [];
		sized = true;
		if (!dense && words.length) arcs += Number(words[0]) === Number(words[1]) ? 1 : 2;
		for (const word of dense ? words : []) {
			if (isNumber(word) && Number(word) !== 0) arcs += twoWays && row !== column ? 2 : 1;
			if (++row === n) row = twoWays ? ++column + skew : 0;
		}
	}
	return arcs;
}

function dimacs(text) {
	const [n, m] = /^p (?:\w+ )?(\d+) (\d+)/m.exec(text)?.slice(1).map(Number) ?? [];
	return {format: "gr", what: "A DIMACS graph, whose weights are lengths,", vertices: n, arcs: m, transform: "none"};
}

/* The labels of an arc [from, to] or of a link {source, target}. */
function endsOf(arc) {
	if (Array.isArray(arc)) return arc.slice(0, 2);
	const {from, to} = columnsOf(Object.keys(arc));
	return [arc[from], arc[to]];
}

async function json(file, packed) {
	if (packed || file.size > 64 * 1024 * 1024) return {format: "json", what: "A JSON graph,"};
	try {
		const graph = JSON.parse(await file.text());
		const arcs = graph.arcs ?? graph.links ?? graph.edges ?? graph.adjacency?.flat();
		if (!arcs) throw new Error();
		const vertices = graph.vertices ?? graph.nodes, twoWays = graph.directed === false && !graph.adjacency;
		return {format: "json", what: "A JSON graph,", arcs: arcs.length * (twoWays ? 2 : 1),
			vertices: vertices?.length ?? new Set(arcs.flatMap(endsOf).map(String)).size};
	} catch {
		return {refusal: "This JSON holds no graph that apspd knows.", advice: "Write {\"vertices\": […], \"arcs\": [[from, to, weight], …]}, or networkx.node_link_data(graph)."};
	}
}

/* The separator that the daemon finds in the first line of a text (csv_reader.h). decimal: a comma is part of numbers. */
function separatorOf(line, decimal) {
	const [tabs, commas, semicolons, blanks] = ["\t", ",", ";", " "].map((one) => line.replace(/"[^"]*"?/g, "").split(one).length - 1);
	if (tabs) return "\t";
	if (semicolons > (decimal ? 0 : commas)) return ";";
	return blanks && (decimal || !commas) ? " " : ",";
}

/* The cells of a line. Separators inside quotes are kept only if `quoted`, which takes longer. */
function cellsOf(line, separator, quoted) {
	const text = separator === " " ? line.trim().replace(/[ \t]+/g, " ") : line;
	return (quoted ? readCsv(`${text}\n`, separator)[0] : text.split(separator)).map((cell) => cell.trim());
}

/* An edge list or a dense matrix. If semicolons separate columns, commas may be part of numbers. */
async function separated(file, packed, text) {
	const all = text.split(LINE_END), first = joiner("\t,; ")(all)[0] ?? "";
	const rows = joiner(separatorOf(first, false))(all).slice(0, 8);
	const split = rows.map((row) => cellsOf(row, ";", true));
	const decimal = separatorOf(first, true) === ";" && split.every((row) => row.length > 1) && split.some((row) => row.some((cell) => DECIMAL.test(cell)));
	const separator = separatorOf(first, decimal);
	const point = (cell) => (DECIMAL.test(cell) ? cell.replace(",", ".") : cell);
	const cut = (line, quoted) => (decimal ? cellsOf(line, separator, quoted).map(point) : cellsOf(line, separator, quoted));
	const cells = rows.map((row) => cut(row, true));
	if (!rows.length || cells.some((row) => row.length < 2)) return {refusal: "This text has no columns.", advice: "An edge list has two or three: from, to, weight, separated by commas, tabs, semicolons or blanks."};
	if (cells[1]?.length === cells[0].length + 1) cells[0].unshift(""); /* R writes no name above its row names */
	const named = columnsOf(cells[0]);
	const width = cells.at(-1).length;
	const found = await (width > 3 && !named.from ? matrix(file, packed, cells, cut, separator) : list(file, packed, cells, cut, named, separator));
	return decimal && !found.refusal ? {...found, decimal: ",", what: `${found.what} with decimal commas,`} : found;
}

async function matrix(file, packed, cells, cut, separator) {
	/* The layout follows from the first two rows, as in the daemon (format_csv_matrix.c). */
	const [[corner, ...rest], [start] = [""]] = cells, known = rest.includes(start);
	const words = corner === "" || rest.some(isText), header = words || (isText(corner) && known);
	const labels = Number(corner === "" || (words ? isText(start) || known : isText(corner))); /* columns of labels */
	if (header && cells.slice(1).some((row) => row.slice(labels).some(isText)))
		return {refusal: "This table is neither a list of arcs nor a matrix of numbers.", advice: "Name its columns from, to and weight in the first line, or keep numbers only."};
	const n = rest.length + 1 - labels;
	let arcs = 0, skip = header;
	if (file.size <= COUNT_MAX)
		for await (const line of lines(file, packed, separator)) {
			const row = skip ? [] : cut(line);
			skip = false;
			for (let i = labels; i < row.length; i++)
				if (row[i] && Number(row[i]) !== 0 && isNumber(row[i])) arcs++;
		}
	return {format: "csv-matrix", what: "A dense matrix,", vertices: n, arcs: arcs || n * n,
		rows: cells.slice(0, 5).map((row) => row.slice(0, 6).map((cell) => cell.length > 8 && isNumber(cell) ? Number(cell).toPrecision(5) : cell))};
}

async function list(file, packed, cells, cut, named, separator) {
	/* A first row of two or three cells with only one known name may be an arc, such as i,b,5 of a vertex i. */
	const header = (named.from && (named.to || cells.at(-1).length > 3)) || (cells[0].length > 2 && isName(cells[0][2]) && cells.slice(1).every((row) => isNumber(row[2] ?? "")));
	const head = header ? cells[0].filter(Boolean) : null;
	const columns = header ? {from: named.from ?? head[0], to: named.to ?? head[1], weight: named.weight ?? ""} : null;
	if (header && !columns.weight && head.length === 3 && ![columns.from, columns.to].includes(head[2])) columns.weight = head[2];
	const places = header ? [cells[0].indexOf(columns.from), cells[0].indexOf(columns.to)] : [0, 1];
	const weightless = header ? !columns.weight : cells[0].length === 2;
	const size = await measure(file, packed, cut, places, header, separator);
	return {
		format: separator === "\t" ? "tsv" : "csv", list: true, weightless, ...size, head, columns,
		columnsDiffer: (wish) => header && ["from", "to", "weight"].some((role) => (wish[role] ?? "") !== (named[role] ?? "")),
		what: `An edge list${header ? `: ${columns.from} → ${columns.to}${columns.weight ? `, weighed by ${columns.weight}` : ""};` : " without a header: from, to" + (weightless ? ";" : ", weight;")}`,
		transform: header ? transformOf(columns.weight) : weightless ? "hops" : null,
		rows: header ? cells.slice(0, 5) : [["from", "to", "weight"].slice(0, cells[0].length), ...cells.slice(0, 4)],
	};
}

/* Count the rows and the different labels. Separators inside quotes are rare and ignored. */
async function measure(file, packed, cut, [from, to], header, separator) {
	if (file.size > COUNT_MAX) return {};
	const labels = new Set();
	let arcs = 0, skip = header;
	for await (const line of lines(file, packed, separator)) {
		if (skip) {
			skip = false;
			continue;
		}
		const row = cut(line);
		labels.add(row[from]);
		labels.add(row[to]);
		arcs++;
	}
	return {vertices: labels.size, arcs};
}
