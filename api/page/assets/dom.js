/* Elements, formats of numbers, and messages that all views share. */

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
	for (const [name, value] of Object.entries(props ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
		else if (name === "value" || name === "checked" || name === "selected") node[name] = value;
		else node.setAttribute(name, value === true ? "" : value);
	}
	node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return node;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

const mute = (e) => e.stopPropagation();

/*
 * Chromium sends the event "change" of a focused input when the input is removed. No user has finished this
 * text, so the event does not reach the input, whose listener would change the address.
 */
export function replace(node, ...children) {
	node.addEventListener("change", mute, true);
	node.replaceChildren(...children.flat(Infinity).filter(Boolean));
	node.removeEventListener("change", mute, true);
	return node;
}

/* Let screen readers announce a change. */
export function say(text) {
	document.getElementById("spoken").textContent = text;
}

/* The daemon writes counts that a number cannot hold exactly as text. */
export const count = (n) => (n === null || n === undefined ? "–" : (typeof n === "string" ? BigInt(n) : n).toLocaleString("en"));

export const plural = (n, one, many = one + "s") => (n === "one" ? one : `${count(n)} ${Number(n) === 1 ? one : many}`);

/* A number with four digits; very small and very large ones have an exponent. */
export function number(x, digits = 4) {
	if (x === null || x === undefined) return "–";
	if (x === 0 || Number.isInteger(x) && Math.abs(x) < 1e7) return count(x);
	if (!Number.isFinite(x)) return x > 0 ? "∞" : "–";
	const size = Math.abs(x);
	if (size >= 1e7 || size < 1e-4) return x.toExponential(digits - 1);
	return x.toLocaleString("en", {maximumSignificantDigits: digits});
}

/* The unit after a number, in the singular after 1. Other units are not changed, because an s may be a part of them, as in ms. */
const COUNTED = /^(arc|synapse|contact|connection|count|spike|flight|fibre|fiber|streamline|metre|meter|kilometre|kilometer|second|minute|hour|day)s$/i;
const unitOf = (text, unit) => (String(text) !== "1" ? unit : unit === "vertices" ? "vertex" : COUNTED.test(unit) ? unit.slice(0, -1) : unit);

/* A number in a sentence, and the name of a column, with the unit if it is known. */
export const measured = (text, unit) => (unit && text !== "–" ? `${text} ${unitOf(text, unit)}` : text);
export const titled = (text, unit) => (unit ? `${text} (${unit})` : text);

export function bytes(n) {
	if (n === null || n === undefined) return "–";
	const units = ["bytes", "kB", "MB", "GB", "TB"];
	let unit = 0;
	while (n >= 1000 && unit < units.length - 1) {
		n /= 1000;
		unit++;
	}
	return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}

export function duration(seconds) {
	if (seconds < 1) return "less than a second";
	if (seconds < 90) return plural(Math.round(seconds), "second");
	if (seconds < 5400) return plural(Math.round(seconds / 60), "minute");
	return `${(seconds / 3600).toFixed(1)} hours`;
}

export const time = (text) => text
	? new Date(text).toLocaleString("en-GB", {dateStyle: "medium", timeStyle: "short"})
	: "–";

/* A time in a table: without the date if it is today. */
export const moment = (text) => (text && new Date(text).toDateString() === new Date().toDateString()
	? new Date(text).toLocaleString("en-GB", {timeStyle: "short"}) : time(text));

export const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 1)} %`);

/*
 * A problem as a sentence with advice; see api.js. If the problem is that no daemon answers, app.js
 * removes the message as soon as a daemon answers.
 */
export function trouble(problem, ...more) {
	return h("div", {class: "trouble", role: "alert", "data-lost": problem.status === 0},
		h("p", null, problem.message),
		problem.advice ? h("p", null, problem.advice) : null,
		problem.links?.length ? h("ul", null, problem.links.map(([href, words, said]) =>
			h("li", null, h("a", {href}, words), said ? `: ${said}` : null))) : null, more);
}

/* Shows a problem in a place, unless the request was aborted. */
export const troubleIn = (place) => (error) => { if (error.name !== "AbortError") replace(place, trouble(error)); };

/* Texts in the place of an answer: why there is no answer, and what to do. */
export const empty = (...texts) => h("div", {class: "empty"}, texts.map((text) => (text?.nodeType ? text : text && h("p", null, text))));

/* Contents that a click on their title shows. */
export const details = (title, ...nodes) => h("details", null, h("summary", null, title), nodes);

const keyOf = (control) => (control.type === "radio" ? `${control.name} ${control.value}` : control.labels?.[0]?.textContent);

/* Replace the controls of a form. The focus stays on the control with the same label; of radio buttons, with the same value. */
export function refill(form, ...children) {
	const focused = form.contains(document.activeElement) ? keyOf(document.activeElement) : null;
	replace(form, ...children);
	if (focused) [...form.querySelectorAll("input, select")].find((one) => keyOf(one) === focused)?.focus();
}

/*
 * Call work() now or, while a button of the mouse is down, when it is released. A control that moves
 * in between gets no click. Chromium sends no mouseup to a disabled button, so other events end a
 * press, too.
 */
let pressed = false;
const waiting = [], RELEASES = ["mouseup", "pointerup", "pointercancel", "click", "contextmenu", "dragend", "keydown"];
function release() {
	pressed = false;
	for (const work of waiting.splice(0)) work();
}
addEventListener("mousedown", () => { pressed = true; }, true);
for (const name of RELEASES) addEventListener(name, release, true);
addEventListener("blur", release); /* of the window: the same event of an element does not bubble */
export const afterPress = (work) => { pressed ? waiting.push(work) : work(); };

/* Show that an answer is being computed: the previous one is dimmed; if there is none, `text` appears after half a second. */
export function working(place, text) {
	place.setAttribute("aria-busy", "true");
	if (!place.childElementCount) replace(place, h("p", {class: "hint late"}, text));
}

/* The problem of an unknown vertex, with buttons for similar labels. */
export function unknown(problem, vertices, chosen, describe = () => "") {
	const wrong = vertices.find((vertex) => problem.message.startsWith(`'${vertex}' `));
	const meant = problem.body?.suggestions ?? [];
	if (wrong === undefined || !meant.length) return trouble(problem);
	return trouble({message: problem.message}, h("p", null, "Did you mean ", meant.map((vertex, i) => [
		i === 0 ? "" : i === meant.length - 1 ? " or " : ", ",
		h("button", {type: "button", class: "link", onclick: () => chosen(wrong, vertex)}, vertex),
		describe(vertex) ? ` (${describe(vertex)})` : ""]), "?"));
}

export const LENGTHS = ["transform", "path", "duplicates", "min_weight", "normalise", "min_share", "normalise_by", "without", "invalid"]; /* options that change lengths */
const optionOf = (name, rule) => (name === "transform" ? ruleText({...rule, path: null}) ?? rule[name] : `${name.replace("_", " ")} ${rule[name] ?? "none"}`);

/*
 * Ask before the rule of a graph is changed for everybody. change() changes it; keep(),
 * which may be missing, continues with the present rule.
 */
export function otherRule({body: {rule, said}}, change, keep) {
	const differs = LENGTHS.filter((name) => String(rule[name]) !== String(said[name]));
	const words = (one) => differs.map((name) => optionOf(name, one)).join(", ");
	return trouble({
		message: `The graph uses another rule: ${words(rule)}. This request has ${words(said)}, which would change the answers for everybody.`,
		advice: "To use both rules, add a profile on the overview of the graph.",
	}, h("p", {class: "row start"}, keep ? h("button", {type: "button", onclick: keep}, "Keep the rule") : null,
		h("button", {type: "button", class: "danger", onclick: change}, "Change it for everybody")));
}

/* A label above its control, which gets an id. */
let ids = 0;
export function field(text, control, hint) {
	const input = control.matches("input,select,textarea") ? control : control.querySelector("input,select");
	input.id ||= `field-${++ids}`;
	if (hint) input.setAttribute("aria-describedby", `${input.id}-hint`);
	return h("div", {class: "field"}, h("label", {for: input.id}, text), control,
		hint ? h("p", {class: "hint", id: `${input.id}-hint`}, hint) : null);
}

export function select(options, value, onchange) {
	return h("select", {onchange: (e) => onchange(e.target.value)},
		options.map(([key, text]) => h("option", {value: key, selected: key === value}, text)));
}

/* Radio buttons for options [[value, text, explanation], …]. */
export function choice(legend, name, options, value, onchange) {
	return h("fieldset", {class: options.some((o) => o[2]) ? "choice long" : "choice"}, h("legend", null, legend),
		options.map(([key, text, more]) => h("label", null,
			h("input", {type: "radio", name, value: key, checked: key === value,
				onchange: () => onchange(key)}),
			h("span", null, text, more ? h("small", null, more) : null))));
}

/* A table that scrolls sideways in a narrow window; its caption is for screen readers. */
export const table = (caption, props, head, body) => h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
	h("table", props, h("caption", {class: "unseen"}, caption), h("thead", null, h("tr", null, head)), body));

/* The name of a graph or a profile, as the daemon accepts it. */
export const nameInput = (props) => h("input", {required: true, maxlength: 128, autocomplete: "off", spellcheck: "false", pattern: "[A-Za-z0-9_~\\-][A-Za-z0-9._~\\-]*", ...props});

/* A list of terms with figures: [[term, value, unit]]; a unit may be missing. */
export const facts = (pairs) => h("dl", {class: "facts"}, pairs.map(([term, value, unit]) =>
	h("div", null, h("dt", null, term), h("dd", null, value, unit && value !== "–" ? h("span", {class: "unit"}, ` ${unitOf(value, unit)}`) : null))));

const STATES = {
	succeeded: "ready", queued: "waiting", running: "computing", closed: "cannot be opened",
};
const LIKE = {ready: "succeeded", computing: "running", waiting: "queued", closed: "failed"};
export const badge = (state) => h("span", {class: `badge ${LIKE[state] ?? state}`}, STATES[state] ?? state);

/* Each transform of weights in words. */
export const RULES = {
	inv: "length = 1 / weight",
	none: "length = weight",
	hops: "every arc counts 1",
	log: "length = −ln weight",
	lognorm: "length = −ln (weight / largest)",
};
const WIDEST = "widest paths: the weakest arc counts";

/* The totals of a rule with normalise: "input", "input by post". */
const totalsOf = ({normalise, normalise_by: by}) => `${normalise}${by ? ` by ${by}` : ""}`;
const hasShares = ({normalise}) => Boolean(normalise) && normalise !== "none";

/* How a rule makes lengths, or widths, in words: from weights, or with normalise from their shares. */
export function ruleText(rule) {
	const text = rule.path === "widest" ? WIDEST : RULES[rule.transform];
	if (!hasShares(rule)) return text;
	const share = `share of ${totalsOf(rule)}`;
	return rule.path === "widest" ? `${text}, width = ${share}` : text?.replace("−ln weight", `−ln (${share})`).replace("weight", share);
}

/* The head of a column with the lengths or widths of arcs: with their unit or, if they are made from shares, with the formula. */
export function lengthHead(rule, unit) {
	const wide = rule?.path === "widest", formula = rule && hasShares(rule) ? ruleText(rule)?.split("length = ").at(-1).split("width = ").at(-1) : "";
	return titled(wide ? "Width" : "Length", unit || formula);
}

/* The threshold of shares in words; "" if the rule has none. */
export const sharesText = (rule) => (hasShares(rule) && rule.min_share ? `shares of ${totalsOf(rule)} from ${rule.min_share}` : "");
