/*
 * A drawing of paths, with layers from left to right. Vertices are buttons. The width of an
 * arc is proportional to its strength, and a legend explains the widths. If there are more
 * than FOLD_AT vertices, each layer is drawn as one box.
 */
import {count, h, number, plural, svg} from "./dom.js";

export const FOLD_AT = 200;
const SWEEPS = 8;
const BOX = {width: 160, height: 38, gap: 14, between: 96};
const LEAST_BETWEEN = 48, WIDEST = 1030; /* a wider drawing can be scrolled */
const WIDTH = 8, LEAST_WIDTH = 0.75, PLAIN_WIDTH = 2.5; /* pixels: the strongest arc, the thinnest visible arc, all arcs if they are equal */
const SHORT = 19; /* letters of a label that fit its box; ids of whole brains have 18 */

/* Shorten a label in its middle, because labels of one graph often begin alike. */
const cut = (text, n = SHORT) => (text.length > n ? `${text.slice(0, Math.ceil(n / 2) - 1)}…${text.slice(-Math.floor(n / 2))}` : text);

/* Order each layer by the mean place of its neighbours, alternately from both sides. */
function arrange(layers, arcs) {
	const place = new Map();
	const neighbours = {forth: new Map(), back: new Map()};
	const note = () => layers.forEach((layer) => layer.forEach((v, i) => place.set(v, i - (layer.length - 1) / 2)));
	for (const {from, to} of arcs) {
		neighbours.back.set(to, [...neighbours.back.get(to) ?? [], from]);
		neighbours.forth.set(from, [...neighbours.forth.get(from) ?? [], to]);
	}
	note();
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		const side = sweep % 2 ? neighbours.forth : neighbours.back;
		for (const layer of layers) {
			const mean = new Map(layer.map((v) => {
				const near = side.get(v) ?? [];
				return [v, near.length ? near.reduce((sum, u) => sum + place.get(u), 0) / near.length : place.get(v)];
			}));
			layer.sort((a, b) => mean.get(a) - mean.get(b));
			layer.forEach((v, i) => place.set(v, i - (layer.length - 1) / 2));
		}
	}
}

function layersOf(vertices) {
	const layers = [];
	for (const {vertex, layer} of vertices) (layers[layer] ??= []).push(vertex);
	return layers.filter(Boolean);
}

/* One box for each layer, one arc between two layers; its strength is the sum of their arcs' strengths, or their number. */
function fold(vertices, arcs, counted) {
	const layerOf = new Map(vertices.map(({vertex, layer}) => [vertex, layer]));
	const sizes = new Map();
	for (const {layer} of vertices) sizes.set(layer, (sizes.get(layer) ?? 0) + 1);
	const single = new Map(vertices.filter(({layer}) => sizes.get(layer) === 1).map(({vertex, layer}) => [layer, vertex]));
	const name = (layer) => single.get(layer) ?? `${count(sizes.get(layer))} vertices`;
	const sums = new Map();
	for (const arc of arcs) {
		const key = `${layerOf.get(arc.from)} ${layerOf.get(arc.to)}`;
		const sum = sums.get(key) ?? {from: layerOf.get(arc.from), to: layerOf.get(arc.to), strength: 0, n: 0};
		sum.strength += counted ? 1 : arc.strength;
		sum.n++;
		sums.set(key, sum);
	}
	const layers = [...sizes.keys()].sort((a, b) => a - b);
	return {
		vertices: layers.map((layer) => ({vertex: layer, layer, text: name(layer), more: `layer ${layer}`})),
		arcs: [...sums.values()].map((sum) => ({...sum, text: plural(sum.n, "arc")})),
	};
}

/* The curve and the head of an arc. Both end horizontally, so the head points to the right. */
function arrow(x1, y1, x2, y2, width) {
	const head = 5 + 0.75 * width, half = 2.5 + 0.75 * width, end = x2 - head;
	const bend = Math.max(24, (x2 - x1) / 2);
	return [svg("path", {d: `M${x1} ${y1}C${x1 + bend} ${y1} ${end - bend} ${y2} ${end + 1} ${y2}`, "stroke-width": Number(width.toFixed(2))}),
		svg("polygon", {points: `${end},${y2 - half} ${x2},${y2} ${end},${y2 + half}`})];
}

/* The legend shows the widest and the thinnest arc, or from which strength on arcs have the least width. */
function legend(strengths, widthOf, {most, said, inverse}) {
	const least = Math.min(...strengths), seen = most * LEAST_WIDTH / WIDTH;
	if (least === most) return null;
	const lines = least < seen ? [[most], [most / 2], [seen, inverse ? "and more" : "and less"]] : [[most], [least]];
	return h("p", {class: "hint legend", "aria-hidden": "true"}, lines.map(([strength, more]) => h("span", null,
		svg("svg", {width: 28, height: 10, viewBox: "0 0 28 10"}, svg("path", {d: "M0 5H28", "stroke-width": widthOf(strength)})),
		`${said(strength, more ? 2 : 4)}${more ? ` ${more}` : ""}`)));
}

/*
 * vertices: [{vertex, layer}], arcs: [{from, to, weight, strength}]; a click calls avoid(vertex).
 * scale: {most, said(strength, digits), inverse}. most is the strength of the widest arc, in
 * this drawing or in one that it is compared with; said() is the text of a strength in the
 * legend; inverse means that stronger arcs have smaller numbers there.
 */
export function drawDag({vertices, arcs, ends, describe, avoid, scale}) {
	const folded = vertices.length > FOLD_AT;
	const shown = folded ? fold(vertices, arcs, scale.inverse) : {
		vertices: vertices.map(({vertex, layer}) => ({vertex, layer, text: vertex, more: describe(vertex)})),
		arcs: arcs.map((arc) => ({...arc, text: arcs.length <= 24 ? number(arc.weight) : ""})),
	};
	const layers = layersOf(shown.vertices);
	arrange(layers, shown.arcs);
	const tallest = Math.max(...layers.map((layer) => layer.length));
	const room = Math.min(document.documentElement.clientWidth - 92, WIDEST);
	const between = Math.min(BOX.between, Math.max(LEAST_BETWEEN, Math.floor((room - layers.length * BOX.width) / (layers.length - 1))));
	const step = {x: BOX.width + between, y: BOX.height + BOX.gap};
	const size = {width: layers.length * step.x - between + 24, height: tallest * step.y + 20};
	const at = new Map();
	layers.forEach((layer, x) => layer.forEach((v, y) => at.set(v, {
		x: 12 + x * step.x, y: size.height / 2 + (y - (layer.length - 1) / 2) * step.y - BOX.height / 2})));

	const strengths = shown.arcs.map((arc) => arc.strength);
	const most = folded ? Math.max(...strengths) : scale.most;
	const alike = strengths.every((strength) => strength === most);
	const widthOf = (strength) => (alike ? PLAIN_WIDTH : Math.max(LEAST_WIDTH, WIDTH * strength / most));

	const lines = [], words = [];
	for (const arc of shown.arcs) {
		const a = at.get(arc.from), b = at.get(arc.to);
		const x1 = a.x + BOX.width, y1 = a.y + BOX.height / 2, x2 = b.x, y2 = b.y + BOX.height / 2;
		lines.push(arrow(x1, y1, x2, y2, widthOf(arc.strength)));
		if (arc.text) words.push(svg("text", {class: "weight", x: (x1 + x2) / 2, y: (y1 + y2) / 2 + 4, "text-anchor": "middle"}, arc.text));
	}
	const byId = new Map(shown.vertices.map((v) => [v.vertex, v]));
	const boxes = layers.flat().map((v) => box(byId.get(v), at.get(v), folded, ends, avoid));
	return [h("div", {class: "dag", tabindex: 0, role: "group", "aria-label": "Vertices of the drawing, layer by layer"},
		svg("svg", {width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}`},
			svg("g", {"aria-hidden": "true"}, lines, words), boxes)), /* screen readers read the table instead, where numbers have their arcs */
	legend(strengths, widthOf, folded && scale.inverse ? {most, said: (n) => plural(Math.floor(n), "arc")} : {...scale, most})];
}

function box({vertex, text, more}, place, folded, ends, avoid) {
	const isEnd = ends.includes(text);
	const free = !folded && !isEnd && avoid;
	const leave = (e) => {
		e.preventDefault();
		avoid(vertex);
	};
	return svg("g", {
		class: isEnd ? "node end" : "node", transform: `translate(${place.x} ${place.y})`,
		...(free ? {role: "button", tabindex: 0, "data-vertex": vertex,
			onclick: leave, onkeydown: (e) => (e.key === "Enter" || e.key === " ") && leave(e)} : {}),
	},
	svg("title", null, `${free ? "Avoid " : ""}${text}${more ? ` · ${more}` : ""}`),
	svg("rect", {width: BOX.width, height: BOX.height, rx: 8}),
	svg("text", {x: BOX.width / 2, y: more ? 16 : 24, "text-anchor": "middle"}, cut(text)),
	more ? svg("text", {class: "more", x: BOX.width / 2, y: 30, "text-anchor": "middle"}, cut(more, 20)) : null,
	free ? svg("text", {class: "away", x: BOX.width - 13, y: 15, "text-anchor": "middle", "aria-hidden": "true"}, "×") : null);
}
