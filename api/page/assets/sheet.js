/* Tables of results: sorted by a click on a column, and saved as CSV with all rows and all digits. */
import {count, h, number, replace, say, table} from "./dom.js";
import {csvText, saveFile} from "./save.js";

const SHOWN = 100; /* rows that are shown at first */
const words = new Intl.Collator("en", {numeric: true});

const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);

/* Numbers by size, text by its words and numbers; missing values come last in both directions. */
function compare(a, b, direction) {
	if (missing(a) || missing(b)) return missing(a) - missing(b);
	return direction * (typeof a === "number" && typeof b === "number" ? a - b : words.compare(String(a), String(b)));
}

/* The columns of the two ends of an arc or a pair; describe(vertex) names a vertex. */
export const fromTo = (describe) => ["From", "To"].map((name) => {
	const key = name.toLowerCase();
	return {name, key, of: (row) => row[key], beside: (row) => describe(row[key])};
});

/* A value with six digits; whole numbers have all of theirs. */
export const shownText = (value) => (Number.isInteger(value) ? count(value) : typeof value === "number" ? number(value, 6) : value ?? "–");

/*
 * columns: [{name, of(row), show(row), drawn, beside(row), key, aside, saved}]. of() is the value by which
 * rows are sorted and that CSV has; show() draws it, if it is not the value itself; drawn: it is more than
 * a number, so it is not aligned with the others' digits; beside() is a name that stands beside an id,
 * unless show() draws it, and in CSV a column of its own; key is the column's name in CSV; aside: it is
 * hidden on phones. Without of(), a column is only drawn; with `saved`, it is only in CSV. rows may be of
 * any type. file: name of the CSV; fixed: the rows are different quantities, so they are not sorted.
 */
export function sheet(caption, columns, rows, {file, shown = SHOWN, fixed, ...props} = {}) {
	const keyOf = ({key, name}) => key ?? name.toLowerCase().replaceAll(" ", "_");
	const seen = columns.filter(({saved}) => !saved);
	const classes = seen.map(({of, drawn, aside}) => {
		const figure = of && !drawn && rows.length > 0 && rows.every((row) => missing(of(row)) || typeof of(row) === "number");
		return [aside ? "aside" : "", figure ? "figure" : ""].filter(Boolean).join(" ") || null;
	});
	const body = h("tbody"), left = h("p", {class: "row start"});
	let order = [...rows], by = null, direction = 1, most = shown;

	function draw() {
		replace(body, order.slice(0, most).map((row) => h("tr", null, seen.map(({of, show, beside}, i) => {
			const more = !show && beside?.(row);
			return h(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: classes[i]}, show ? show(row) : shownText(of(row)), more ? h("small", null, more) : null);
		}))));
		replace(left, most < order.length ? h("button", {type: "button", onclick: () => {
			most += 5 * shown;
			draw();
		}}, `Show more (${count(order.length - most)} left)`) : null, file && rows.length ? h("button", {type: "button", class: "quiet", onclick: save}, "Save as CSV") : null);
	}

	function sort(i) {
		direction = by === i ? -direction : 1;
		by = i;
		order = rows.map((row, at) => [seen[i].of(row), at, row]).sort((a, b) => compare(a[0], b[0], direction) || a[1] - b[1]).map(([, , row]) => row);
		heads.forEach((head, k) => (k === by ? head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending") : head.removeAttribute("aria-sort")));
		draw();
		say(`Sorted by ${seen[i].name}, ${direction > 0 ? "ascending" : "descending"}.`);
	}

	function save() {
		const named = (column) => order.some((row) => column.beside?.(row));
		const parts = columns.filter(({of}) => of).flatMap((column) => [[keyOf(column), column.of], ...(named(column) ? [[`${keyOf(column)}_name`, column.beside]] : [])]);
		saveFile(`${file}.csv`, csvText([parts.map(([key]) => key), ...order.map((row) => parts.map(([, value]) => value(row)))]), "text/csv");
	}

	const heads = seen.map(({name, of}, i) => h("th", {scope: "col", class: classes[i]},
		!of ? h("span", {class: "unseen"}, name) : fixed ? name : h("button", {type: "button", class: "sort", onclick: () => sort(i)}, name)));
	draw();
	return [table(caption, props, heads, body), left];
}
