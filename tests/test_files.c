/*
 * Files as pandas, R, NumPy, SciPy, NetworkX, MATLAB and Excel write them, sent
 * without a word on their format: read as the right graph, or refused by a
 * sentence that says what to do. Each is fed whole, byte by byte and in random
 * pieces, plain, as gzip and as zstd.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "storage/ingest/graph_builder.h"
#include "tests/packed.h"
#include "tests/upload_run.h"

static const size_t pieces[] = {1 << 20, 1, PIECES_RANDOM};

#define TEXT(text) (text), sizeof(text) - 1
#define MM "%%MatrixMarket matrix coordinate "
/* the header of a file that NumPy 1.24 writes, 128 bytes */
#define NPY(descr, order)                                                      \
	"\x93NUMPY\1\0v\0{'descr': '" descr "', 'fortran_order': " order       \
	", 'shape': (2, 2), }                             "                    \
	"                             \n"

struct file {
	const char *what;
	const char *data;
	size_t size;
	const char *arcs;    /* NULL: refused */
	const char *message; /* a part of the refusal, or of a warning */
	const char *columns[APSP_N_ROLES];
	bool drop, undirected, directed, decimal_comma;
};

static const struct file files[] = {
	/* pandas */
	{"to_csv with its index", TEXT(",pre,post,weight\n0,a,b,3\n1,b,c,4\n"),
		.arcs = "a>b:3 b>c:4"},
	{"its index, no weights", TEXT(",pre,post\n0,a,b\n1,b,c\n"),
		.arcs = "a>b:1 b>c:1"},
	{"ids as rounded reals",
		TEXT("pre,post,weight\n7.205759406451552e+17,1,3\n"),
		.arcs = "7.205759406451552e+17>1:3", .message = "dtype=str"},
	{"ids as reals", TEXT("pre,post,weight\n12.0,13.0,3\n"),
		.arcs = "12.0>13.0:3", .message = "'12.0'"},
	{"a whole weight that is rounded",
		TEXT("pre,post,weight\na,b,9007199254740993\n"
		     "b,a,+09007199254740994\na,a,1e30\n"),
		.arcs = "a>b:9007199254740992 b>a:9007199254740994 "
			"a>a:1e+30",
		.message = "1 weights like '9007199254740993' are whole"},
	{"labels with commas, between semicolons", TEXT("A,1;B,2\nB,2;C,3\n"),
		.arcs = "A>1;B:2 B>2;C:3",
		.message = "commas and semicolons; it was divided at commas"},
	{"labels with commas, between tabs", TEXT("A,1\tB\n"),
		.arcs = "A,1>B:1",
		.message = "tabs and commas; it was divided at tabs"},
	{"decimal commas between semicolons", TEXT("a;b;0,5\n"),
		.arcs = "a>b:0.5", .decimal_comma = true},
	{"decimal commas, no header", TEXT("a;b;0,5\n"),
		.message = "weight_column may name it; decimal=, reads"},
	{"a missing weight", TEXT("pre,post,weight\na,b,\nb,c,4\n"),
		.message = "invalid=drop"},
	{"a missing weight, dropped", TEXT("pre,post,weight\na,b,\nb,c,4\n"),
		.arcs = "b>c:4 | a", .message = "1 rows have no weight",
		.drop = true},
	{"a missing end", TEXT("pre,post,weight\nNaN,b,2\n"), .arcs = "NaN>b:2",
		.message = "missing value"},
	/* releases of connectomes */
	{"neuPrint", TEXT("bodyId_pre,bodyId_post,weight\n1,2,3\n"),
		.arcs = "1>2:3"},
	{"neuPrint by region",
		TEXT("bodyId_pre,bodyId_post,roi,weight\n1,2,AL,3\n"),
		.arcs = "1>2:3", .message = "ignored: roi"},
	{"a name within another",
		TEXT("pre,post,weight,roi_info,roi,in\na,b,3,x,y,z\n"),
		.arcs = "a>b:3", .message = "ignored: roi_info, roi, in ("},
	{"more names than a warning lists",
		TEXT("pre,post,a_name_of_more_than_twenty_bytes,"
		     "b_name_of_more_than_twenty_bytes,"
		     "c_name_of_more_than_twenty_bytes,"
		     "d_name_of_more_than_twenty_bytes,e,weight\n"
		     "a,b,1,2,3,4,5,6\n"),
		.arcs = "a>b:6", .message = "twenty_bytes, … ("},
	{"CAVE, MICrONS",
		TEXT("id,pre_pt_root_id,post_pt_root_id,size\n9,1,2,3\n"),
		.arcs = "1>2:3", .message = "ignored: id"},
	{"FlyWire",
		TEXT("pre_root_id,post_root_id,neuropil,syn_count\n"
		     "720575940628857210,720575940626838909,AL_L,7\n"),
		.arcs = "720575940628857210>720575940626838909:7"},
	{"FlyWire through a spreadsheet",
		TEXT("pre_root_id,post_root_id,syn_count\n"
		     "720575940628857000,720575940626838000,7\n"),
		.arcs = "720575940628857000>720575940626838000:7",
		.message = "keeps 15 digits"},
	{"17 digits through a spreadsheet",
		TEXT("pre,post,weight\n"
		     "12345678901234500,12345678901234600,7\n"),
		.arcs = "12345678901234500>12345678901234600:7",
		.message = "keeps 15 digits"},
	{"19 digits that end in 000",
		TEXT("pre,post,weight\n"
		     "1234567890123451000,1234567890123452000,7\n"),
		.arcs = "1234567890123451000>1234567890123452000:7"},
	{"CATMAID", TEXT("source,target,weight\n1,2,3\n"), .arcs = "1>2:3"},
	{"ids", TEXT("pre_id,post_id,weight\n1,2,3\n"), .arcs = "1>2:3"},
	{"i, j", TEXT("i,j,weight\n1,2,3\n"), .arcs = "1>2:3"},
	{"one row a synapse", TEXT("pre,post,x,y\na,b,1,2\na,b,3,4\n"),
		.arcs = "a>b:1 a>b:1", .columns = {"", "", "count"}},
	{"one row a synapse, uncounted", TEXT("pre,post,x,y\na,b,1,2\n"),
		.message = "weight_column=count"},
	{"columns by other names", TEXT("x,Kilo,von,nach\n1,2,a,b\n"),
		.arcs = "a>b:2", .columns = {"von", "nach", "kilo"}},
	{"a column that is not there", TEXT("von,nach,kilo\na,b,2\n"),
		.message = "from_column is 'vom', but the first line has no "
			   "such name: found von, nach, kilo",
		.columns = {"vom", "nach", "kilo"}},
	{"an end by another name, in its place", TEXT("von,nach\na,b\n"),
		.arcs = "a>b:1", .columns = {"von"}},
	{"an end by another name, elsewhere", TEXT("name,von\na,b\n"),
		.message = "no header that names both ends",
		.columns = {"von"}},
	{"an end by another name, and numbers", TEXT("von,1,2\na,3,4\n"),
		.message = "no header that names both ends",
		.columns = {"von"}},
	{"a number names the weights", TEXT("0,1,2\n7,8,3\n"), .arcs = "7>8:3",
		.columns = {"", "", "2"}},
	{"names that nobody knows", TEXT("von,nach,kilo,x\na,b,2,1\n"),
		.message = "(von, nach, kilo, x)"},
	{"undirected", TEXT("pre,post,weight\na,b,2\nb,b,1\n"),
		.arcs = "a>b:2 b>a:2 b>b:1", .undirected = true},
	{"undirected, though both directions are there",
		TEXT("pre,post,weight\na,b,2\nb,a,2\n"),
		.arcs = "a>b:2 b>a:2 b>a:2 a>b:2", .undirected = true,
		.message = "leave it out"},
	{"a vertex without arcs", TEXT("pre,post,weight\na,b,2\nc,c,2\n"),
		.arcs = "a>b:2 c>c:2", .message = "'c' among them"},
	{"a dense file read as a list", TEXT("0,1,2\n3,0,4\n5,6,0\n"),
		.arcs = "0>1:2 3>0:4 5>6:0", .message = "format=csv-matrix"},
	{"a wide dense file", TEXT("0,1,2,3\n3,0,4,5\n5,6,0,7\n1,1,1,0\n"),
		.message = "format=csv-matrix"},
	/* R */
	{"write.csv",
		TEXT("\"\",\"pre\",\"post\",\"weight\"\n"
		     "\"1\",\"a\",\"b\",3\n\"2\",\"b\",\"c\",4\n"),
		.arcs = "a>b:3 b>c:4"},
	{"write.table",
		TEXT("\"pre\" \"post\" \"weight\"\n"
		     "\"1\" \"a\" \"b\" 3\n\"2\" \"b\" \"c\" 4\n"),
		.arcs = "a>b:3 b>c:4",
		.message = "ignored: column 1 (row names) ("},
	{"write.table, tabs",
		TEXT("pre\tpost\tweight\n1\ta\tb\t3\n2\tb\tc\t4\n"),
		.arcs = "a>b:3 b>c:4"},
	{"NA", TEXT("\"pre\",\"post\",\"weight\"\n\"a\",\"b\",NA\n"),
		.message = "invalid=drop"},
	{"NA, dropped",
		TEXT("\"pre\",\"post\",\"weight\"\n\"a\",\"b\",NA\n"
		     "\"b\",\"a\",1\n"),
		.arcs = "b>a:1", .message = "1 rows", .drop = true},
	{"an .rds", TEXT("X\n\0\0\0\3\0\4\2\2"), .message = "readRDS"},
	/* Excel */
	{"semicolons, a mark", TEXT("\xef\xbb\xbfpre;post;weight\r\na;b;3\r\n"),
		.arcs = "a>b:3"},
	{"decimal commas", TEXT("pre;post;weight\r\na;b;0,5\r\n"),
		.message = "decimal=,"},
	{"decimal commas, said", TEXT("pre;post;weight\r\na;b;0,5\r\n"),
		.arcs = "a>b:0.5", .decimal_comma = true},
	{"decimal commas without a header", TEXT("a\tb\t0,25\n"),
		.arcs = "a>b:0.25", .decimal_comma = true},
	{"to_csv with decimal commas", TEXT("pre,post,weight\na,b,\"0,5\"\n"),
		.arcs = "a>b:0.5", .decimal_comma = true},
	{"decimal commas and blanks in labels", TEXT("a b,c d,\"0,5\"\n"),
		.arcs = "a b>c d:0.5", .decimal_comma = true},
	{"write.table with decimal commas", TEXT("\"a,\" \"b\" 0,5\n"),
		.arcs = "a,>b:0.5", .decimal_comma = true},
	{"decimal commas without quotes", TEXT("pre,post,weight\na,b,0,5\n"),
		.message = "found 4 fields", .decimal_comma = true},
	{"thousands", TEXT("pre;post;weight\na;b;1.234,5\n"),
		.message = "thousands", .decimal_comma = true},
	{"thousands, quoted", TEXT("pre,post,weight\na,b,\"1,234\"\n"),
		.message = "thousands"},
	{"UTF-16", TEXT("\xff\xfep\0r\0e\0,\0p\0o\0s\0t\0\n\0"),
		.message = "iconv -f UTF-16"},
	{"UTF-16 without a mark", TEXT("p\0r\0e\0,\0p\0o\0s\0t\0\n\0"),
		.message = "iconv -f UTF-16"},
	{"UTF-32", TEXT("\xff\xfe\0\0p\0\0\0,\0\0\0r\0\0\0\n\0\0\0"),
		.message = "iconv -f UTF-32"},
	{"UTF-32, big-endian", TEXT("\0\0\xfe\xff\0\0\0p\0\0\0,\0\0\0r"),
		.message = "iconv -f UTF-32"},
	{"a workbook", TEXT("PK\3\4\24\0\6\0\10\0\0\0!\0[Content_Types].xml"),
		.message = "pandas.read_excel"},
	/* NumPy, SciPy, MATLAB */
	{"savetxt of edges",
		TEXT("0.000000000000000000e+00 "
		     "1.000000000000000000e+00 "
		     "2.500000000000000000e+00\n"),
		.arcs = "0.000000000000000000e+00>1.000000000000000000e+00:"
			"2.5"},
	{"int64",
		TEXT(NPY("<i8", "False") "\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
					 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		.arcs = "0>1:2"},
	{"int64 that is rounded",
		TEXT(NPY("<i8", "False") "\0\0\0\0\0\0\0\0\1\0\0\0\0\0 \0"
					 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		.arcs = "0>1:9007199254740992",
		.message = "1 weights like '9007199254740993' are whole"},
	{"bool, Fortran order", TEXT(NPY("|b1", "True ") "\0\1\0\0"),
		.arcs = "1>0:1"},
	{"an .npz", TEXT("PK\3\4\24\0\0\0\0\0\0\0!\0weights.npy\x93NUMPY"),
		.message = "np.load"},
	{"a .mat", TEXT("MATLAB 5.0 MAT-file, Platform: GLNXA64\0\1IM"),
		.message = "scipy.io.loadmat"},
	{"a .mat of version 7.3", TEXT("MATLAB 7.3 MAT-file, Platform\0\2IM"),
		.message = "h5py.File('g.mat')['A'][:].T)"},
	/* h5py writes arrays as they are */
	{"an .h5", TEXT("\x89HDF\r\n\x1a\n\0\0\0\0"),
		.message = "h5py.File('g.h5')['A'][:]) "},
	{"mmwrite",
		TEXT(MM "real general\n%\n2 2 1\n1 2 "
			"2.5000000000000000e+00\n"),
		.arcs = "1>2:2.5"},
	{"mmwrite, symmetric pattern",
		TEXT(MM "pattern symmetric\n%\n2 2 1\n"
			"2 1\n"),
		.arcs = "2>1:1 1>2:1"},
	{"arcs of a vertex c", TEXT("c d 1\nc e 2"), .arcs = "c>d:1 c>e:2"},
	{"arcs of a vertex c without weights", TEXT("c d\nc e\n"),
		.arcs = "c>d:1 c>e:1"},
	{"an arc of a vertex c", TEXT("c d -"),
		.message = "is not a number, so"},
	{"nothing but comments", TEXT("c\nc roads of Rome"),
		.message = "without a problem line"},
	{"DIMACS", TEXT("c roads\np sp 2 1\na 1 2 7\n"), .arcs = "1>2:7"},
	{"Parquet", TEXT("PAR1\25\4\25\0"), .message = "read_parquet"},
	{"a vertex called PAR1", TEXT("PAR1,b,2\n"), .arcs = "PAR1>b:2"},
	/* NetworkX */
	{"write_weighted_edgelist", TEXT("a b 3.0\nb c 0.5\n"),
		.arcs = "a>b:3 b>c:0.5"},
	{"write_edgelist", TEXT("a b {'weight': 3}\n"),
		.message = "json.dump(nx.node_link_data(g),"},
	/* a list of arcs would lose the word "undirected" */
	{"GraphML", TEXT("<?xml version='1.0' encoding='utf-8'?>\n<graphml>"),
		.message = "json.dump(nx.node_link_data(nx.read_graphml("},
	{"GML", TEXT("graph [\n  directed 1\n  node [\n"),
		.message = "json.dump(nx.node_link_data(nx.read_gml("},
	{"Pajek", TEXT("*vertices 2\n1 \"a\"\n"),
		.message = "json.dump(nx.node_link_data(nx.read_pajek("},
	{"a pointer of Git LFS",
		TEXT("version https://git-lfs.github.com/spec/v1\n"
		     "oid sha256:4d7a\nsize 12345\n"),
		.message = "git lfs pull"},
	{"Gephi, undirected",
		TEXT("Source,Target,Type,Weight\na,b,Directed,2\n"
		     "b,c,Undirected,3\n"),
		.message = "say undirected=true, or undirected=false"},
	{"Gephi, undirected, said",
		TEXT("Source,Target,Type,Weight\na,b,Undirected,2\n"),
		.arcs = "a>b:2 b>a:2", .undirected = true},
	{"Gephi, one arc a row",
		TEXT("Source,Target,Type,Weight\na,b,Undirected,2\n"),
		.arcs = "a>b:2", .directed = true},
	{"KONECT, undirected", TEXT("% sym positive\n1 2 3\n"),
		.message = "undirected network of KONECT"},
	{"KONECT, undirected, said", TEXT("% sym positive\n1 2 3\n"),
		.arcs = "1>2:3 2>1:3", .undirected = true},
	{"KONECT, directed", TEXT("% asym positive\n1 2 3\n"), .arcs = "1>2:3"},
	{"KONECT, bipartite", TEXT("% bip unweighted\n1 1\n"),
		.message = "two kinds of vertices"},
	/* Parquet files begin with capitals */
	{"a vertex called par1", TEXT("par1,b,1\nb\a,c,2\n"),
		.arcs = "par1>b:1 b\a>c:2"},
	{"a page of a site", TEXT("<!DOCTYPE html>\n<html>\n"),
		.message = "login"},
	{"node_link_data",
		TEXT("{\"directed\": true, \"multigraph\": false, \"graph\": "
		     "{\"x\": [1, {}]}, \"nodes\": [{\"type\": \"KC\", \"id\": "
		     "\"a\"}, {\"id\": 7}, {\"id\": \"c\"}], \"links\": "
		     "[{\"weight\": 2.5, \"roi\": \"AL\", \"source\": \"a\", "
		     "\"target\": 7}, {\"source\": 7, \"target\": \"a\", "
		     "\"weight\": 3}]}"),
		.arcs = "a>7:2.5 7>a:3 | c", .message = "ignored: roi"},
	{"attributes of nodes",
		TEXT("{\"nodes\": [{\"id\": 1, \"type\": \"KC\"}, "
		     "{\"type\": [{\"x\": 2}], \"side\": 1, \"id\": 2}], "
		     "\"links\": [{\"source\": 1, \"target\": 2}]}"),
		.arcs = "1>2:1", .message = "ignored of nodes: type, side ("},
	{"node_link_data of a graph without directions",
		TEXT("{\"directed\": false, \"edges\": [{\"source\": \"a\", "
		     "\"target\": \"b\", \"key\": 0}]}"),
		.arcs = "a>b:1 b>a:1", .message = "ignored: key"},
	{"a graph without directions, though the request says directed",
		TEXT("{\"directed\": false, \"links\": []}"),
		.message = "leave one of them out", .directed = true},
	{"directions that come late",
		TEXT("{\"links\": [], \"directed\": false}"),
		.message = "expected it before them"},
	{"adjacency_data",
		TEXT("{\"directed\": false, \"multigraph\": false, \"graph\": "
		     "[], \"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}], "
		     "\"adjacency\": [[{\"weight\": 2, \"id\": \"b\"}], "
		     "[{\"weight\": 2, \"id\": \"a\"}]]}"),
		.arcs = "a>b:2 b>a:2"},
	{"adjacency of nobody", TEXT("{\"adjacency\": []}"),
		.message = "before 'nodes'"},
	{"more rows than nodes",
		TEXT("{\"nodes\": [{\"id\": 1}], \"adjacency\": [[], []]}"),
		.message = "as many arrays as there are nodes"},
	{"fewer rows than nodes",
		TEXT("{\"nodes\": [{\"id\": 1}, {\"id\": 2}], "
		     "\"adjacency\": [[{\"id\": 2}]]}"),
		.message = "as many arrays as there are nodes"},
	{"a link to nowhere",
		TEXT("{\"links\": [{\"source\": 1, \"weight\": 2}]}"),
		.message = "'source' and 'target'"},
	{"a link from somebody else",
		TEXT("{\"nodes\": [{\"id\": 1}], \"links\": "
		     "[{\"source\": 1, \"target\": 2}]}"),
		.message = "'2', which is not among the vertices"},
	{"a node without a name", TEXT("{\"nodes\": [{\"name\": 1}]}"),
		.message = "without 'id'"},
	{"links with another weight",
		TEXT("{\"links\": [{\"source\": 1, \"target\": 2, "
		     "\"weight\": 5, \"n\": 3}]}"),
		.arcs = "1>2:3", .columns = {"", "", "n"},
		.message = "ignored: weight"},
	{"a link with two names for its ends",
		TEXT("{\"links\": [{\"i\": 1, \"source\": \"a\", "
		     "\"target\": \"b\", \"j\": 2, \"count\": null}, "
		     "{\"source\": \"b\", \"target\": \"c\", \"count\": "
		     "4}]}"),
		.arcs = "b>c:4 | a", .drop = true,
		.message = "ignored: i, j ("},
	{"a link without that weight",
		TEXT("{\"links\": [{\"source\": 1, \"target\": 2}]}"),
		.message = "without 'n'", .columns = {"", "", "n"}},
	{"a link without a number",
		TEXT("{\"links\": [{\"source\": 1, \"target\": 2, "
		     "\"weight\": null}]}"),
		.message = "invalid=drop"},
	{"two lists", TEXT("{\"arcs\": [], \"links\": []}"),
		.message = "'links' after 'arcs'"},
	{"a misspelt member", TEXT("{\"arcs\": [], \"vertexes\": []}"),
		.message = "'vertexes', expected"},
	/* our own */
	{"json", TEXT("{\"arcs\":[[\"a\",\"b\",2]]}"), .arcs = "a>b:2"},
};

/* Whether a warning of the upload holds the text. */
static bool warned(const struct apsp_upload *upload, const char *text)
{
	char warnings[APSP_WARNINGS_MAX][APSP_WARNING_SIZE];
	size_t n = apsp_findings_warnings(upload->result.findings, warnings);
	bool found = false;

	for (size_t i = 0; i < n; i++)
		found |= strstr(warnings[i], text) != NULL;
	return found;
}

static void check(
	const struct file *file, enum apsp_coding coding, size_t piece)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const char *data = file->data;
	size_t size = file->size;
	char packed[8192];
	char warnings[APSP_WARNINGS_MAX][APSP_WARNING_SIZE];
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	char *text;
	size_t n;
	int r;

	options.format_unsaid = true;
	options.profile.duplicates = APSP_DUPLICATES_SUM;
	options.file.undirected = file->undirected;
	options.file.directed = file->directed;
	options.file.decimal_comma = file->decimal_comma;
	for (int i = 0; i < APSP_N_ROLES; i++)
		if (file->columns[i])
			strcpy(options.file.columns[i], file->columns[i]);
	if (file->drop)
		options.profile.invalid = APSP_INVALID_DROP;
	options.coding = coding;
	if (coding != APSP_CODING_IDENTITY) {
		data = packed;
		size = 0;
		(coding == APSP_CODING_GZIP ? gzip_append : zstd_append)(
			packed, &size, sizeof(packed), file->data, file->size);
		assert_true(size <= sizeof(packed));
	}
	r = upload_run(&options, data, size, piece, &upload, &err);
	if (r != (file->arcs ? 0 : APSP_EDATA))
		fail_msg("%s: %d %s", file->what, r, err.message);
	if (!file->arcs) {
		if (!strstr(err.message, file->message))
			fail_msg("%s: %s", file->what, err.message);
		return;
	}
	text = upload_text(upload);
	if (strcmp(text, file->arcs) != 0)
		fail_msg("%s: %s", file->what, text);
	if (file->message && !warned(upload, file->message))
		fail_msg("%s: no warning", file->what);
	n = apsp_findings_warnings(upload->result.findings, warnings);
	for (size_t i = 0; i < n; i++)
		if (!file->message && !strstr(warnings[i], "ignored: "))
			fail_msg("%s: warned: %s", file->what, warnings[i]);
	free(text);
	apsp_upload_free(upload);
}

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (size_t p = 0; p < 3; p++) {
			check(&files[i], APSP_CODING_IDENTITY, pieces[p]);
			check(&files[i], APSP_CODING_GZIP, pieces[p]);
			check(&files[i], APSP_CODING_ZSTD, pieces[p]);
		}
}

/* What the receipt tells of rows, pairs, loops and columns. */
static void test_findings(void **state)
{
	static const char csv[] = "x,pre,post,weight\n"
				  "1,a,b,2\n1,a,b,3\n1,b,b,1\n";
	static const char gr[] = "p sp 2 1\na 1 2 7\n";
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const struct apsp_findings *found;
	struct apsp_upload *upload = NULL;

	(void)state;
	assert_int_equal(
		upload_run(&options, csv, strlen(csv), 7, &upload, NULL), 0);
	found = upload->result.findings;
	assert_int_equal(found->n_rows, 3);
	assert_true(found->merged_known);
	assert_int_equal(found->n_merged, 1);
	assert_int_equal(found->n_loops, 1);
	assert_false(found->has_index_base);
	assert_string_equal(found->columns[APSP_ROLE_FROM], "pre");
	assert_string_equal(found->columns[APSP_ROLE_WEIGHT], "weight");
	assert_string_equal(found->ignored, "x");
	apsp_upload_free(upload);

	options = options_of(APSP_FORMAT_GR);
	assert_int_equal(
		upload_run(&options, gr, strlen(gr), 7, &upload, NULL), 0);
	found = upload->result.findings;
	assert_true(found->has_index_base);
	assert_int_equal(found->index_base, 1);
	assert_string_equal(found->columns[APSP_ROLE_FROM], "");
	apsp_upload_free(upload);

	/* rows are counted, and the third column is not read */
	options = options_of(APSP_FORMAT_CSV);
	options.profile.duplicates = APSP_DUPLICATES_SUM;
	strcpy(options.file.columns[APSP_ROLE_WEIGHT], APSP_COLUMN_COUNT);
	assert_int_equal(
		upload_run(&options, "a,b,9\n", 6, 7, &upload, NULL), 0);
	found = upload->result.findings;
	assert_string_equal(found->ignored, "column 3");
	apsp_upload_free(upload);
}

/* A dense matrix has findings about its weights and its first line, too. */
static void test_matrix_findings(void **state)
{
	static const char matrix[] = ",A;1,B\nA;1,0,9007199254740993\nB,1,0\n";
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV_MATRIX);
	const struct apsp_findings *found;
	struct apsp_upload *upload = NULL;

	(void)state;
	assert_int_equal(
		upload_run(&options, matrix, strlen(matrix), 7, &upload, NULL),
		0);
	found = upload->result.findings;
	assert_int_equal(found->inexact.n, 1);
	assert_int_equal(found->separator, ',');
	assert_int_equal(found->rival, ';');
	apsp_upload_free(upload);
}

/* The refusal of an arc above the limit has the arc's place, if it has one. */
static void test_too_many_arcs(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	const struct apsp_text_position nowhere = {0};
	struct apsp_graph_builder *builder;
	struct apsp_upload *upload = NULL;
	struct apsp_err err;
	uint32_t v;

	(void)state;
	options.max_arcs = 1;
	assert_int_equal(
		upload_run(&options, "a,b\nb,a\n", 8, 7, &upload, &err),
		APSP_ETOOLARGE);
	assert_string_equal(err.message,
		"line 2, column 1: this is one arc too many, the limit is 1");
	assert_int_equal(err.line, 2);

	options.no_body = true;
	assert_int_equal(
		apsp_upload_open(scratch_dir(), &options, &upload, &err), 0);
	builder = &upload->builder;
	assert_int_equal(
		apsp_graph_builder_vertex(builder, "a", 1, nowhere, &v, &err),
		0);
	assert_int_equal(
		apsp_graph_builder_arc(builder, v, v, 1, nowhere, &err), 0);
	assert_int_equal(
		apsp_graph_builder_arc(builder, v, v, 1, nowhere, &err),
		APSP_ETOOLARGE);
	assert_string_equal(
		err.message, "this is one arc too many, the limit is 1");
	apsp_upload_free(upload);
}

/* Past its memory the count of merged arcs is unknown, and nothing fails. */
static void test_many_pairs(void **state)
{
	enum { N = 700 };
	struct apsp_upload_options options = options_of(APSP_FORMAT_NPY);
	char *data = calloc(1, 128 + N * N);
	struct apsp_upload *upload = NULL;

	(void)state;
	memcpy(data, NPY("|b1", "False"), 128);
	memcpy(strstr(data + 10, "(2, 2), }"), "(700, 700), }", 13);
	memset(data + 128, 1, N * N);
	assert_int_equal(
		upload_run(&options, data, 128 + N * N, 1 << 16, &upload, NULL),
		0);
	assert_false(upload->result.findings->merged_known);
	assert_int_equal(upload->result.findings->n_rows, N * N);
	apsp_upload_free(upload);
	free(data);
}

/* The first block of 512 bytes has only lines that begin with "c": arcs of a
   vertex, or comments of DIMACS. */
static void test_first_letter(void **state)
{
	struct apsp_upload_options options = options_of(APSP_FORMAT_CSV);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	char text[4096];
	size_t size = 0;

	(void)state;
	options.format_unsaid = true;
	for (int i = 0; i < 200; i++)
		size += (size_t)sprintf(text + size, "c v%d -%d\n", i, i);
	if (upload_run(&options, text, size, 7, &upload, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(upload->result.n_arcs, 200);
	apsp_upload_free(upload);
	for (int i = 480; i < 520; i++) {
		size = (size_t)sprintf(
			text, "c\nc of 4 words %*d\np sp 2 1\na 1 2 7\n", i, i);
		if (upload_run(&options, text, size, 7, &upload, &err) < 0)
			fail_msg("%d: %s", i, err.message);
		assert_int_equal(upload->result.format, APSP_FORMAT_GR);
		apsp_upload_free(upload);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_matrix_findings),
		cmocka_unit_test(test_too_many_arcs),
		cmocka_unit_test(test_many_pairs),
		cmocka_unit_test(test_first_letter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
