/*
 * The appending writers: numbers in their shortest form, JSON, CSV, and NumPy's
 * header.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "api/encode/cells.h"
#include "api/encode/csv_writer.h"
#include "api/encode/json_writer.h"
#include "api/encode/npy_header.h"
#include "api/encode/real.h"
#include "api/encode/xml.h"
#include "tests/random.h"

static const char *real(double value)
{
	static struct apsp_text text;

	apsp_text_clear(&text, SIZE_MAX);
	apsp_real_append(&text, value);
	apsp_text_byte(&text, '\0');
	return text.data;
}

static void reals_have_known_texts(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{1, "1"},
		{-17, "-17"},
		{0.1, "0.1"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{-2.5, "-2.5"},
		{0.29166666666666663, "0.29166666666666663"},
		{0.0001, "0.0001"},
		{0.000012345, "1.2345e-05"},
		{1e15, "1000000000000000"},
		{9007199254740993.0, "9007199254740992"},
		{1e16, "10000000000000000"},
		{1e17, "1e+17"},
		{1.5e300, "1.5e+300"},
		{5e-324, "5e-324"},
		{2.2250738585072014e-308, "2.2250738585072014e-308"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{9.5367431640625e-7, "9.5367431640625e-07"},
		{2e-44, "2e-44"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(real(cases[i].value), cases[i].text);
}

/* Digits of a number's text, without zeros at either end. */
static size_t n_digits(const char *text)
{
	size_t n = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text < '0' || *text > '9')
			continue;
		zeros = *text == '0' ? zeros + 1 : 0;
		n += n > 0 || *text != '0';
	}
	return n - (zeros < n ? zeros : n);
}

/* Reads back as the same bits, in no more digits than printf needs. */
static void check_shortest(double value)
{
	const char *text = real(value);
	char best[40];
	double back = strtod(text, NULL);

	assert_memory_equal(&back, &value, sizeof(value));
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(best, sizeof(best), "%.*e", digits - 1, value);
		if (strtod(best, NULL) == value)
			break;
	}
	if (n_digits(text) == n_digits(best)) /* and is the nearest */
		assert_true(strtold(best, NULL) == strtold(text, NULL));
	else
		assert_true(n_digits(text) < n_digits(best));
}

static void reals_are_shortest(void **state)
{
	uint64_t chance = 20231122;

	(void)state;
	for (int i = 0; i < 8000; i++) {
		uint64_t bits = random_u64(&chance);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (value == value && value - value == 0)
			check_shortest(value);
		/* as distances are */
		check_shortest((double)(bits >> 40) / 997);
		check_shortest(1 / (double)(1 + bits % 5000));
	}
	for (int q = -1074; q < 1024; q++) { /* where the gap below is half */
		double value = q < -1022 ? 5e-324 : 2.2250738585072014e-308;

		for (int i = q < -1022 ? -1074 : -1022; i < q; i++)
			value *= 2;
		check_shortest(value);
	}
}

static const char *whole(struct apsp_text *text)
{
	assert_int_equal(apsp_text_check(text, NULL), 0);
	apsp_text_byte(text, '\0');
	return text->data;
}

static void json_is_nested(void **state)
{
	struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};

	(void)state;
	apsp_json_object(&w);
	apsp_json_text_member(&w, "a", "x");
	apsp_json_key(&w, "b");
	apsp_json_array(&w);
	apsp_json_array(&w);
	apsp_json_array_end(&w);
	apsp_json_real(&w, 0.5);
	apsp_json_real(&w, 1.0 / 0.0);
	apsp_json_integer(&w, -3);
	apsp_json_object(&w);
	apsp_json_key(&w, "c");
	apsp_json_boolean(&w, true);
	apsp_json_key(&w, "d");
	apsp_json_boolean(&w, false);
	apsp_json_object_end(&w);
	apsp_json_array_end(&w);
	apsp_json_key(&w, "e");
	apsp_json_nothing(&w);
	apsp_json_object_end(&w);
	apsp_json_line_end(&w);
	apsp_json_integer(&w, 1);
	assert_string_equal(whole(&text),
		"{\"a\":\"x\",\"b\":[[],0.5,null,-3,{\"c\":true,\"d\":false}],"
		"\"e\":null}\n1");
	apsp_text_done(&text);
}

/* Escapes are those of jansson, which writes the other answers. */
static void json_strings_are_escaped(void **state)
{
	struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};
	char every[128 + 8], *expected;
	json_t *value;

	(void)state;
	for (int i = 1; i < 128; i++)
		every[i - 1] = (char)i;
	memcpy(every + 127, "\xc3\xa9\xe2\x82\xac", 6);
	apsp_json_string(&w, every, strlen(every));
	value = json_string(every);
	expected = json_dumps(value, JSON_ENCODE_ANY);
	assert_string_equal(whole(&text), expected);
	free(expected);
	json_decref(value);
	apsp_text_done(&text);
}

static void csv_is_quoted(void **state)
{
	struct apsp_text text = {0};
	struct apsp_csv_writer w = {.text = &text};

	(void)state;
	apsp_csv_text(&w, "");
	apsp_csv_string(&w, "plain", 5);
	apsp_csv_string(&w, "a,b", 3);
	apsp_csv_row_end(&w);
	apsp_csv_string(&w, "say \"hi\"", 8);
	apsp_csv_string(&w, "two\nlines", 9);
	apsp_csv_string(&w, " x", 2);
	apsp_csv_string(&w, "", 0);
	apsp_csv_row_end(&w);
	apsp_csv_real(&w, 1.0 / 0.0);
	apsp_csv_real(&w, -1.0 / 0.0);
	apsp_csv_real(&w, 0.25);
	apsp_csv_integer(&w, 42);
	apsp_csv_row_end(&w);
	assert_string_equal(whole(&text),
		",plain,\"a,b\"\n"
		"\"say \"\"hi\"\"\",\"two\nlines\",\" x\",\n"
		"inf,-inf,0.25,42\n");
	apsp_text_done(&text);
}

static void row_append(struct apsp_cells *cells)
{
	apsp_cells_begin(cells);
	apsp_cell_string(cells, "a", "x,y", 3);
	apsp_cell_integer(cells, "b", -7);
	apsp_cell_real(cells, "c", 0.5);
	apsp_cell_real(cells, "d", 1.0 / 0.0);
	apsp_cell_real(cells, "e", 0.0 / 0.0);
	apsp_cell_text(cells, "f", "");
	apsp_cell_text(cells, "g", "lost");
	apsp_cells_end(cells);
}

/* The same calls write a header and a row of CSV, and an object of JSON. */
static void cells_have_three_forms(void **state)
{
	struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};
	struct apsp_cells names = apsp_cells_names(&text);
	struct apsp_cells csv = apsp_cells_of(&w, APSP_CELLS_CSV);
	struct apsp_cells json = apsp_cells_of(&w, APSP_CELLS_JSON);

	(void)state;
	row_append(&names);
	row_append(&csv);
	row_append(&json);
	assert_string_equal(whole(&text),
		"a,b,c,d,e,f,g\n"
		"\"x,y\",-7,0.5,inf,,,lost\n"
		"{\"a\":\"x,y\",\"b\":-7,\"c\":0.5,\"d\":null,\"e\":null,"
		"\"f\":\"\",\"g\":\"lost\"}");
	apsp_text_done(&text);
}

static void npy_headers_are_numpys(void **state)
{
	static const uint64_t dimensions[] = {3, 40, 5};
	char header[APSP_NPY_HEADER_SIZE + 1] = {0};

	(void)state;
	apsp_npy_header_write('f', 8, dimensions, 2, header);
	assert_memory_equal(header, "\x93NUMPY\x01\x00\x76\x00", 10);
	assert_int_equal(strncmp(header + 10,
				 "{'descr': '<f8', 'fortran_order': False, "
				 "'shape': (3,40), }   ",
				 62),
		0);
	assert_int_equal(header[127], '\n');
	apsp_npy_header_write('b', 1, dimensions, 1, header);
	assert_non_null(strstr(header + 10, "'|b1'"));
	assert_non_null(strstr(header + 10, "(3,), }"));
	apsp_npy_header_write('i', 4, dimensions, 3, header);
	assert_non_null(strstr(header + 10, "(3,40,5), }"));
}

/* A text without memory drops what follows and says so. */
static void texts_take_any_length(void **state)
{
	struct apsp_text text = {0};
	char right[2100];

	(void)state;
	apsp_text_printf(&text, "%d ", 7);
	apsp_text_printf(&text, "%02000d%s", 8, "");
	snprintf(right, sizeof(right), "7 %02000d", 8);
	assert_string_equal(whole(&text), right);
	apsp_text_done(&text);
}

static void texts_tell_of_memory(void **state)
{
	struct apsp_text text = {0};

	(void)state;
	apsp_text_append(&text, "abc", 3);
	assert_null(apsp_text_reserve(&text, SIZE_MAX / 2));
	apsp_text_byte(&text, 'd');
	assert_int_equal(apsp_text_check(&text, NULL), APSP_ENOMEM);
	apsp_text_clear(&text, 0);
	assert_int_equal(apsp_text_check(&text, NULL), APSP_ENOMEM);
	apsp_text_done(&text);
	assert_int_equal(apsp_text_check(&text, NULL), 0);
}

static void xml_is_escaped(void **state)
{
	static const char odd[] = "a<b>&\"c\"\t\r\n'";
	struct apsp_text text = {0};

	(void)state;
	apsp_xml_append(&text, odd, strlen(odd));
	apsp_text_byte(&text, '\0');
	assert_string_equal(
		text.data, "a&lt;b&gt;&amp;&quot;c&quot;&#9;&#13;&#10;'");
	apsp_text_done(&text);
	assert_true(apsp_xml_holds(odd, strlen(odd)));
	assert_true(apsp_xml_holds("\xef\xbf\xbd \xef\xbf", 6));
	assert_false(apsp_xml_holds("a\x01", 2));
	assert_false(apsp_xml_holds("\x1f", 1));
	assert_false(apsp_xml_holds("\xef\xbf\xbf", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reals_have_known_texts),
		cmocka_unit_test(reals_are_shortest),
		cmocka_unit_test(json_is_nested),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(csv_is_quoted),
		cmocka_unit_test(xml_is_escaped),
		cmocka_unit_test(cells_have_three_forms),
		cmocka_unit_test(npy_headers_are_numpys),
		cmocka_unit_test(texts_take_any_length),
		cmocka_unit_test(texts_tell_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
