/* Distances of all pairs in an order of vertices; of large graphs, a selection of vertices. */
import {ask, attributes, get, graphPath, pages} from "./api.js";

export const SIDE_MAX = 1000;   /* largest number of rows of a picture */
const LABELS_PAGE = 10000;

/* Parse a 2-D array of NumPy as {rows, columns, values}. */
function readNpy(buffer) {
	const view = new DataView(buffer);
	const wide = view.getUint8(6) > 1;
	const start = (wide ? 12 + view.getUint32(8, true) : 10 + view.getUint16(8, true));
	const head = new TextDecoder().decode(new Uint8Array(buffer, wide ? 12 : 10, start - (wide ? 12 : 10)));
	const [rows, columns] = /'shape': \((\d+), ?(\d+)\)/.exec(head).slice(1).map(Number);
	const kind = /'descr': '<(\w\d)'/.exec(head)[1];
	const types = {f4: Float32Array, f8: Float64Array, u1: Uint8Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array};
	return {rows, columns, values: new types[kind](buffer.slice(start))};
}

/*
 * The vertices of a picture in its order: by component, the largest first; by an attribute
 * and then by component; or in upload order. Each has its component, its value of the
 * attribute, and its rank in upload order.
 */
export async function ordered(record, {order, profile}, signal) {
	if (order === "upload") return thinned((await pages(graphPath(record.name, "vertices"), "vertices", {limit: LABELS_PAGE, revision: record.revision}, signal))
		.map((vertex) => ({vertex, component: "", value: ""})));
	const [stats, known] = await Promise.all([
		get(graphPath(record.name, "stats"), {vertices: 1, profile, revision: record.revision}, signal), attributes(record)]);
	const at = known.names.indexOf(order);
	const all = stats.vertices.map((row) => ({
		vertex: row.vertex, component: row.strong_component, value: known.of.get(row.vertex)?.[at] ?? ""}));
	const sizes = new Map();
	for (const one of all) sizes.set(one.component, (sizes.get(one.component) ?? 0) + 1);
	const byComponent = (a, b) => sizes.get(b.component) - sizes.get(a.component) || (a.component < b.component ? -1 : a.component > b.component ? 1 : 0);
	const byValue = (a, b) => (a.value === b.value ? 0 : a.value === "" ? 1 : b.value === "" ? -1 : a.value < b.value ? -1 : 1);
	return thinned(all).sort((a, b) => (at >= 0 ? byValue(a, b) || byComponent(a, b) : byComponent(a, b)) || a.rank - b.rank);
}

/* At most SIDE_MAX vertices, evenly spaced in upload order: the same for every order of the picture. */
function thinned(vertices) {
	const n = Math.min(vertices.length, SIDE_MAX);
	return Array.from({length: n}, (_, rank) => ({...vertices[Math.floor(rank * vertices.length / n)], rank}));
}

/* The distances or the widths. In widths, NaN means that there is no path, or that both vertices are the same. */
export async function distances({name, revision}, vertices, profile, wide, signal) {
	const labels = vertices.map(({vertex}) => vertex);
	const matrix = readNpy(await ask("POST", graphPath(name, "table"), {
		query: {format: "npy", values: wide ? "width" : "distance", profile, revision}, body: JSON.stringify({sources: labels, targets: labels}),
		type: "application/json", signal, as: "arrayBuffer",
	}));
	if (wide) matrix.values.forEach((width, i) => {
		if (width === 0 || width === Infinity) matrix.values[i] = NaN;
	});
	return matrix;
}
