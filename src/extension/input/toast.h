/*
 * toast.h
 *		Bytes of values that are stored out of line.
 */
#ifndef GA_TOAST_H
#define GA_TOAST_H

#include "storage/bufmgr.h"
#include "utils/relcache.h"

#include "extension/pg_compat.h"

/*
 * A TOAST relation that many values are read from, one after another.  Lives
 * on its user's stack, set to GA_TOAST_CLOSED at first.
 */
typedef struct GaToastRelation
{
	Oid relid; /* InvalidOid: closed */
	Relation table;
	Relation index;	   /* the valid one */
	bool by_page;	   /* or by the access method, which tests want */
	bool has_strategy; /* is the next one decided? */
	BufferAccessStrategy strategy;
	TransactionId xmin; /* raw one of chunk 0, if the last reading
								 * came by it */
	bool is_settled;	/* ... is committed, and not deleted */
} GaToastRelation;

#define GA_TOAST_CLOSED     \
	{                       \
		.relid = InvalidOid \
	}

extern bool ga_toast_pointer(Datum value, struct varatt_external *pointer);
extern void ga_toast_use(GaToastRelation *relation, Oid relid);
extern void ga_toast_release(GaToastRelation *relation);
extern bool ga_toast_is_heap(const GaToastRelation *relation);
extern void ga_toast_read(GaToastRelation *relation,
						  const struct varatt_external *pointer, int32 from,
						  int32 n, char *to);
extern TransactionId ga_toast_xmin(GaToastRelation *relation,
								   const struct varatt_external *pointer);

#endif /* GA_TOAST_H */
