/* The form that adds a profile to a graph. */
import {ask, graphPath, part} from "./api.js";
import {choice, field, h, nameInput, otherRule, replace, trouble} from "./dom.js";
import {CHOICES, ruleForm} from "./rule_form.js";

export function profileForm(record, signal, refresh) {
	const own = record.profiles?.find((profile) => profile.name === "default");
	let chosen = own?.path === "widest" ? "widest" : own?.transform ?? "hops";
	const name = nameInput();
	const problem = h("div"), options = ruleForm(record, signal);
	const button = h("button", {type: "submit", class: "primary"}, "Compute");

	const compute = async (e, consent) => {
		e.preventDefault();
		button.disabled = true;
		try {
			await ask("PUT", graphPath(record.name, "profiles", part(name.value)), {query: consent, body: JSON.stringify(options.rule(chosen)), type: "application/json"});
			await refresh();
		} catch (error) {
			button.disabled = false;
			replace(problem, error.type === "rule-differs" ? otherRule(error, (again) => compute(again, {default_rule: "replace"})) : trouble(error));
		}
	};
	return h("form", {class: "card", onsubmit: compute}, h("div", {class: "fields"}, field("Name", name)),
		choice("Rule", "rule", CHOICES, chosen, (value) => { chosen = value; }), options.nodes,
		h("div", {class: "row start"}, button), problem);
}
