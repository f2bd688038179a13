/* What differs between two profiles of a graph, or between two graphs: pairs lost, gained, longer, shorter. */
import {address} from "./address.js";
import {allGraphs, fewValued, get, graphPath, knownOf, post, saveButton, url} from "./api.js";
import {histogram} from "./chart.js";
import {choice, count, empty, facts, field, h, measured, number, percent, plural, refill, replace, ruleText, say, select, sharesText, titled, trouble} from "./dom.js";
import {graphHead, hasLengths, hasTables, isWide, named, profileOf, profileRecord, unfit, unitsOf} from "./graph_head.js";
import {answering} from "./jobs.js";
import {unitsDiffer} from "./rule_form.js";
import {call, graphArgument, graphCall, share} from "./share.js";
import {fromTo, sheet} from "./sheet.js";
import {called, describer, withoutText} from "./vertex_input.js";

const TOP = 100, TOP_MAX = 1000; /* largest number of pairs of each change: by default; that the page asks for */
const BINS = 60;
const BOTH = {lost: "Lost", gained: "Gained"};
const KINDS = { /* words for a comparison of distances or of widths, and the changes that its tables show */
	distance: {...BOTH, longer: "Longer", shorter: "Shorter"},
	width: {...BOTH, wider: "Wider", narrower: "Narrower"},
};
const GROUPS_MAX = 512; /* largest number of values of an attribute whose pairs are compared at once */

export async function open({graph, signal}) {
	const head = await graphHead(graph, "compare", signal);
	const [known, graphs] = await Promise.all([knownOf(head.record), allGraphs(signal)]);
	const describe = describer(known), few = fewValued(known, GROUPS_MAX);
	const options = h("div", {class: "options"}), answer = h("div", {class: "answer"});
	const ask = answering(answer, "Comparing all pairs …", signal);
	let now = {}, kind = "distance", other = null; /* other: the record of the other graph */
	const go = (change) => {
		const next = {...now, ...change};
		location.hash = address("compare", graph, {profile: next.profile, graph: next.graph, with: next.with, key: next.graph ? next.key : null, by: next.by,
			show: next.show, top: String(next.top) === String(TOP) ? null : next.top});
	};

	function update(params) {
		head.update(params);
		now = {profile: profileOf(params), graph: params.get("graph") ?? "", with: params.get("with") ?? "", key: params.get("key") ?? "", by: params.get("by") ?? "",
			show: "", top: Math.min(TOP_MAX, Math.max(1, Math.floor(params.get("top")) || TOP))};
		kind = kindOf(head.record, now.profile);
		if (Object.hasOwn(KINDS[kind], params.get("show"))) now.show = params.get("show");
		find();
	}

	const nameOf = (profile) => profile ?? "default";
	const kindOf = (record, profile) => (isWide(record, profile) ? "width" : "distance");
	const comparable = (one) => hasTables(one) && hasLengths(one) === (kind === "distance"); /* distances are not compared with widths */
	const fits = (name) => comparable(profileRecord(head.record, name) ?? {});
	const sides = () => [...head.profiles.filter((name) => name !== nameOf(now.profile) && fits(name)).map((name) => [` ${name}`, `profile ${name}`]),
		...graphs.filter(({name, revision}) => revision && name !== graph).map(({name}) => [name, `graph ${name}`])];

	/* The attributes of a graph, and those by which vertices of both graphs can be matched. */
	const attributesOf = (record) => (record.revision ? record : record.pending ?? record).attributes ?? [];
	const keys = () => few.filter((name) => !other || attributesOf(other).includes(name));

	/* The comparable profiles of the other graph as options, and whether there is another one than the chosen one. */
	const profilesThere = () => (other?.profiles ?? []).filter(comparable).map(({name}) => [named(name) ?? "", name]);
	const chosenThere = () => named(now.with) ?? "";
	const hasChoice = () => profilesThere().some(([name]) => name !== chosenThere());

	/* Options with the chosen value, even if it cannot be used: the browser would show the first option, and to choose this option would change nothing. */
	const having = (value, options, text) => (options.some(([key]) => key === value) ? options : [...options, [value, text]]);

	function showOptions() {
		const top = h("input", {type: "number", min: 1, max: TOP_MAX, value: now.top, onchange: () => go({top: top.value || TOP})});
		/* the value of a profile begins with a blank, which no name of a graph has */
		const side = select([["", "choose"], ...sides()], now.graph || (now.with && ` ${now.with}`), (text) => go(text.startsWith(" ") ? {graph: "", with: text.slice(1)} : {graph: text, with: ""}));
		refill(options, field("Compare with", side),
			now.graph ? [hasChoice() ? field("Its profile", select(having(chosenThere(), profilesThere(), nameOf(named(now.with))), chosenThere(), (profile) => go({with: profile}))) : null,
				now.key || keys().length ? field("Match vertices by", select(having(now.key, [["", "their label"], ...keys().map((name) => [name, name])], now.key), now.key, (key) => go({key})),
					now.key ? "The mean over the vertices of a value is compared." : null) : null] : null,
			now.by || few.length ? field("Groups", select(having(now.by, [["", "none"], ...few.map((name) => [name, `by ${name}`])], `by ${now.by}`), now.by, (by) => go({by}))) : null,
			field("Pairs of each change", top));
	}

	const find = () => ask(async (mine) => {
		const instead = unfit(head.record, now.profile, hasTables, `Profile ${nameOf(now.profile)} has no tables. Comparisons are of all pairs.`, go);
		if (instead) {
			replace(options);
			replace(answer, instead);
			return;
		}
		if (other?.name !== now.graph) other = null;
		showOptions();
		if (now.graph && !other) {
			other = await get(graphPath(now.graph), null, mine);
			showOptions(); /* with the profiles of the other graph */
		}
		if (!now.graph && !now.with) {
			replace(answer, sides().length ? empty("Choose a profile or a graph to see what differs: a lesion from the whole, the left side from the right.")
				: empty("There is nothing to compare with.", [h("a", {href: address("overview", graph)}, "Add a profile"), ", or upload another graph."]));
			return;
		}
		const wrong = unusable();
		if (wrong) {
			replace(answer, trouble(wrong));
			return;
		}
		const question = {with: {...now.graph ? {graph: now.graph} : {}, ...now.with ? {profile: now.with} : {}}, ...now.key && now.graph ? {key: now.key} : {}, ...now.by ? {by: now.by} : {}, top: Number(now.top), bins: BINS};
		const found = await post(graphPath(graph, "compare"), question, mine, {profile: now.profile, revision: head.record.revision});
		show(found, question);
	}, (error) => trouble(refusal(error)));

	const problem = (message, control) => ({message, advice: `Choose another one under “${control}”.`});

	/* Why the options of the address cannot be used, in the words of the page's controls; null if they can. */
	function unusable() {
		const there = profileRecord(other ?? head.record, named(now.with)), side = `Profile ${nameOf(named(now.with))}${now.graph ? ` of ${now.graph}` : ""}`;
		const ofSide = now.graph && hasChoice() ? "Its profile" : "Compare with";
		const [ours, theirs] = kind === "distance" ? ["shortest", "widest"] : ["widest", "shortest"];
		if (there && !hasTables(there)) return problem(`${side} has no tables. Comparisons are of all pairs.`, ofSide);
		if (there && !comparable(there)) return problem(`${side} has ${theirs} paths, and profile ${nameOf(now.profile)} has ${ours} paths. Widths are not compared with distances.`, ofSide);
		if (now.graph && now.key && ![head.record, other].every((one) => attributesOf(one).includes(now.key))) return problem(`Vertices cannot be matched by ${now.key}, which is not an attribute of both graphs.`, "Match vertices by");
		if (now.by && !attributesOf(head.record).includes(now.by)) return problem(`${now.by} is not an attribute of ${graph}.`, "Groups");
		if (now.by && known.names.includes(now.by) && !few.includes(now.by)) return problem(`${now.by} has more than ${GROUPS_MAX} values.`, "Groups");
		return null;
	}

	/* Why the daemon refuses to match or to group vertices, in the words of the page's controls. unusable() has ruled out its other reasons. */
	function refusal(error) {
		const about = now.graph && error.type === "malformed-request" ? error.body.pointer : null;
		if (about === "/with") return noneShared();
		if (about === "/key") return problem(`No value of ${now.key} is in both graphs.`, "Match vertices by");
		if (about === "/by" && now.key) return problem(`Vertices with the same ${now.key} have several values of ${now.by}.`, "Groups");
		return error;
	}

	const noneShared = () => ({message: `No vertex of ${graph} has the same label as a vertex of ${now.graph}.`,
		...keys().length ? {advice: "Choose an attribute under “Match vertices by”."}
			: {advice: "To match them by an attribute, such as their type, give both graphs this attribute:", links: [graph, now.graph].map((name) => [address("overview", name), `Overview of ${name}`])}});

	/* The unit of differences: the unit of both sides, if both have the same. */
	function unitOf(found) {
		const [here, there] = [unitsOf(head.record, now.profile).length, unitsOf(other ?? head.record, found.with.profile).length];
		return here === there ? here : "";
	}

	/* Both sides in words. */
	const sideText = ({profile, rule}, name, record) => `${now.graph ? `${name}, p` : "P"}rofile ${profile} (${[ruleText(rule), rule.min_weight === null ? null : `weights from ${measured(String(rule.min_weight), unitsOf(record).weight)}`, sharesText(rule),
		rule.without?.length ? `without ${withoutText(rule.without, now.graph ? () => "" : describe)}` : null].filter(Boolean).join(", ")})`;

	function show(found, question) {
		const {counts, difference, matched, left_out: out} = found, unit = unitOf(found), there = found.with;
		const changed = Object.keys(KINDS[kind]).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
		const partOf = (term, n) => [term, count(n), n ? percent(n / counts.pairs) : ""];
		const unmatched = matched.only_here + matched.only_with + matched.without_here + matched.without_with;
		const what = now.graph && now.key ? `pairs of values of ${now.key}` : "pairs of vertices";
		say(`${plural(counts.lost, "pair")} lost, ${Object.keys(KINDS[kind]).slice(1).map((name) => `${count(counts[name])} ${name}`).join(", ")}.`);
		replace(answer, h("p", null, sideText(found, graph, head.record), h("br"), `compared with ${sideText(there, there.graph, other ?? head.record).replace(/^P/, "p")}.`),
			found.comparable ? null : h("p", {class: "note"}, `Only lost and gained pairs are counted: ${unitsDiffer(found.rule, "here", there.rule, "there") || found.why_not}`),
			facts([[`All ${what}`, count(counts.pairs)], partOf("Lost: a path there only", counts.lost), partOf("Gained: a path here only", counts.gained),
				...found.comparable ? [...Object.keys(KINDS[kind]).slice(2).map((name) => partOf(`${KINDS[kind][name]} here`, counts[name])), partOf("Equal", counts.equal)] : [],
				partOf("No path on either side", counts.unreachable), ...out.pairs ? [["Pairs with a vertex left out", count(out.pairs)]] : [],
				...difference ? [[`Mean ${kind} here`, number(difference.mean_here, 6), unit], [`Mean ${kind} there`, number(difference.mean_with, 6), unit], ["Mean difference", number(difference.mean, 6), unit]] : []]),
			difference ? h("p", {class: "hint"}, `Means are over the pairs with a path on both sides.${found.tolerance ? ` ${kind === "width" ? "Widths" : "Distances"} that differ by at most ${found.tolerance} of the larger are equal.` : ""}`) : null,
			unmatched ? h("p", {class: "hint"}, `Compared: ${count(matched.keys)} that both have. ${count(matched.only_here)} only here, ${count(matched.only_with)} only there${matched.without_here + matched.without_with ? `; ${plural(matched.without_here + matched.without_with, "vertex", "vertices")} without a value` : ""}.`) : null,
			found.histogram?.counts.length ? h("div", {class: "charts"}, histogram(`Differences of ${Object.keys(KINDS[kind]).slice(2).join(" and ")} pairs`, [{name: "pairs", histogram: found.histogram}], {unit, whole: [found.rule, there.rule].every(({transform}) => transform === "hops") && !question.key, file: `${graph}-differences`, signal})) : null,
			found.groups || found.changes.length ? h("div", {class: "options"}, choice("Changes in the tables", "change", [["", "All"], ...Object.entries(KINDS[kind])], now.show, (kind) => go({show: kind}))) : null,
			found.groups ? [h("h2", null, `Groups by ${now.by} that change most`), groupTable(found.groups.filter(chosen), unit)] : null,
			h("h2", null, "Pairs that change most"), changed ? h("p", null, saveButton(`Save every pair that changes as CSV (${plural(changed, "pair")})`, graphPath(graph, "compare"), {profile: now.profile, revision: head.record.revision, part: "all", format: "csv"},
				{with: question.with, key: question.key}, `${graph}-changed-pairs.csv`, {class: "quiet"})) : null, found.changes.length ? [h("p", {class: "hint"}, `Lost and gained pairs with the ${kind === "width" ? "largest width" : "least distance"}, other pairs with the largest difference.`), pairTable(found.changes.filter(chosen), unit, found)]
				: empty(found.comparable ? "No pair differs." : "No pair is lost or gained."),
			share({method: "POST", target: url(graphPath(graph, "compare"), {profile: now.profile}), body: question, type: "application/json"},
				graphCall(graph, now.profile), call("compare", [now.graph ? graphArgument(now.graph, now.with) : now.with], {key: question.key, by: now.by, top: question.top})));
	}

	const chosen = ({change}) => !now.show || change === now.show;
	const change = {name: "Change", of: (row) => KINDS[kind][row.change]};

	const groupTable = (groups, unit) => sheet("Groups that change most", [change, {name: "From", of: ({from}) => from, show: ({from}) => from || "(none)"}, {name: "To", of: ({to}) => to, show: ({to}) => to || "(none)"},
		{name: "Pairs", aside: true, of: ({pairs}) => pairs, show: ({pairs}) => count(pairs)},
		...Object.keys(KINDS[kind]).map((name) => ({name: KINDS[kind][name], aside: name !== (now.show || "lost"), of: (row) => row[name], show: (row) => count(row[name])})),
		{name: titled("Mean difference", unit), key: "mean_difference", of: (row) => row.mean_difference, show: (row) => number(row.mean_difference)}],
	groups, {class: "wide brief", shown: 20, file: `${graph}-changes-by-${now.by}`});

	function pairTable(changes, unit, found) {
		const byKey = Boolean(now.graph && now.key);
		const link = (text, place, profile, {from, to}) => h("a", {href: address("path", place, {profile: named(profile), from, to}), "aria-label": `Path ${text} from ${called(from, describe)} to ${called(to, describe)}`}, text);
		const paths = (row) => [row[kind] === null ? null : link("here", graph, nameOf(now.profile), row), " ", row[`with_${kind}`] === null ? null : link("there", found.with.graph, found.with.profile, row)];
		return sheet("Pairs that change most", [change, ...fromTo((vertex) => (byKey ? "" : describe(vertex))),
			{name: titled("Here", unit), key: kind, of: (row) => row[kind], show: (row) => (row[kind] === null ? "no path" : number(row[kind]))},
			{name: titled("There", unit), key: `with_${kind}`, of: (row) => row[`with_${kind}`], show: (row) => (row[`with_${kind}`] === null ? "no path" : number(row[`with_${kind}`]))},
			{name: titled("Difference", unit), key: "difference", aside: true, of: ({difference}) => difference, show: ({difference}) => number(difference)},
			...byKey ? [] : [{name: "Paths", show: paths}]], changes, {class: "wide brief", shown: 50, file: `${graph}-changes`});
	}

	return {title: `Compare · ${graph}`, update, nodes: [...head.nodes, options, answer]};
}
