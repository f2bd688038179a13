/*
 * The layout of a directed graph whose vertices have layers (Sugiyama, Tagawa & Toda 1981).
 * Arcs may lead to any layer: onward, back, or to a vertex of the same layer. An arc that
 * crosses layers gets a bend in each of them; arcs to one target share their bends. Sweeps
 * over the layers order vertices and bends by the mean place of their neighbours, and the
 * order with the fewest crossings is kept. Then each layer moves towards its neighbours as
 * far as its order and the least distances allow.
 */

const SWEEPS = 10, MOVES = 8;
const BEND = 2; /* half of the space that a bend takes across its layer */

/* Number of crossings between two layers: inversions among the arcs, by a Fenwick tree. */
function crossings(layer, right, place, width) {
	const tree = new Int32Array(width + 1);
	let crossed = 0, seen = 0;
	for (const v of layer) {
		for (const u of right[v]) {
			let before = 0;
			for (let i = place[u] + 1; i > 0; i -= i & -i) before += tree[i];
			crossed += seen - before;
		}
		for (const u of right[v]) {
			for (let i = place[u] + 1; i <= width; i += i & -i) tree[i]++;
			seen++;
		}
	}
	return crossed;
}

function mean(list, of) {
	let sum = 0;
	for (const v of list) sum += of[v];
	return sum / list.length;
}

/*
 * The places nearest to the wanted ones (least squares) that keep the order and the least
 * distances: the pool-adjacent-violators method. Replaces the layer's entries of `at`.
 */
function settle(layer, wanted, offset, at) {
	const blocks = []; /* [mean of wanted place less offset, number of vertices] */
	layer.forEach((v, i) => {
		let block = [wanted[v] - offset[i], 1];
		while (blocks.length && blocks.at(-1)[0] > block[0]) {
			const [value, n] = blocks.pop();
			block = [(value * n + block[0] * block[1]) / (n + block[1]), n + block[1]];
		}
		blocks.push(block);
	});
	let i = 0;
	for (const [value, n] of blocks) for (let k = 0; k < n; k++, i++) at[layer[i]] = value + offset[i];
}

/* Add the bends of long arcs. Returns the layer of each vertex and bend, and the bends of each arc. */
function bendsOf(layerOf, arcs) {
	const depth = Math.max(...layerOf) + 1, all = [...layerOf], bendAt = new Map();
	const left = all.map(() => []), right = all.map(() => []);
	const join = (a, b) => {
		const [low, high] = all[a] < all[b] ? [a, b] : [b, a];
		right[low].push(high);
		left[high].push(low);
	};
	const routes = arcs.map(([from, to]) => {
		const step = Math.sign(layerOf[to] - layerOf[from]), bends = [];
		if (step === 0) return bends;
		let last = from, joined = false; /* joined: an earlier arc already has the bends from here to the target */
		for (let layer = layerOf[from] + step; layer !== layerOf[to]; layer += step) {
			const key = to * depth + layer, met = bendAt.has(key);
			if (!met) {
				bendAt.set(key, all.push(layer) - 1);
				left.push([]);
				right.push([]);
			}
			const bend = bendAt.get(key);
			if (!joined) join(last, bend);
			joined = met;
			bends.push(last = bend);
		}
		if (!joined) join(last, to);
		return bends;
	});
	return {all, left, right, routes, depth};
}

function order(layers, left, right, place) {
	const middle = new Float64Array(place.length);
	const note = (layer) => layer.forEach((v, i) => { place[v] = i; });
	const count = () => layers.reduce((sum, layer, i) => sum + (i + 1 < layers.length ? crossings(layer, right, place, layers[i + 1].length) : 0), 0);
	layers.forEach(note);
	let best = layers.map((layer) => [...layer]), fewest = count();
	for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
		const [side, turn] = sweep % 2 ? [right, [...layers].reverse()] : [left, layers];
		for (const layer of turn) {
			for (const v of layer) middle[v] = side[v].length ? mean(side[v], place) : place[v];
			layer.sort((a, b) => middle[a] - middle[b]);
			note(layer);
		}
		const crossed = count();
		if (crossed < fewest) {
			fewest = crossed;
			best = layers.map((layer) => [...layer]);
		}
	}
	best.forEach(note);
	return {layers: best, crossings: fewest};
}

/*
 * layerOf: the layer of each vertex, from 0 without gaps; arcs: [[from, to]] by number; half:
 * half the room of a vertex across its layer; gap: the least space between neighbours.
 * Returns {at, layers, routes, crossings}: the place of each vertex and bend across its layer,
 * from 0; for each layer its vertices and bends in order; for each arc the bends on its way.
 */
export function layered(layerOf, arcs, half, gap) {
	const {all, left, right, routes, depth} = bendsOf(layerOf, arcs);
	const given = Array.from({length: depth}, () => []);
	all.forEach((layer, v) => given[layer].push(v));
	const place = new Int32Array(all.length), at = new Float64Array(all.length), wanted = new Float64Array(all.length);
	const {layers, crossings: crossed} = order(given, left, right, place);
	const bent = (v) => v >= layerOf.length, room = (v) => (bent(v) ? BEND : half);
	const apart = (u, v) => room(u) + room(v) + (bent(u) && bent(v) ? BEND : bent(u) || bent(v) ? gap / 2 : gap);
	const offsets = layers.map((layer) => {
		let sum = 0;
		return layer.map((v, i) => (i === 0 ? 0 : sum += apart(layer[i - 1], v)));
	});
	layers.forEach((layer, l) => layer.forEach((v, i) => { at[v] = offsets[l][i] - offsets[l].at(-1) / 2; }));
	for (let move = 0; move < MOVES; move++)
		for (let k = 0; k < depth; k++) {
			const l = move % 2 ? depth - 1 - k : k, layer = layers[l];
			for (const v of layer) {
				const near = move >= MOVES - 2 ? [...left[v], ...right[v]] : move % 2 ? right[v] : left[v];
				wanted[v] = near.length ? mean(near, at) : at[v];
			}
			settle(layer, wanted, offsets[l], at);
		}
	let least = Infinity, most = -Infinity;
	at.forEach((x, v) => {
		least = Math.min(least, x - room(v));
		most = Math.max(most, x + room(v));
	});
	return {at: at.map((x) => x - least), width: most - least, layers, routes, crossings: crossed};
}
