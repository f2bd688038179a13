/* The form that adds a profile: a rule with its shares, thresholds and the vertices that it leaves out. */
import {ask, attributes, graphPath, part} from "./api.js";
import {choice, field, h, otherRule, replace, RULES, select, trouble, WIDEST} from "./dom.js";
import {vertexSet} from "./vertex_set.js";

const SHARES = [["", "the weights themselves"], ["input", "shares of the receiver's input"], ["output", "shares of the sender's output"]];

/* The rule that the form asks for. Conditions of `without` are those of match=, or labels. */
function ruleOf({transform, normalise, total, without}, least, share) {
	const rule = transform === "widest" ? {path: "widest"} : {transform};
	if (least !== "") rule.min_weight = Number(least);
	if (normalise) {
		rule.normalise = normalise;
		if (total) rule.normalise_by = total;
		if (share !== "") rule.min_share = Number(share);
	}
	const left = [...without.match, ...without.labels.map((label) => `label:${label}`)];
	if (left.length) rule.without = left;
	return rule;
}

export function profileForm(record, signal, refresh) {
	const wish = {transform: "hops", normalise: "", total: "", without: {labels: [], match: []}};
	const name = h("input", {required: true, pattern: "[A-Za-z0-9_~\\-][A-Za-z0-9._~\\-]*", maxlength: 128, autocomplete: "off", spellcheck: "false"});
	const least = h("input", {type: "number", step: "any", inputmode: "decimal"});
	const share = h("input", {type: "number", step: "any", min: 0, max: 1, inputmode: "decimal"});
	const problem = h("div"), ofShares = h("div", {class: "fields after"});
	const button = h("button", {type: "submit", class: "primary"}, "Compute");
	const without = vertexSet(record, "Leave out", signal, (set) => {
		wish.without = set;
		without.value = set;
	});
	let names = [];

	function showShares() {
		replace(ofShares, field("Length of", select(SHARES, wish.normalise, (value) => {
			wish.normalise = value;
			showShares();
			ofShares.querySelector("select").focus();
		}), "Totals of shares also count the arcs that are dropped."),
		wish.normalise ? [field("Drop shares below", share), names.length ? field("Totals from", select([["", "the arcs of the file"], ...names.map((one) => [one, one])], wish.total, (value) => { wish.total = value; }),
			"An attribute, such as neuPrint's post, that also counts what the file lacks.") : null] : null);
	}
	showShares();
	attributes(record).then((known) => {
		names = known.names;
		showShares();
	}, () => {});

	const compute = async (e, consent) => {
		e.preventDefault();
		button.disabled = true;
		try {
			await ask("PUT", graphPath(record.name, "profiles", part(name.value)), {query: consent, body: JSON.stringify(ruleOf(wish, least.value, share.value)), type: "application/json"});
			await refresh();
		} catch (error) {
			button.disabled = false;
			replace(problem, error.type === "rule-differs" ? otherRule(error, (again) => compute(again, {default_rule: "replace"})) : trouble(error));
		}
	};
	return h("form", {class: "card", onsubmit: compute}, h("div", {class: "fields"}, field("Name", name), field("Drop weights below", least)),
		choice("Rule", "rule", [...Object.entries(RULES), ["widest", WIDEST]], wish.transform, (value) => { wish.transform = value; }),
		ofShares, without.node, h("p", {class: "hint"}, "Vertices that are left out have no paths, and statistics do not count them. The arcs of others keep their lengths."),
		h("div", {class: "row start"}, button), problem);
}
