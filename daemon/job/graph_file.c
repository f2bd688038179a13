/*
 * Writes, maps and checks graph files; see graph_file.h.
 */
#include "daemon/job/graph_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/file.h"
#include "daemon/base/utf8.h"
#include "daemon/job/profile_text.h"

enum {
	/* largest number of arcs in a struct apsp_arc_window */
	WINDOW = 1 << 16,
};

_Static_assert(sizeof(struct apsp_arc) == 16, "arc layout");
_Static_assert(sizeof(struct apsp_graph_header) % 16 == 0, "arcs are aligned");

/* Compute the offsets of the file's parts and the size of the file. Returns
   true if a number overflows. */
static bool file_size_overflows(const struct apsp_graph_header *header,
	uint64_t *out_offsets, uint64_t *out_labels, uint64_t *out_size)
{
	uint64_t arcs, offsets, n = header->n_vertices;
	/* This sum does not overflow. If graph_read() is the caller, n is less
	   than UINT32_MAX. If apsp_graph_file_bytes() is the caller, has_totals
	   and has_left_out are 0, so the sum is 0. */
	uint64_t chosen =
		(header->has_totals ? n * sizeof(double) : 0) +
		(header->has_left_out ? (n / 64 + 1) * sizeof(uint64_t) : 0);

	if (__builtin_mul_overflow(
		    header->n_arcs, sizeof(struct apsp_arc), &arcs) ||
		__builtin_add_overflow(arcs, sizeof(*header), out_offsets) ||
		__builtin_add_overflow(header->n_vertices, 1, &offsets) ||
		__builtin_mul_overflow(offsets, sizeof(uint64_t), &offsets) ||
		__builtin_add_overflow(*out_offsets, offsets, out_labels) ||
		__builtin_add_overflow(*out_labels, chosen, out_labels))
		return true;
	return __builtin_add_overflow(
		*out_labels, header->label_bytes, out_size);
}

const char *const apsp_prove_names[] = {
	[APSP_PROVE_NONE] = "",
	[APSP_PROVE_ALL] = "all",
	[APSP_PROVE_SEED] = "seed",
};

uint64_t apsp_graph_file_bytes(uint64_t n_vertices, uint64_t n_arcs)
{
	const struct apsp_graph_header header = {
		.n_vertices = n_vertices, .n_arcs = n_arcs};
	uint64_t offsets_at, labels_at, size;

	return file_size_overflows(&header, &offsets_at, &labels_at, &size)
		       ? UINT64_MAX
		       : size;
}

static int check_labels(const struct apsp_graph *graph, uint64_t label_bytes,
	struct apsp_err *err)
{
	const uint64_t *offsets = graph->label_offsets;
	uint32_t n = graph->n_vertices;

	for (uint32_t v = 0; v < n; v++)
		if (offsets[v] > offsets[v + 1])
			return apsp_fail(err, APSP_EDATA,
				"the graph file's label %" PRIu32
				" ends before it begins",
				v);
	if (offsets[0] != 0 || offsets[n] != label_bytes)
		return apsp_fail(err, APSP_EDATA,
			"the graph file's labels do not fill their place");
	if (memchr(graph->label_bytes, '\0', label_bytes))
		return apsp_fail(err, APSP_EDATA,
			"the graph file has a label with a NUL");
	return 0;
}

/* Fill *graph from the mapped file, and check everything but the arcs. */
static int graph_read(struct apsp_graph *graph, struct apsp_err *err)
{
	const struct apsp_graph_header *header = graph->map;
	const char *bytes = graph->map;
	uint64_t offsets_at, labels_at, size;
	const void *at;
	int r;

	if (memcmp(header->magic, APSP_GRAPH_MAGIC, sizeof(header->magic)) != 0)
		return apsp_fail(err, APSP_EDATA, "this is not a graph file");
	if (header->n_vertices == 0 || header->n_vertices >= UINT32_MAX ||
		file_size_overflows(header, &offsets_at, &labels_at, &size) ||
		size != graph->map_size)
		return apsp_fail(err, APSP_EDATA,
			"the graph file has %zu bytes, which are not %" PRIu64
			" vertices and %" PRIu64 " arcs",
			graph->map_size, header->n_vertices, header->n_arcs);
	if (header->has_totals > 1 || header->has_left_out > 1 ||
		header->prove >= APSP_N_PROVES)
		return apsp_fail(
			err, APSP_EDATA, "the graph file has unknown parts");
	if (!memchr(header->member, '\0', sizeof(header->member)))
		return apsp_fail(
			err, APSP_EDATA, "the graph file's member has no end");
	if (!memchr(header->profile, '\0', sizeof(header->profile)))
		return apsp_fail(
			err, APSP_EDATA, "the graph file's profile has no end");
	r = apsp_profile_scan(header->profile, &graph->profile, err);
	if (r < 0)
		return r;

	graph->n_vertices = (uint32_t)header->n_vertices;
	graph->n_arcs = header->n_arcs;
	graph->prove = (enum apsp_prove)header->prove;
	graph->member = header->member;
	graph->arcs = (const void *)(bytes + sizeof(*header));
	graph->label_offsets = (const void *)(bytes + offsets_at);
	graph->label_bytes = bytes + labels_at;
	at = graph->label_offsets + graph->n_vertices + 1;
	if (header->has_totals) {
		graph->totals = at;
		at = graph->totals + graph->n_vertices;
	}
	if (header->has_left_out)
		graph->left_out = at;
	return check_labels(graph, header->label_bytes, err);
}

int apsp_graph_open(
	const char *path, struct apsp_graph *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_done) struct apsp_graph graph = {0};
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;
	void *map;
	int r;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	if (st.st_size < (off_t)sizeof(struct apsp_graph_header))
		return apsp_fail(err, APSP_EDATA, "this is not a graph file");
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return apsp_fail_errno(err, errno, "map '%s'", path);
	graph.map = map;
	graph.map_size = (size_t)st.st_size;
	r = graph_read(&graph, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(graph);
	return 0;
}

void apsp_graph_done(struct apsp_graph *graph)
{
	if (graph->map)
		munmap(graph->map, graph->map_size);
	memset(graph, 0, sizeof(*graph));
}

bool apsp_graph_window_next(
	const struct apsp_graph *graph, struct apsp_arc_window *window)
{
	uint64_t left = window->last - window->end;
	uintptr_t begin = (uintptr_t)(graph->arcs + window->first);
	uintptr_t end = (uintptr_t)(graph->arcs + window->end);

	begin -= begin % (uintptr_t)sysconf(_SC_PAGESIZE);
	/* Release the memory pages of the window. No data is lost, because the
	   pages are unchanged copies of the file. An error is ignored, because
	   madvise() is only a hint. */
	if (graph->map && window->first < window->end)
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
	window->first = window->end;
	window->end += left < WINDOW ? left : WINDOW;
	return left > 0;
}

/* Write `size` bytes at *at, and add `size` to *at. */
static int part_write(int fd, const void *data, size_t size, uint64_t *at,
	struct apsp_err *err)
{
	if (apsp_file_write(fd, data, size, *at) < 0)
		return apsp_fail_errno(err, errno, "write graph file");
	*at += size;
	return 0;
}

int apsp_graph_write(
	const char *path, const struct apsp_graph *graph, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct apsp_graph_header header = {
		.n_vertices = graph->n_vertices,
		.n_arcs = graph->n_arcs,
		.label_bytes = graph->label_offsets[graph->n_vertices],
		.has_totals = graph->totals != NULL,
		.has_left_out = graph->left_out != NULL,
		.prove = graph->prove,
	};
	uint64_t n = graph->n_vertices, at = 0;
	int r;

	memcpy(header.magic, APSP_GRAPH_MAGIC, sizeof(header.magic));
	if (graph->member)
		strncpy(header.member, graph->member,
			sizeof(header.member) - 1);
	apsp_profile_format(&graph->profile, header.profile);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return apsp_fail_errno(err, errno, "create '%s'", path);
	r = part_write(fd, &header, sizeof(header), &at, err);
	if (r == 0)
		r = part_write(fd, graph->arcs,
			graph->n_arcs * sizeof(*graph->arcs), &at, err);
	if (r == 0)
		r = part_write(fd, graph->label_offsets,
			(n + 1) * sizeof(uint64_t), &at, err);
	if (r == 0 && graph->totals)
		r = part_write(fd, graph->totals, n * sizeof(double), &at, err);
	if (r == 0 && graph->left_out)
		r = part_write(fd, graph->left_out,
			(n / 64 + 1) * sizeof(uint64_t), &at, err);
	if (r == 0)
		r = part_write(
			fd, graph->label_bytes, header.label_bytes, &at, err);
	return r;
}

void apsp_graph_label(
	const struct apsp_graph *graph, uint32_t v, char *out, size_t size)
{
	const char *label;
	uint64_t length;

	if (!graph->label_offsets) {
		snprintf(out, size, "%u", v);
		return;
	}
	label = graph->label_bytes + graph->label_offsets[v];
	length = graph->label_offsets[v + 1] - graph->label_offsets[v];
	if (length >= size)
		length = apsp_utf8_cut(label, size - 1);
	memcpy(out, label, length);
	out[length] = '\0';
}
