/*
 * toast_page.h
 *		Pages of a TOAST relation, in shared buffers.
 */
#ifndef GA_TOAST_PAGE_H
#define GA_TOAST_PAGE_H

#include "toast.h"

extern Buffer ga_toast_pin(GaToastRelation *relation, BlockNumber block);

#endif /* GA_TOAST_PAGE_H */
