/*
 * What each format means and what it refuses: tables of texts. Each text is fed
 * whole, byte by byte and in random pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/upload_run.h"

#define CSV APSP_FORMAT_CSV
#define TSV APSP_FORMAT_TSV
#define DENSE APSP_FORMAT_CSV_MATRIX
#define MTX APSP_FORMAT_MTX
#define GR APSP_FORMAT_GR
#define JSON APSP_FORMAT_JSON
#define HINT                                                                   \
	"write 0 into the first cell if the matrix has no labels, or a word "  \
	"if it has"
#define HINTED " are blank and the labels are numbers: " HINT
#define MM "%%MatrixMarket matrix "

static const size_t pieces[] = {1 << 20, 1, PIECES_RANDOM};

static const struct {
	enum apsp_format format;
	const char *text;
	const char *arcs;
} accepted[] = {
	/* edge lists: columns and headers */
	{CSV, "a,b,2\nb,c,3\n", "a>b:2 b>c:3"},
	{CSV, "a,b\nb,c\n", "a>b:1 b>c:1"},
	{CSV, "pre,post\na,b\n", "a>b:1"},
	{CSV, "Weight,POST,x,Pre\n2,b,,a\n", "a>b:2"},
	{CSV, "pre,post,synapses\na,b,2\n", "a>b:2"},
	{CSV, "pre,post,count\na,b,2\n", "a>b:2"},
	{CSV, "pre,post,roi,W\na,b,AL,2\n", "a>b:2"},
	{CSV, "src,dst,weight\na,b,2\n", "a>b:2"},
	{CSV, "u,v,w\na,b,2\n", "a>b:2"},
	{CSV, "source,target,weight,value\na,b,2,9\n", "a>b:2"},
	{CSV,
		"pre_root_id,post_root_id,neuropil,syn_count\n"
		"720575940628857210,720575940626838909,AL_L,7\n",
		"720575940628857210>720575940626838909:7"},
	{CSV, "pre,post\n1,a,b\n2,b,c\n", "a>b:1 b>c:1"}, /* row names */
	{CSV, ",pre,post\n1,a,b\n2,b,c\n", "a>b:1 b>c:1"},
	{CSV, "pre,post,\na,b,\nb,c,\n", "a>b:1 b>c:1"},
	/* text: ends of lines, blanks, quotes, marks, comments */
	{CSV, "\xef\xbb\xbfpre,post\r\na,b\r\n\r\nb,c", "a>b:1 b>c:1"},
	{CSV, "a,b\rb,c\r", "a>b:1 b>c:1"},
	{CSV, "  a , b ,  2  \n\n   \nb\t,c,3 \n", "a>b:2 b>c:3"},
	{CSV, "\"a,\"\"x\"\"\",\"b\nc\" , 1\n", "a,\"x\">b\nc:1"},
	{CSV, "# a b, c\n%x\n\na;b;1.5\n#z\nb;c;2", "a>b:1.5 b>c:2"},
	{CSV, "a\tb c\t1\n", "a>b c:1"},
	{CSV, "a  b 1 \n b\tc   2\n", "a>b:1 b>c:2"},
	{TSV, "a,1\tb\t1\n", "a,1>b:1"},
	{CSV, "\xc3\xa9,\xf0\x9f\xa7\xa0,1\n", "\xc3\xa9>\xf0\x9f\xa7\xa0:1"},
	{CSV, "5\" pipe,b,1\n", "5\" pipe>b:1"},
	{CSV, "size 5\",b\nsize 6,c\n", "size 5\">b:1 size 6>c:1"},
	{CSV, "\"a\" \"b\"\"c, d\" 1\n", "a>b\"c, d:1"},
	{CSV, "a,b,1\t \nb,c,2\n", "a>b:1 b>c:2"},
	{CSV, " \t\n\t\r\na,b,1\n", "a>b:1"},
	{CSV, "# as %%MatrixMarket\na,b,1\n", "a>b:1"},
	{CSV, "a,b,1\n%%MatrixMarket-like\nb,c,2\n", "a>b:1 b>c:2"},
	/* weights */
	{CSV, "a,b,9.0\na,b,1e-3\na,b,+5\na,a,-0\nb,a,.5\n",
		"a>b:9 a>b:0.001 a>b:5 a>a:0 b>a:0.5"},
	{CSV, "a,b,0\n", "a>b:0"},
	/* dense */
	{DENSE, "0,1\n2,0\n", "0>1:1 1>0:2"},
	{DENSE, "5\n", "0>0:5"},
	{DENSE, "0,1,\n,inf,2\n3, ,7\n", "0>1:1 1>2:2 2>0:3 2>2:7"},
	{DENSE, "a,b\n0,1\n2,0\n", "a>b:1 b>a:2"},
	{DENSE, ",a,b\na,0,1\nb,2,0\n", "a>b:1 b>a:2"},
	{DENSE, "id,a,b\nb,2,0\na,0,1\n", "b>a:2 a>b:1"},
	{DENSE, "a,b\na,0,1\nb,2,0\n", "a>b:1 b>a:2"},
	{DENSE, "10,20\n10,0,1\n20,2,0\n", "10>20:1 20>10:2"},
	{DENSE, ",10,20\n10,0,1\n20,2,0\n", "10>20:1 20>10:2"},
	{DENSE, "id,10,20\n10,0,1\n20,2,0\n", "10>20:1 20>10:2"},
	{DENSE, "a,0,1\nb,2,0\n", "a>b:1 b>a:2"},
	{DENSE, "0 1\n2 0\n", "0>1:1 1>0:2"},
	{DENSE, "0\t1\n2\t0", "0>1:1 1>0:2"},
	{DENSE, "0\t\n2\t0", "1>0:2"},
	{DENSE, "\ta\tb\na\t0\t1\nb\t2\t0", "a>b:1 b>a:2"},
	{DENSE, "0,0\n0,0\n", " | 0 | 1"},
	/* mtx */
	{MTX, MM "coordinate real general\n% c\n3 3 2\n1 2 2.5\n2 1 0\n",
		"1>2:2.5 2>1:0 | 3"},
	{MTX, MM "coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n",
		"1>1:1 2>1:1 1>2:1"},
	{MTX, MM "coordinate integer skew-symmetric\n2 2 1\n2 1 3\n",
		"2>1:3 1>2:-3"},
	{MTX, MM "array real general\n2 2\n0\n2\n1\n0\n", "2>1:2 1>2:1"},
	{MTX, MM "array real symmetric\n2 2\n4\n2\n0\n", "1>1:4 2>1:2 1>2:2"},
	{MTX, MM "array integer skew-symmetric\n3 3\n1\n2\n3",
		"2>1:1 1>2:-1 3>1:2 1>3:-2 3>2:3 2>3:-3"},
	{MTX, "%%matrixmarket MATRIX Array Real General\r\n1 1\r\n7\r\n",
		"1>1:7"},
	{MTX, MM "array real symmetric\n2 2\n4\ninf\n0\n", "1>1:4 | 2"},
	/* gr */
	{GR, "c x\np sp 3 1\n\na 1 2 5\n", "1>2:5 | 3"},
	{GR, "p 0 2 1\r\na 2 1 0", "2>1:0"},
	/* json */
	{JSON, "{\"arcs\":[[\"a\",\"b\",2],[\"b\",\"c\"]]}", "a>b:2 b>c:1"},
	{JSON,
		" {\"graph\":{\"x\":[1,null]},\"arcs\":[],\n\"vertices\":["
		"\"a\","
		"7]}",
		" | a | 7"},
	{JSON,
		"{\"vertices\":[9007199254740993,-1],\"arcs\":"
		"[[9007199254740993,-1,-2.5e0]]}",
		"9007199254740993>-1:-2.5"},
	{JSON, "{\"arcs\":[[\"\\ud83e\\udde0\\u00e9\",\"\\\"\\/\\n\"]]}",
		"\xf0\x9f\xa7\xa0\xc3\xa9>\"/\n:1"},
	/* of several names of one role, one counts, wherever it is */
	{JSON,
		"{\"links\":[{\"i\":7,\"j\":9,\"size\":\"big\",\"weight\":1,"
		"\"target\":\"b\",\"source\":\"a\",\"count\":null},"
		"{\"source\":\"b\",\"i\":[7],\"target\":\"c\",\"w\":{},"
		"\"weight\":50,\"length\":3}]}",
		"a>b:1 b>c:50"},
};

static void test_accepted(void **state)
{
	struct apsp_upload *upload = NULL;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(accepted) / sizeof(*accepted); i++) {
		struct apsp_upload_options options =
			options_of(accepted[i].format);

		for (size_t p = 0; p < 3; p++) {
			const char *in = accepted[i].text;
			char *text;

			if (upload_run(&options, in, strlen(in), pieces[p],
				    &upload, &err) < 0)
				fail_msg("%s\ngave: %s", in, err.message);
			text = upload_text(upload);
			if (strcmp(text, accepted[i].arcs) != 0)
				fail_msg("%s\ngave: %s\nnot: %s", in, text,
					accepted[i].arcs);
			free(text);
			apsp_upload_free(upload);
		}
	}
}

static const struct {
	enum apsp_format format;
	const char *text;
	uint64_t line, column;
	const char *fragment;
} refused[] = {
	{CSV, "a\n", 1, 1, "found 1 column, expected 2"},
	{CSV, "0,1,0,1\n1,0,1,0\n", 1, 1, "format=csv-matrix"},
	{CSV, "x,pre,w\na,b,1\n", 1, 1, "no header that names both ends"},
	{CSV, "source,dest\n1,2\n", 1, 1, "no header that names both ends"},
	{CSV, "from,b\nb,c", 1, 1,
		"if this line is an arc, write a header above it"},
	{CSV, "from,to\na,b,3\n", 2, 1, "found 3 fields, expected 2"},
	{CSV, "from,to,\na,b,\nb,c,3\n", 3, 5,
		"found '3' in a column without a name"},
	{CSV, "from,,to\na,3,b\n", 2, 3,
		"found '3' in a column without a name"},
	{CSV, "from,to,weight,conf\na,b,5,7,\n", 2, 1,
		"found 5 fields, expected 4"},
	{CSV, "\n" MM, 1, 1, "this is Matrix Market"},
	{TSV, "% c\n\t%%matrixmarket matrix", 1, 1, "this is Matrix Market"},
	{DENSE, MM, 1, 1, "this is Matrix Market"},
	/* the first line is neither lost as a header nor given weight 1 */
	{CSV, "a,b,heavy\nb,c,1\nc,d,2\n", 1, 5,
		"'heavy' is not a number, so this line was read as a header, "
		"but no column is a weight (weight, syn_count, "
		"synapse_weight, value, length, distance, cost, synapses, "
		"count, w, size); weight_column may name it"},
	{TSV, "a\tb\theavy\nb\tc\t1\n", 1, 5, "read as a header"},
	{CSV, "pre,post,roi,syn_wt\na,b,XX,5\n", 1, 1,
		"this line was read as a header (pre, post, roi, syn_wt), "
		"but no column is a weight (weight, syn_count, "
		"synapse_weight, value, length, distance, cost, synapses, "
		"count, w, size); weight_column names another, or counts rows "
		"(weight_column=count); transform=hops without min_weight "
		"and normalise needs none"},
	{CSV, "pre,post,layer\na,b,3\n", 1, 1, "no column is a weight"},
	{CSV, "x,pre,post\n1,a,b\n", 1, 1, "no column is a weight"},
	{CSV, "pre,post,pre\na,b,1\n", 1, 10, "second column 'pre'"},
	{CSV, "a,b,1\nb,c\n", 2, 1, "found 2 fields, expected 3"},
	{CSV, "a,b,1\nb,c,\n", 2, 5, "weight is blank"},
	{CSV, "a,b,1\nb,c,1x\n", 2, 5, "found '1x', expected a number"},
	{CSV, "a,b,1\nb,c,nan\n", 2, 5, "'nan', expected a finite number"},
	{CSV, "a,b,1\nb,c,-inf\n", 2, 5, "'-inf', expected a finite"},
	{DENSE, "0,1\n-inf,0\n", 2, 1, "inf where there is no arc"},
	{MTX, MM "array real general\n2 2\n0\n-inf\n1\n0\n", 4, 1,
		"'-inf', expected a finite"},
	{CSV, "a,b,1\nb,c,1e999\n", 2, 5, "64-bit"},
	{CSV, "a,b,1\n,c,2\n", 2, 1, "label is empty"},
	{CSV, "a,b,1\nc,\"\",2\n", 2, 3, "label is empty"},
	{CSV, "a,b,1\n\"x\ny\",c,z\n", 3, 6, "found 'z'"},
	{CSV, "a,b,1\n\"x\"y,c,2\n", 2, 4, "follows a closing quote"},
	{CSV, "a,b,1\nc,\"d,2\n", 2, 3, "not closed"},
	{CSV, "a,b,1\n\xff,c,2\n", 2, 1, "'?' is not UTF-8"},
	{CSV,
		"\xff\xfe"
		"a",
		1, 1, "UTF-16"},
	{CSV, "", 0, 0, "empty"},
	{CSV, "pre,post\n", 0, 0, "no vertices"},
	{DENSE, "0,1\n2,0\n3,4\n", 3, 1, "found row 3, expected 2 rows"},
	{DENSE, "0,1,2\n3,0,4\n", 2, 1, "ends after 2 rows, expected 3"},
	{DENSE, "0,1,2\n3,0\n", 2, 1, "found 2 fields, expected 3"},
	{DENSE, "0,1\n2,0,5,6\n", 2, 5, "more than 2 fields"},
	{DENSE, "0,1\n2,x\n", 2, 3, "found 'x', expected a number"},
	{DENSE, "0,nan\n2,0\n", 1, 3, "'nan'"},
	{DENSE, "a,b,a\n0,1,2\n1,2,3\n", 1, 5, "'a' a second time"},
	{DENSE, ",a,b\na,0,1\na,2,0\n", 3, 1, "'a' a second time"},
	{DENSE, ",a,b\na,0,1\nc,2,0\n", 3, 1, "row label 'c'"},
	/* a blank first cell: labels may follow, or cells */
	{DENSE, ",1,2\n1,,3\n2,3,\n", 1, 1, "the diagonal" HINTED},
	{DENSE, "#x\n,1,2\n1,,3\n2,3,\n", 2, 1, "the diagonal" HINTED},
	{DENSE, ",5,\n1,,2\n,3,\n", 1, 4,
		"a vertex label is empty, expected 1 to 512 bytes (" HINT ")"},
	{DENSE, ",,\n1,,2\n,3,\n", 1, 2,
		"is empty, expected 1 to 512 "
		"bytes (" HINT ")"},
	{DENSE, ",5,5\n1,,2\n,3,\n", 1, 4,
		"'5' a second time, expected it "
		"once (" HINT ")"},
	{DENSE, ",5,7\n1,,2\n,3,\n", 2, 1,
		"row label '1', expected a label "
		"of the first line (" HINT ")"},
	{DENSE, ",5,7\n5,,2\n,3,\n", 3, 1,
		"row label '', expected a label "
		"of the first line (" HINT ")"},
	{DENSE, ",a,\na,0,1\nb,1,0\n", 1, 4, "512 bytes"},
	{MTX, "1 1 1\n", 1, 1, "MatrixMarket"},
	{MTX, MM "coordinate complex general\n", 1, 34, "found 'complex'"},
	{MTX, MM "coordinate real hermitian\n", 1, 39, "found 'hermitian'"},
	{MTX, MM "array pattern general\n", 1, 1, "pattern"},
	{MTX, MM "coordinate real general\n2 3 1\n", 2, 3, "a square one"},
	{MTX, MM "coordinate real general\n2 2 1\n1 3 1\n", 3, 3,
		"vertex 3, expected 1 to 2"},
	{MTX, MM "coordinate real general\n2 2 1\n0 1 1\n", 3, 1, "vertex 0"},
	{MTX, MM "coordinate real general\n2 2 2\n1 2 1\n", 4, 1,
		"after 1 entries, expected 2"},
	{MTX, MM "coordinate real general\n2 2 1\n1 2 1\n2 1 1\n", 4, 1,
		"one entry more"},
	{MTX, MM "coordinate integer general\n2 2 1\n1 2 1.5\n", 3, 5,
		"expected an integer"},
	{MTX, MM "coordinate real symmetric\n2 2 1\n1 2 1\n", 3, 3,
		"above the diagonal"},
	{MTX, MM "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", 3, 3,
		"on the diagonal"},
	{MTX, MM "coordinate real general\n2 2 1\n1 2 1 4\n", 3, 7,
		"the end of the line"},
	{MTX, MM "array integer general\n1 1\n1.5\n", 3, 1, "an integer"},
	{MTX, MM "array real general\n2 2\n1\n", 4, 1, "after 1 entries"},
	{GR, "a 1 2 3\n", 1, 1, "the problem line"},
	{GR, "p sp 2 1\na 1 3 1\n", 2, 5, "vertex 3"},
	{GR, "p sp 2 1\na 1 2\n", 2, 6, "blank"},
	{GR, "p sp 2 1\na 1 2 x\n", 2, 7, "found 'x'"},
	{GR, "p sp 2 1\na 1 2 1\na 2 1 1\n", 3, 1, "one arc more"},
	{GR, "p sp 2 3\na 1 2 1\n", 2, 1, "after 1 arcs, expected 3"},
	{GR, "p sp 2 1\np sp 2 1\n", 2, 1, "second problem line"},
	{GR, "p sp 40000000 1\n", 1, 6, "40000000 vertices"},
	{GR, "p sp x 1\n", 1, 6, "found 'x'"},
	{GR, "z\n", 1, 1, "found 'z'"},
	{GR, "c\n", 0, 0, "without a problem line"},
	{JSON, "{\"arcs\":[],\"name\":1}", 1, 12, "the member 'name'"},
	{JSON, "[]", 1, 1, "found an array"},
	{JSON, "{\"arcs\":[[\"a\"]]}", 1, 14, "[from, to, weight]"},
	{JSON,
		"{\"links\":[{\"i\":1,\"j\":2,\"w\":3},"
		"{\"i\":1,\"j\":2,\"W\":3},\n{\"i\":1,\"j\":2,\"size\":3}]}",
		2, 14, "'size', but an earlier weight is called 'w'"},
	{JSON, "{\"arcs\":[[\"a\",1.5]]}", 1, 15, "a vertex label"},
	{JSON, "{\"arcs\":[[\"a\",\"b\",\"2\"]]}", 1, 19, "a number as weight"},
	{JSON, "{\"arcs\":[[\"a\",\"b\",1e999]]}", 1, 19, "64-bit"},
	{JSON, "{\"arcs\":[],\"arcs\":[]}", 1, 12, "a second time"},
	{JSON, "{\"vertices\":[\"a\",\"a\"],\"arcs\":[]}", 1, 18,
		"a second time"},
	{JSON, "{\"vertices\":[\"a\"],\n\"arcs\":[[\"a\",\"b\"]]}", 2, 14,
		"not among the vertices"},
	{JSON, "{\"arcs\":[[\"a\",\"b\"]],\"vertices\":[\"a\"]}", 0, 0,
		"'b', which is not among"},
	{JSON, "{\"vertices\":[]}", 0, 0, "no 'arcs'"},
	{JSON, "{\"arcs\":[[\"a\",\"b\",01]]}", 1, 19, "found '01'"},
	{JSON, "{\"arcs\":[[\"\\ud83e\",\"b\"]]}", 1, 18, "surrogate"},
	{JSON, "{\"arcs\":[[\"\\x\"]]}", 1, 13, "unknown escape"},
	{JSON, "{\"arcs\":[", 1, 10, "the file ends"},
	{JSON, "{\"arcs\":[]} x", 1, 13, "expected the end of the file"},
	{JSON, "{\"arcs\":[],}", 1, 12, "a string as key"},
	{JSON, "{\"arcs\":[}", 1, 10, "found '}'"},
	{JSON, "{\"arcs\":[[\"a", 1, 11, "not closed"},
	{JSON, "{\"graph\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 1, 41,
		"nested"},
};

static void test_refused(void **state)
{
	struct apsp_upload *upload = NULL;
	struct apsp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct apsp_upload_options options =
			options_of(refused[i].format);

		for (size_t p = 0; p < 3; p++) {
			const char *in = refused[i].text;

			memset(&err, 0, sizeof(err));
			if (upload_run(&options, in, strlen(in), pieces[p],
				    &upload, &err) != APSP_EDATA ||
				err.line != refused[i].line ||
				err.column != refused[i].column ||
				!strstr(err.message, refused[i].fragment))
				fail_msg("%s\ngave %llu:%llu %s", in,
					(unsigned long long)err.line,
					(unsigned long long)err.column,
					err.message);
			apsp_upload_free(upload);
		}
	}
}

/*
 * A matrix without labels whose blanks are no arcs. It is refused if its first
 * cell is blank, with a hint; it is accepted once the hint was followed.
 */
static void test_blank_corner(void **state)
{
	enum { N = 40 };
	struct apsp_upload_options options = options_of(DENSE);
	struct apsp_upload *upload = NULL;
	struct apsp_err err = {0};
	char *data = NULL;
	size_t size;
	FILE *f = open_memstream(&data, &size);

	(void)state;
	fprintf(f, "0"); /* the first upload leaves this byte out */
	for (int i = 0; i < N * N; i++) {
		if (i % 3 == 1)
			fprintf(f, "%d", i);
		fputc(i % N == N - 1 ? '\n' : ',', f);
	}
	fclose(f);
	assert_int_equal(
		upload_run(&options, data + 1, size - 1, 100, &upload, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, HINT));
	assert_int_equal(
		upload_run(&options, data, size, 100, &upload, &err), 0);
	assert_int_equal(upload->result.labels->count, N);
	assert_int_equal(upload->result.n_arcs, N * N / 3);
	apsp_upload_free(upload);
	free(data);

	/* words can only be labels, so there is no hint */
	assert_int_equal(upload_run(&options, ",a,\na,0,1\nb,1,0\n", 16, 100,
				 &upload, &err),
		APSP_EDATA);
	assert_null(strstr(err.message, HINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_blank_corner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
