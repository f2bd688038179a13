/*
 * A drawing of paths or of a circuit, in layers from left to right, or from top to bottom if
 * they are then larger. Vertices are buttons. The width of an arc is proportional to its strength,
 * and a legend explains the widths. Arcs that lead back, or to a vertex of the same layer,
 * have another colour. If there are more than FOLD_AT vertices or FOLD_ARCS arcs, each layer
 * is drawn as one box.
 */
import {count, h, measured, number, plural, svg} from "./dom.js";
import {layered} from "./layers.js";
import {savePng, saveSvg} from "./save.js";
import {stage, tallest} from "./stage.js";

const FOLD_AT = 600, FOLD_ARCS = 4000;
export const folds = (vertices, arcs) => vertices.length > FOLD_AT || arcs.length > FOLD_ARCS;
const BOX = {width: 160, height: 38, gap: 14, between: 96, below: 56}; /* between: the space between layers from left to right; below: the space if layers go from top to bottom */
const LEAST_BETWEEN = 48, MOST_BETWEEN = 900;
const SMALL = 0.7; /* the scale below which layers may go from top to bottom */
const EDGE = 14;
const WIDTH = 8, LEAST_WIDTH = 0.75, PLAIN_WIDTH = 2.5; /* pixels: the strongest arc, the thinnest visible arc, all arcs if they are equal */
const SHORT = 19; /* number of letters that fit the box of a vertex; ids of whole brains have 18 */
const WORDS = 24; /* if a drawing has more arcs, no weights stand beside them */
const BULGE = 110; /* how far the control points of an arc within a layer may lie from it; the arc itself bends three quarters as far */
const APART = 7;  /* between the ends of arcs that lead onward and of arcs that lead back */

/* Shorten a label in its middle, because labels of one graph often begin alike. */
const cut = (text, n = SHORT) => (text.length > n ? `${text.slice(0, Math.ceil(n / 2) - 1)}…${text.slice(-Math.floor(n / 2))}` : text);

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

/*
 * The curve and the head of an arc through points [along, across]. It leaves and enters along
 * the layers' axis: `out` and `into` are 1 where it moves onward there, and -1 where it moves
 * back. bulge: how
 * far the control points of an arc within a layer may lie from it. place() converts a point to coordinates.
 */
function arrow(points, out, into, width, bulge, place) {
	const head = 5 + 0.75 * width, half = 2.5 + 0.75 * width, [tip, across] = points.at(-1), end = tip - into * head;
	const last = points.length - 1;
	let line = `M${place(points[0])}`;
	for (let i = 1; i <= last; i++) {
		const [a, c] = points[i - 1], [b, d] = i === last ? [end + into, across] : points[i];
		const bend = out === into ? Math.max(24, Math.abs(b - a) / 2) : Math.min(bulge, 30 + Math.abs(d - c) / 4);
		line += `C${place([a + out * bend, c])} ${place([(i === last ? end : b) - into * bend, d])} ${place([b, d])}`;
	}
	return [svg("path", {d: line, "stroke-width": Number(width.toFixed(2))}),
		svg("polygon", {points: [[end, across - half], [tip, across], [end, across + half]].map(place).join(" ")})];
}

/*
 * The entries of the legend, [{thick, text, back}]: the widest and the thinnest arc of the drawing, or
 * the strength below which all arcs have the least width; and the colour of arcs that do not lead
 * onward. most: the strength of the widest arc of the scale.
 */
function legendOf(strengths, widthOf, turned, alike, {most, said, inverse}) {
	const least = Math.min(...strengths), widest = Math.max(...strengths), seen = most * LEAST_WIDTH / WIDTH;
	const lines = alike ? [] : least < seen ? [...[widest, widest / 2].filter((strength) => strength > seen).map((strength) => [strength]), [seen, inverse ? "and more" : "and less"]]
		: [...new Set([widest, least])].map((strength) => [strength]);
	return [...lines.map(([strength, more]) => ({thick: widthOf(strength), text: `${said(strength, more ? 2 : 4)}${more ? ` ${more}` : ""}`})),
		...turned ? [{thick: PLAIN_WIDTH, text: "leads back, or stays in its layer", back: true}] : []];
}

const legend = (entries) => (entries.length ? h("p", {class: "hint legend", "aria-hidden": "true"}, entries.map(({thick, text, back}) => h("span", null,
	svg("svg", {width: 28, height: 10, viewBox: "0 0 28 10"}, svg("path", {class: back ? "back" : null, d: "M0 5H28", "stroke-width": thick})), text))) : null);

/* Whether layers go from top to bottom: if the drawing would otherwise be small, and is larger from top to bottom. */
function upright(room, layers, fullest) {
	const tall = tallest();
	const across = Math.min(room / (layers * (BOX.width + LEAST_BETWEEN)), tall / (fullest * (BOX.height + BOX.gap)));
	const down = Math.min(room / (fullest * (BOX.width + BOX.gap)), tall / (layers * (BOX.height + BOX.below)));
	return layers > 1 && across < SMALL && down > across;
}

/* The space between layers that fits the drawing to a width; tall layers are drawn farther apart, to the shape of the box. */
function spread(room, layers, width) {
	const tall = tallest(), high = width + 2 * EDGE, wide = Math.max(room, high * room / tall) - 2 * EDGE;
	return Math.min(high > tall ? MOST_BETWEEN : BOX.between, Math.max(LEAST_BETWEEN, Math.floor((wide - layers * BOX.width) / Math.max(1, layers - 1))));
}

/* The layers without gaps: Map from each given layer to its number. */
const numbered = (vertices) => new Map([...new Set(vertices.map(({layer}) => layer))].sort((a, b) => a - b).map((layer, i) => [layer, i]));

/*
 * The strength of each arc, what its width means in words, and the scale of a drawing, by the graph's rule: weights, or 1/length if
 * weights are lengths. If some strength is not positive, all arcs are drawn equal. units: those of
 * the graph (graph_head.js).
 */
export function strengths(transform, arcs, units) {
	const inverse = transform === "none";
	const equal = arcs.some((arc) => (inverse ? arc.length : arc.weight) <= 0);
	const strength = (arc) => (equal ? 1 : inverse ? 1 / arc.length : arc.weight);
	return {strength, words: equal ? "" : inverse ? " An arc of half the width is twice as long." : " An arc is as wide as its weight.", scale: {least: arcs.reduce((least, arc) => Math.min(least, strength(arc)), Infinity), most: arcs.reduce((most, arc) => Math.max(most, strength(arc)), -Infinity), inverse,
		term: inverse ? "Length of an arc:" : "Weight of an arc:", said: (s, digits) => measured(number(inverse ? 1 / s : s, digits), inverse ? units.length : units.weight)}};
}

/*
 * vertices: [{vertex, layer, text, more, share}], arcs: [{from, to, weight, strength, title}]. The box of a
 * vertex has its text, or else its id, and below it `more`, or else its name; share is drawn as a bar.
 * act: {name(vertex), mark, call(vertex), ends}: what a click on a vertex does; `ends` says
 * whether it does so for the ends, too.
 * scale: {least, most, said(strength, digits), inverse, term}. least and most are the strengths of the
 * thinnest and of the widest arc, in this drawing or in those that have the same scale; without
 * least, no other drawing has it. said() is the text of a strength in the legend; inverse means
 * that stronger arcs have smaller numbers there; a saved picture has the term before them.
 * file: {name, title, source}: the name of saved pictures, and the text that cites their data.
 * tools: more buttons and links beside those of the drawing.
 */
export function drawDag({vertices, arcs, ends, describe, act, scale, file, tools}) {
	const folded = folds(vertices, arcs), endSet = new Set(ends);
	const shown = folded ? fold(vertices, arcs, scale.inverse) : {
		vertices: vertices.map((one) => ({...one, text: one.text ?? one.vertex, more: one.more ?? describe(one.vertex)})),
		arcs: arcs.map((arc) => ({...arc, text: arcs.length <= WORDS ? number(arc.weight) : ""})),
	};
	const index = new Map(shown.vertices.map(({vertex}, i) => [vertex, i])), numbers = numbered(shown.vertices);
	const layerOf = shown.vertices.map(({layer}) => numbers.get(layer));
	const pairs = shown.arcs.map(({from, to}) => [index.get(from), index.get(to)]);
	const sizes = Array(numbers.size).fill(0);
	for (const layer of layerOf) sizes[layer]++;

	const all = shown.arcs.map((arc) => arc.strength);
	const most = folded ? Math.max(...all) : scale.most;
	const alike = all.every((strength) => strength === most) && (folded || !(scale.least < most));
	const widthOf = (strength) => (alike ? PLAIN_WIDTH : Math.max(LEAST_WIDTH, WIDTH * strength / most));
	const turned = pairs.some(([a, b]) => layerOf[a] >= layerOf[b]);
	let drawn = []; /* the elements of each arc */

	const laid = new Map(); /* the layout for each direction of the layers */
	const layout = (down) => laid.get(down) ?? laid.set(down, layered(layerOf, pairs, (down ? BOX.width : BOX.height) / 2, BOX.gap)).get(down);
	function formFor(room) {
		const down = upright(room, numbers.size, Math.max(...sizes));
		return {down, between: down ? BOX.below : spread(room, numbers.size, layout(down).width)};
	}

	function draw({down, between}) {
		const thick = down ? BOX.height : BOX.width, bulge = Math.min(BULGE, 1.15 * between);
		const {at, width, routes} = layout(down);
		const along = (layer) => EDGE + layer * (thick + between), last = numbers.size - 1;
		const depth = along(last) + thick + EDGE + (pairs.some(([a, b]) => layerOf[a] === layerOf[b] && layerOf[a] === last) ? 0.75 * bulge : 0);
		const place = ([a, c]) => {
			const x = Number(a.toFixed(1)), y = Number((c + EDGE).toFixed(1));
			return down ? `${y} ${x}` : `${x} ${y}`;
		};
		const words = [];
		drawn = shown.arcs.map((arc, i) => {
			const [a, b] = pairs[i], step = Math.sign(layerOf[b] - layerOf[a]);
			const out = step < 0 ? -1 : 1, into = step > 0 ? 1 : -1;
			const side = (v, direction) => along(layerOf[v]) + (direction > 0 ? thick : 0), shift = turned ? (step > 0 ? -APART : APART) : 0;
			const bends = routes[i].flatMap((bend, k) => {
				const middle = along(layerOf[a] + out * (k + 1)) + thick / 2;
				return [[middle - out * thick / 2, at[bend]], [middle + out * thick / 2, at[bend]]];
			});
			const tail = [side(a, out), at[a] + (a === b ? -APART : shift)], tip = [side(b, -into), at[b] + shift];
			const parts = arrow([tail, ...bends, tip], out, into, widthOf(arc.strength), bulge, place);
			if (step <= 0) for (const part of parts) part.setAttribute("class", "back");
			if (arc.title && !folded) parts[0].append(svg("title", null, arc.title));
			if (arc.text) {
				const [x, y] = place([(tail[0] + tip[0]) / 2 + (step === 0 ? 30 : 0), (tail[1] + tip[1]) / 2]).split(" ").map(Number);
				words.push(svg("text", {class: "weight", x, y: y + 4, "text-anchor": "middle"}, arc.text));
			}
			return parts;
		});
		const boxes = shown.vertices.map((one, v) => ({one, middle: [along(layerOf[v]) + thick / 2, at[v]]}))
			.sort((a, b) => a.middle[0] - b.middle[0] || a.middle[1] - b.middle[1])
			.map(({one, middle}) => box(one, place(middle).split(" ").map(Number), folded, endSet, act));
		const [w, t] = down ? [width + 2 * EDGE, depth] : [depth, width + 2 * EDGE];
		return {width: Math.ceil(w), height: Math.ceil(t),
			contents: [svg("g", {"aria-hidden": "true"}, drawn, words), ...boxes]}; /* screen readers read the table instead, where numbers have their arcs */
	}

	const entries = legendOf(all, widthOf, turned, alike, folded && scale.inverse ? {most, said: (n) => plural(Math.floor(n), "arc")} : {...scale, most});
	const bars = shown.vertices.some(({share}) => share !== undefined) ? [{thick: 3, text: "share of the pairs that use the vertex", bar: true}] : [];
	const foot = {source: file?.source, entries: [...entries.some(({back}) => !back) && scale.term && !folded ? [{text: scale.term}] : [], ...entries, ...bars]};
	const made = stage({label: "Vertices of the drawing, layer by layer", formFor, draw,
		tools: [...file ? [["SVG", saveSvg], ["PNG", savePng]].map(([kind, save]) => h("button", {type: "button", "aria-label": `Save as ${kind}`,
			onclick: () => save(file.name, made.svg, made.size(), file.title, foot)}, kind)) : [], ...tools ?? []]});
	lightArcs(made.svg, shown.arcs, () => drawn);
	return [made.node, legend(entries)];
}

/* While a vertex has the pointer or the focus, its arcs stand out. */
function lightArcs(picture, arcs, drawn) {
	let lit = null;
	const light = (vertex) => {
		if (vertex === lit) return;
		lit = vertex;
		picture.classList.toggle("lit", vertex !== null);
		drawn().forEach((parts, i) => {
			const on = vertex !== null && (String(arcs[i].from) === vertex || String(arcs[i].to) === vertex);
			for (const part of parts) part.classList.toggle("on", on);
		});
	};
	const of = (e) => e.target.closest?.("[data-vertex]")?.dataset.vertex ?? null;
	picture.addEventListener("pointerover", (e) => light(of(e)));
	picture.addEventListener("pointerleave", () => light(null));
	picture.addEventListener("focusin", (e) => light(of(e)));
	picture.addEventListener("focusout", () => light(null));
}

function box({vertex, text, more, share}, [x, y], folded, ends, act) {
	const isEnd = ends.has(vertex) || ends.has(text);
	const free = !folded && act && (act.ends || !isEnd);
	const call = (e) => {
		e.preventDefault();
		act.call(vertex);
	};
	const name = `${free ? act.name(vertex) : text}${more ? ` · ${more}` : ""}`;
	return svg("g", {
		class: isEnd ? "node end" : "node", transform: `translate(${x - BOX.width / 2} ${y - BOX.height / 2})`, "data-vertex": vertex,
		...(free ? {role: "button", tabindex: -1, "data-at": `${x} ${y}`,
			onclick: call, onkeydown: (e) => (e.key === "Enter" || e.key === " ") && call(e)} : {}),
	},
	svg("title", null, name),
	svg("rect", {width: BOX.width, height: BOX.height, rx: 8}),
	share === undefined ? null : svg("rect", {class: "bar", x: 8, y: BOX.height - 4, width: Number(((BOX.width - 16) * share).toFixed(1)), height: 3, rx: 1.5}),
	svg("text", {x: BOX.width / 2, y: more ? 16 : 24, "text-anchor": "middle"}, cut(text)),
	more ? svg("text", {class: "more", x: BOX.width / 2, y: 30, "text-anchor": "middle"}, cut(more, 20)) : null,
	free && act.mark ? svg("text", {class: "away", x: BOX.width - 13, y: 15, "text-anchor": "middle", "aria-hidden": "true"}, act.mark) : null);
}
