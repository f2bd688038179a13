/*
 * The table file has the distance, predecessor and closure tables of one
 * revision of a graph under one profile. It also has the arcs from which the
 * tables were computed. The solver writes the sections, and then the daemon
 * seals the header (storage/tables/README.md, Tables are files).
 *
 *	0         header, APSP_TABLE_BLOCK bytes (struct, then zeros)
 *	          section DISTANCE      n × n elements, row i = source i
 *	          section PREDECESSOR   n × n elements
 *	          …                     each section starts on a block
 *	data_end  block checksums       u64 × (data_end / block), block 0's is 0
 *	file_size
 *
 * Rows have no padding, except that a bit row fills whole 64-bit words. Rows
 * and columns are vertices in upload order. The byte order is the host's and is
 * recorded in the header.
 */
#ifndef APSP_DAEMON_JOB_TABLE_FILE_H
#define APSP_DAEMON_JOB_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	/* size in bytes of a block; each block has a checksum */
	APSP_TABLE_BLOCK = 65536,
	/* The version that this apspd writes. Version 2 added statistics,
	   version 3 added betweenness, version 4 added ranks, version 5 added
	   rows on demand, and version 6 added widths. Files of all versions can
	   still be read. */
	APSP_TABLE_VERSION = 6,
	APSP_HASH_SIZE = 65, /* SHA-256 in hexadecimal, with its NUL */
};

#define APSP_TABLE_MAGIC "apsptab\n"

enum apsp_section {
	/*
	 * Distances. An element is either an integer distance as u16, i32 or
	 * f64, or a sum of lengths as f32 or f64 (enum apsp_distance_kind). The
	 * section may be absent, because distances can be computed from the
	 * predecessors. If the kind is APSP_DISTANCE_WIDTH, an element is the
	 * rank of the pair's width, as u16 or i32, and the section is never
	 * absent.
	 */
	APSP_SECTION_DISTANCE,
	/*
	 * Element j of row i says which vertex comes before j on the path i →
	 * j. An element is the index of this vertex, as u16 if n <= 65535, else
	 * as u32. If the file is smaller with ranks (apsp_rank_element()), an
	 * element is instead the rank of the path's last arc, as u8 or u16. The
	 * rank is the arc's position, from 0 on, among the arcs to j (sections
	 * IN_…). All bits of an element are 1 if there is no path, and also if
	 * j = i.
	 *
	 * This section may be absent if DISTANCE holds integer distances V,
	 * because predecessors can be computed from V: the predecessor is the
	 * first tail k of an arc to j with V(i,k) + w'(k,j) = V(i,j). The arc's
	 * integer w' is length · scale + 1, or 1 for APSP_DISTANCE_HOPS.
	 *
	 * If the kind is APSP_DISTANCE_WIDTH, this section is always absent,
	 * its element is APSP_ELEMENT_NONE, and the sections IN_… are empty.
	 * Predecessors would not give the widest paths with the fewest arcs,
	 * because such paths from one source do not always form a tree.
	 */
	APSP_SECTION_PREDECESSOR,
	/* Bit j of row i: j is reachable from i. Each vertex is reachable from
	   itself. */
	APSP_SECTION_CLOSURE,
	/* Bit j of row i: i is reachable from j. */
	APSP_SECTION_CLOSURE_TRANSPOSED,
	/* One row of bits. Bit v: v lies on a cycle (a self-loop is a
	   cycle). */
	APSP_SECTION_ON_CYCLE,
	/*
	 * The arcs among which the paths were searched: all arcs of the upload
	 * after duplicates are merged, without the arcs that the profile drops
	 * (profile.h) and without self-loops. The four ARC sections hold these
	 * arcs as compressed sparse rows: u64 × (n + 1) offsets, u32 heads that
	 * ascend in each row, f64 merged weights, f64 lengths. If the kind is
	 * APSP_DISTANCE_WIDTH, the length of an arc is the rank of its weight.
	 */
	APSP_SECTION_ARC_OFFSETS,
	APSP_SECTION_ARC_HEADS,
	APSP_SECTION_ARC_WEIGHTS,
	APSP_SECTION_ARC_LENGTHS,
	/* f64: APSP_N_VERTEX_STATS rows with one value for each vertex
	   (daemon/job/stats_sections.h). */
	APSP_SECTION_VERTEX_STATS,
	/* u64: two struct apsp_histogram; the first histogram has distances,
	   and the second has hops. If the kind is APSP_DISTANCE_WIDTH, the
	   first histogram has ranks, and the second counts no pair. */
	APSP_SECTION_HISTOGRAMS,
	/*
	 * f64: the betweenness of each vertex. All values are NaN if the
	 * shortest paths cannot be counted (compute/measures/README.md). If the
	 * profile does not ask for betweenness, the section is empty, and its
	 * element is APSP_ELEMENT_NONE.
	 */
	APSP_SECTION_BETWEENNESS,
	/*
	 * The three IN sections have the same arcs as the ARC sections, but
	 * grouped by head: u64 × (n + 1) offsets, u32 tails that ascend for
	 * each head, u32 indices of the arcs in the ARC sections. The IN
	 * sections have data only if predecessors are ranks or the section
	 * PREDECESSOR is absent. Otherwise they are empty, and their element is
	 * APSP_ELEMENT_NONE.
	 */
	APSP_SECTION_IN_OFFSETS,
	APSP_SECTION_IN_TAILS,
	APSP_SECTION_IN_ARCS,
	/*
	 * u32: for each vertex, the number of its strongly connected component.
	 * Every arc stays in a component or leads to a component with a higher
	 * number. Only a file whose rows come on demand has this section. In
	 * other files the section is empty, and its element is
	 * APSP_ELEMENT_NONE.
	 */
	APSP_SECTION_COMPONENT,
	/*
	 * f64: the different weights of the graph or, if the rule normalises,
	 * the different shares, in descending order. The weight at index r - 1
	 * has the rank r, so the largest weight has the rank 1. The number of
	 * these weights, K, is size / 8 (apsp_table_n_widths()). Only files of
	 * the kind APSP_DISTANCE_WIDTH have this section. In other files the
	 * section is empty, and its element is APSP_ELEMENT_NONE.
	 */
	APSP_SECTION_WIDTHS,
	APSP_N_SECTIONS,
	/* APSP_N_SECTIONS_v is the number of sections in files of version v */
	APSP_N_SECTIONS_1 = APSP_SECTION_VERTEX_STATS,
	APSP_N_SECTIONS_2 = APSP_SECTION_BETWEENNESS,
	APSP_N_SECTIONS_3 = APSP_SECTION_IN_OFFSETS,
	APSP_N_SECTIONS_4 = APSP_SECTION_COMPONENT,
	APSP_N_SECTIONS_5 = APSP_SECTION_WIDTHS,
};

enum apsp_element {
	APSP_ELEMENT_NONE,
	APSP_ELEMENT_U16,
	APSP_ELEMENT_I32,
	APSP_ELEMENT_U32,
	APSP_ELEMENT_U64,
	APSP_ELEMENT_F32,
	APSP_ELEMENT_F64,
	APSP_ELEMENT_BIT,
	APSP_ELEMENT_U8,
};

/* The meaning of an element of the section DISTANCE. */
enum apsp_distance_kind {
	/*
	 * An element v of the distance matrix is distance · scale + hops with 0
	 * <= hops < scale, so distance is floor(v / scale), even if v is
	 * negative. If there is no path, v is 0x7fff (u16), 0x3fffffff (i32) or
	 * INFINITY (f64).
	 */
	APSP_DISTANCE_SCALED,
	/* Every length is 1, so a distance is a number of hops.
	   Without a path, the element is 0x7fff (u16), 0x3fffffff (i32) or
	   infinity (f64). */
	APSP_DISTANCE_HOPS,
	/* An element is the sum of the lengths of the path's arcs. The number
	   of hops is not stored. INFINITY: there is no path. */
	APSP_DISTANCE_SUM,
	/*
	 * path=widest. The width of a path is its least weight, and the width
	 * of a pair is the largest width of its paths. An element V of the
	 * distance matrix is the rank of this width among all weights. The
	 * largest weight has rank 1, so a smaller V means a wider pair. The
	 * width of a pair of two vertices is WIDTHS[V - 1]. V(v,v) is 0. If
	 * there is no path, V is 0x7fff (u16) or 0x3fffffff (i32).
	 */
	APSP_DISTANCE_WIDTH,
};

/* The integer distances that mean "no path", in device memory and in files: the
   first for distances of 16 bits, the second for distances of 32 bits. */
#define APSP_V_INFINITY_U16 0x7fff
#define APSP_V_INFINITY_I32 0x3fffffff

enum apsp_absence {
	APSP_PRESENT,
	/* The section is not in the file. Its values are computed from other
	   sections, or they do not exist under the file's profile. */
	APSP_ABSENT,
	/*
	 * A row of the section is computed when a request asks for the row. In
	 * a file whose PREDECESSOR is APSP_ON_DEMAND, CLOSURE and
	 * CLOSURE_TRANSPOSED are APSP_ON_DEMAND, too, and DISTANCE,
	 * VERTEX_STATS and HISTOGRAMS are APSP_ABSENT.
	 */
	APSP_ON_DEMAND,
};

/* Rows that are computed on demand. Rows of one kind are computed together: if
   a request needs one of them for a vertex, for example its predecessors, all
   rows of this kind are computed for this vertex. */
enum apsp_demand {
	APSP_DEMAND_FROM, /* rows of PREDECESSOR and CLOSURE */
	APSP_DEMAND_TO,	  /* the row of CLOSURE_TRANSPOSED */
	/*
	 * A column: for each vertex, the first arc of its path to the column's
	 * vertex. Columns are not part of any section. An element is a u32, the
	 * index of the arc in the ARC sections. All bits of an element are 1 if
	 * there is no path, and also if the vertex is the column's own.
	 */
	APSP_DEMAND_COLUMN,
	APSP_N_DEMANDS,
};

struct apsp_section_place {
	uint64_t offset; /* offset from the file's start; a multiple of
			    APSP_TABLE_BLOCK */
	/* number of bytes; the zeros that fill the last block do not count */
	uint64_t size;
	uint32_t element; /* enum apsp_element */
	/* a value of enum apsp_absence; if the section is not in the file,
	   `size` is 0, but `element` is still set */
	uint32_t absent;
};

struct apsp_table_header {
	char magic[8]; /* zeros until apsp_table_header_seal() sets it */
	uint32_t version;
	uint32_t byte_order;
	uint64_t n_vertices;
	uint64_t n_arcs; /* number of arcs in the ARC sections */
	uint32_t distance_kind;
	uint32_t block_size;
	int64_t scale; /* the scale of APSP_DISTANCE_SCALED; 1 for other
			  kinds */
	struct apsp_section_place sections[APSP_N_SECTIONS];
	uint64_t data_end;
	uint64_t file_size;
	uint64_t blocks_checksum; /* checksum of the block checksums */
	char algorithm[32];
	/* zeros until apsp_table_header_seal() sets revision and hash */
	char revision[APSP_HASH_SIZE + 7];
	char profile_hash[APSP_HASH_SIZE + 7];
	uint64_t header_checksum; /* checksum of everything above */
};

/* Return the size of one element in bytes; 0 for APSP_ELEMENT_NONE and
   APSP_ELEMENT_BIT. */
static inline size_t apsp_element_size(enum apsp_element element)
{
	switch (element) {
	case APSP_ELEMENT_U8:
		return 1;
	case APSP_ELEMENT_U16:
		return 2;
	case APSP_ELEMENT_I32:
	case APSP_ELEMENT_U32:
	case APSP_ELEMENT_F32:
		return 4;
	case APSP_ELEMENT_U64:
	case APSP_ELEMENT_F64:
		return 8;
	case APSP_ELEMENT_NONE:
	case APSP_ELEMENT_BIT:
		break;
	}
	return 0;
}

/* Return the section's name for messages: "DISTANCE", …. */
const char *apsp_section_name(enum apsp_section section);

/* Return the element's name for records and log lines: "u16", "i32", …. */
const char *apsp_element_name(enum apsp_element element);

/* Return the smallest type that can hold the index of each vertex. */
enum apsp_element apsp_index_element(uint64_t n_vertices);

/*
 * Return the type of the elements of PREDECESSOR. Elements are ranks if ranks
 * make the file smaller, although the file then also needs the sections IN_….
 * Otherwise they are indices of vertices. max_in_degree is the largest number
 * of arcs that lead to one vertex.
 */
enum apsp_element apsp_rank_element(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t max_in_degree);

/* Return the number of 64-bit words in a row of n bits. */
static inline uint64_t apsp_bit_row_words(uint64_t n)
{
	return (n + 63) / 64;
}

/* Whether the file holds widths instead of distances (path=widest). */
static inline bool apsp_table_has_widths(const struct apsp_table_header *header)
{
	return header->distance_kind == APSP_DISTANCE_WIDTH;
}

/* Return K, the number of weights in the section WIDTHS. Ranks go from 1 to
   K. */
static inline uint64_t apsp_table_n_widths(
	const struct apsp_table_header *header)
{
	return header->sections[APSP_SECTION_WIDTHS].size / sizeof(double);
}

/* Whether the file holds predecessors as ranks. */
bool apsp_table_has_ranks(const struct apsp_table_header *header);

/* Whether the section can be read, because it is in the file or its rows are
   computed on demand. */
static inline bool apsp_table_holds(
	const struct apsp_table_header *header, enum apsp_section section)
{
	return header->sections[section].absent != APSP_ABSENT;
}

/* Whether rows of PREDECESSOR, CLOSURE and CLOSURE_TRANSPOSED are computed when
   a request needs them. */
static inline bool apsp_table_on_demand(const struct apsp_table_header *header)
{
	return header->sections[APSP_SECTION_PREDECESSOR].absent ==
	       APSP_ON_DEMAND;
}

/* Return the size in bytes of all rows that are computed together for one
   vertex (enum apsp_demand). The size is a multiple of 8. */
size_t apsp_demand_bytes(
	const struct apsp_table_header *header, enum apsp_demand demand);

/*
 * The rows that are computed together for one vertex are stored one after
 * another. Return the offset of the row of `section` from the beginning of the
 * first row, in bytes. Store in *out the kind of rows to which `section`
 * belongs. The section must be PREDECESSOR, CLOSURE or CLOSURE_TRANSPOSED.
 */
size_t apsp_demand_at(const struct apsp_table_header *header,
	enum apsp_section section, enum apsp_demand *out);

/*
 * Return the section that a table file does not have if its profile says
 * tables=distance. If `kind` is APSP_DISTANCE_WIDTH, this section is
 * PREDECESSOR, which no file of this kind holds. If distances are sums of
 * lengths, the file lacks DISTANCE, because predecessors cannot be computed
 * from such sums. Otherwise each of DISTANCE and PREDECESSOR can be computed
 * from the other, so the file lacks the larger one. If both have the same size,
 * it lacks PREDECESSOR. `distance` and `predecessor` are the types of the
 * elements.
 */
enum apsp_section apsp_table_dispensable(enum apsp_distance_kind kind,
	enum apsp_element distance, enum apsp_element predecessor);

/*
 * Compute the offset and size of each section, and set all other members of
 * *header up to the member file_size. `distance` is the type of the elements of
 * DISTANCE. APSP_EDATA: the sizes overflow 64 bits. The caller has set
 * n_vertices, n_arcs, distance_kind and scale, and, depending on the file,
 * members of these sections:
 *
 *	BETWEENNESS   element: APSP_ELEMENT_F64 if the file has betweenness
 *	PREDECESSOR   element: the type of the ranks if predecessors are ranks
 *	              absent: APSP_ON_DEMAND if rows come on demand, APSP_ABSENT
 *	              if the file lacks PREDECESSOR
 *	DISTANCE      absent: APSP_ABSENT if the file lacks DISTANCE
 *	WIDTHS        size: 8 bytes for each width if the kind is
 *	              APSP_DISTANCE_WIDTH
 */
int apsp_table_header_layout(struct apsp_table_header *header,
	enum apsp_element distance, struct apsp_err *err);

/*
 * Read a header of any version from a file's first block. Sections that the
 * header's version lacks get the size 0. Returns the size of the header in the
 * file.
 */
size_t apsp_table_header_read(const void *block, struct apsp_table_header *out);

/*
 * Whether a file's first block is the header of a newer version than this apspd
 * knows. Damage can also make a version number too large. To detect this, the
 * function replaces the version number by each known one in turn: if the
 * header's checksum is then right, only the version number is damaged, and the
 * result is false.
 */
bool apsp_table_header_is_newer(const void *block);

/*
 * Check a header that was read from a file of file_size bytes. If `sealed` is
 * true, also check magic, revision, profile hash and header checksum.
 * APSP_EDAMAGED: the message says what is wrong.
 */
int apsp_table_header_check(const struct apsp_table_header *header,
	uint64_t file_size, bool sealed, struct apsp_err *err);

/*
 * Map the whole table file at `path` for reading, and check its header. `path`
 * must not be a link, and the header must be sealed. The caller unmaps *out,
 * which has out_header->file_size bytes. If the file is unlinked, the mapping
 * stays. APSP_EDAMAGED: the file is too small, or its header is wrong
 * (apsp_table_header_check()). If a system call fails, apsp_fail_errno()
 * chooses the code.
 */
int apsp_table_file_map(const char *path, const unsigned char **out,
	struct apsp_table_header *out_header, struct apsp_err *err);

/* Set magic, revision, profile hash and the checksum of the header. */
void apsp_table_header_seal(struct apsp_table_header *header,
	const char revision[APSP_HASH_SIZE],
	const char profile_hash[APSP_HASH_SIZE]);

#endif
