/*
 * Zoom and drag: by dragging, by two fingers, by the keys + - 0, and by the wheel while the
 * element has the focus (or with Ctrl), so that the wheel otherwise scrolls the page.
 */
import {h} from "./dom.js";

const STEP = 1.35; /* one step of the zoom */
const DRAG = 4; /* a press that moves by at least this number of pixels is a drag and no click */

/* zoom(factor, {x, y}), move(x, y) and fit() change the view; x and y are pixels of the element. */
export function gestures(element, {zoom, move, fit}) {
	const point = (e) => {
		const {left, top} = element.getBoundingClientRect();
		return {x: e.clientX - left, y: e.clientY - top};
	};

	element.addEventListener("wheel", (e) => {
		if (!e.ctrlKey && !e.metaKey && !element.contains(document.activeElement)) return;
		e.preventDefault();
		zoom(STEP ** (-Math.sign(e.deltaY) / 2), point(e));
	}, {passive: false});

	const held = new Map(); /* pointers that are down */
	let dragged = false;
	element.addEventListener("pointerdown", (e) => {
		if (e.button !== 0) return;
		if (!held.size) dragged = false;
		held.set(e.pointerId, point(e));
	});
	element.addEventListener("pointermove", (e) => {
		const before = held.get(e.pointerId);
		if (!before) return;
		const now = point(e);
		if (!dragged && Math.hypot(now.x - before.x, now.y - before.y) < DRAG) return;
		if (!dragged) element.setPointerCapture(e.pointerId);
		dragged = true;
		const other = [...held].find(([id]) => id !== e.pointerId)?.[1];
		if (other) zoom(Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)), other);
		else move(now.x - before.x, now.y - before.y);
		held.set(e.pointerId, now);
	});
	for (const kind of ["pointerup", "pointercancel"]) element.addEventListener(kind, (e) => held.delete(e.pointerId));
	element.addEventListener("click", (e) => { /* the click event at the end of a drag does not count as a click */
		if (!dragged) return;
		dragged = false;
		e.stopImmediatePropagation();
	}, true);

	element.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		if (e.key === "+" || e.key === "=") zoom(STEP);
		else if (e.key === "-") zoom(1 / STEP);
		else if (e.key === "0") fit();
		else return;
		e.preventDefault();
	});
}

const button = (text, name, act) => h("button", {type: "button", "aria-label": name, title: name, onclick: act}, text);

export const zoomButtons = ({zoom, fit}) => [button("−", "Zoom out", () => zoom(1 / STEP)), button("+", "Zoom in", () => zoom(STEP)),
	button("Fit", "Fit the picture to its box", () => fit())];
