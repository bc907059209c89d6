/*
 * ahead.h
 *		Values of buckets that the device made before they were asked for.
 */
#ifndef GA_AHEAD_H
#define GA_AHEAD_H

#include "fmgr.h"

#include "exact/elem_form.h"
#include "wire/protocol.h"

typedef struct GaAhead GaAhead;

extern GaAhead *ga_ahead_of(FmgrInfo *function, GaElementType type,
							GaElemForm form, uint32 width);
extern const char *ga_ahead_take(GaAhead *ahead, const GaStoredKey *key,
								 uint32 *n);
extern uint32 ga_ahead_wanted(const GaAhead *ahead);
extern void ga_ahead_keep(GaAhead *ahead, const GaOidSample *sample,
						  const GaStoredRef *refs, uint32 n_arrays,
						  const char *values, uint32 n_values);
extern void ga_ahead_stop(GaAhead *ahead);

#endif /* GA_AHEAD_H */
