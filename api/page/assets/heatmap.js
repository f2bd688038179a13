/*
 * A square of numbers as a picture: rows are sources, columns are targets. Groups may stand
 * along its axes. The pointer or the arrow keys choose a pair, whose numbers are shown; a
 * click or Enter opens it. The picture can be zoomed and moved (gestures.js).
 */
import {h, number} from "./dom.js";
import {gestures, zoomButtons} from "./gestures.js";

/* Near pairs are dark on a light page and light on a dark page. */
const SCALES = {
	light: [[16, 60, 74], [31, 122, 120], [120, 183, 150], [226, 222, 166], [252, 248, 232]],
	dark: [[245, 240, 200], [150, 205, 160], [50, 145, 140], [24, 82, 100], [22, 38, 56]],
};
const NONE = {light: [214, 208, 206], dark: [44, 40, 44]};
const LEVELS = 256;
const LARGEST = 24; /* most pixels of a row */
const AXIS = 110, LETTER = 11, LEAST_BAND = 4; /* pixels: the space for groups' names beside the picture; their font; the size of the smallest group whose name is shown */

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

/* Runs of neighbours with one value: [{from, to, text}]. */
export function bandsOf(values) {
	const bands = [];
	values.forEach((text, i) => {
		if (bands.at(-1)?.text === text) bands.at(-1).to = i + 1;
		else bands.push({from: i, to: i + 1, text});
	});
	return bands;
}

/*
 * values: n × n numbers; scale: the values of the two ends of the colours; bands: groups along both
 * axes, or null; nameOf(row, column): the text of a pair; opened(row, column) is called by a click.
 * legend: the text after the colours; unit: of the values.
 */
export function heatmap({n, values, scale: {least, most}, bands, title, nameOf, opened, hint, legend, unit, signal}) {
	const canvas = h("canvas", {tabindex: 0, role: "application",
		"aria-label": `${title}: ${n} by ${n}. Arrow keys choose a pair, Enter opens it, plus and minus zoom.`});
	const chosenText = h("p", {class: "hint", "aria-live": "polite"}, hint);
	const strip = h("canvas", {width: 120, height: 1, "aria-hidden": "true"});
	const picture = new OffscreenCanvas(n, n);
	let chosen = null, side = 0, axis = 0; /* pixels of the squares, and of the labels beside and above them */
	let view = {x: 0, y: 0, scale: 1}; /* scale: the width of all columns, divided by the width of the square */

	function colour() {
		const mode = dark.matches ? "dark" : "light", colours = palette(SCALES[mode]);
		const context = picture.getContext("2d"), image = context.createImageData(n, n);
		for (let i = 0; i < n * n; i++) {
			const d = values[i], none = !Number.isFinite(d);
			const level = 3 * Math.min(LEVELS - 1, Math.max(0, Math.round((d - least) / (most - least) * (LEVELS - 1))));
			for (let c = 0; c < 3; c++) image.data[4 * i + c] = none ? NONE[mode][c] : colours[level + c];
			image.data[4 * i + 3] = 255;
		}
		context.putImageData(image, 0, 0);
		const ends = strip.getContext("2d"), bar = ends.createImageData(120, 1);
		for (let x = 0; x < 120; x++) {
			const level = 3 * Math.round(x / 119 * (LEVELS - 1));
			for (let c = 0; c < 3; c++) bar.data[4 * x + c] = colours[level + c];
			bar.data[4 * x + 3] = 255;
		}
		ends.putImageData(bar, 0, 0);
		draw();
	}

	const cell = () => side * view.scale / n; /* pixels of a row */

	function draw() {
		if (!side) return;
		const context = canvas.getContext("2d"), size = cell(), sharp = canvas.width / (side + axis);
		const style = getComputedStyle(canvas);
		context.setTransform(sharp, 0, 0, sharp, 0, 0);
		context.clearRect(0, 0, side + axis, side + axis);
		context.save();
		context.beginPath();
		context.rect(axis, axis, side, side);
		context.clip();
		context.imageSmoothingEnabled = size < 1;
		context.drawImage(picture, axis - view.x * size, axis - view.y * size, n * size, n * size);
		if (chosen) {
			context.strokeStyle = dark.matches ? "#fff" : "#a5322a";
			context.lineWidth = 1.5;
			const around = Math.max(size + 2, 7), at = (i, from) => axis + (i + 0.5 - from) * size - around / 2;
			context.strokeRect(at(chosen.column, view.x), at(chosen.row, view.y), around, around);
		}
		context.restore();
		if (bands) label(context, size, style);
	}

	/* The names of the groups that are large enough, and lines between groups. */
	function label(context, size, style) {
		context.font = `${LETTER}px ${style.fontFamily}`;
		context.fillStyle = style.getPropertyValue("--ink");
		context.strokeStyle = style.getPropertyValue("--paper");
		context.lineWidth = 1;
		context.textBaseline = "middle";
		const lined = bands.some(({from, to}) => to - from > 1) || size > 6;
		const fitting = (text) => {
			let shown = text || "(none)";
			while (shown.length > 1 && context.measureText(shown).width > axis - 8) shown = `${shown.replace(/…$/, "").slice(0, -1)}…`;
			return shown;
		};
		for (const vertical of [false, true]) {
			const start = vertical ? view.x : view.y;
			let free = axis; /* where the last name ends */
			for (const {from, to, text} of bands) {
				const low = axis + (from - start) * size, high = axis + (to - start) * size;
				if (high <= axis || low >= axis + side) continue;
				if (lined && low > axis && (high - low > 2 || to - from === 1)) {
					context.beginPath();
					context.moveTo(vertical ? low : axis, vertical ? axis : low);
					context.lineTo(vertical ? low : axis + side, vertical ? axis + side : low);
					context.stroke();
				}
				const middle = (Math.max(low, axis) + Math.min(high, axis + side)) / 2;
				if (middle - LETTER / 2 < free || Math.min(high, axis + side) - Math.max(low, axis) < LEAST_BAND) continue;
				free = middle + LETTER / 2;
				context.save();
				context.translate(vertical ? middle : axis - 6, vertical ? axis - 6 : middle);
				if (vertical) context.rotate(Math.PI / 2);
				context.textAlign = "right";
				context.fillText(fitting(text), 0, 0);
				context.restore();
			}
		}
	}

	function move(x, y) {
		const most = n - n / view.scale, to = (at) => Math.min(most, Math.max(0, at));
		view.x = to(view.x - x / cell());
		view.y = to(view.y - y / cell());
		canvas.classList.toggle("moved", view.scale > 1.001);
		draw();
	}

	function zoom(factor, at = {x: axis + side / 2, y: axis + side / 2}) {
		const before = cell();
		view.scale = Math.max(1, Math.min(view.scale * factor, Math.max(1, LARGEST * n / side)));
		view.x += (at.x - axis) / before - (at.x - axis) / cell();
		view.y += (at.y - axis) / before - (at.y - axis) / cell();
		move(0, 0);
	}

	function fit() {
		view = {x: 0, y: 0, scale: 1};
		move(0, 0);
	}

	function point(row, column) {
		row = Math.min(n - 1, Math.max(0, row));
		column = Math.min(n - 1, Math.max(0, column));
		if (chosen && chosen.row === row && chosen.column === column) return;
		chosen = {row, column};
		chosenText.textContent = nameOf(row, column);
		draw();
	}

	const under = (e) => {
		const box = canvas.getBoundingClientRect();
		point(Math.floor(view.y + (e.clientY - box.top - axis) / cell()), Math.floor(view.x + (e.clientX - box.left - axis) / cell()));
	};
	gestures(canvas, {zoom, move, fit});
	canvas.addEventListener("pointermove", (e) => !e.buttons && under(e));
	canvas.addEventListener("click", (e) => {
		under(e);
		opened(chosen.row, chosen.column);
	});
	canvas.addEventListener("keydown", (e) => {
		const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[e.key];
		if (step) {
			e.preventDefault();
			const far = e.shiftKey ? Math.ceil(n / 20) : 1, shown = n / view.scale;
			point((chosen?.row ?? 0) + far * step[0], (chosen?.column ?? 0) + far * step[1]);
			view.y = Math.min(chosen.row, Math.max(view.y, chosen.row + 1 - shown));
			view.x = Math.min(chosen.column, Math.max(view.x, chosen.column + 1 - shown));
			move(0, 0);
		} else if (e.key === "Enter" && chosen) opened(chosen.row, chosen.column);
	});

	/* The canvas has as many pixels as the screen shows of it. */
	function resize() {
		const width = canvas.clientWidth;
		if (width < 1 || Math.abs(width - side - axis) < 1) return;
		axis = bands ? Math.min(AXIS, Math.round(width / 4)) : 0;
		side = width - axis;
		canvas.width = canvas.height = Math.round(width * devicePixelRatio);
		move(0, 0);
	}
	const watch = new ResizeObserver(resize);
	watch.observe(canvas);
	signal.addEventListener("abort", () => watch.disconnect());
	dark.addEventListener("change", colour, {signal});
	colour();
	return h("div", {class: "map"}, canvas, h("div", {class: "row start tools"}, zoomButtons({zoom, fit})),
		h("p", {class: "scale"}, number(least), strip, `${legend ?? `${number(most)} and more`}${unit ? `, in ${unit}` : ""}`, h("span", null, "· grey: no path")), chosenText);
}
