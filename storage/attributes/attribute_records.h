/*
 * Writes the stored form of attributes (attributes.h) from the columns in
 * memory, record by record: first the record of names, then a record for each
 * vertex that has a value, in index order. An upload of attributes may have had
 * rows whose label belongs to no vertex. Such rows are not in memory, so they
 * are not written.
 *
 * Any part of the stored form can be written again at any time, because
 * attributes and labels in memory never change.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_RECORDS_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "storage/attributes/attributes.h"

enum {
	/* largest number of bytes of a record */
	APSP_ATTRIBUTE_RECORD_MAX =
		(1 + APSP_ATTRIBUTE_COLUMNS_MAX) * (APSP_LABEL_STORED_MAX + 1),
};

/* A walk over the records. To begin a walk, give the first two members their
   values, and set all other members to 0. */
struct apsp_attribute_records {
	const struct apsp_attributes *attributes; /* borrowed */
	const struct apsp_labels *labels;	  /* borrowed */
	uint64_t next; /* number of the next record. 0: the record of the
			  columns' names; 1 + v: the record of vertex v */
	uint64_t at;   /* number of bytes of all records before record `next` */
};

/* Return the number of bytes of the next record; 0: there is no more record.
   First move past vertices that have no value, because they have no record. */
size_t apsp_attribute_records_size(struct apsp_attribute_records *walk);

/* Move past the next record, after apsp_attribute_records_size() has returned
   its size. If `out` is not NULL, write the record there. */
void apsp_attribute_records_next(
	struct apsp_attribute_records *walk, size_t size, char *out);

/* Set the attributes' members records_size and sha256. */
void apsp_attribute_records_digest(
	struct apsp_attributes *attributes, const struct apsp_labels *labels);

#endif
