/*
 * Events written and parsed; see solver_event.h.
 */
#include "compute/solver_event.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "daemon/base/utf8.h"

static const char *const kind_words[] = {
	[APSP_SOLVER_EVENT_DEVICE] = "device",
	[APSP_SOLVER_EVENT_ALGORITHM] = "algorithm",
	[APSP_SOLVER_EVENT_PLAN] = "plan",
	[APSP_SOLVER_EVENT_ELEMENT] = "element",
	[APSP_SOLVER_EVENT_SEED] = "seed",
	[APSP_SOLVER_EVENT_PHASE] = "phase",
	[APSP_SOLVER_EVENT_PROGRESS] = "progress",
	[APSP_SOLVER_EVENT_WITHIN] = "within",
	[APSP_SOLVER_EVENT_TRIAL] = "trial",
	[APSP_SOLVER_EVENT_CYCLE] = "cycle",
	[APSP_SOLVER_EVENT_STAGES] = "stages",
	[APSP_SOLVER_EVENT_COST] = "cost",
	[APSP_SOLVER_EVENT_HELD] = "held",
	[APSP_SOLVER_EVENT_ERROR] = "error",
	[APSP_SOLVER_EVENT_DONE] = "done",
	[APSP_SOLVER_EVENT_FOUND] = "found",
	[APSP_SOLVER_EVENT_RATES] = "rates",
};

/* A line that is being written; what does not fit is cut off. */
struct line {
	char bytes[APSP_SOLVER_EVENT_LINE];
	size_t used;
};

static void line_add(struct line *line, const char *text)
{
	size_t room = sizeof(line->bytes) - 1 - line->used;
	size_t size = strnlen(text, room);

	memcpy(line->bytes + line->used, text, size);
	line->used += size;
}

/* Add text with control characters and '%' as %XX. */
static void line_add_escaped(struct line *line, const char *text)
{
	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c;
		char piece[4] = {*c};

		if (byte < 0x20 || byte == 0x7f || byte == '%')
			snprintf(piece, sizeof(piece), "%%%02X", byte);
		if (line->used + strlen(piece) > sizeof(line->bytes) - 1)
			return; /* a cut escape would not parse */
		line_add(line, piece);
	}
}

void apsp_solver_event_write(
	FILE *stream, const struct apsp_solver_event *event)
{
	struct line line = {.used = 0};
	char numbers[64];

	line_add(&line, kind_words[event->kind]);
	switch (event->kind) {
	case APSP_SOLVER_EVENT_DONE:
		break;
	case APSP_SOLVER_EVENT_PROGRESS:
		snprintf(numbers, sizeof(numbers), " %.4f %.1f",
			event->progress, event->eta_s);
		line_add(&line, numbers);
		break;
	case APSP_SOLVER_EVENT_WITHIN:
	case APSP_SOLVER_EVENT_TRIAL:
		snprintf(numbers, sizeof(numbers), " %.1f", event->within_s);
		line_add(&line, numbers);
		break;
	case APSP_SOLVER_EVENT_ERROR:
		line_add(&line, " ");
		line_add(&line, apsp_code_name(event->code));
		line_add(&line, " ");
		line_add_escaped(&line, event->text);
		break;
	case APSP_SOLVER_EVENT_DEVICE:
	case APSP_SOLVER_EVENT_ALGORITHM:
	case APSP_SOLVER_EVENT_PLAN:
	case APSP_SOLVER_EVENT_ELEMENT:
	case APSP_SOLVER_EVENT_SEED:
	case APSP_SOLVER_EVENT_PHASE:
	case APSP_SOLVER_EVENT_CYCLE:
	case APSP_SOLVER_EVENT_STAGES:
	case APSP_SOLVER_EVENT_COST:
	case APSP_SOLVER_EVENT_HELD:
	case APSP_SOLVER_EVENT_FOUND:
	case APSP_SOLVER_EVENT_RATES:
		line_add(&line, " ");
		line_add_escaped(&line, event->text);
		break;
	}
	line.bytes[line.used++] = '\n';
	fwrite(line.bytes, 1, line.used, stream);
	fflush(stream);
}

void apsp_solver_event_text(
	FILE *stream, enum apsp_solver_event_kind kind, const char *text)
{
	struct apsp_solver_event event = {.kind = kind};

	snprintf(event.text, sizeof(event.text), "%s", text);
	apsp_solver_event_write(stream, &event);
}

void apsp_solver_event_progress(FILE *stream, double progress, double eta_s)
{
	struct apsp_solver_event event = {
		.kind = APSP_SOLVER_EVENT_PROGRESS,
		.progress = progress,
		.eta_s = eta_s,
	};

	apsp_solver_event_write(stream, &event);
}

static void seconds_write(
	FILE *stream, enum apsp_solver_event_kind kind, double seconds)
{
	struct apsp_solver_event event = {.kind = kind, .within_s = seconds};

	apsp_solver_event_write(stream, &event);
}

void apsp_solver_event_within(FILE *stream, double seconds)
{
	seconds_write(stream, APSP_SOLVER_EVENT_WITHIN, seconds);
}

void apsp_solver_event_trial(FILE *stream, double seconds)
{
	seconds_write(stream, APSP_SOLVER_EVENT_TRIAL, seconds);
}

void apsp_solver_event_error(FILE *stream, const struct apsp_err *err)
{
	struct apsp_solver_event event = {
		.kind = APSP_SOLVER_EVENT_ERROR,
		.code = err->code,
	};

	snprintf(event.text, sizeof(event.text), "%s", err->message);
	apsp_solver_event_write(stream, &event);
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
 * Undo the escapes in size bytes of text and make the result valid UTF-8. What
 * does not fit out_size is cut off.
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

static bool progress_parse(const char *rest, struct apsp_solver_event *event)
{
	int at = 0;

	return sscanf(rest, "%lf %lf%n", &event->progress, &event->eta_s,
		       &at) == 2 &&
	       !rest[at] && event->progress >= 0 && event->progress <= 1 &&
	       isfinite(event->eta_s);
}

static bool within_parse(const char *rest, struct apsp_solver_event *event)
{
	int at = 0;

	return sscanf(rest, "%lf%n", &event->within_s, &at) == 1 && !rest[at] &&
	       isfinite(event->within_s) && event->within_s >= 0;
}

static bool error_parse(const char *rest, struct apsp_solver_event *event)
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

/* rest: what follows the word and its space, perhaps "". */
static bool rest_parse(const char *rest, struct apsp_solver_event *event)
{
	switch (event->kind) {
	case APSP_SOLVER_EVENT_DONE:
		return !*rest;
	case APSP_SOLVER_EVENT_PROGRESS:
		return progress_parse(rest, event);
	case APSP_SOLVER_EVENT_WITHIN:
	case APSP_SOLVER_EVENT_TRIAL:
		return within_parse(rest, event);
	case APSP_SOLVER_EVENT_ERROR:
		return error_parse(rest, event);
	case APSP_SOLVER_EVENT_DEVICE:
	case APSP_SOLVER_EVENT_ALGORITHM:
	case APSP_SOLVER_EVENT_PLAN:
	case APSP_SOLVER_EVENT_ELEMENT:
	case APSP_SOLVER_EVENT_SEED:
	case APSP_SOLVER_EVENT_PHASE:
	case APSP_SOLVER_EVENT_CYCLE:
	case APSP_SOLVER_EVENT_STAGES:
	case APSP_SOLVER_EVENT_COST:
	case APSP_SOLVER_EVENT_HELD:
	case APSP_SOLVER_EVENT_FOUND:
	case APSP_SOLVER_EVENT_RATES:
		break;
	}
	return *rest &&
	       unescape(rest, strlen(rest), event->text, sizeof(event->text));
}

int apsp_solver_event_parse(
	const char *line, struct apsp_solver_event *out, struct apsp_err *err)
{
	size_t word = strcspn(line, " ");
	const char *rest = line[word] ? line + word + 1 : line + word;

	for (size_t i = 0; i < sizeof(kind_words) / sizeof(*kind_words); i++) {
		struct apsp_solver_event event = {
			.kind = (enum apsp_solver_event_kind)i};

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
