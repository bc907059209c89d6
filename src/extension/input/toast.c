/*
 * toast.c
 *		Bytes of values that are stored out of line.
 *
 * A TOAST relation has a value in chunks of some 2000 bytes, mostly four to a
 * page.  PostgreSQL fetches them one by one through the index.  Here the index
 * is asked for their places alone, and the chunks that lie on one page are
 * copied together.
 *
 * Who holds a TOAST pointer may see all chunks of it, so none is tested for
 * being visible; but each must be the one that is next, and of the right
 * size.  Whatever else is met, the reading is left to the access method,
 * which knows better, or reports the damage.
 *
 * The locks are those of detoasting.  Nothing is kept open but by the caller;
 * after an error the resource owner closes it.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "access/genam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/toast_internals.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "storage/procarray.h"
#include "utils/rel.h"

#include "toast.h"

#define CHUNK_BYTES ((int32) TOAST_MAX_CHUNK_SIZE)

/* Chunks of a value on one page; one of them may be small. */
#define CHUNKS_ON_PAGE 8

/* What a chunk's tuple has behind its header. */
typedef struct Chunk
{
	Oid value_id;
	int32 number;
	char data[FLEXIBLE_ARRAY_MEMBER]; /* a varlena */
} Chunk;

/* A reading under way. */
typedef struct Reading
{
	GaToastRelation *relation;
	const struct varatt_external *pointer;
	int32 from; /* bytes of the value as it is stored */
	int32 n;
	char *to;
	int32 first; /* chunks */
	int32 next;
	int32 last;
	int32 last_of_value;
} Reading;

/* Is it a pointer to a value that is stored on disk?  Copies it out, if so. */
bool
ga_toast_pointer(Datum value, struct varatt_external *pointer)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(value);

	if (!VARATT_IS_EXTERNAL_ONDISK(given))
		return false;
	VARATT_EXTERNAL_GET_POINTER(*pointer, given);
	return true;
}

/* Open its valid index.  There is a second one while it is built anew. */
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
 * Have a TOAST relation open; another one is closed.  Errors: PostgreSQL's, if
 * there is no such relation, or no valid index.
 */
void
ga_toast_use(GaToastRelation *relation, Oid relid)
{
	if (relation->relid == relid)
		return;
	ga_toast_release(relation);
	relation->table = table_open(relid, AccessShareLock);
	relation->index = open_index(relation->table);
	relation->by_page = ga_toast_is_heap(relation);
	relation->has_strategy = false;
	relation->xmin = InvalidTransactionId;
	relation->relid = relid;
}

/* Close it, if it is open. */
void
ga_toast_release(GaToastRelation *relation)
{
	if (!OidIsValid(relation->relid))
		return;
	relation->relid = InvalidOid;
	index_close(relation->index, AccessShareLock);
	table_close(relation->table, AccessShareLock);
}

/* Is an open relation a heap, whose pages we know? */
bool
ga_toast_is_heap(const GaToastRelation *relation)
{
	return relation->table->rd_rel->relam == HEAP_TABLE_AM_OID;
}

/*
 * How buffers are taken for what has to be read from disk: a large relation's
 * must not drive out all others, by the rule of sequential scans.  One ring
 * does for the session, since a new one would begin with fresh buffers.
 */
static BufferAccessStrategy
strategy_of(GaToastRelation *relation)
{
	static BufferAccessStrategy ring = NULL;

	if (relation->has_strategy)
		return relation->strategy;
	relation->strategy = NULL;
	if (!RelationUsesLocalBuffers(relation->table) &&
		RelationGetNumberOfBlocks(relation->table) > NBuffers / 4)
	{
		if (ring == NULL)
		{
			MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

			ring = GetAccessStrategy(BAS_BULKREAD);
			MemoryContextSwitchTo(caller);
		}
		relation->strategy = ring;
	}
	relation->has_strategy = true;
	return relation->strategy;
}

/* What SnapshotToast does not see: the remains of what was never finished. */
static bool
is_garbage(HeapTupleHeader tuple)
{
	if (HeapTupleHeaderXminCommitted(tuple))
		return false;
	return HeapTupleHeaderXminInvalid(tuple) ||
		   (tuple->t_infomask & HEAP_MOVED) != 0 ||
		   !TransactionIdIsValid(HeapTupleHeaderGetRawXmin(tuple));
}

/* Is it committed, and has nobody tried to delete it? */
static bool
is_settled(HeapTupleHeader tuple)
{
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);

	if ((tuple->t_infomask & HEAP_XMAX_INVALID) == 0)
		return false;
	return HeapTupleHeaderXminCommitted(tuple) ||
		   (!TransactionIdIsInProgress(xmin) && TransactionIdDidCommit(xmin));
}

/* The chunk at a line pointer, and its tuple; NULL if it is not one. */
static const Chunk *
find_chunk(Page page, OffsetNumber at, HeapTupleHeader *tuple)
{
	const Size header = MAXALIGN(SizeofHeapTupleHeader);
	const Chunk *chunk;
	ItemId item;
	Size size;

	if (at < FirstOffsetNumber || at > PageGetMaxOffsetNumber(page))
		return NULL;
	item = PageGetItemId(page, at);
	if (!ItemIdIsNormal(item) ||
		ItemIdGetLength(item) < header + sizeof(Chunk) + VARHDRSZ)
		return NULL;
	*tuple = (HeapTupleHeader) PageGetItem(page, item);
	if ((*tuple)->t_hoff != header ||
		((*tuple)->t_infomask & HEAP_HASNULL) != 0 ||
		HeapTupleHeaderGetNatts(*tuple) != 3 || is_garbage(*tuple))
		return NULL;
	chunk = (const Chunk *) ((char *) *tuple + header);
	size = ItemIdGetLength(item) - header - offsetof(Chunk, data);
	if ((VARATT_IS_EXTENDED(chunk->data) && !VARATT_IS_SHORT(chunk->data)) ||
		VARSIZE_ANY(chunk->data) > size)
		return NULL;
	return chunk;
}

/* Copy what is wanted of the chunk that is next.  False: it is another one. */
static bool
take_chunk(Reading *reading, Page page, OffsetNumber at)
{
	int32 begin = reading->next * CHUNK_BYTES;
	int32 n = CHUNK_BYTES;
	HeapTupleHeader tuple;
	const Chunk *chunk = find_chunk(page, at, &tuple);
	int32 first;
	int32 end;

	if (reading->next == reading->last_of_value)
		n = VARATT_EXTERNAL_GET_EXTSIZE(*reading->pointer) - begin;
	if (chunk == NULL || chunk->value_id != reading->pointer->va_valueid ||
		chunk->number != reading->next || reading->next > reading->last ||
		VARSIZE_ANY_EXHDR(chunk->data) != n)
		return false;
	first = Max(begin, reading->from);
	end = Min(begin + n, reading->from + reading->n);
	memcpy(reading->to + (first - reading->from),
		   VARDATA_ANY(chunk->data) + (first - begin), end - first);
	if (reading->next++ == 0)
	{
		reading->relation->xmin = HeapTupleHeaderGetRawXmin(tuple);
		reading->relation->is_settled = is_settled(tuple);
	}
	return true;
}

/* The same with some chunks on one page. */
static bool
take_page(Reading *reading, BlockNumber block, const OffsetNumber *at, int n)
{
	GaToastRelation *relation = reading->relation;
	Buffer buffer;
	Page page;
	bool fine = true;
	int i;

	CHECK_FOR_INTERRUPTS();
	buffer = ReadBufferExtended(relation->table, MAIN_FORKNUM, block,
								RBM_NORMAL, strategy_of(relation));
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	for (i = 0; i < n && fine; i++)
		fine = take_chunk(reading, page, at[i]);
	UnlockReleaseBuffer(buffer);
	return fine;
}

/* The index's keys for the chunks that are wanted; returns their number. */
static int
make_keys(const Reading *reading, ScanKey keys)
{
	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(reading->pointer->va_valueid));
	if (reading->first == 0 && reading->last == reading->last_of_value)
		return 1;
	if (reading->first == reading->last)
	{
		ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT4EQ,
					Int32GetDatum(reading->first));
		return 2;
	}
	ScanKeyInit(&keys[1], 2, BTGreaterEqualStrategyNumber, F_INT4GE,
				Int32GetDatum(reading->first));
	ScanKeyInit(&keys[2], 2, BTLessEqualStrategyNumber, F_INT4LE,
				Int32GetDatum(reading->last));
	return 3;
}

/* Read page by page.  False if anything is not as it should be. */
static bool
read_by_page(Reading *reading)
{
	GaToastRelation *relation = reading->relation;
	OffsetNumber at[CHUNKS_ON_PAGE];
	BlockNumber block = InvalidBlockNumber;
	int n = 0;
	bool fine = true;
	ScanKeyData keys[3];
	int n_keys = make_keys(reading, keys);
	SnapshotData room;
	IndexScanDesc scan;
	ItemPointer place;

	scan = ga_index_beginscan(relation->table, relation->index,
							  ga_toast_snapshot(&room), n_keys);
	index_rescan(scan, keys, n_keys, NULL, 0);
	do
	{
		place = index_getnext_tid(scan, ForwardScanDirection);
		if (n > 0 && (place == NULL || n == CHUNKS_ON_PAGE ||
					  ItemPointerGetBlockNumber(place) != block))
		{
			fine = take_page(reading, block, at, n);
			n = 0;
		}
		if (place != NULL)
		{
			block = ItemPointerGetBlockNumber(place);
			at[n++] = ItemPointerGetOffsetNumber(place);
		}
	} while (place != NULL && fine);
	index_endscan(scan);
	return fine && reading->next == reading->last + 1;
}

/* Prepare to read, and do it page by page if that is how. */
static bool
begin(GaToastRelation *relation, const struct varatt_external *pointer,
	  int32 from, int32 n, char *to)
{
	int32 size = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	Reading reading = {relation, pointer, from, n, to};

	Assert(relation->relid == pointer->va_toastrelid);
	Assert(from >= 0 && n > 0 && n <= size - from);
	relation->xmin = InvalidTransactionId;
	relation->is_settled = false;
	reading.first = reading.next = from / CHUNK_BYTES;
	reading.last = (from + n - 1) / CHUNK_BYTES;
	reading.last_of_value = (size - 1) / CHUNK_BYTES;
	return relation->by_page && read_by_page(&reading);
}

/*
 * Read n bytes of a value from byte `from` on, as they are stored: of its
 * compressed form, if it is compressed.  They have to be within it; the
 * relation is open.  Errors: PostgreSQL's own, if the value is damaged.  Throws
 * if the query is cancelled.
 */
void
ga_toast_read(GaToastRelation *relation, const struct varatt_external *pointer,
			  int32 from, int32 n, char *to)
{
	struct varlena *slice;

	if (n == 0 || begin(relation, pointer, from, n, to))
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
 * The raw xmin of a value's first chunk, which stays as it is when the chunk
 * is frozen; InvalidTransactionId if it was not found page by page.
 */
TransactionId
ga_toast_xmin(GaToastRelation *relation, const struct varatt_external *pointer)
{
	char byte;

	return begin(relation, pointer, 0, 1, &byte) ? relation->xmin :
												   InvalidTransactionId;
}
