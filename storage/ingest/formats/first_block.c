/*
 * Recognises files by their first bytes; see first_block.h. If apspd cannot
 * read a file, the message says how to convert it, often by a line of Python or
 * R.
 */
#include "storage/ingest/formats/first_block.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/number.h"
#include "storage/ingest/findings.h"
#include "storage/ingest/formats/lines.h"
#include "storage/ingest/text_position.h"

enum {
	TAR_MAGIC = 257, /* offset of the word "ustar" in a tar archive */
};

#define MARK "\xef\xbb\xbf" /* the byte order mark of UTF-8 */
#define BANNER "%%MatrixMarket"
#define EDGES                                                                  \
	"pandas.DataFrame(edges, columns=['pre', 'post', 'weight'])"           \
	".to_csv('g.csv', index=False)"
/* JSON has both directions of an undirected graph, and labels with blanks */
#define NX(read)                                                               \
	"in Python: json.dump(nx.node_link_data(nx." read                      \
	"), open('g.json', 'w'))"

/* Kinds of files that apspd cannot read: their first bytes, and advice for the
   user. */
static const struct foreign {
	const char *start;
	size_t size;
	const char *within; /* a text that the block must contain besides
			       `start`; NULL: no such text */
	const char *what, *remedy;
} foreigners[] = {
	{"PK\3\4", 4, ".npy", "a NumPy archive (.npz)",
		"in Python: d = np.load('g.npz'); print(d.files); "
		"np.save('g.npy', d[d.files[0]]) writes one dense array; of a "
		"sparse one, scipy.io.mmwrite('g.mtx', "
		"scipy.sparse.load_npz('g.npz'))"},
	{"PK\3\4", 4, "[Content_Types]", "an Excel workbook (.xlsx)",
		"save it as 'CSV UTF-8', or in Python: "
		"pandas.read_excel('g.xlsx', dtype=str).to_csv('g.csv', "
		"index=False)"},
	{"PK\3\4", 4, NULL, "a zip archive",
		"unpack it and upload one file, plain or packed by gzip or "
		"zstd"},
	{"MATLAB 5.0", 10, NULL, "a MATLAB file (.mat)",
		"in Python: np.save('g.npy', scipy.io.loadmat('g.mat')['A']) "
		"with your variable's name; in MATLAB: writematrix(A, 'g.csv') "
		"and format=csv-matrix"},
	{"MATLAB 7.3", 10, NULL, "a MATLAB file (.mat) of version 7.3",
		"in Python: np.save('g.npy', h5py.File('g.mat')['A'][:].T) "
		"with your variable's name"},
	{"\x89HDF\r\n", 6, NULL, "an HDF5 file (.h5)",
		"in Python: np.save('g.npy', h5py.File('g.h5')['A'][:]) with "
		"your array's name; with [:].T if Octave or R wrote the file, "
		"because they store matrices transposed"},
	{"PAR1", 4, NULL, "a Parquet file",
		"in Python: pandas.read_parquet('g.parquet').to_csv('g.csv', "
		"index=False)"},
	{"ARROW1", 6, NULL, "a Feather file",
		"in Python: pandas.read_feather('g.feather').to_csv('g.csv', "
		"index=False)"},
	{"FEA1", 4, NULL, "a Feather file",
		"in Python: pandas.read_feather('g.feather').to_csv('g.csv', "
		"index=False)"},
	{"\x80\4\x95", 3, NULL, "a Python pickle",
		"in Python: pandas.read_pickle('g.pkl').to_csv('g.csv', "
		"index=False), or np.save for an array"},
	{"\x80\5\x95", 3, NULL, "a Python pickle",
		"in Python: pandas.read_pickle('g.pkl').to_csv('g.csv', "
		"index=False), or np.save for an array"},
	{"RDX", 3, NULL, "an R workspace (.RData)",
		"in R: write.csv(edges, 'g.csv', row.names=FALSE)"},
	{"X\n", 2, NULL, "an R object (.rds)",
		"in R: write.csv(readRDS('g.rds'), 'g.csv', row.names=FALSE)"},
	{"\xd0\xcf\x11\xe0", 4, NULL, "an old Excel workbook (.xls)",
		"save it as 'CSV UTF-8'"},
	{"BZh", 3, NULL, "packed by bzip2", "pack it by gzip or zstd instead"},
	{"\xfd"
	 "7zXZ",
		5, NULL, "packed by xz", "pack it by gzip or zstd instead"},
	{"<", 1, "<graphml", "GraphML",
		NX("read_graphml('g.graphml')") ", weights in the attribute "
						"'weight'"},
	{"<", 1, "<gexf", "GEXF", NX("read_gexf('g.gexf')")},
	{"<", 1, "<html", "an HTML page",
		"the address that it came from may need a login"},
	{"<?xml", 5, NULL, "XML", "in Python: " EDGES},
	{"graph [", 7, NULL, "GML", NX("read_gml('g.gml')")},
	{"graph\n", 6, NULL, "GML", NX("read_gml('g.gml')")},
	{"Creator \"", 9, NULL, "GML", NX("read_gml('g.gml')")},
	{"*Vertices", 9, NULL, "Pajek", NX("read_pajek('g.net')")},
	{"version https://git-lfs.", 24, NULL,
		"a pointer of Git LFS in place of a file",
		"git lfs pull fetches the file"},
	{"% bip ", 6, NULL, "a bipartite network of KONECT",
		"its two columns number two kinds of vertices: write a letter "
		"before each number of the second column"},
};

/* Return the size of the byte order mark at the start; 0: there is no mark. */
static size_t mark_size(const char *block, size_t size)
{
	const size_t length = strlen(MARK);

	return size >= length && memcmp(block, MARK, length) == 0 ? length : 0;
}

/* Whether the block contains `text`, ignoring case. */
static bool holds(const char *block, size_t size, const char *text)
{
	const size_t length = strlen(text);

	for (size_t i = 0; i + length <= size; i++)
		if (strncasecmp(block + i, text, length) == 0)
			return true;
	return false;
}

/* Whether a line of the block begins with Matrix Market's banner, perhaps after
   blanks. Only the lines before the first line of data are searched. */
static bool has_banner(const char *block, size_t size)
{
	bool starts = true; /* only blanks come before byte i in its line */

	for (size_t i = 0; i + strlen(BANNER) <= size; i++) {
		if (starts &&
			strncasecmp(block + i, BANNER, strlen(BANNER)) == 0)
			return true;
		if (starts && !strchr(" \t\r\n%#", block[i]))
			return false;
		starts = block[i] == '\n' || block[i] == '\r' ||
			 (starts && (block[i] == ' ' || block[i] == '\t'));
	}
	return false;
}

/* Whether the block begins with the byte order mark of UTF-32. */
static bool is_utf32(const char *block, size_t size)
{
	return size >= 4 && (memcmp(block, "\xff\xfe\0\0", 4) == 0 ||
				    memcmp(block, "\0\0\xfe\xff", 4) == 0);
}

/* Whether the block is UTF-16, with or without a byte order mark. */
static bool is_utf16(const char *block, size_t size)
{
	size_t zeros[2] = {0, 0};

	if (size >= 2 && (memcmp(block, "\xff\xfe", 2) == 0 ||
				 memcmp(block, "\xfe\xff", 2) == 0))
		return true;
	for (size_t i = 0; i < size; i++)
		zeros[i & 1] += block[i] == '\0';
	return size >= 4 && ((zeros[0] == 0 && zeros[1] >= size / 2) ||
				    (zeros[1] == 0 && zeros[0] >= size / 2));
}

/* Count the control characters of a block, and find the first one. */
static size_t controls_count(
	const char *block, size_t size, const char **out_first)
{
	size_t n = 0;

	*out_first = NULL;
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)block[i];

		if (c && c != 0x7f && (c >= ' ' || strchr("\t\n\v\f\r", c)))
			continue;
		if (n++ == 0)
			*out_first = block + i;
	}
	return n;
}

/* Refuse a block with a NUL, or with more control characters than other
   bytes. */
static int text_check(const char *block, size_t size, enum apsp_format format,
	struct apsp_err *err)
{
	const char *nul = memchr(block, '\0', size), *first;
	struct apsp_text_position place = {1, 1, false};
	size_t n_controls = controls_count(block, size, &first);

	if (!nul && 2 * n_controls <= size)
		return 0;
	if (nul)
		first = nul;
	for (const char *p = block; p < first; p++) {
		place.column++;
		if (*p == '\n')
			place = (struct apsp_text_position){
				place.line + 1, 1, false};
	}
	return apsp_refuse(err, place,
		"this is not text: found a byte 0x%02x, expected %s in UTF-8, "
		"plain or packed by gzip or zstd",
		(unsigned char)*first, apsp_formats[format].name);
}

/* Whether the block begins as files of this kind do. Texts may begin in upper
   or lower case. */
static bool begins(
	const struct foreign *kind, const char *block, size_t size, bool binary)
{
	if (size < kind->size)
		return false;
	if (strchr("<gC*v%", *kind->start))
		return strncasecmp(block, kind->start, kind->size) == 0;
	return binary && memcmp(block, kind->start, kind->size) == 0;
}

/*
 * Return the kind of file that begins with this block; NULL: no kind in the
 * list. If the block is text, it is compared only with kinds of text files. So
 * an edge list whose first vertex is called PAR1 does not count as a Parquet
 * file, although Parquet files begin with "PAR1".
 */
static const struct foreign *foreign_find(
	const char *block, size_t size, bool binary)
{
	for (size_t i = 0; i < sizeof(foreigners) / sizeof(*foreigners); i++) {
		const struct foreign *f = &foreigners[i];

		if (begins(f, block, size, binary) &&
			(!f->within || holds(block, size, f->within)))
			return f;
	}
	return NULL;
}

/* Whether a file that begins with this block is an undirected network of
   KONECT. The parser would skip this line as a comment. */
static bool is_symmetric(const char *text, size_t size)
{
	static const char begin[] = "% sym ";

	return size >= strlen(begin) && memcmp(text, begin, strlen(begin)) == 0;
}

int apsp_first_block_check(const char *block, size_t size,
	enum apsp_format format, const struct apsp_file_options *file,
	size_t *out_mark, struct apsp_err *err)
{
	const struct apsp_text_position start = {1, 1, false};
	const size_t mark = mark_size(block, size);
	const char *control;
	const struct foreign *foreign;
	int bits = 0; /* 16 or 32: the text is UTF-16 or UTF-32 */

	*out_mark = 0;
	controls_count(block, size, &control);
	foreign = foreign_find(block + mark, size - mark, control != NULL);
	if (foreign)
		return apsp_refuse(err, start,
			"this is %s, which is not read; %s", foreign->what,
			foreign->remedy);
	if (apsp_formats[format].files & APSP_FILE_BINARY)
		return 0;
	if (is_utf32(block, size))
		bits = 32;
	else if (is_utf16(block, size))
		bits = 16;
	if (bits)
		return apsp_refuse(err, start,
			"the text is UTF-%d, expected UTF-8: save it as 'CSV "
			"UTF-8', or iconv -f UTF-%d -t UTF-8 g.csv > g8.csv",
			bits, bits);
	/* refuse a Matrix Market file that was declared as separated text: the
	   parser of separated text would skip the banner as a comment */
	if (apsp_formats[format].files & APSP_FILE_DECIMAL &&
		has_banner(block + mark, size - mark))
		return apsp_refuse(err, start,
			"this is Matrix Market: its banner must be the first "
			"line, and its format is mtx (format=mtx)");
	if (apsp_formats[format].files & APSP_FILE_LIST &&
		apsp_formats[format].files & APSP_FILE_DECIMAL &&
		!file->undirected && !file->directed &&
		is_symmetric(block + mark, size - mark))
		return apsp_refuse(err, start,
			"this is an undirected network of KONECT, with one "
			"line for each edge: say undirected=true, or "
			"undirected=false to read each line as one arc");
	*out_mark = mark;
	return text_check(block + mark, size - mark, format, err);
}

/* Whether a line that begins with the word "c" can only be a comment of DIMACS.
   If it has two words, or two words and a number, it may be an arc from a
   vertex "c" instead, and the result is false. If `cut` is true, the end of the
   line is not in the block. */
static bool is_remark(const char *text, size_t size, bool cut)
{
	const struct apsp_line line = {.text = text, .size = size};
	struct apsp_word words[4];
	size_t at = 0, n = 0;
	double number;

	while (n < 4 && apsp_line_word(&line, &at, &words[n]))
		n++;
	if (cut || n == 4)
		return n == 4;
	return n == 1 ||
	       (n == 3 && !apsp_missing_value(words[2].text, words[2].size) &&
		       apsp_number_parse(words[2].text, words[2].size,
			       &number) == APSP_NUMBER_NONE);
}

/* Whether a file that begins with this block is a DIMACS file. Such a file has
   comments and then a problem line, which may come after the block. */
static bool is_gr(const char *text, size_t size)
{
	const char *end = text + size, *line_end;
	bool remarks = false;

	while (text < end && (*text == 'c' || *text == '\n' || *text == '\r')) {
		/* a comment is "c", alone or followed by a blank */
		if (*text == 'c' && text + 1 < end &&
			!strchr(" \t\r\n", text[1]))
			return false;
		line_end = memchr(text, '\n', (size_t)(end - text));
		if (*text == 'c')
			remarks |= is_remark(text,
				(size_t)((line_end ? line_end : end) - text),
				!line_end);
		text = line_end ? line_end + 1 : end;
	}
	if (end - text <= 4)
		return remarks && (text == end || *text == 'p');
	return memcmp(text, "p sp", 4) == 0 || memcmp(text, "p 0 ", 4) == 0;
}

enum apsp_format apsp_first_block_format(const char *block, size_t size)
{
	const size_t mark = mark_size(block, size);
	const char *text = block + mark;
	size_t left = size - mark;

	if (size >= 6 && memcmp(block, "\x93NUMPY", 6) == 0)
		return APSP_FORMAT_NPY;
	if (size >= TAR_MAGIC + 5 && memcmp(block + TAR_MAGIC, "ustar", 5) == 0)
		return APSP_FORMAT_BUNDLE;
	if (left >= strlen(BANNER) &&
		strncasecmp(text, BANNER, strlen(BANNER)) == 0)
		return APSP_FORMAT_MTX;
	if (is_gr(text, left))
		return APSP_FORMAT_GR;
	while (left > 0 && *text && strchr(" \t\r\n", *text)) {
		text++;
		left--;
	}
	if (left > 0 && (*text == '{' || *text == '['))
		return APSP_FORMAT_JSON;
	return APSP_FORMAT_CSV;
}
