/* The form that adds a profile to a graph. */
import {ask, graphPath, part} from "./api.js";
import {choice, field, h, nameInput, otherRule, replace, trouble} from "./dom.js";
import {ruleForm} from "./rule_form.js";

export function profileForm(record, signal, refresh) {
	const profiles = [record, record.pending].flatMap((one) => one?.profiles ?? []), names = new Set(profiles.map((profile) => profile.name));
	const own = profiles.find((profile) => profile.name === "default");
	let chosen = own?.path === "widest" ? "widest" : own?.transform ?? "hops", shown = "";
	const problem = h("div"), rules = h("div"), options = ruleForm(record, signal, showRules);
	const button = h("button", {type: "submit", class: "primary"});
	const name = nameInput({oninput: label});

	/* The rules in words, which name shares if lengths are made from shares. They are replaced only if the words change. */
	function showRules() {
		const choices = options.choices(), words = choices.map(([, text]) => text).join();
		if (words === shown) return;
		shown = words;
		replace(rules, choice("Rule", "rule", choices, chosen, (value) => { chosen = value; }));
	}

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
	showRules();
	label();
	return h("form", {class: "card", onsubmit: compute}, h("div", {class: "fields"}, field("Name", name)),
		rules, options.nodes,
		h("div", {class: "row start"}, button), problem);
}
