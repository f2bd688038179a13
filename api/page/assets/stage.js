/*
 * A drawing that fits its box at every width, and that can be zoomed and moved (gestures.js).
 * Parts of the drawing with [data-at] are buttons; the arrow keys lead from one to its nearest
 * neighbour.
 */
import {h, svg} from "./dom.js";
import {gestures, zoomButtons} from "./gestures.js";

const LARGEST = 3;               /* the largest scale */
const TALLEST = 0.8, LEAST_TALL = 360; /* largest height of a drawing: this part of the window's height, but at least this number of pixels */
const MARGIN = 60;               /* at least this number of pixels of the drawing stay in its box */
export const tallest = () => Math.max(LEAST_TALL, TALLEST * innerHeight);
const ARROWS = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

/*
 * formFor(room): the form of the drawing for so many pixels, a plain object; draw(form):
 * {width, height, contents}. tools: more buttons. Returns {node, svg, size()}.
 */
export function stage({label, formFor, draw, tools = []}) {
	const picture = svg("svg", {role: "group", "aria-label": label, tabindex: 0});
	const box = h("div", {class: "stage"}, picture);
	const node = h("div", {class: "dag"}, box, h("div", {class: "row start tools"}, zoomButtons({zoom, fit}), tools));
	let form = null, size = null, room = {width: 1, height: 1}, least = 1, view = {x: 0, y: 0, scale: 1};

	function redraw(width) {
		const next = formFor(width);
		if (form && JSON.stringify(form) === JSON.stringify(next)) return;
		form = next;
		size = draw(form);
		picture.replaceChildren(...size.contents);
		const first = picture.querySelector("[data-at]");
		first?.setAttribute("tabindex", 0);
	}

	function show() {
		const wide = room.width / view.scale, tall = room.height / view.scale;
		const inside = (at, length, shown) => (length <= shown ? (length - shown) / 2
			: Math.min(length - MARGIN / view.scale, Math.max(at, MARGIN / view.scale - shown)));
		view.x = inside(view.x, size.width, wide);
		view.y = inside(view.y, size.height, tall);
		picture.setAttribute("viewBox", `${view.x} ${view.y} ${wide} ${tall}`);
		box.classList.toggle("moved", view.scale > least * 1.001);
	}

	function fit() {
		const most = tallest();
		least = Math.min(1, room.width / size.width, most / size.height);
		room.height = Math.ceil(Math.min(most, size.height * least));
		picture.setAttribute("height", room.height);
		view = {x: 0, y: 0, scale: least};
		show();
	}

	/* Zoom about a point of the box; without one, about its middle. */
	function zoom(factor, at = {x: room.width / 2, y: room.height / 2}) {
		const scale = Math.min(Math.max(LARGEST, least), Math.max(least, view.scale * factor));
		view.x += at.x / view.scale - at.x / scale;
		view.y += at.y / view.scale - at.y / scale;
		view.scale = scale;
		show();
	}

	function move(x, y) {
		view.x -= x / view.scale;
		view.y -= y / view.scale;
		show();
	}

	/* The button nearest in a direction; a step sideways counts twice. */
	function neighbour(from, [x, y]) {
		const place = (one) => one.dataset.at.split(" ").map(Number);
		const [left, top] = place(from);
		let best = null, nearest = Infinity;
		for (const one of picture.querySelectorAll("[data-at]")) {
			const [dx, dy] = [place(one)[0] - left, place(one)[1] - top];
			const onward = dx * x + dy * y, aside = Math.abs(dx * y) + Math.abs(dy * x);
			if (onward > 1 && onward + 2 * aside < nearest) {
				nearest = onward + 2 * aside;
				best = one;
			}
		}
		return best;
	}

	/* Move the drawing so that a part of it is seen. */
	function reveal(part) {
		const [x, y] = part.dataset.at.split(" ").map(Number), edge = MARGIN / view.scale;
		view.x = Math.min(x - edge, Math.max(view.x, x + edge - room.width / view.scale));
		view.y = Math.min(y - edge, Math.max(view.y, y + edge - room.height / view.scale));
		show();
	}

	gestures(picture, {zoom, move, fit});
	picture.addEventListener("keydown", (e) => {
		const arrow = ARROWS[e.key], part = e.target.closest("[data-at]");
		if (!arrow || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		if (!part) {
			move(-MARGIN * arrow[0], -MARGIN * arrow[1]);
			return;
		}
		const next = neighbour(part, arrow);
		if (!next) return;
		part.setAttribute("tabindex", -1);
		next.setAttribute("tabindex", 0);
		next.focus({preventScroll: true});
	});
	picture.addEventListener("focusin", (e) => {
		if (e.target !== picture && e.target.matches(":focus-visible")) reveal(e.target);
	});

	function resize(width) {
		if (width < 1 || size && Math.abs(width - room.width) < 1) return;
		room.width = width;
		redraw(width);
		fit();
	}
	new ResizeObserver(() => resize(box.clientWidth)).observe(box);
	resize(Math.min(1060, document.documentElement.clientWidth - 50)); /* until the box has a width */
	return {node, svg: picture, size: () => size};
}
