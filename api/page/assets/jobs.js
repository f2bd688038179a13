/* The list of jobs, and the progress of a job: its phase, the share that is done, the time left, and a button to cancel it. */
import {address} from "./address.js";
import {ask, get, Problem} from "./api.js";
import {badge, duration, empty, h, moment, replace, say, trouble, troubleIn, working} from "./dom.js";
import {sheet} from "./sheet.js";

const PHASES = {
	read: "Reading the arcs", lengths: "Turning weights into lengths", closure: "Finding what reaches what",
	distance: "Computing distances", predecessor: "Finding and checking paths", betweenness: "Computing betweenness", seal: "Storing the tables",
};
const PROOF = {...PHASES, predecessor: "Proving the tables of the bundle"};
const ENDED = ["succeeded", "failed", "cancelled"];

/* The reason why a job failed, with advice. */
export function jobTrouble(error) {
	const problem = new Problem(error?.status, error ?? {detail: "the daemon gives no reason"});
	return trouble(problem);
}

/* Whether the uploaded data is at fault, so that another computation would fail as well. */
export const isOfData = (error) => error?.status === 422;

/*
 * If the problem is that tables are not ready, follow the job that computes them and call
 * again() when it has ended. other() shows any other problem.
 */
const waitFor = (problem, signal, again, other) => (problem.type === "not-ready" && problem.body.job
	? [h("p", {class: "hint"}, "The tables that answer this are being computed."), follow(problem.body.job, signal, again)] : other());

/*
 * The place of a view's answers. Returns ask(work, other): work(signal) requests an answer and shows it,
 * while the previous one is dimmed; if there is none, `text` appears. A question aborts the one before.
 * If the tables are not ready, their job is followed, and work() is called again. other(problem)
 * returns what is shown for any other problem.
 */
export function answering(place, text, signal) {
	let asking = new AbortController();
	return async function ask(work, other = trouble) {
		asking.abort();
		asking = new AbortController();
		const mine = AbortSignal.any([signal, asking.signal]);
		working(place, text);
		try {
			await work(mine);
		} catch (error) {
			if (error.name === "AbortError" || mine.aborted) return;
			replace(place, waitFor(error, mine, () => ask(work, other), () => other(error)));
		}
		if (!mine.aborted) place.removeAttribute("aria-busy");
	};
}

/* A card that follows a job. When the job ends, the card is removed and ended(job) is called. */
export function follow(id, signal, ended) {
	const bar = h("progress", {max: 1, value: 0, "aria-label": "Progress"});
	const phase = h("p", {class: "phase"}, "Waiting for its turn");
	const left = h("p", {class: "hint"});
	const cancel = h("button", {type: "button", onclick: async () => {
		cancel.disabled = true;
		try {
			await ask("DELETE", `v1/jobs/${id}`);
		} catch (error) {
			cancel.disabled = false;
			replace(left, trouble(error));
		}
	}}, "Cancel");
	const card = h("section", {class: "card job", "aria-label": "Computation"},
		h("div", {class: "row"}, phase, cancel), bar, left);

	async function watch() {
		let query, spoken = "";
		while (!signal.aborted) {
			const job = await get(`v1/jobs/${id}`, query, signal);
			if (ENDED.includes(job.state)) {
				finish(job);
				return;
			}
			query = {wait: 5, progress: 1}; /* the time left is updated at least this often */
			bar.value = job.progress ?? 0;
			const text = job.state === "queued" ? "Waiting for its turn" : (job.algorithm === "prove" ? PROOF : PHASES)[job.phase] ?? "Starting";
			phase.textContent = job.state === "queued" ? text : `${text} · ${Math.round(100 * (job.progress ?? 0))} %`;
			left.textContent = job.eta_s === null ? "" : `About ${duration(job.eta_s)} left`;
			if (text !== spoken) say(spoken = text);
		}
	}

	function finish(job) {
		card.remove();
		say(job.state === "succeeded" ? "The tables are ready." : `The computation has ${job.state === "cancelled" ? "been cancelled" : "failed"}.`);
		ended?.(job);
	}

	watch().catch(troubleIn(card));
	return card;
}

/* Seconds from the start of a job to its end; null if it has not ended. */
const took = (job) => (job.started_at && job.ended_at ? (new Date(job.ended_at) - new Date(job.started_at)) / 1000 : null);
const tookText = (s) => (s === null ? "–" : s < 1 ? `${Math.round(1000 * s)}\u00a0ms` : `${s.toFixed(1)}\u00a0s`);

/* The latest jobs, as a table. */
export const jobList = (jobs) => (jobs.length
	? sheet("Jobs", [{name: "Job", of: ({id}) => id}, {name: "Graph", of: ({graph}) => graph, show: ({graph}) => h("a", {href: address("overview", graph)}, graph)},
		{name: "Profile", of: ({profile}) => profile}, {name: "State", of: ({state}) => state, show: ({state}) => badge(state)}, {name: "Algorithm", aside: true, of: ({algorithm}) => algorithm},
		{name: "Took", key: "took_s", aside: true, of: took, show: (job) => tookText(took(job))}, {name: "Asked for", key: "queued_at", of: ({queued_at: at}) => at, show: ({queued_at: at}) => moment(at)}],
	jobs, {class: "wide brief", file: "jobs"})
	: empty("Nothing has been computed yet."));
