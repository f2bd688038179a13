/*
 * UTF-8 by the table of well-formed byte sequences (Unicode 15, table 3-7); see
 * utf8.h.
 */
#include "daemon/base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Return the number of bytes of the character at p. 0: there is no well-formed
   character at p, or it is a NUL. */
static size_t character_size(const uint8_t *p, size_t left)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t size;

	if (p[0] < 0x80)
		return p[0] != 0;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	size = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (left < size)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0; /* a smaller byte would make an overlong sequence */
	else if (p[0] == 0xed)
		high = 0x9f; /* a larger byte would make a surrogate */
	else if (p[0] == 0xf0)
		low = 0x90; /* a smaller byte would make an overlong sequence */
	else if (p[0] == 0xf4)
		high = 0x8f; /* a larger byte would make a character above
				U+10FFFF */
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < size; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

bool apsp_utf8_valid(const char *text, size_t size)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t step;

	for (size_t i = 0; i < size; i += step) {
		step = character_size(p + i, size - i);
		if (step == 0)
			return false;
	}
	return true;
}

void apsp_utf8_clean(char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		size_t size = character_size((const uint8_t *)text, left);

		if (size == 0) {
			*text = '?';
			size = 1;
		}
		text += size;
		left -= size;
	}
}

size_t apsp_utf8_cut(const char *text, size_t size)
{
	while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
		size--;
	return size;
}

struct apsp_excerpt apsp_excerpt_of(const char *text, size_t size)
{
	static const char mark[] = "…";
	const uint8_t *p = (const uint8_t *)text;
	struct apsp_excerpt out = {0};
	const size_t room = sizeof(out.text) - sizeof(mark);
	size_t used = 0, step;

	for (size_t i = 0; i < size; i += step) {
		step = character_size(p + i, size - i);
		if (used + (step ? step : 1) > room) {
			memcpy(out.text + used, mark, sizeof(mark));
			break;
		}
		if (step == 0) {
			out.text[used++] = '?';
			step = 1;
			continue;
		}
		memcpy(out.text + used, p + i, step);
		used += step;
	}
	return out;
}
