/*
 * Distances as a picture: rows are sources, columns are targets. The pointer or the arrow
 * keys choose a pair, whose distance is shown; a click or Enter opens its path.
 */
import {h, number} from "./dom.js";

/* Near pairs are dark on a light page and light on a dark page. */
const SCALES = {
	light: [[16, 60, 74], [31, 122, 120], [120, 183, 150], [226, 222, 166], [252, 248, 232]],
	dark: [[245, 240, 200], [150, 205, 160], [50, 145, 140], [24, 82, 100], [22, 38, 56]],
};
const NONE = {light: [214, 208, 206], dark: [44, 40, 44]};
const LEVELS = 256;

const dark = matchMedia("(prefers-color-scheme: dark)");

function palette(scale) {
	const colours = new Uint8Array(LEVELS * 3);
	for (let i = 0; i < LEVELS; i++) {
		const at = i / (LEVELS - 1) * (scale.length - 1), low = Math.min(Math.floor(at), scale.length - 2);
		for (let c = 0; c < 3; c++) colours[3 * i + c] = scale[low][c] + (scale[low + 1][c] - scale[low][c]) * (at - low);
	}
	return colours;
}

/*
 * The range of the colours of these matrices. It begins at 0, or at the least distance if that
 * is negative, and ends at the 99th percentile, because a few far pairs would make all others
 * pale. The percentile comes from a sample of pairs, which is chosen by the vertices' ranks in
 * upload order, so it is the same in every order of the picture.
 */
export function ends(matrices, vertices) {
	const n = vertices.length, step = Math.floor(n * n / 20000) | 1; /* odd, so that every column of 1,000 is sampled */
	const finite = [];
	let least = 0;
	for (const {values} of matrices)
		for (let row = 0, i = 0; row < n; row++)
			for (let column = 0; column < n; column++, i++) {
				if (values[i] < least) least = values[i];
				if (values[i] > 0 && values[i] < Infinity && (vertices[row].rank * n + vertices[column].rank) % step === 0) finite.push(values[i]);
			}
	finite.sort((a, b) => a - b);
	return {least, most: finite[Math.floor(0.99 * (finite.length - 1))] ?? least + 1};
}

/* vertices: in the order of rows and columns; scale: from ends(). A click calls opened(from, to). */
export function heatmap({matrix, vertices, scale: {least, most}, title, signal, opened}) {
	const n = matrix.rows;
	const canvas = h("canvas", {width: n, height: n, tabindex: 0, role: "application",
		"aria-label": `${title}: ${n} by ${n}. Arrow keys choose a pair, Enter opens its path.`});
	const chosenText = h("p", {class: "hint", "aria-live": "polite"}, "Point at a pair to read its distance; click for its path.");
	const scale = h("canvas", {width: 120, height: 1, "aria-hidden": "true"});
	let chosen = null;

	function draw() {
		const mode = dark.matches ? "dark" : "light";
		const colours = palette(SCALES[mode]);
		const context = canvas.getContext("2d");
		const image = context.createImageData(n, n);
		for (let i = 0; i < n * n; i++) {
			const d = matrix.values[i];
			const level = 3 * Math.min(LEVELS - 1, Math.max(0, Math.round((d - least) / (most - least) * (LEVELS - 1))));
			const none = !Number.isFinite(d);
			for (let c = 0; c < 3; c++) image.data[4 * i + c] = none ? NONE[mode][c] : colours[level + c];
			image.data[4 * i + 3] = 255;
		}
		context.putImageData(image, 0, 0);
		const strip = scale.getContext("2d"), bar = strip.createImageData(120, 1);
		for (let x = 0; x < 120; x++) {
			const level = 3 * Math.round(x / 119 * (LEVELS - 1));
			for (let c = 0; c < 3; c++) bar.data[4 * x + c] = colours[level + c];
			bar.data[4 * x + 3] = 255;
		}
		strip.putImageData(bar, 0, 0);
		if (chosen) mark(context);
	}

	function mark(context) {
		context.strokeStyle = dark.matches ? "#fff" : "#a5322a";
		context.lineWidth = Math.max(1, n / 300);
		context.strokeRect(chosen.column - 0.5 - n / 200, chosen.row - 0.5 - n / 200, 2 + n / 100, 2 + n / 100);
	}

	function tell() {
		const a = vertices[chosen.row], b = vertices[chosen.column], d = matrix.values[chosen.row * n + chosen.column];
		const name = (v) => (v.value ? `${v.vertex} (${v.value})` : v.vertex);
		chosenText.textContent = `${name(a)} → ${name(b)}: ${Number.isFinite(d) ? number(d, 6) : "no path"}`;
	}

	function point(row, column) {
		row = Math.min(n - 1, Math.max(0, row));
		column = Math.min(n - 1, Math.max(0, column));
		if (chosen && chosen.row === row && chosen.column === column) return;
		chosen = {row, column};
		tell();
	}

	const under = (e) => {
		const box = canvas.getBoundingClientRect();
		point(Math.floor((e.clientY - box.top) / box.height * n), Math.floor((e.clientX - box.left) / box.width * n));
	};
	const openPair = () => opened(vertices[chosen.row].vertex, vertices[chosen.column].vertex);
	canvas.addEventListener("pointermove", under);
	canvas.addEventListener("click", (e) => {
		under(e);
		openPair();
	});
	canvas.addEventListener("keydown", (e) => {
		const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[e.key];
		if (move) {
			e.preventDefault();
			const step = e.shiftKey ? Math.ceil(n / 20) : 1;
			point((chosen?.row ?? 0) + step * move[0], (chosen?.column ?? 0) + step * move[1]);
			draw();
		} else if (e.key === "Enter" && chosen) openPair();
	});
	dark.addEventListener("change", draw, {signal});
	draw();
	return h("div", {class: "map"}, canvas, h("p", {class: "scale"}, number(least), scale, `${number(most)} and more`, h("span", null, "· grey: no path")), chosenText);
}
