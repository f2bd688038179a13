/* Histograms, with their numbers in a table. */
import {count, details, h, measured, number, plural, svg, titled} from "./dom.js";
import {sheet} from "./sheet.js";

const HEIGHT = 220, LEFT = 64, RIGHT = 12, TOP = 8, BOTTOM = 24; /* pixels: the size of the picture, and the space around its bars */
const APART = [36, 72]; /* least pixels between two horizontal lines, and between two vertical lines */

/* Convert all series to the widest of their bins. Widths are powers of two, and bins begin at multiples of them. */
function ofOneWidth(series) {
	const width = Math.max(...series.map((one) => one.histogram.width));
	return series.map(({name, histogram: own}) => {
		const first = Math.floor(own.from / width), counts = [];
		own.counts.forEach((n, k) => {
			const bin = Math.floor((own.from + k * own.width) / width) - first;
			counts[bin] = (counts[bin] ?? 0) + n;
		});
		return {name, first, width, counts: Array.from(counts, (n) => n ?? 0)};
	});
}

/* Round numbers in a range, at most so many; whole numbers, if `whole` says so. */
function ticks(low, high, most, whole) {
	const least = (high - low) / Math.max(1, most), power = 10 ** Math.floor(Math.log10(least));
	const step = Math.max(whole ? 1 : 0, power * [1, 2, 5, 10].find((digit) => digit * power >= least)), first = Math.ceil(low / step);
	return Array.from({length: Math.floor(high / step) - first + 1}, (_, i) => (first + i) * step);
}

/*
 * given: one or two of {name, histogram: {from, width, counts}}; unit: the unit of the values;
 * whole: whether all values are whole numbers; file: the name of the CSV. The page shows the numbers
 * of the bin that the pointer or the arrow keys choose.
 */
export function histogram(title, given, {unit, whole, file, signal}) {
	const series = ofOneWidth(given), {width} = series[0], single = whole && width === 1; /* each bin has one number, and its bar stands above it */
	const first = Math.min(...series.map((one) => one.first)), n = Math.max(...series.map((one) => one.first + one.counts.length)) - first;
	const from = (k) => (first + k) * width, at = (one, k) => one.counts[first + k - one.first] ?? 0;
	const low = from(0) - (single ? 0.5 : 0), high = low + n * width, most = Math.max(1, ...series.flatMap(({counts}) => counts));
	const picture = svg("svg", {class: "histogram", height: HEIGHT, tabindex: 0, role: "application", "aria-label": `${titled(title, unit)}: ${plural(n, "bar")}. Arrow keys choose a bar.`});
	const text = h("p", {class: "hint", "aria-live": "polite"}, "Point at a bar to read its numbers."), mark = svg("rect", {class: "mark", y: TOP, height: HEIGHT - TOP - BOTTOM});
	let chosen = null, drawn = 0;

	const x = (value) => LEFT + (value - low) / (high - low) * (drawn - LEFT - RIGHT), y = (pairs) => TOP + (1 - pairs / most) * (HEIGHT - TOP - BOTTOM);
	const line = (d, place, words) => [svg("path", {d}), svg("text", place, words)];

	function draw() {
		const bar = (x(high) - x(low)) / n;
		picture.setAttribute("viewBox", `0 0 ${drawn} ${HEIGHT}`);
		picture.replaceChildren(mark,
			...ticks(0, most, HEIGHT / APART[0], true).flatMap((pairs) => line(`M${LEFT} ${y(pairs)}H${drawn - RIGHT}`, {x: LEFT - 8, y: y(pairs) + 4, "text-anchor": "end"}, pairs >= 1e6 ? `${pairs / 1e6} M` : count(pairs))),
			...ticks(low, high, drawn / APART[1], single).flatMap((value) => line(`M${x(value)} ${TOP}V${y(0)}`, {x: x(value), y: HEIGHT - 6, "text-anchor": "middle"}, number(value))),
			...series.flatMap((one, s) => one.counts.map((pairs, k) => svg("rect", {class: s ? "second" : null, x: x(low + (one.first - first + k) * width) + 0.04 * bar, width: 0.92 * bar, y: y(pairs), height: y(0) - y(pairs)}))));
		mark.setAttribute("width", bar);
		if (chosen !== null) choose(chosen);
		else mark.setAttribute("x", -bar);
	}

	function choose(k) {
		chosen = Math.min(n - 1, Math.max(0, k));
		mark.setAttribute("x", x(low + chosen * width));
		text.textContent = `${measured(`${number(from(chosen))}${single ? "" : ` to ${number(from(chosen + 1))}`}`, unit)}: ${series.map((one) => `${series.length > 1 ? `${one.name} ` : ""}${plural(at(one, chosen), "pair")}`).join(", ")}`;
	}

	picture.addEventListener("pointermove", (e) => choose(Math.floor((e.clientX - picture.getBoundingClientRect().left - LEFT) / (drawn - LEFT - RIGHT) * n)));
	picture.addEventListener("keydown", (e) => {
		const step = {ArrowLeft: -1, ArrowRight: 1}[e.key];
		if (!step || e.altKey || e.ctrlKey || e.metaKey) return;
		e.preventDefault();
		choose(chosen === null ? (step > 0 ? 0 : n - 1) : chosen + step);
	});
	const watch = new ResizeObserver(() => { /* draw once the picture has a width, and again whenever the width changes */
		if (picture.clientWidth <= 2 * LEFT || Math.abs(picture.clientWidth - drawn) < 2) return;
		drawn = picture.clientWidth;
		draw();
	});
	watch.observe(picture);
	signal.addEventListener("abort", () => watch.disconnect());

	const ends = ["From", "Up to"].map((name, k) => ({name: titled(name, unit), key: ["from", "up_to"][k], of: ({value}) => value + k * width, show: ({value}) => number(value + k * width, 9)}));
	return h("figure", null, h("figcaption", null, titled(title, unit)), picture,
		series.length > 1 ? h("p", {class: "hint legend"}, series.map(({name}, s) => h("span", null, svg("svg", {class: "histogram", width: 14, height: 14}, svg("rect", {class: s ? "second" : null, width: 14, height: 14})), name))) : null, text,
		details("As a table", series.map((one) => sheet(`${title}, ${one.name}`, [...ends, {name: "Pairs", of: ({pairs}) => pairs}],
			one.counts.map((pairs, k) => ({pairs, value: (one.first + k) * width})), {class: "numbers", file: series.length > 1 ? `${file}-${one.name}` : file}))));
}
