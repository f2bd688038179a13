/* Saves what the page has drawn or listed as a file: text, and drawings as SVG and PNG. */
import {h, svg} from "./dom.js";

const SHARP = 2, SIDE_MAX = 8000; /* pixels of a PNG for each unit of the drawing; its longest side */
const INK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "font-size", "font-family", "font-weight"];
const SWATCH = 28, NARROW = 320, ROW = 18, LINE = 14; /* pixels below a figure: a line of the legend, the least width, the height of a row of the legend and of a line of text */
const SPARE = 0.92; /* part of the width that text fills, because other programs have other fonts */

export function saveFile(name, content, type) {
	const link = h("a", {href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type})), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* A cell of CSV, with quotes if it needs them (RFC 4180). */
const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
export const csvText = (rows) => rows.map((row) => row.map((cell) => quoted(String(cell ?? ""))).join(",") + "\r\n").join("");

/* Break a text into lines that fit: between words, or within a word that is longer than a line. */
function lines(text, fits) {
	const all = [];
	let line = "";
	for (const word of text.split(" ")) {
		if (line && fits(`${line} ${word}`)) {
			line += ` ${word}`;
			continue;
		}
		if (line) all.push(line);
		line = word;
		while (!fits(line)) {
			let n = line.length - 1;
			while (n > 1 && !fits(line.slice(0, n))) n--;
			all.push(line.slice(0, n));
			line = line.slice(n);
		}
	}
	return [...all, line];
}

/* Append the legend and the source below a drawing. Returns the size of both together. */
function appendFoot(copy, size, {entries, source}) {
	const width = Math.max(size.width, NARROW), context = h("canvas").getContext("2d");
	context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
	const wide = (text) => context.measureText(text).width / SPARE;
	let x = 12, y = size.height + 16;
	for (const {text, thick, back, bar} of entries) {
		const indent = thick ? SWATCH + 8 : 0, rows = lines(text, (one) => indent + wide(one) <= width - 24);
		const all = indent + Math.max(...rows.map(wide));
		if (x > 12 && x + all > width - 12) [x, y] = [12, y + ROW];
		if (thick) copy.append(svg("rect", {class: `key${back ? " back" : bar ? " bar" : ""}`, x, y: y - 4 - thick / 2, width: SWATCH, height: thick}));
		rows.forEach((row, i) => copy.append(svg("text", {class: "source", x: x + indent, y: y + i * LINE}, row)));
		y += (rows.length - 1) * LINE;
		x += all + (thick ? 20 : 8);
	}
	if (entries.length) y += ROW;
	for (const line of lines(source, (text) => wide(text) <= width - 24)) {
		copy.append(svg("text", {class: "source", x: 12, y}, line));
		y += LINE;
	}
	return {width, height: y - LINE + 10};
}

/*
 * A copy of a drawing in the colours of a light page. Its styles become attributes, so that
 * other programs show it alike. foot: {entries, source}: the legend (dag.js) below the figure, and
 * the text that cites its data.
 */
function printed(picture, size, title, foot) {
	const copy = picture.cloneNode(true);
	for (const name of ["role", "aria-label", "tabindex", "class"]) copy.removeAttribute(name);
	for (const one of copy.querySelectorAll(".away")) one.remove();
	const {width, height} = appendFoot(copy, size, foot);
	const place = h("div", {class: "dag print", hidden: true}, copy);
	document.body.append(place);
	for (const one of copy.querySelectorAll("path, polygon, rect, text")) {
		const style = getComputedStyle(one);
		for (const name of INK) {
			const value = style.getPropertyValue(name);
			if (value && value !== "normal" && !(value === "none" && name !== "fill")) one.setAttribute(name, value);
		}
	}
	const paper = getComputedStyle(place).getPropertyValue("--card").trim();
	place.remove();
	for (const one of copy.querySelectorAll("*"))
		for (const {name} of [...one.attributes]) if (/^(class|role|tabindex|data-.*|aria-.*)$/.test(name)) one.removeAttribute(name);
	copy.prepend(svg("title", null, title), svg("desc", null, foot.source), svg("rect", {width, height, fill: paper}));
	for (const [name, value] of Object.entries({width, height, viewBox: `0 0 ${width} ${height}`})) copy.setAttribute(name, value);
	return copy;
}

/* The place of an element: its parents are only moved. */
function moved(element) {
	const at = [0, 0];
	for (let one = element; one; one = one.parentElement) {
		const found = /translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)/.exec(one.getAttribute("transform") ?? "");
		if (found) {
			at[0] += Number(found[1]);
			at[1] += Number(found[2]);
		}
	}
	return at;
}

/* Draw one element of a copy on a canvas. The policy of the page allows no picture from a string. */
function paint(context, element) {
	const number = (name) => Number.parseFloat(element.getAttribute(name) ?? "0"), own = (name) => element.getAttribute(name);
	const [x, y] = moved(element);
	let shape = null;
	if (element.tagName === "path") shape = new Path2D(own("d"));
	else if (element.tagName === "polygon") shape = new Path2D(`M${own("points")}Z`);
	else if (element.tagName === "rect") {
		shape = new Path2D();
		shape.roundRect(number("x"), number("y"), number("width"), number("height"), number("rx"));
	}
	context.save();
	context.translate(x, y);
	context.globalAlpha = own("opacity") === null ? 1 : number("opacity");
	context.fillStyle = own("fill") ?? "none";
	context.strokeStyle = own("stroke") ?? "none";
	context.lineWidth = number("stroke-width") || 1;
	context.lineJoin = own("stroke-linejoin") ?? "miter";
	context.setLineDash((own("stroke-dasharray") ?? "").split(/[ ,]+/).map(Number.parseFloat).filter((n) => n > 0));
	if (shape) {
		if (own("fill") !== "none") context.fill(shape);
		if (own("stroke")) context.stroke(shape);
	} else {
		context.font = `${own("font-weight") ?? 400} ${own("font-size")} ${own("font-family")}`;
		context.textAlign = {middle: "center", end: "right"}[own("text-anchor")] ?? "left";
		if (own("stroke")) context.strokeText(element.textContent, number("x"), number("y"));
		context.fillText(element.textContent, number("x"), number("y"));
	}
	context.restore();
}

const UNWRITABLE = /[^\t\n\r -\ufffd]/g; /* characters that XML cannot have */

export function saveSvg(name, picture, size, title, foot) {
	const text = new XMLSerializer().serializeToString(printed(picture, size, title, foot)).replace(UNWRITABLE, "\ufffd");
	saveFile(`${name}.svg`, `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, "image/svg+xml");
}

export async function savePng(name, picture, size, title, foot) {
	const copy = printed(picture, size, title, foot), [width, height] = ["width", "height"].map((side) => Number(copy.getAttribute(side)));
	const scale = Math.min(SHARP, SIDE_MAX / Math.max(width, height));
	const canvas = h("canvas", {width: Math.ceil(width * scale), height: Math.ceil(height * scale)});
	const context = canvas.getContext("2d");
	context.scale(scale, scale);
	for (const one of copy.querySelectorAll("path, polygon, rect, text")) paint(context, one);
	saveFile(`${name}.png`, await new Promise((done) => { canvas.toBlob(done, "image/png"); }));
}
