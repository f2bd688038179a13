/*
 * Reads bundle.json; see bundle_text.h. The array `rows` has an element for
 * each member that bundle.json can have.
 */
#include "storage/ingest/formats/bundle_text.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/hex.h"
#include "daemon/base/number.h"
#include "daemon/job/profile_text.h"
#include "daemon/base/utf8.h"

#define FORMAT "apspd bundle"
#define VERSION "1"

static int refuse(const char *path, const char *what, struct apsp_err *err)
{
	return apsp_fail(
		err, APSP_EDATA, "bundle.json: '%s' %s", path + 1, what);
}

static struct apsp_bundled_profile *profile_of(struct apsp_bundle_text *self)
{
	return &self->out->profiles[self->out->n_profiles - 1];
}

/* Copy a text of `size` − 1 hexadecimal digits, with a NUL. */
static bool digits_set(
	char *out, size_t size, const struct apsp_json_event *event)
{
	if (event->size != size - 1 ||
		strspn(event->text, "0123456789abcdef") != event->size)
		return false;
	memcpy(out, event->text, size);
	return true;
}

/* Read a number of at most 18 digits. */
static bool count_set(uint64_t *out, const struct apsp_json_event *event)
{
	return apsp_number_parse_count(
		event->text, UINT64_C(999999999999999999), out);
}

static bool is_text(const struct apsp_json_event *event, const char *text)
{
	return event->size == strlen(text) &&
	       memcmp(event->text, text, event->size) == 0;
}

static bool format_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	(void)self;
	return is_text(event, FORMAT);
}

static bool version_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	(void)self;
	return is_text(event, VERSION);
}

static bool order_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	const uint16_t one = 1;

	(void)self;
	return is_text(event, *(const unsigned char *)&one ? "little" : "big");
}

static bool graph_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	(void)self;
	return apsp_name_valid(event->text);
}

static bool revision_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return digits_set(self->out->revision, APSP_HASH_SIZE, event);
}

static bool vertices_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return count_set(&self->out->n_vertices, event) &&
	       self->out->n_vertices <= APSP_VERTICES_MAX;
}

static bool arcs_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return count_set(&self->out->n_arcs, event) &&
	       self->out->n_arcs <= UINT64_MAX / sizeof(double) / 2;
}

static bool column_add(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	/* in an upload of attributes, the column "label" has the labels */
	if (event->size == 0 || event->size > APSP_ATTRIBUTE_NAME_MAX ||
		is_text(event, "label") ||
		self->out->attributes.n_columns == APSP_ATTRIBUTE_COLUMNS_MAX ||
		memchr(event->text, ':', event->size) ||
		!apsp_utf8_valid(event->text, event->size))
		return false;
	for (size_t at = 0; at < self->names_size;
		at += strlen(self->names + at) + 1)
		if (is_text(event, self->names + at))
			return false;
	memcpy(self->names + self->names_size, event->text, event->size);
	self->names_size += event->size;
	self->names[self->names_size++] = '\0';
	self->out->attributes.n_columns++;
	return true;
}

static bool sha_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return digits_set(self->attributes_sha256, APSP_HASH_SIZE, event);
}

static bool name_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	struct apsp_bundled_profile *profile = profile_of(self);

	for (size_t i = 0; &self->out->profiles[i] < profile; i++)
		if (strcmp(self->out->profiles[i].name, event->text) == 0)
			return false;
	return apsp_name_set(profile->name, "profile", event->text, NULL) == 0;
}

/* Store the rule and compute its hash. profile_hash_set() compares this hash
   with the member `hash`, so `rule` must stand before `hash`. */
static bool rule_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	struct apsp_bundled_profile *profile = profile_of(self);
	unsigned char digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, event->size, (const void *)event->text);
	sha256_digest(&sha, sizeof(digest), digest);
	apsp_hex_write(digest, sizeof(digest), profile->hash);
	return apsp_profile_scan(event->text, &profile->rule, NULL) == 0;
}

static bool profile_hash_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return is_text(event, profile_of(self)->hash);
}

static bool state_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	static const char *const states[] = {"ready", "computing", "failed",
		"cancelled", "closed", "waiting"};

	(void)self;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (is_text(event, states[i]))
			return true;
	return false;
}

static bool member_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	char expected[sizeof("tables/.apsp") + APSP_HASH_SIZE];

	snprintf(expected, sizeof(expected), "tables/%s.apsp",
		profile_of(self)->hash);
	return is_text(event, expected);
}

static bool bytes_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return count_set(&profile_of(self)->tables_size, event);
}

static bool table_version_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	uint64_t version;

	(void)self;
	return count_set(&version, event) && version >= 1;
}

static bool checksum_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	struct apsp_bundled_profile *profile = profile_of(self);

	return digits_set(profile->tables_checksum,
		sizeof(profile->tables_checksum), event);
}

static bool origin_graph_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return apsp_name_set(self->out->origin.graph, "graph", event->text,
		       NULL) == 0;
}

static bool origin_revision_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return digits_set(self->out->origin.revision, APSP_HASH_SIZE, event);
}

static bool weight_unit_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	return event->size > 0 &&
	       apsp_unit_set(self->out->weight_unit, event->text, NULL) == 0;
}

/* Accept {"by":"…"} and {"match":["…", …]}. *ctx is the number of keys that
   were read, or -1 after the key "match". */
static int question_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	int *n_keys = ctx;
	bool ok = false;

	switch (event->kind) {
	case APSP_JSON_OBJECT:
		ok = event->depth == 0;
		break;
	case APSP_JSON_KEY:
		ok = (is_text(event, "by") || is_text(event, "match")) &&
		     ++*n_keys == 1;
		/* a list must follow "match"; a text must follow "by" */
		if (ok && is_text(event, "match"))
			*n_keys = -1;
		break;
	case APSP_JSON_ARRAY:
		ok = event->depth == 1 && *n_keys == -1;
		break;
	case APSP_JSON_STRING:
		ok = event->depth == (*n_keys == -1 ? 2 : 1) &&
		     !memchr(event->text, '\0', event->size);
		break;
	case APSP_JSON_OBJECT_END:
		ok = *n_keys != 0;
		break;
	case APSP_JSON_ARRAY_END:
		*n_keys = 1;
		ok = true;
		break;
	case APSP_JSON_NUMBER:
	case APSP_JSON_WORD:
		break;
	}
	return ok ? 0 : apsp_fail(err, APSP_EDATA, "no question");
}

static bool question_set(
	struct apsp_bundle_text *self, const struct apsp_json_event *event)
{
	struct apsp_json_reader *json = NULL;
	int n_keys = 0, r;

	if (!apsp_utf8_valid(event->text, event->size))
		return false;
	r = apsp_json_reader_new(question_event, &n_keys, &json, NULL);
	if (r == 0)
		r = apsp_json_reader_feed(json, event->text, event->size, NULL);
	if (r == 0)
		r = apsp_json_reader_end(json, NULL);
	free(json);
	if (r == 0)
		self->out->origin.question = strdup(event->text);
	self->no_memory =
		r == APSP_ENOMEM || (r == 0 && !self->out->origin.question);
	return self->out->origin.question != NULL;
}

/* The objects of bundle.json. */
enum {
	IN_ROOT = 1,
	IN_ORIGIN,
	IN_ATTRIBUTES,
	IN_PROFILE,
	IN_TABLES,
	OPTIONAL, /* the member belongs to the root object, but may be missing
		   */
};

static const struct {
	const char *path;
	int object;
} objects[] = {
	{"", IN_ROOT},
	{".derived_from", IN_ORIGIN},
	{".attributes", IN_ATTRIBUTES},
	{".profiles", IN_PROFILE},
	{".profiles.tables", IN_TABLES},
};

/* The members that bundle.json has. */
static const struct row {
	const char *path;
	unsigned int depth; /* number of containers around the value */
	/* The object that must have this member. OPTIONAL: the member may be
	   missing. 0: the value is an element of a list, which has no key. */
	int object;
	enum apsp_json_kind kind;
	bool may_be_null;
	/* Stores the value; returns false if the value is wrong. NULL: the
	   value is a container. */
	bool (*set)(struct apsp_bundle_text *self,
		const struct apsp_json_event *event);
	const char *expected;
} rows[] = {
	{".format", 1, IN_ROOT, APSP_JSON_STRING, false, format_set,
		"is not '" FORMAT "'"},
	{".version", 1, IN_ROOT, APSP_JSON_NUMBER, false, version_set,
		"is not " VERSION "; a newer apspd may read this bundle"},
	{".byte_order", 1, IN_ROOT, APSP_JSON_STRING, false, order_set,
		"is not the byte order of this machine"},
	{".graph", 1, IN_ROOT, APSP_JSON_STRING, false, graph_set,
		"is not the name of a graph"},
	{".revision", 1, IN_ROOT, APSP_JSON_STRING, false, revision_set,
		"is not a SHA-256 in lower-case hexadecimal"},
	{".vertices", 1, IN_ROOT, APSP_JSON_NUMBER, false, vertices_set,
		"is not a number of vertices that a graph may have"},
	{".arcs", 1, IN_ROOT, APSP_JSON_NUMBER, false, arcs_set,
		"is not a number of arcs that a graph may have"},
	{".derived_from", 1, IN_ROOT, APSP_JSON_OBJECT, true, NULL,
		"is not an object or null"},
	{".derived_from.graph", 2, IN_ORIGIN, APSP_JSON_STRING, false,
		origin_graph_set, "is not the name of a graph"},
	{".derived_from.revision", 2, IN_ORIGIN, APSP_JSON_STRING, false,
		origin_revision_set,
		"is not a SHA-256 in lower-case hexadecimal"},
	{".derived_from.question", 2, IN_ORIGIN, APSP_JSON_STRING, false,
		question_set, "is not {\"by\":…} or {\"match\":[…]}"},
	{".weight_unit", 1, OPTIONAL, APSP_JSON_STRING, false, weight_unit_set,
		"is not a unit of at most 63 bytes"},
	{".attributes", 1, IN_ROOT, APSP_JSON_OBJECT, true, NULL,
		"is not an object or null"},
	{".attributes.columns", 2, IN_ATTRIBUTES, APSP_JSON_ARRAY, false, NULL,
		"is not a list"},
	{".attributes.sha256", 2, IN_ATTRIBUTES, APSP_JSON_STRING, false,
		sha_set, "is not a SHA-256 in lower-case hexadecimal"},
	{".profiles", 1, IN_ROOT, APSP_JSON_ARRAY, false, NULL,
		"is not a list"},
	{".profiles.name", 3, IN_PROFILE, APSP_JSON_STRING, false, name_set,
		"is not the name of a profile, or two profiles have it"},
	{".profiles.rule", 3, IN_PROFILE, APSP_JSON_STRING, false, rule_set,
		"is not a rule that this apspd can read"},
	{".profiles.hash", 3, IN_PROFILE, APSP_JSON_STRING, false,
		profile_hash_set,
		"is not the SHA-256 of 'rule', which must stand before it"},
	{".profiles.state", 3, IN_PROFILE, APSP_JSON_STRING, false, state_set,
		"is not the state of a profile"},
	{".profiles.tables", 3, IN_PROFILE, APSP_JSON_OBJECT, true, NULL,
		"is not an object or null"},
	{".profiles.tables.member", 4, IN_TABLES, APSP_JSON_STRING, false,
		member_set, "is not tables/<hash>.apsp"},
	{".profiles.tables.bytes", 4, IN_TABLES, APSP_JSON_NUMBER, false,
		bytes_set, "is not a size"},
	{".profiles.tables.version", 4, IN_TABLES, APSP_JSON_NUMBER, false,
		table_version_set, "is not a version"},
	{".profiles.tables.checksum", 4, IN_TABLES, APSP_JSON_STRING, false,
		checksum_set, "is not a checksum of 16 digits"},
};

enum {
	N_ROWS = sizeof(rows) / sizeof(*rows),
};

_Static_assert(N_ROWS <= 32, "a bit for each row");

/* Like `rows`, but for values that are elements of lists. An element has no
   key, so its path is the path of the list. */
static const struct row elements[] = {
	{".attributes.columns", 3, 0, APSP_JSON_STRING, false, column_add,
		"has a name that a column cannot have"},
	{".profiles", 2, 0, APSP_JSON_OBJECT, false, NULL,
		"has an element that is not an object"},
};

/* Find the element of `rows` or `elements` that describes the JSON value that
   is being read. Returns NULL if there is none. */
static const struct row *row_find(
	const struct apsp_bundle_text *self, unsigned int depth)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].depth == depth &&
			strcmp(rows[i].path, self->path) == 0)
			return &rows[i];
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (elements[i].depth == depth &&
			strcmp(elements[i].path, self->path) == 0)
			return &elements[i];
	return NULL;
}

static int key_read(struct apsp_bundle_text *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	size_t at = self->ends[event->depth];
	const struct row *row = NULL;
	uint32_t bit;

	if (event->size < sizeof(self->path) - at - 1) {
		self->path[at] = '.';
		memcpy(self->path + at + 1, event->text, event->size + 1);
		row = row_find(self, event->depth);
	}
	if (!row || !row->object)
		return apsp_fail(err, APSP_EDATA,
			"bundle.json has a member '%s', which this apspd does "
			"not know; a newer apspd may read this bundle",
			apsp_excerpt_of(event->text, event->size).text);
	bit = UINT32_C(1) << (row - rows);
	if (self->seen & bit)
		return refuse(row->path, "is there twice", err);
	self->seen |= bit;
	return 0;
}

/* An object has ended: check that all of its members were seen. Then clear
   their bits in `seen`, because a list may have another such object. `size` is
   the number of bytes of the object's path. */
static int object_end(
	struct apsp_bundle_text *self, size_t size, struct apsp_err *err)
{
	int object = 0;

	self->path[size] = '\0';
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (strcmp(objects[i].path, self->path) == 0)
			object = objects[i].object;
	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].object != object)
			continue;
		if (!(self->seen >> i & 1))
			return refuse(rows[i].path, "is missing", err);
		self->seen &= ~(UINT32_C(1) << i);
	}
	return 0;
}

static int profile_begin(struct apsp_bundle_text *self, struct apsp_err *err)
{
	struct apsp_bundled *out = self->out;

	if (out->n_profiles == APSP_BUNDLE_PROFILES_MAX)
		return apsp_fail(err, APSP_ETOOLARGE,
			"bundle.json has more than %d profiles",
			APSP_BUNDLE_PROFILES_MAX);
	if (!out->profiles)
		out->profiles = calloc(
			APSP_BUNDLE_PROFILES_MAX, sizeof(*out->profiles));
	if (!out->profiles)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	out->n_profiles++;
	return 0;
}

static int value_read(struct apsp_bundle_text *self,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	const struct row *row;

	if (event->depth == 0)
		return event->kind == APSP_JSON_OBJECT
			       ? 0
			       : apsp_fail(err, APSP_EDATA,
					 "bundle.json is no object");
	/* find the row by path and depth, because an element of a list has the
	   same path as the list */
	row = row_find(self, event->depth);
	if (!row)
		return apsp_fail(err, APSP_EDATA,
			"bundle.json has a value of the wrong kind in '%s'",
			self->path + 1);
	if (event->kind == APSP_JSON_WORD && row->may_be_null &&
		is_text(event, "null"))
		return 0;
	if (event->kind != row->kind || (row->set && !row->set(self, event)))
		return self->no_memory ? apsp_fail(err, APSP_ENOMEM,
						 "no memory for an upload")
				       : refuse(row->path, row->expected, err);
	if (row == &elements[1])
		return profile_begin(self, err);
	if (strcmp(row->path, ".attributes") == 0)
		self->has_attributes = true;
	if (strcmp(row->path, ".profiles.tables") == 0)
		profile_of(self)->has_tables = true;
	return 0;
}

static int event_read(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_bundle_text *self = ctx;
	struct apsp_json_event terminated = *event;
	int r;

	/* copy the text of a key, string, number or word, and add a NUL,
	   because the reader's text has none */
	if (event->kind != APSP_JSON_OBJECT_END &&
		event->kind != APSP_JSON_ARRAY_END &&
		event->kind != APSP_JSON_OBJECT &&
		event->kind != APSP_JSON_ARRAY) {
		if (event->size >= sizeof(self->value) ||
			memchr(event->text, '\0', event->size))
			return apsp_fail(err, APSP_EDATA,
				"bundle.json has a text that is too long or "
				"has a NUL: '%s'",
				apsp_excerpt_of(event->text, event->size).text);
		memcpy(self->value, event->text, event->size);
		self->value[event->size] = '\0';
		terminated.text = self->value;
		event = &terminated;
	}
	if (event->kind == APSP_JSON_KEY)
		return key_read(self, event, err);
	if (event->kind == APSP_JSON_ARRAY_END)
		return 0;
	if (event->kind == APSP_JSON_OBJECT_END)
		return object_end(self, self->ends[event->depth + 1], err);
	/* an element of a list begins: remove the keys of the previous element
	   from the path */
	if (event->kind == APSP_JSON_OBJECT && event->depth == 2)
		self->path[self->ends[2]] = '\0';
	r = value_read(self, event, err);
	if (event->kind == APSP_JSON_OBJECT || event->kind == APSP_JSON_ARRAY)
		self->ends[event->depth + 1] = strlen(self->path);
	return r;
}

int apsp_bundle_text_open(struct apsp_bundle_text *self, struct apsp_err *err)
{
	return apsp_json_reader_new(event_read, self, &self->json, err);
}

int apsp_bundle_text_end(struct apsp_bundle_text *self, struct apsp_err *err)
{
	const struct apsp_bundled *out = self->out;
	int r = apsp_json_reader_end(self->json, err);

	if (r < 0)
		return r;
	if (self->has_attributes && out->attributes.n_columns == 0)
		return refuse(".attributes.columns", "is empty", err);
	for (size_t i = 0; i < out->n_profiles; i++)
		if (strcmp(out->profiles[i].name, "default") == 0)
			return 0;
	return refuse(".profiles", "has no profile 'default'", err);
}
