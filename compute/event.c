/*
 * The solver's lines, written and read; event.h says what they look like.
 */
#include "compute/event.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "daemon/base/utf8.h"

static const char *const kind_words[] = {
	[APSP_EVENT_DEVICE] = "device",
	[APSP_EVENT_ALGORITHM] = "algorithm",
	[APSP_EVENT_PLAN] = "plan",
	[APSP_EVENT_ELEMENT] = "element",
	[APSP_EVENT_PHASE] = "phase",
	[APSP_EVENT_PROGRESS] = "progress",
	[APSP_EVENT_CYCLE] = "cycle",
	[APSP_EVENT_ERROR] = "error",
	[APSP_EVENT_DONE] = "done",
	[APSP_EVENT_FOUND] = "found",
	[APSP_EVENT_RATES] = "rates",
};

/* A line being put together; what does not fit is cut off. */
struct line {
	char bytes[APSP_EVENT_LINE];
	size_t used;
};

static void line_add(struct line *line, const char *text)
{
	size_t room = sizeof(line->bytes) - 1 - line->used;
	size_t size = strnlen(text, room);

	memcpy(line->bytes + line->used, text, size);
	line->used += size;
}

/* Add text escaped; reserved is one more character that must not show. */
static void line_add_escaped(struct line *line, const char *text, char reserved)
{
	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c;
		char piece[4] = {*c};

		if (byte < 0x20 || byte == 0x7f || byte == '%' ||
			*c == reserved)
			snprintf(piece, sizeof(piece), "%%%02X", byte);
		if (line->used + strlen(piece) > sizeof(line->bytes) - 1)
			return; /* half an escape would be another text */
		line_add(line, piece);
	}
}

static void line_add_found(
	struct line *line, const struct apsp_device_info *found)
{
	char numbers[160];

	snprintf(numbers, sizeof(numbers),
		"%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %d %d %d ",
		found->type, found->compute_units, found->memory_bytes,
		found->largest_buffer_bytes, found->limits.group_items,
		found->limits.local_bytes, found->has_double,
		found->has_wide_atomics, found->chosen);
	line_add(line, numbers);
	line_add_escaped(line, found->name, '|');
	line_add(line, "|");
	line_add_escaped(line, found->platform, '|');
	line_add(line, "|");
	line_add_escaped(line, found->version, '|');
}

void apsp_event_write(FILE *stream, const struct apsp_event *event)
{
	struct line line = {.used = 0};
	char numbers[64];

	line_add(&line, kind_words[event->kind]);
	switch (event->kind) {
	case APSP_EVENT_DONE:
		break;
	case APSP_EVENT_PROGRESS:
		snprintf(numbers, sizeof(numbers), " %.4f %.1f",
			event->progress, event->eta_s);
		line_add(&line, numbers);
		break;
	case APSP_EVENT_ERROR:
		line_add(&line, " ");
		line_add(&line, apsp_code_name(event->code));
		line_add(&line, " ");
		line_add_escaped(&line, event->text, '%');
		break;
	case APSP_EVENT_FOUND:
		line_add(&line, " ");
		line_add_found(&line, &event->found);
		break;
	case APSP_EVENT_DEVICE:
	case APSP_EVENT_ALGORITHM:
	case APSP_EVENT_PLAN:
	case APSP_EVENT_ELEMENT:
	case APSP_EVENT_PHASE:
	case APSP_EVENT_CYCLE:
	case APSP_EVENT_RATES:
		line_add(&line, " ");
		line_add_escaped(&line, event->text, '%');
		break;
	}
	line.bytes[line.used++] = '\n';
	fwrite(line.bytes, 1, line.used, stream);
	fflush(stream);
}

void apsp_event_text(FILE *stream, enum apsp_event_kind kind, const char *text)
{
	struct apsp_event event = {.kind = kind};

	snprintf(event.text, sizeof(event.text), "%s", text);
	apsp_event_write(stream, &event);
}

void apsp_event_progress(FILE *stream, double progress, double eta_s)
{
	struct apsp_event event = {
		.kind = APSP_EVENT_PROGRESS,
		.progress = progress,
		.eta_s = eta_s,
	};

	apsp_event_write(stream, &event);
}

void apsp_event_error(FILE *stream, const struct apsp_err *err)
{
	struct apsp_event event = {
		.kind = APSP_EVENT_ERROR,
		.code = err->code,
	};

	snprintf(event.text, sizeof(event.text), "%s", err->message);
	apsp_event_write(stream, &event);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Undo the escapes of size bytes of text, which must be valid UTF-8 for whoever
 * shows it; what does not fit out_size is cut off.
 */
static bool unescape(const char *text, size_t size, char *out, size_t out_size)
{
	size_t used = 0;

	for (size_t i = 0; i < size && used + 1 < out_size; i++) {
		char c = text[i];

		if (c == '%') {
			int high = i + 2 < size ? hex_digit(text[i + 1]) : -1;
			int low = high >= 0 ? hex_digit(text[i + 2]) : -1;

			if (low < 0 || (high == 0 && low == 0))
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		}
		out[used++] = c;
	}
	out[used] = '\0';
	apsp_utf8_clean(out);
	return true;
}

static bool found_parse(const char *rest, struct apsp_device_info *out)
{
	const char *name, *platform, *version;
	int chosen, doubles, atomics, at = 0;

	if (sscanf(rest,
		    "%7[a-z] %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64
		    " %" SCNu64 " %d %d %d%n",
		    out->type, &out->compute_units, &out->memory_bytes,
		    &out->largest_buffer_bytes, &out->limits.group_items,
		    &out->limits.local_bytes, &doubles, &atomics, &chosen,
		    &at) != 9 ||
		rest[at] != ' ')
		return false;
	out->has_double = doubles != 0;
	out->has_wide_atomics = atomics != 0;
	out->chosen = chosen != 0;
	name = rest + at + 1;
	platform = strchr(name, '|');
	version = platform ? strchr(platform + 1, '|') : NULL;
	if (!version)
		return false;
	return unescape(name, (size_t)(platform - name), out->name,
		       sizeof(out->name)) &&
	       unescape(platform + 1, (size_t)(version - platform - 1),
		       out->platform, sizeof(out->platform)) &&
	       unescape(version + 1, strlen(version + 1), out->version,
		       sizeof(out->version));
}

static bool progress_parse(const char *rest, struct apsp_event *event)
{
	int at = 0;

	return sscanf(rest, "%lf %lf%n", &event->progress, &event->eta_s,
		       &at) == 2 &&
	       !rest[at] && event->progress >= 0 && event->progress <= 1 &&
	       isfinite(event->eta_s);
}

static bool error_parse(const char *rest, struct apsp_event *event)
{
	const char *text = strchr(rest, ' ');
	char name[32];

	if (!text || (size_t)(text - rest) >= sizeof(name))
		return false;
	memcpy(name, rest, (size_t)(text - rest));
	name[text - rest] = '\0';
	event->code = apsp_code_from_name(name);
	return unescape(
		text + 1, strlen(text + 1), event->text, sizeof(event->text));
}

/* rest is what follows the word and its space; "" if there is nothing. */
static bool rest_parse(const char *rest, struct apsp_event *event)
{
	switch (event->kind) {
	case APSP_EVENT_DONE:
		return !*rest;
	case APSP_EVENT_PROGRESS:
		return progress_parse(rest, event);
	case APSP_EVENT_ERROR:
		return error_parse(rest, event);
	case APSP_EVENT_FOUND:
		return found_parse(rest, &event->found);
	case APSP_EVENT_DEVICE:
	case APSP_EVENT_ALGORITHM:
	case APSP_EVENT_PLAN:
	case APSP_EVENT_ELEMENT:
	case APSP_EVENT_PHASE:
	case APSP_EVENT_CYCLE:
	case APSP_EVENT_RATES:
		break;
	}
	return *rest &&
	       unescape(rest, strlen(rest), event->text, sizeof(event->text));
}

int apsp_event_parse(
	const char *line, struct apsp_event *out, struct apsp_err *err)
{
	size_t word = strcspn(line, " ");
	const char *rest = line[word] ? line + word + 1 : line + word;

	for (size_t i = 0; i < sizeof(kind_words) / sizeof(*kind_words); i++) {
		struct apsp_event event = {.kind = (enum apsp_event_kind)i};

		if (strlen(kind_words[i]) != word ||
			memcmp(kind_words[i], line, word) != 0)
			continue;
		if (!rest_parse(rest, &event))
			break;
		*out = event;
		return 0;
	}
	return apsp_fail(err, APSP_EDATA, "not an event: '%.100s'", line);
}
