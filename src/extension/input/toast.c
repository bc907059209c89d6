/*
 * toast.c
 *		The bytes of stored arrays: values in TOAST relations.
 *
 * A TOAST relation has a value in chunks of some 2000 bytes, mostly four to a
 * page.  Of heaps the chunks are read page by page (toast_read.c).  If anything
 * is not as expected there, the access method reads the value instead, or
 * reports the damage.
 *
 * Owns nothing between two calls: a GaToastRelation is its caller's, and after
 * an error the resource owner closes it.  array_stored.c calls it, and the
 * offload for the xmin.  Locking is that of detoasting: AccessShareLock on the
 * relation and its index.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/toast_internals.h"
#include "catalog/pg_am.h"
#include "utils/rel.h"

#include "toast_read.h"

/* Is the argument stored out of line?  If so, copy its TOAST pointer. */
bool
ga_toast_pointer(Datum value, struct varatt_external *pointer)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(value);

	if (!VARATT_IS_EXTERNAL_ONDISK(given))
		return false;
	VARATT_EXTERNAL_GET_POINTER(*pointer, given);
	return true;
}

/* Return the valid index, opened.  There is another one during a rebuild. */
static Relation
open_index(Relation table)
{
	Relation *indexes;
	int n_indexes;
	int valid =
		toast_open_indexes(table, AccessShareLock, &indexes, &n_indexes);
	Relation index = indexes[valid];
	int i;

	for (i = 0; i < n_indexes; i++)
	{
		if (i != valid)
			index_close(indexes[i], AccessShareLock);
	}
	pfree(indexes);
	return index;
}

/*
 * Open a TOAST relation, and close the one that was open, if it is another.
 * Errors: PostgreSQL's, if there is no such relation, or no valid index.
 */
void
ga_toast_open(GaToastRelation *relation, Oid relid)
{
	if (relation->relid == relid)
		return;
	ga_toast_close(relation);
	relation->table = table_open(relid, AccessShareLock);
	relation->index = open_index(relation->table);
	relation->by_page = ga_toast_is_heap(relation);
	relation->xmin = InvalidTransactionId;
	relation->has_strategy = false;
	relation->last_buffer = InvalidBuffer;
	relation->n_wrong = relation->n_skip = 0;
	relation->last.value_id = relation->end.value_id = InvalidOid;
	relation->relid = relid;
}

/* Close the relation, if one is open. */
void
ga_toast_close(GaToastRelation *relation)
{
	if (!OidIsValid(relation->relid))
		return;
	relation->relid = InvalidOid;
	index_close(relation->index, AccessShareLock);
	table_close(relation->table, AccessShareLock);
}

/* Is the open relation a heap, whose pages can be read here? */
bool
ga_toast_is_heap(const GaToastRelation *relation)
{
	return relation->table->rd_rel->relam == HEAP_TABLE_AM_OID;
}

/* Read page by page, if the relation is one of those; returns false if not. */
static bool
try_pages(GaToastRelation *relation, const struct varatt_external *pointer,
		  int32 from, int32 n, char *to)
{
	GaChunkReader reader = {relation, pointer};

	Assert(relation->relid == pointer->va_toastrelid);
	relation->xmin = InvalidTransactionId;
	relation->is_settled = false;
	reader.to = to;
	ga_chunk_reader_init(&reader, from, n);
	return relation->by_page && ga_toast_read_pages(&reader);
}

/*
 * Read n bytes of a value from byte `from` on, as they are stored: of its
 * compressed form, if it is compressed.  They have to be within it, and its
 * relation open.  Errors: PostgreSQL's own, if the value is damaged, and if the
 * query is cancelled.
 */
void
ga_toast_read(GaToastRelation *relation, const struct varatt_external *pointer,
			  int32 from, int32 n, char *to)
{
	struct varlena *slice;

	if (n == 0 || try_pages(relation, pointer, from, n, to))
		return;
	relation->xmin = InvalidTransactionId;
	slice = palloc(VARHDRSZ + (Size) n);
	SET_VARSIZE(slice, VARHDRSZ + n);
	table_relation_fetch_toast_slice(relation->table, pointer->va_valueid,
									 VARATT_EXTERNAL_GET_EXTSIZE(*pointer),
									 from, n, slice);
	memcpy(to, VARDATA(slice), n);
	pfree(slice);
}

/*
 * Return the raw xmin of a value's first chunk, which stays as it is when the
 * chunk is frozen; InvalidTransactionId if the chunk was not read page by page.
 */
TransactionId
ga_toast_xmin(GaToastRelation *relation, const struct varatt_external *pointer)
{
	char byte;

	return try_pages(relation, pointer, 0, 1, &byte) ? relation->xmin :
													   InvalidTransactionId;
}
