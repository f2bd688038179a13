/*
 * Compares the distances of a block of pairs in two tables, `here` and `with`.
 */
#ifndef APSP_STORAGE_TABLES_PAIR_BLOCK_H
#define APSP_STORAGE_TABLES_PAIR_BLOCK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	APSP_PAIR_BLOCK = 256,
};

/* How a pair differs between the tables `here` and `with`. */
enum apsp_pair_change {
	APSP_PAIR_NOWHERE, /* no path in `here`, and none in `with` */
	APSP_PAIR_GAINED,  /* a path only in `here` */
	APSP_PAIR_LOST,	   /* a path only in `with` */
	/* a path in both tables; if distances are compared, they are equal
	   within the tolerance */
	APSP_PAIR_EQUAL,
	APSP_PAIR_LONGER,  /* the distance in `here` is larger */
	APSP_PAIR_SHORTER, /* the distance in `here` is smaller */
	APSP_N_PAIR_CHANGES,
};

enum {
	APSP_N_LISTED_CHANGES = 4, /* number of changes for which
				      apsp_pair_change_is_listed() is true */
};

/* Whether an answer lists the pairs with this change. */
static inline bool apsp_pair_change_is_listed(enum apsp_pair_change change)
{
	return change != APSP_PAIR_NOWHERE && change != APSP_PAIR_EQUAL;
}

/* Return the number of pairs that have a path in both tables. */
static inline uint64_t apsp_pair_change_both(
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	return n[APSP_PAIR_EQUAL] + n[APSP_PAIR_LONGER] + n[APSP_PAIR_SHORTER];
}

/* Return the number of all pairs: changed pairs, equal pairs, and pairs without
   a path. */
static inline uint64_t apsp_pair_change_pairs(
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	return n[APSP_PAIR_NOWHERE] + n[APSP_PAIR_GAINED] + n[APSP_PAIR_LOST] +
	       apsp_pair_change_both(n);
}

struct apsp_pair_block {
	/* the distances in the two tables; INFINITY: the pair has no path, or
	   the element is skipped */
	const double *here;
	const double *with;
	/* copies of the distances, made only if elements are skipped */
	double copies[2][APSP_PAIR_BLOCK];
	uint16_t skipped[APSP_PAIR_BLOCK]; /* indices of skipped elements */
	uint32_t n_skipped;
	/* The following members are results of apsp_pair_block_compare(). */
	/* for each longer or shorter pair, the distance in `here` minus the
	   distance in `with`; for all other elements, 0 */
	double differences[APSP_PAIR_BLOCK];
	/* n[c]: number of pairs with the change c; skipped elements are not
	   counted */
	uint32_t n[APSP_N_PAIR_CHANGES];
	/* indices of the elements whose pairs are lost, gained, longer or
	   shorter */
	uint16_t changed[APSP_PAIR_BLOCK];
	uint32_t n_changed;
};

/* Sums over all pairs that have a path in both tables: sums of the distances,
   and of the differences of the distances. Element l of each array is the sum
   of the elements l, l + 8, … of all blocks. */
struct apsp_block_sums {
	double here[8], with[8], differences[8];
};

/* How distances are compared. */
struct apsp_pair_rule {
	/* true: distances are compared; false: only the existence of paths is
	   compared, so all pairs with a path in both tables count as equal */
	bool lengths;
	/* The "distances" are widths of widest paths. The flag changes only the
	   order in which lost and gained pairs are listed. */
	bool widths;
	/* Two distances count as equal if their difference is at most this
	   number times the larger of their magnitudes. */
	double tolerance;
};

/* Begin a block with n pairs: the first n elements of `here` and of `with`,
   which are borrowed. The other elements of the block are skipped. */
void apsp_pair_block_load(struct apsp_pair_block *block, const double *here,
	const double *with, uint32_t n);

/* Skip an element that is not a pair, or that is counted elsewhere. */
void apsp_pair_block_skip(struct apsp_pair_block *block, uint32_t element);

/* Find the change of one pair. */
enum apsp_pair_change apsp_pair_change_of(
	const struct apsp_pair_rule *rule, double here, double with);

/* Return the score of a pair among the pairs with the same change; the pairs
   with the highest scores are listed. A lost or gained pair has a high score if
   its distance is small, or if its width is large. */
static inline double apsp_pair_score(const struct apsp_pair_rule *rule,
	enum apsp_pair_change change, double here, double with)
{
	double nearness = rule->widths ? 1 : -1;

	switch (change) {
	case APSP_PAIR_LOST:
		return nearness * with;
	case APSP_PAIR_GAINED:
		return nearness * here;
	case APSP_PAIR_LONGER:
		return here - with;
	default:
		return with - here;
	}
}

/* Find the differences of all pairs in the block, count and list the changes,
   and add the distances to *sums. */
void apsp_pair_block_compare(struct apsp_pair_block *block,
	const struct apsp_pair_rule *rule, struct apsp_block_sums *sums);

/* Return the change of an element in a block that was compared. It is
   APSP_PAIR_NOWHERE if the element is skipped. */
static inline enum apsp_pair_change apsp_pair_block_change(
	const struct apsp_pair_block *block, uint32_t element)
{
	double difference = block->differences[element];

	return (enum apsp_pair_change)((block->here[element] < INFINITY) +
				       2 * (block->with[element] < INFINITY) +
				       (difference > 0) + 2 * (difference < 0));
}

#endif
