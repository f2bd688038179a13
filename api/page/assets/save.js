/* Saves what the page has drawn or listed as a file: text, and drawings as SVG and PNG. */
import {h, svg} from "./dom.js";

const SHARP = 2, SIDE_MAX = 8000; /* pixels of a PNG for each unit of the drawing; its longest side */
const INK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "font-size", "font-family", "font-weight"];
const FOOT = 26; /* height of the line that says where the figure is from */

export function saveFile(name, content, type) {
	const link = h("a", {href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type})), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* A cell of CSV, with quotes if it needs them (RFC 4180). */
const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
export const csvText = (rows) => rows.map((row) => row.map((cell) => quoted(String(cell ?? ""))).join(",") + "\r\n").join("");

/*
 * A copy of a drawing in the colours of a light page. Its styles become attributes, so that
 * other programs show it alike. source: the line below the figure that cites its data.
 */
function printed(picture, {width, height}, title, source) {
	const copy = picture.cloneNode(true);
	for (const name of ["role", "aria-label", "tabindex", "class"]) copy.removeAttribute(name);
	for (const one of copy.querySelectorAll(".away")) one.remove();
	copy.append(svg("text", {class: "source", x: 12, y: height + FOOT - 10}, source));
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
	copy.prepend(svg("title", null, title), svg("desc", null, source), svg("rect", {width, height: height + FOOT, fill: paper}));
	for (const [name, value] of Object.entries({width, height: height + FOOT, viewBox: `0 0 ${width} ${height + FOOT}`})) copy.setAttribute(name, value);
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

export function saveSvg(name, picture, size, title, source) {
	saveFile(`${name}.svg`, `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(printed(picture, size, title, source))}\n`, "image/svg+xml");
}

export async function savePng(name, picture, size, title, source) {
	const copy = printed(picture, size, title, source), height = size.height + FOOT;
	const scale = Math.min(SHARP, SIDE_MAX / Math.max(size.width, height));
	const canvas = h("canvas", {width: Math.ceil(size.width * scale), height: Math.ceil(height * scale)});
	const context = canvas.getContext("2d");
	context.scale(scale, scale);
	for (const one of copy.querySelectorAll("path, polygon, rect, text")) paint(context, one);
	saveFile(`${name}.png`, await new Promise((done) => { canvas.toBlob(done, "image/png"); }));
}
