/* The form that adds a profile to a graph. */
import {ask, graphPath, part} from "./api.js";
import {choice, field, h, nameInput, otherRule, replace, trouble} from "./dom.js";
import {CHOICES, ruleForm} from "./rule_form.js";

export function profileForm(record, signal, refresh) {
	const profiles = [record, record.pending].flatMap((one) => one?.profiles ?? []), names = new Set(profiles.map((profile) => profile.name));
	const own = profiles.find((profile) => profile.name === "default");
	let chosen = own?.path === "widest" ? "widest" : own?.transform ?? "hops";
	const problem = h("div"), options = ruleForm(record, signal);
	const button = h("button", {type: "submit", class: "primary"});
	const name = nameInput({oninput: label});

	/* Only a button that says so replaces a profile. */
	function label() {
		button.textContent = names.has(name.value) ? `Replace profile ${name.value}` : "Compute";
	}

	const compute = async (e, consent) => {
		e.preventDefault();
		button.disabled = true;
		try {
			await ask("PUT", graphPath(record.name, "profiles", part(name.value)), {fresh: !names.has(name.value), query: consent, body: JSON.stringify(options.rule(chosen)), type: "application/json"});
			await refresh();
		} catch (error) {
			button.disabled = false;
			if (error.type === "precondition-failed") names.add(name.value); /* it was added since this form was opened */
			label();
			replace(problem, error.type === "rule-differs" ? otherRule(error, (again) => compute(again, {default_rule: "replace"})) : trouble(error));
		}
	};
	label();
	return h("form", {class: "card", onsubmit: compute}, h("div", {class: "fields"}, field("Name", name)),
		choice("Rule", "rule", CHOICES, chosen, (value) => { chosen = value; }), options.nodes,
		h("div", {class: "row start"}, button), problem);
}
