/*
 * toast.h
 *		The bytes of stored arrays: values in TOAST relations.
 */
#ifndef GA_TOAST_H
#define GA_TOAST_H

#include "access/detoast.h"
#include "storage/bufmgr.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

#include "extension/pg_compat.h"

/* The place of a chunk. */
typedef struct GaToastPlace
{
	Oid value_id; /* InvalidOid: none */
	int32 number;
	BlockNumber block;
	OffsetNumber at;
	TransactionId xmin; /* raw */
} GaToastPlace;

/* The end of a value. */
typedef struct GaToastEnd
{
	Oid value_id;		  /* InvalidOid: none */
	BlockNumber block;	  /* of what is in line */
	ItemPointerData last; /* the last chunk */
} GaToastEnd;

/*
 * A TOAST relation that many stored arrays are read from, one after another.
 * It is on the caller's stack, and GA_TOAST_CLOSED at first.
 */
typedef struct GaToastRelation
{
	Oid relid; /* InvalidOid: closed */
	Relation table;
	Relation index;		/* the valid one */
	bool by_page;		/* or by the access method; tests clear it */
	TransactionId xmin; /* raw xmin of chunk 0, if it was read last */
	bool is_settled;	/* was it committed, and not deleted? */

	/* for toast_page.c */
	bool has_strategy; /* is the next field set? */
	BufferAccessStrategy strategy;
	BlockNumber last_block; /* the one that was pinned last */
	Buffer last_buffer;		/* InvalidBuffer: none */
	int n_wrong;			/* the more, the more guesses were wrong */
	int n_skip;				/* pages until the next guess */

	/* for toast_read.c */
	GaToastPlace last; /* the chunk that was found last */
	GaToastEnd end;
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

/* Return a TOAST pointer as a value, in memory of the caller. */
static inline struct varlena *
ga_toast_datum(const struct varatt_external *pointer,
			   char memory[TOAST_POINTER_SIZE])
{
	SET_VARTAG_EXTERNAL(memory, VARTAG_ONDISK);
	memcpy(VARDATA_EXTERNAL(memory), pointer, sizeof(*pointer));
	return (struct varlena *) memory;
}

#endif /* GA_TOAST_H */
