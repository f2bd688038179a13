/*
 * `blocked-fw` for several processes; see shared_fw.h.
 *
 * The pivot blocks are blocks of neighbouring tile rows, and each block belongs
 * to one process, its owner. For each block, the owner closes the rows of the
 * block, which means that they are relaxed through each other. The closed rows
 * go to all processes through host memory. Each process then relaxes its other
 * rows through the closed rows. slab_passes.h says why one pass over the other
 * rows is enough.
 *
 * Closed rows are made one block ahead, so that no device waits for them. The
 * owner of the next block first relaxes the rows of that block and closes them.
 * Then the owner's device relaxes the owner's other rows, while the closed rows
 * go to the other processes. For example, if a process owns block 1, but not
 * block 0, its device runs these commands:
 *
 *	relax the rows of block 1 through block 0
 *	close block 1, and copy it to slot 1
 *	relax the other rows through block 0
 *	relax the other rows through block 1, and so on
 *
 * Method: look-ahead as in LINPACK (Dongarra, Luszczek and Petitet 2003).
 */
#include "compute/distance/shared_fw.h"

#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/device/readback.h"
#include "compute/distance/slab_passes.h"
#include "compute/group/group.h"
#include "daemon/base/auto.h"

enum {
	SLOTS = 2, /* number of blocks whose closed rows are in memory at a time
		    */
	/* the kernel `copy` copies chunks of this number of bytes */
	CHUNK = 64,
};

/* A pivot block: neighbouring tile rows of one process. If there are no more
   blocks, n is 0 and `owner` is UINT32_MAX. */
struct block {
	uint32_t first;
	uint32_t n; /* number of tile rows */
	uint32_t owner;
	/* the index in `slots` of the slot for the block's closed rows */
	uint32_t slot;
};

struct shared_fw {
	const struct apsp_task_group *group;
	const struct apsp_panels *panels;
	struct apsp_slab_passes passes;
	cl_kernel copy; /* the kernel `copy` of rows.cl */
	/* The queue for the slots, which hold closed rows. If the device has
	   memory of its own, this queue copies rows between the slots and
	   pinned memory while kernels run. */
	cl_command_queue copies;
	/* the closed rows of the present block and of the next block, in host
	   memory and on the device */
	struct apsp_readback slots[SLOTS];
	/* for each slot (memory for the closed rows of one block), an event
	   that completes when the host can use the slot; NULL: no event is
	   pending */
	cl_event ready[SLOTS];
	/* The rows that block_relax() relaxes last: up to two ranges of each
	   buffer. rest_make() leaves out the rows of one or two blocks, so a
	   buffer can have a range before these blocks and a range after
	   them. */
	struct apsp_rows rest[2 * APSP_PANEL_BUFFERS_MAX];
};

static void shared_fw_done(struct shared_fw *fw)
{
	apsp_opencl_finish(fw->panels->device->queue);
	for (int s = 0; s < SLOTS; s++) {
		if (fw->ready[s])
			clReleaseEvent(fw->ready[s]);
		apsp_readback_done(&fw->slots[s]);
	}
	if (fw->copies)
		clReleaseCommandQueue(fw->copies);
	apsp_kernel_done(&fw->copy);
	apsp_slab_passes_done(&fw->passes);
}

static uint64_t rows_bytes(const struct shared_fw *fw, uint32_t n)
{
	return n * apsp_panel_bytes(fw->panels->n_tiles, fw->panels->element);
}

/* Return the pivot block after `block`. Each process has a part of the matrix,
   a range of tile rows. The first block of each part begins at the first tile
   row of the part, and no block has rows of two parts. */
static struct block block_after(
	const struct shared_fw *fw, const struct block *block)
{
	struct block next = {.first = block->first + block->n,
		.owner = UINT32_MAX,
		.slot = (block->slot + 1) % SLOTS};
	uint32_t part = 0, left;

	if (next.first == fw->panels->n_tiles)
		return next;
	while (fw->group->ends[part] <= next.first * APSP_TILE)
		part++;
	left = apsp_panels_tiles(fw->group->ends[part]) - next.first;
	next.n = left < fw->group->depth ? left : fw->group->depth;
	next.owner = part;
	return next;
}

/* Return the rows of a block in the panels of this process. This process must
   own the block. */
static struct apsp_rows rows_of(
	const struct shared_fw *fw, const struct block *block)
{
	struct apsp_rows rows = {.first = block->first, .n = block->n};

	rows.slab.buffer =
		apsp_panels_buffer(fw->panels, block->first, &rows.slab.base);
	return rows;
}

/* Store in fw->rest all tile rows of this process except the tile rows [first,
   end). Returns the number of ranges in fw->rest. */
static size_t rest_make(struct shared_fw *fw, uint32_t first, uint32_t end)
{
	const struct apsp_panels *panels = fw->panels;
	size_t n = 0;

	for (uint32_t b = 0; b < panels->n_buffers; b++) {
		uint32_t base =
			panels->first_tile + b * panels->panels_per_buffer;
		uint32_t limit = base + apsp_panels_in_buffer(panels, b);
		const struct apsp_slab slab = {panels->buffers[b], base};
		uint32_t left = first < limit ? first : limit;
		uint32_t right = end > base ? end : base;

		if (left > base)
			fw->rest[n++] =
				(struct apsp_rows){slab, base, left - base};
		if (limit > right)
			fw->rest[n++] =
				(struct apsp_rows){slab, right, limit - right};
	}
	return n;
}

/* Enqueue a copy of the closed rows of a block, which have been relaxed through
   each other, from the panels to the block's slot. */
static int rows_copy(const struct shared_fw *fw, const struct block *block,
	const struct apsp_rows *rows, struct apsp_err *err)
{
	cl_ulong first = rows_bytes(fw, rows->first - rows->slab.base) / CHUNK;
	cl_ulong n = rows_bytes(fw, rows->n) / CHUNK;
	const struct apsp_kernel_arg args[] = {APSP_ARG(rows->slab.buffer),
		APSP_ARG(first), APSP_ARG(fw->slots[block->slot].on_device),
		APSP_ARG(n)};

	return apsp_kernel_launch(fw->panels->device, fw->copy, args, 4,
		apsp_kernel_elements(fw->panels->device, n), err);
}

/*
 * Prepare the slot of a block: the memory that gets the closed rows of the
 * block. If this process owns the block, first relax the rows of the block
 * through `pivots`, close them and copy them to the slot. `pivots` is NULL for
 * the first block. The slot's event completes when the host can use the slot:
 * the owner's host can read the closed rows, and the hosts of other processes
 * can write these rows to the slot.
 */
static int block_prepare(struct shared_fw *fw, const struct block *block,
	const struct apsp_rows *pivots, struct apsp_err *err)
{
	bool own = block->owner == apsp_group_rank();
	struct apsp_rows rows;
	int r = apsp_slab_passes_spread(
		&fw->passes, block->first, block->n, err);

	if (own)
		rows = rows_of(fw, block);
	if (r >= 0 && own && pivots)
		r = apsp_slab_passes_relax(&fw->passes, &rows, 1, pivots, err);
	if (r >= 0 && own)
		r = apsp_slab_passes_close(&fw->passes, &rows, err);
	if (r >= 0 && own)
		r = rows_copy(fw, block, &rows, err);
	if (r >= 0)
		r = apsp_readback_fetch(&fw->slots[block->slot],
			rows_bytes(fw, block->n),
			own ? CL_MAP_READ : CL_MAP_WRITE_INVALIDATE_REGION,
			&fw->ready[block->slot], err);
	clFlush(fw->panels->device->queue);
	clFlush(fw->copies);
	return r;
}

/* Send the closed rows of a block, which have been relaxed through each other,
   from the block's owner to all processes. */
static int block_share(
	struct shared_fw *fw, const struct block *block, struct apsp_err *err)
{
	struct apsp_readback *slot = &fw->slots[block->slot];
	size_t size = rows_bytes(fw, block->n);

	apsp_group_share(block->owner, slot->bytes, size, fw->group->copiers);
	return apsp_readback_release(
		slot, block->owner == apsp_group_rank() ? 0 : size, err);
}

/* Relax all rows of this process through the pivots of a block, except the rows
   of the block itself. The rows of the next block come first. */
static int block_relax(struct shared_fw *fw, const struct block *block,
	const struct block *next, struct apsp_err *err)
{
	uint32_t own = apsp_group_rank();
	const struct apsp_rows pivots = {
		{fw->slots[block->slot].on_device, block->first}, block->first,
		block->n};
	/* [first, end) are the rows of `block` and `next` that this process
	   owns; the range is empty if it owns neither block */
	uint32_t first = block->owner == own ? block->first : next->first;
	uint32_t end = next->owner == own ? next->first + next->n : next->first;
	int r = next->n > 0 ? block_prepare(fw, next, &pivots, err) : 0;

	return r < 0 ? r
		     : apsp_slab_passes_relax(&fw->passes, fw->rest,
			       rest_make(fw, first, end), &pivots, err);
}

/* Read from the device the marks of the tiles in this process's part that have
   finite values. Then add the marks that the other processes have read.
   Collective: all processes call this function. */
static int marks_read(
	struct shared_fw *fw, uint8_t **out_marks, struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	size_t size = (size_t)panels->n_tiles * panels->n_tiles;
	int r = apsp_group_check(apsp_relax_marks(panels, out_marks, err));

	if (r == 0)
		apsp_group_unite(*out_marks, size);
	return r;
}

static int slots_make(struct shared_fw *fw, struct apsp_err *err)
{
	const struct apsp_device *device = fw->panels->device;
	size_t size = rows_bytes(fw, fw->group->depth);
	int r = apsp_kernel_cache_kernel(device, "rows", fw->panels->element,
		"", "copy", &fw->copy, err);

	if (r >= 0)
		r = apsp_device_queue_make(device, &fw->copies, err);
	for (int s = 0; r >= 0 && s < SLOTS; s++) {
		r = apsp_readback_make(device, size, &fw->slots[s], err);
		fw->slots[s].queue = fw->copies;
	}
	return r;
}

/*
 * Run all blocks, from `block` to the last. `r` is the result of this process
 * so far. Before each block and after the last block, the processes find out
 * whether one of them has failed. If so, all processes stop at the same block.
 * If a failed process stopped alone, the other processes would wait for it for
 * ever.
 */
static int blocks_run(
	struct shared_fw *fw, struct block block, int r, struct apsp_err *err)
{
	while (block.n > 0) {
		struct block next = block_after(fw, &block);

		/* wait until the host can use the block's slot, the memory for
		   its closed rows */
		if (r >= 0)
			r = apsp_opencl_await(&fw->ready[block.slot],
				"close pivot rows", err);
		r = apsp_group_check(r);
		if (r != 0)
			return r;
		r = block_share(fw, &block, err);
		if (r >= 0)
			r = block_relax(fw, &block, &next, err);
		block = next;
	}
	if (r >= 0)
		r = apsp_opencl_check(
			apsp_opencl_finish(fw->panels->device->queue),
			"run blocked-fw", err);
	return apsp_group_check(r);
}

int apsp_shared_fw_run(const struct apsp_task_group *group,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(shared_fw_done)
	struct shared_fw fw = {.group = group, .panels = panels};
	APSP_AUTO(apsp_free) uint8_t *marks = NULL;
	const struct block none = {.slot = SLOTS - 1};
	struct block first;
	int r = marks_read(&fw, &marks, err);

	if (r != 0)
		return r;
	first = block_after(&fw, &none);
	r = apsp_slab_passes_open(panels, marks, progress, &fw.passes, err);
	if (r >= 0)
		r = slots_make(&fw, err);
	if (r >= 0)
		r = block_prepare(&fw, &first, NULL, err);
	return blocks_run(&fw, first, r, err);
}
