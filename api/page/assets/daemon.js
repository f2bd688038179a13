/* The daemon: its device, memory, disk, jobs, version. */
import {get, url} from "./api.js";
import {bytes, count, details, facts, h, replace, trouble, troubleIn} from "./dom.js";
import {follow, jobList} from "./jobs.js";
import {call, share} from "./share.js";

/* A limit with its unit: "cache_bytes": 5 → ["cache", "5 bytes"]. */
const limit = (name, value) => [name.replace(/_(bytes|s)$/, "").replaceAll("_", " "),
	name.endsWith("bytes") ? bytes(value) : name.endsWith("_s") ? `${count(value)} s` : count(value)];

export async function open({signal}) {
	const place = h("div");
	const jobs = h("div");
	const following = new Set();

	async function draw() {
		const [info, ready, list] = await Promise.all([get("v1/info", null, signal),
			get("readyz", null, signal).catch((error) => ({status: "not ready", troubles: error.body?.troubles ?? [error.message]})),
			get("v1/jobs", {limit: 20}, signal)]);
		for (const job of list.jobs)
			if (["queued", "running"].includes(job.state) && !following.has(job.id)) {
				following.add(job.id);
				jobs.append(h("p", {class: "hint"}, `${job.graph} · ${job.profile}`), follow(job.id, signal, () => draw().catch(troubleIn(place))));
			}
		replace(place, content(info, ready, list));
	}
	await draw();
	return {title: "Daemon", nodes: [h("h1", null, "Daemon"), jobs, place], update() {}};
}

function content(info, ready, list) {
	const device = info.device;
	const troubles = (ready.troubles ?? []).map((one) => (typeof one === "string" ? one : one.detail ?? JSON.stringify(one)));
	return [
		troubles.length ? trouble({message: "The daemon does not fully work.", advice: troubles.join(" ")}) : null,
		facts([["State", h("span", {class: `badge ${ready.status === "ready" ? "succeeded" : "failed"}`}, ready.status)], ["Version", info.version],
			["Uploads in progress", count(info.uploads.under_way)],
			...(info.uploads.under_way ? [["Memory of uploads", bytes(info.uploads.memory_bytes)], ["Disk of uploads", bytes(info.uploads.disk_bytes)]] : []),
			["Disk of tables", bytes(info.cache.used_bytes)], ["Disk left for tables", bytes(info.cache.left_bytes)]]),
		h("h2", null, "Device"),
		device ? facts([["Computes on", device.name], ["Kind", device.type.toUpperCase()], ["Memory", bytes(device.memory_bytes)],
			["Largest buffer", bytes(device.largest_buffer_bytes)], ["Units", count(device.compute_units)],
			["Estimates from", device.measured ? "this device's own speed" : "devices of its kind"]])
			: h("p", null, "No OpenCL device has been chosen yet. Distances can still be computed by the algorithm `reference`."),
		h("h2", null, "Jobs"),
		jobList(list.jobs),
		details("Limits", facts(Object.entries(info.limits).map(([name, value]) => limit(name, value)))),
		share({target: url("v1/info")}, call("info", [])),
	];
}
