/*
 * toast.h
 *		The bytes of stored arrays: values in TOAST relations.
 */
#ifndef GA_TOAST_H
#define GA_TOAST_H

#include "storage/bufmgr.h"
#include "utils/relcache.h"

#include "extension/pg_compat.h"

/*
 * A TOAST relation that many stored arrays are read from, one after another.
 * It is on the caller's stack, and GA_TOAST_CLOSED at first.
 */
typedef struct GaToastRelation
{
	Oid relid; /* InvalidOid: closed */
	Relation table;
	Relation index;	   /* the valid one */
	bool by_page;	   /* or by the access method; tests clear it */
	bool has_strategy; /* is the next field set? */
	BufferAccessStrategy strategy;
	TransactionId xmin; /* raw xmin of chunk 0, if it was read last */
	bool is_settled;	/* was it committed, and not deleted? */
} GaToastRelation;

#define GA_TOAST_CLOSED     \
	{                       \
		.relid = InvalidOid \
	}

extern bool ga_toast_pointer(Datum value, struct varatt_external *pointer);
extern void ga_toast_open(GaToastRelation *relation, Oid relid);
extern void ga_toast_close(GaToastRelation *relation);
extern bool ga_toast_is_heap(const GaToastRelation *relation);
extern void ga_toast_read(GaToastRelation *relation,
						  const struct varatt_external *pointer, int32 from,
						  int32 n, char *to);
extern TransactionId ga_toast_xmin(GaToastRelation *relation,
								   const struct varatt_external *pointer);

#endif /* GA_TOAST_H */
