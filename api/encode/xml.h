/*
 * Text for XML 1.0 documents.
 */
#ifndef APSP_API_ENCODE_XML_H
#define APSP_API_ENCODE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "api/encode/text.h"

/*
 * Append UTF-8 as the content of an element or as the value of an attribute in
 * double quotes. Tabs and line ends are written as references, because XML
 * parsers turn them into blanks in values of attributes.
 */
void apsp_xml_append(struct apsp_text *out, const char *text, size_t size);

/* Whether XML can hold the text. XML cannot hold U+FFFE, U+FFFF, and the
   characters below U+0020 except tab, line feed and carriage return. These
   characters are not allowed as references either. */
bool apsp_xml_holds(const char *text, size_t size);

#endif
