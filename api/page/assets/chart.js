/* Histograms by uPlot, with their numbers in a table. */
import {count, h, number, titled} from "./dom.js";
import {sheet} from "./sheet.js";

let loading = null;

/* uPlot is a classic script. It is loaded when the first chart is drawn. */
function library() {
	loading ??= new Promise((done, failed) => {
		const style = h("link", {rel: "stylesheet", href: new URL("uPlot.min.css", import.meta.url)});
		const script = h("script", {src: new URL("uPlot.iife.min.js", import.meta.url)});
		script.onload = () => done(globalThis.uPlot);
		script.onerror = () => failed(new Error("A file of this page is missing. Load the page again."));
		document.head.append(style, script);
	});
	return loading;
}

/* Possible distances between the ticks of an axis with whole numbers. */
const WHOLE = Array.from({length: 14}, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Convert all series to the widest of their bins. Widths are powers of two, and bins begin at multiples of them. */
function ofOneWidth(series) {
	const width = Math.max(...series.map((one) => one.histogram.width));
	return series.map(({name, histogram: own}) => {
		const first = Math.floor(own.from / width), counts = [];
		own.counts.forEach((n, k) => {
			const bin = Math.floor((own.from + k * own.width) / width) - first;
			counts[bin] = (counts[bin] ?? 0) + n;
		});
		return {name, histogram: {from: first * width, width, counts: Array.from(counts, (n) => n ?? 0)}};
	});
}

/* given: [{name, histogram: {from, width, counts}}]; one or two. unit: that of the values; file: the name of the CSV. */
export async function histogram(title, given, {unit, file, signal}) {
	const uPlot = await library();
	const series = ofOneWidth(given), {width} = series[0].histogram;
	const whole = given.every((one) => one.histogram.width === 1); /* one bar for each number, centred above it */
	const place = h("div", {class: "idle"});
	const figure = h("figure", null, h("figcaption", null, titled(title, unit)), place, h("details", null, h("summary", null, "As a table"), series.map(({name, histogram: {from, width: step, counts}}) =>
		sheet(`${title}, ${name}`, [[0, "From"], [1, "Up to"]].map(([k, text]) => ({name: titled(text, unit), key: text.toLowerCase().replace(" ", "_"), of: ({bin}) => from + (bin + k) * step, show: ({bin}) => number(from + (bin + k) * step, 9)}))
			.concat({name: "Pairs", of: ({n}) => n}), counts.map((n, bin) => ({n, bin})), {class: "numbers", file: series.length > 1 ? `${file}-${name}` : file}))));
	const bins = new Map();
	series.forEach((one, s) => one.histogram.counts.forEach((n, k) => {
		const from = one.histogram.from + k * one.histogram.width;
		bins.set(from, Object.assign(bins.get(from) ?? Array(series.length).fill(null), {[s]: n}));
	}));
	const from = [...bins.keys()].sort((a, b) => a - b);
	const data = [from, ...series.map((_, s) => from.map((x) => bins.get(x)[s]))];
	let chart = null;

	function draw() {
		chart?.destroy();
		const ink = colour("--soft"), line = colour("--line"), fills = [colour("--accent"), colour("--busy")];
		const axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line}, font: "12px system-ui, sans-serif"};
		chart = new uPlot({
			width: Math.max(260, place.clientWidth || 480), height: 220, cursor: {y: false, points: {show: false}},
			legend: {show: true}, hooks: {setLegend: [(u) => place.classList.toggle("idle", u.legend.idx === null)]}, scales: {x: {time: false, range: (_, low, high) => (whole ? [low - 0.7, high + 0.7] : [low - width / 2, high + width])}, y: {range: (_, low, high) => [0, high || 1]}},
			axes: [whole ? {...axis, incrs: WHOLE} : axis, {...axis, size: 64, incrs: WHOLE, values: (_, ticks) => ticks.map((n) => (n >= 1e6 ? `${n / 1e6} M` : count(n)))}],
			series: [{label: "from", value: (_, x) => (x === null ? "–" : number(x))}, ...series.map((one, s) => ({
				label: one.name, stroke: fills[s], fill: `${fills[s]}${series.length > 1 ? "66" : "bb"}`, width: 1, points: {show: false},
				paths: uPlot.paths.bars({size: [0.92, 60], align: whole ? 0 : 1}), value: (_, n) => (n === null ? "–" : count(n))}))],
		}, data, place);
	}
	/* draw once the element has a width, and again whenever the width changes */
	let drawn = 0;
	const watch = new ResizeObserver(() => {
		if (Math.abs(place.clientWidth - drawn) < 2) return;
		drawn = place.clientWidth;
		draw();
	});
	watch.observe(place);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw, {signal});
	signal.addEventListener("abort", () => {
		watch.disconnect();
		chart?.destroy();
	});
	return figure;
}
