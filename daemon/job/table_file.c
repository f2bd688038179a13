/*
 * Computes the layout and header of table files; see table_file.h.
 */
#include "daemon/job/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/job/stats_sections.h"

enum {
	SEALED_TEXT_SIZE = APSP_HASH_SIZE + 7,
	BYTE_ORDER_MARK = 0x01020304,
};

/* The header is written to disk as it is, so the compiler may not add
   padding. */
_Static_assert(sizeof(struct apsp_section_place) == 24, "section layout");
_Static_assert(sizeof(struct apsp_table_header) == 256 + 24 * APSP_N_SECTIONS,
	"header layout");
_Static_assert(sizeof(struct apsp_histogram) * 2 <= APSP_TABLE_BLOCK,
	"histograms fit a block");
_Static_assert(sizeof(struct apsp_table_header) <= APSP_TABLE_BLOCK,
	"the header fits its block");

/* The number of sections in files of each version. Element 0 is for versions
   that this apspd does not know. */
static const size_t sections_of[APSP_TABLE_VERSION + 1] = {APSP_N_SECTIONS,
	APSP_N_SECTIONS_1, APSP_N_SECTIONS_2, APSP_N_SECTIONS_3,
	APSP_N_SECTIONS_4, APSP_N_SECTIONS_5, APSP_N_SECTIONS};

static size_t n_sections(uint32_t version)
{
	return sections_of[version <= APSP_TABLE_VERSION ? version : 0];
}

enum {
	BEGIN_SIZE = offsetof(struct apsp_table_header, sections),
	/* size of all members of the header after `sections` */
	END_SIZE = sizeof(struct apsp_table_header) -
		   offsetof(struct apsp_table_header, data_end),
};

/* Return the offset at which the member `sections` ends in headers of this
   version. */
static size_t sections_end(uint32_t version)
{
	return BEGIN_SIZE +
	       n_sections(version) * sizeof(struct apsp_section_place);
}

/* Says from which number the number of elements in a row of a section follows
   (section_columns()). In rows of bits, the elements are 64-bit words. */
enum columns {
	VERTICES,
	WORDS,
	OFFSETS, /* one element more than there are vertices */
	ARCS,
	WIDTHS,
	HISTOGRAM,
};

/* The name, the type of the elements and the shape of each section. The type is
   APSP_ELEMENT_NONE if section_element() chooses it. n_rows is 0 if there is a
   row for each vertex. */
static const struct section {
	const char *name;
	enum apsp_element element;
	unsigned int n_rows;
	enum columns columns;
} sections[APSP_N_SECTIONS] = {
	[APSP_SECTION_DISTANCE] = {"DISTANCE", APSP_ELEMENT_NONE, 0, VERTICES},
	[APSP_SECTION_PREDECESSOR] = {"PREDECESSOR", APSP_ELEMENT_NONE, 0,
		VERTICES},
	[APSP_SECTION_CLOSURE] = {"CLOSURE", APSP_ELEMENT_BIT, 0, WORDS},
	[APSP_SECTION_CLOSURE_TRANSPOSED] = {"CLOSURE_TRANSPOSED",
		APSP_ELEMENT_BIT, 0, WORDS},
	[APSP_SECTION_ON_CYCLE] = {"ON_CYCLE", APSP_ELEMENT_BIT, 1, WORDS},
	[APSP_SECTION_ARC_OFFSETS] = {"ARC_OFFSETS", APSP_ELEMENT_U64, 1,
		OFFSETS},
	[APSP_SECTION_ARC_HEADS] = {"ARC_HEADS", APSP_ELEMENT_U32, 1, ARCS},
	[APSP_SECTION_ARC_WEIGHTS] = {"ARC_WEIGHTS", APSP_ELEMENT_F64, 1, ARCS},
	[APSP_SECTION_ARC_LENGTHS] = {"ARC_LENGTHS", APSP_ELEMENT_F64, 1, ARCS},
	[APSP_SECTION_VERTEX_STATS] = {"VERTEX_STATS", APSP_ELEMENT_F64,
		APSP_N_VERTEX_STATS, VERTICES},
	[APSP_SECTION_HISTOGRAMS] = {"HISTOGRAMS", APSP_ELEMENT_U64, 2,
		HISTOGRAM},
	[APSP_SECTION_BETWEENNESS] = {"BETWEENNESS", APSP_ELEMENT_F64, 1,
		VERTICES},
	[APSP_SECTION_IN_OFFSETS] = {"IN_OFFSETS", APSP_ELEMENT_U64, 1,
		OFFSETS},
	[APSP_SECTION_IN_TAILS] = {"IN_TAILS", APSP_ELEMENT_U32, 1, ARCS},
	[APSP_SECTION_IN_ARCS] = {"IN_ARCS", APSP_ELEMENT_U32, 1, ARCS},
	[APSP_SECTION_COMPONENT] = {"COMPONENT", APSP_ELEMENT_U32, 1, VERTICES},
	[APSP_SECTION_WIDTHS] = {"WIDTHS", APSP_ELEMENT_F64, 1, WIDTHS},
};

const char *apsp_section_name(enum apsp_section section)
{
	return sections[section].name;
}

const char *apsp_element_name(enum apsp_element element)
{
	static const char *const names[] = {[APSP_ELEMENT_NONE] = "none",
		[APSP_ELEMENT_U8] = "u8",
		[APSP_ELEMENT_U16] = "u16",
		[APSP_ELEMENT_I32] = "i32",
		[APSP_ELEMENT_U32] = "u32",
		[APSP_ELEMENT_U64] = "u64",
		[APSP_ELEMENT_F32] = "f32",
		[APSP_ELEMENT_F64] = "f64",
		[APSP_ELEMENT_BIT] = "bit"};

	return names[element < sizeof(names) / sizeof(*names) ? element : 0];
}

enum apsp_element apsp_index_element(uint64_t n_vertices)
{
	return n_vertices <= UINT16_MAX ? APSP_ELEMENT_U16 : APSP_ELEMENT_U32;
}

enum apsp_element apsp_rank_element(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t max_in_degree)
{
	enum apsp_element index = apsp_index_element(n_vertices);
	/* 255 arcs have the ranks 0 to 254, so the largest u8, 255, can mean
	   that there is no predecessor; the largest u16 and u32 have the same
	   meaning */
	enum apsp_element rank = max_in_degree <= UINT8_MAX ? APSP_ELEMENT_U8
				 : max_in_degree <= UINT16_MAX
					 ? APSP_ELEMENT_U16
					 : APSP_ELEMENT_U32;
	double n = (double)n_vertices;
	double saved = n * n *
		       ((double)apsp_element_size(index) -
			       (double)apsp_element_size(rank));
	/* upper bound of the size of the three sections IN_…: rounding up to
	   whole blocks adds less than one block to each section */
	double lists = 8 * (n + 1) + 8 * (double)n_arcs + 3 * APSP_TABLE_BLOCK;

	return saved > lists ? rank : index;
}

enum apsp_section apsp_table_dispensable(enum apsp_distance_kind kind,
	enum apsp_element distance, enum apsp_element predecessor)
{
	if (kind == APSP_DISTANCE_WIDTH)
		return APSP_SECTION_PREDECESSOR;
	return kind == APSP_DISTANCE_SUM ||
			       apsp_element_size(distance) >
				       apsp_element_size(predecessor)
		       ? APSP_SECTION_DISTANCE
		       : APSP_SECTION_PREDECESSOR;
}

bool apsp_table_has_ranks(const struct apsp_table_header *header)
{
	enum apsp_element element =
		header->sections[APSP_SECTION_PREDECESSOR].element;

	return header->version >= 4 &&
	       apsp_table_holds(header, APSP_SECTION_PREDECESSOR) &&
	       (element == APSP_ELEMENT_U8 ||
		       (element == APSP_ELEMENT_U16 &&
			       header->n_vertices > UINT16_MAX));
}

static size_t padded(size_t size)
{
	return (size + 7) / 8 * 8;
}

size_t apsp_demand_at(const struct apsp_table_header *header,
	enum apsp_section section, enum apsp_demand *out)
{
	*out = section == APSP_SECTION_CLOSURE_TRANSPOSED ? APSP_DEMAND_TO
							  : APSP_DEMAND_FROM;
	return section == APSP_SECTION_CLOSURE
		       ? padded(header->n_vertices *
				 apsp_element_size(
					 header->sections
						 [APSP_SECTION_PREDECESSOR]
							 .element))
		       : 0;
}

size_t apsp_demand_bytes(
	const struct apsp_table_header *header, enum apsp_demand demand)
{
	size_t bits = apsp_bit_row_words(header->n_vertices) * sizeof(uint64_t);
	enum apsp_demand same;

	switch (demand) {
	case APSP_DEMAND_TO:
		return bits;
	case APSP_DEMAND_COLUMN:
		return padded(header->n_vertices * sizeof(uint32_t));
	default:
		return apsp_demand_at(header, APSP_SECTION_CLOSURE, &same) +
		       bits;
	}
}

static enum apsp_element section_element(const struct apsp_table_header *header,
	enum apsp_section section, enum apsp_element distance)
{
	enum apsp_element element = sections[section].element;
	bool is_there = false;

	switch (section) {
	case APSP_SECTION_DISTANCE:
		return distance;
	case APSP_SECTION_PREDECESSOR:
		if (apsp_table_has_widths(header))
			return APSP_ELEMENT_NONE;
		return apsp_table_has_ranks(header)
			       ? header->sections[section].element
			       : apsp_index_element(header->n_vertices);
	case APSP_SECTION_BETWEENNESS:
		is_there = header->sections[section].element == element;
		break;
	case APSP_SECTION_WIDTHS:
		is_there = apsp_table_has_widths(header);
		break;
	case APSP_SECTION_IN_OFFSETS:
	case APSP_SECTION_IN_TAILS:
	case APSP_SECTION_IN_ARCS:
		is_there = !apsp_table_has_widths(header) &&
			   (apsp_table_has_ranks(header) ||
				   header->sections[APSP_SECTION_PREDECESSOR]
					   .absent);
		break;
	case APSP_SECTION_COMPONENT:
		is_there = apsp_table_on_demand(header);
		break;
	default:
		return element;
	}
	return is_there ? element : APSP_ELEMENT_NONE;
}

/* Return the number of elements in a row of a section. In rows of bits, the
   elements are 64-bit words. */
static uint64_t section_columns(
	const struct apsp_table_header *header, enum apsp_section section)
{
	switch (sections[section].columns) {
	case WORDS:
		return apsp_bit_row_words(header->n_vertices);
	case OFFSETS:
		return header->n_vertices + 1;
	case ARCS:
		return header->n_arcs;
	case WIDTHS:
		return apsp_table_n_widths(header);
	case HISTOGRAM:
		return sizeof(struct apsp_histogram) / 8;
	default:
		return header->n_vertices;
	}
}

/* Return a value of enum apsp_absence: whether the file has the section, lacks
   it, or offers its rows on demand. */
static uint32_t absence_of(
	const struct apsp_table_header *header, enum apsp_section section)
{
	bool on_demand = header->version >= 5 && apsp_table_on_demand(header);
	bool may_lack = section == APSP_SECTION_DISTANCE ||
			(section == APSP_SECTION_PREDECESSOR &&
				header->distance_kind != APSP_DISTANCE_SUM);

	if (apsp_table_has_widths(header))
		return section == APSP_SECTION_PREDECESSOR ? APSP_ABSENT
							   : APSP_PRESENT;
	switch (section) {
	case APSP_SECTION_PREDECESSOR:
	case APSP_SECTION_CLOSURE:
	case APSP_SECTION_CLOSURE_TRANSPOSED:
		if (on_demand)
			return APSP_ON_DEMAND;
		break;
	case APSP_SECTION_DISTANCE:
	case APSP_SECTION_VERTEX_STATS:
	case APSP_SECTION_HISTOGRAMS:
		if (on_demand)
			return APSP_ABSENT;
		break;
	default:
		break;
	}
	return may_lack && header->version >= 4 &&
			       header->sections[section].absent == APSP_ABSENT
		       ? APSP_ABSENT
		       : APSP_PRESENT;
}

static bool place_overflows(const struct apsp_table_header *header,
	enum apsp_section section, enum apsp_element element, uint64_t *end,
	struct apsp_section_place *out)
{
	uint64_t rows = sections[section].n_rows, width, size;
	uint32_t absent = absence_of(header, section);

	if (absent)
		rows = 0;
	else if (rows == 0)
		rows = header->n_vertices;
	width = element == APSP_ELEMENT_BIT ? 8 : apsp_element_size(element);
	if (__builtin_mul_overflow(
		    rows, section_columns(header, section), &size) ||
		__builtin_mul_overflow(size, width, &size))
		return true;
	*out = (struct apsp_section_place){
		.offset = *end,
		.size = size,
		.element = element,
		.absent = absent,
	};
	if (__builtin_add_overflow(*end, size, end) ||
		__builtin_add_overflow(*end, APSP_TABLE_BLOCK - 1, end))
		return true;
	*end -= *end % APSP_TABLE_BLOCK;
	return false;
}

static int header_layout(struct apsp_table_header *header, uint32_t version,
	enum apsp_element distance, struct apsp_err *err)
{
	uint64_t end = APSP_TABLE_BLOCK;
	bool overflows = false;

	memset(header->sections + n_sections(version), 0,
		(APSP_N_SECTIONS - n_sections(version)) *
			sizeof(*header->sections));
	header->version = version;
	header->byte_order = BYTE_ORDER_MARK;
	header->block_size = APSP_TABLE_BLOCK;
	for (int s = 0; s < (int)n_sections(version) && !overflows; s++)
		overflows = place_overflows(header, s,
			section_element(header, s, distance), &end,
			&header->sections[s]);
	header->data_end = end;
	if (overflows ||
		__builtin_add_overflow(
			end, end / APSP_TABLE_BLOCK * 8, &header->file_size) ||
		header->file_size > INT64_MAX) /* file offsets are signed */
		return apsp_fail(err, APSP_EDATA,
			"tables of %" PRIu64 " vertices and %" PRIu64
			" arcs are too large for a file",
			header->n_vertices, header->n_arcs);
	return 0;
}

int apsp_table_header_layout(struct apsp_table_header *header,
	enum apsp_element distance, struct apsp_err *err)
{
	return header_layout(header, APSP_TABLE_VERSION, distance, err);
}

size_t apsp_table_header_read(const void *block, struct apsp_table_header *out)
{
	const char *bytes = block;
	size_t end;

	memset(out, 0, sizeof(*out));
	memcpy(out, bytes, BEGIN_SIZE);
	end = sections_end(out->version);
	memcpy(out, bytes, end);
	memcpy(&out->data_end, bytes + end, END_SIZE);
	return end + END_SIZE;
}

static bool element_fits_kind(uint32_t kind, uint32_t element)
{
	if (kind == APSP_DISTANCE_SUM)
		return element == APSP_ELEMENT_F32 ||
		       element == APSP_ELEMENT_F64;
	if (kind == APSP_DISTANCE_WIDTH)
		return element == APSP_ELEMENT_U16 ||
		       element == APSP_ELEMENT_I32;
	return element == APSP_ELEMENT_U16 || element == APSP_ELEMENT_I32 ||
	       element == APSP_ELEMENT_F64;
}

/* Check the members of the header from which the layout is computed. Returns a
   text that describes the first fault, or NULL. */
static const char *header_fault(const struct apsp_table_header *header)
{
	if (header->version < 1 || header->version > APSP_TABLE_VERSION)
		return "has another version";
	if (header->byte_order != BYTE_ORDER_MARK)
		return "has another byte order";
	if (header->block_size != APSP_TABLE_BLOCK)
		return "has another block size";
	if (header->n_vertices == 0)
		return "has no vertices";
	if (header->distance_kind > APSP_DISTANCE_WIDTH ||
		(apsp_table_has_widths(header) && header->version < 6))
		return "has an unknown kind of distance";
	if (!element_fits_kind(header->distance_kind,
		    header->sections[APSP_SECTION_DISTANCE].element))
		return "has an unknown element of distance";
	if (!apsp_table_holds(header, APSP_SECTION_DISTANCE) &&
		!apsp_table_holds(header, APSP_SECTION_PREDECESSOR))
		return "has neither distances nor predecessors";
	if (apsp_table_n_widths(header) > header->n_arcs)
		return "has more widths than arcs";
	if (header->scale < 1 ||
		(header->distance_kind != APSP_DISTANCE_SCALED &&
			header->scale != 1))
		return "has an impossible scale";
	if (!memchr(header->algorithm, '\0', sizeof(header->algorithm)))
		return "has an algorithm without an end";
	return NULL;
}

static bool is_hash_text(const char text[SEALED_TEXT_SIZE])
{
	static const char zeros[SEALED_TEXT_SIZE - APSP_HASH_SIZE + 1];

	return strnlen(text, APSP_HASH_SIZE) == APSP_HASH_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == APSP_HASH_SIZE - 1 &&
	       memcmp(text + APSP_HASH_SIZE - 1, zeros, sizeof(zeros)) == 0;
}

/* Return the checksum of a header. The checksum covers only the members that
   headers of this version have. */
static uint64_t header_checksum(const struct apsp_table_header *header)
{
	unsigned char bytes[sizeof(*header)];
	size_t end = sections_end(header->version);

	memcpy(bytes, header, end);
	memcpy(bytes + end, &header->data_end, END_SIZE);
	return apsp_checksum(
		bytes, end + END_SIZE - sizeof(header->header_checksum));
}

static const char *seal_fault(const struct apsp_table_header *header)
{
	if (memcmp(header->magic, APSP_TABLE_MAGIC, sizeof(header->magic)) != 0)
		return "has no magic: it is not a table file or not sealed";
	if (header->header_checksum != header_checksum(header))
		return "has another checksum than its own";
	if (!is_hash_text(header->revision))
		return "has no revision";
	if (!is_hash_text(header->profile_hash))
		return "has no profile hash";
	return NULL;
}

bool apsp_table_header_is_newer(const void *block)
{
	unsigned char bytes[sizeof(struct apsp_table_header)];
	struct apsp_table_header header;

	memcpy(&header, block, sizeof(header));
	if (memcmp(header.magic, APSP_TABLE_MAGIC, sizeof(header.magic)) != 0 ||
		header.byte_order != BYTE_ORDER_MARK ||
		header.version <= APSP_TABLE_VERSION)
		return false;
	memcpy(bytes, block, sizeof(bytes));
	for (uint32_t v = 1; v <= APSP_TABLE_VERSION; v++) {
		memcpy(bytes + offsetof(struct apsp_table_header, version), &v,
			sizeof(v));
		apsp_table_header_read(bytes, &header);
		if (!seal_fault(&header))
			return false;
	}
	return true;
}

int apsp_table_header_check(const struct apsp_table_header *header,
	uint64_t file_size, bool sealed, struct apsp_err *err)
{
	struct apsp_table_header expected = *header;
	const char *fault = sealed ? seal_fault(header) : NULL;

	if (!fault)
		fault = header_fault(header);
	if (fault)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file's header %s", fault);
	if (header_layout(&expected, header->version,
		    header->sections[APSP_SECTION_DISTANCE].element,
		    NULL) < 0 ||
		memcmp(&expected, header, sizeof(expected)) != 0)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file's sections are not where %" PRIu64
			" vertices and %" PRIu64 " arcs put them",
			header->n_vertices, header->n_arcs);
	if (file_size != header->file_size)
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file has %" PRIu64
			" bytes instead of %" PRIu64,
			file_size, header->file_size);
	return 0;
}

int apsp_table_file_map(const char *path, const unsigned char **out,
	struct apsp_table_header *out_header, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;
	size_t size;
	void *map;
	int r;

	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "open '%s'", path);
	if (st.st_size < APSP_TABLE_BLOCK)
		return apsp_fail(err, APSP_EDAMAGED,
			"'%s' is shorter than the header of a table file",
			path);
	size = (size_t)st.st_size;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return apsp_fail_errno(err, errno, "map '%s'", path);
	apsp_table_header_read(map, out_header);
	r = apsp_table_header_check(out_header, size, true, err);
	if (r < 0) {
		munmap(map, size);
		return r;
	}
	*out = map;
	return 0;
}

void apsp_table_header_seal(struct apsp_table_header *header,
	const char revision[APSP_HASH_SIZE],
	const char profile_hash[APSP_HASH_SIZE])
{
	memcpy(header->magic, APSP_TABLE_MAGIC, sizeof(header->magic));
	memset(header->revision, 0, sizeof(header->revision));
	memset(header->profile_hash, 0, sizeof(header->profile_hash));
	memcpy(header->revision, revision,
		strnlen(revision, APSP_HASH_SIZE - 1));
	memcpy(header->profile_hash, profile_hash,
		strnlen(profile_hash, APSP_HASH_SIZE - 1));
	header->header_checksum = header_checksum(header);
}
