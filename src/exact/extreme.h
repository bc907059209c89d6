/*
 * extreme.h
 *		The least or greatest element of a moving window.
 *
 * The order is PostgreSQL's: NaN is the greatest.  Of -0 and 0 the least is -0,
 * the greatest 0.  A result that is NaN has the bits of PostgreSQL's NaN.
 * Elements may be unaligned.
 *
 * Elements are compared as keys: integers of their size in the same order, and
 * for the least one complemented, so that the greatest key is searched always.
 * ga_extreme_neutral() gives an element of the lowest key, which changes no
 * result: it is read where there is a NULL.
 *
 * A moving window (van Herk's and Gil and Werman's method): elements are in
 * sections as long as the window, so a window is the end of one section and the
 * beginning of the next.  The greatest of the beginning is kept; of each end of
 * the section before, in a buffer of a section, which the next section's keys
 * overwrite one by one.  That is three comparisons an element, however long the
 * window.
 *
 * Called by backends.  These functions keep no state of their own and must not
 * allocate.
 */
#ifndef GA_EXTREME_H
#define GA_EXTREME_H

#include "element.h"

typedef struct GaMovingExtreme
{
	GaElementType type;
	bool is_max;
	size_t window; /* elements in it, at least 1 */
	void *section; /* the caller's, so many elements large; or NULL, if there
						* are never more than the window has */
	size_t at;	   /* place in the section of the next element */
	size_t n_backward; /* keys of a full section whose ends are not known yet */
	bool has_ends;	   /* is there a section before? */
	int64_t key;	   /* the greatest of this section so far */
} GaMovingExtreme;

/* Elements, or ends of a section, for one call of ga_moving_extreme(). */
#define GA_EXTREME_STEPS (1 << 20)

extern int64_t ga_element_key(GaElementType type, const void *element);
extern void ga_extreme_neutral(GaElementType type, bool is_max, void *to);

extern void ga_moving_extreme_init(GaMovingExtreme *moving, GaElementType type,
								   bool is_max, size_t window, void *section);
extern size_t ga_moving_extreme(GaMovingExtreme *moving, const void *in,
								size_t n, void *out);

#endif /* GA_EXTREME_H */
