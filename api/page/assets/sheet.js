/* Tables of results: sorted by a click on a column, and saved as CSV with all rows and all digits. */
import {count, h, number, replace, say} from "./dom.js";
import {csvText, saveFile} from "./save.js";

const SHOWN = 100; /* rows that are shown at first */
const words = new Intl.Collator("en", {numeric: true});

const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);

/* Numbers by size, text by its words and numbers; missing values come last in both directions. */
function compare(a, b, direction) {
	if (missing(a) || missing(b)) return missing(a) - missing(b);
	return direction * (typeof a === "number" && typeof b === "number" ? a - b : words.compare(String(a), String(b)));
}

const shownText = (value) => (typeof value === "number" ? number(value, 6) : value ?? "–");

/*
 * columns: [{name, of(row), show(row), beside(row), key, aside}]. of() is the value by which rows
 * are sorted and that CSV has; show() draws it, if it is not the value itself; drawn: it is more than
 * a number, so it is not aligned with the others' digits; beside() is a
 * name that stands beside an id, in CSV as a column of its own; key is the column's name in CSV; without
 * of(), the column is only drawn. rows may be of any type. file: name of the CSV.
 */
export function sheet(caption, columns, rows, {file, shown = SHOWN, ...props} = {}) {
	const keyOf = ({key, name}) => key ?? name.toLowerCase().replaceAll(" ", "_");
	const figures = columns.map(({of, drawn}) => of && !drawn && rows.length > 0 && rows.every((row) => missing(of(row)) || typeof of(row) === "number"));
	const of = (i) => [columns[i].aside ? "aside" : "", figures[i] ? "figure" : ""].filter(Boolean).join(" ") || null;
	const body = h("tbody"), left = h("p", {class: "row start"});
	let order = [...rows], by = null, direction = 1, most = shown;

	function draw() {
		replace(body, order.slice(0, most).map((row) => h("tr", null, columns.map(({of: value, show, beside}, i) => {
			const more = beside?.(row);
			return h(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: of(i)}, show ? show(row) : shownText(value(row)), more ? h("small", null, more) : null);
		}))));
		replace(left, most < order.length ? h("button", {type: "button", onclick: () => {
			most += 5 * shown;
			draw();
		}}, `Show more (${count(order.length - most)} left)`) : null, file && rows.length ? h("button", {type: "button", class: "quiet", onclick: save}, "Save as CSV") : null);
	}

	function sort(i) {
		direction = by === i ? -direction : 1;
		by = i;
		order = rows.map((row, at) => [columns[i].of(row), at, row]).sort((a, b) => compare(a[0], b[0], direction) || a[1] - b[1]).map(([, , row]) => row);
		heads.forEach((head, k) => (k === by ? head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending") : head.removeAttribute("aria-sort")));
		draw();
		say(`Sorted by ${columns[i].name}, ${direction > 0 ? "ascending" : "descending"}.`);
	}

	function save() {
		const kept = columns.filter((column) => column.of);
		const named = (column) => order.some((row) => column.beside?.(row));
		const parts = kept.flatMap((column) => [[keyOf(column), column.of], ...(named(column) ? [[`${keyOf(column)}_name`, column.beside]] : [])]);
		saveFile(`${file}.csv`, csvText([parts.map(([key]) => key), ...order.map((row) => parts.map(([, value]) => value(row)))]), "text/csv");
	}

	const heads = columns.map(({name, of: value}, i) => h("th", {scope: "col", class: of(i)},
		!value ? h("span", {class: "unseen"}, name) : h("button", {type: "button", class: "sort", onclick: () => sort(i)}, name)));
	draw();
	return [h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
		h("table", props, h("caption", {class: "unseen"}, caption), h("thead", null, h("tr", null, heads)), body)), left];
}
