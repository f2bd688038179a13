/* Text for XML; see xml.h. */
#include "api/encode/xml.h"

/* Return the character reference that replaces a byte. NULL: the byte is
   written as it is. */
static const char *reference_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

void apsp_xml_append(struct apsp_text *out, const char *text, size_t size)
{
	size_t from = 0;

	for (size_t i = 0; i < size; i++) {
		const char *reference = reference_of(text[i]);

		if (!reference)
			continue;
		apsp_text_append(out, text + from, i - from);
		apsp_text_string(out, reference);
		from = i + 1;
	}
	apsp_text_append(out, text + from, size - from);
}

bool apsp_xml_holds(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r')
			return false;
		/* in UTF-8, U+FFFE and U+FFFF are the bytes EF BF BE and EF BF
		   BF */
		if (byte == 0xef && size - i > 2 &&
			(unsigned char)text[i + 1] == 0xbf &&
			(unsigned char)text[i + 2] >= 0xbe)
			return false;
	}
	return true;
}
