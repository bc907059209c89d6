/*
 * toast.c
 *		The bytes of stored arrays: values in TOAST relations.
 *
 * A TOAST relation has a value in chunks of some 2000 bytes, mostly four to a
 * page.  PostgreSQL fetches them one by one through the index.  Here the index
 * gives only their places, and the chunks that are on one page are copied
 * together.
 *
 * A transaction with a TOAST pointer may see all its chunks, so none is tested
 * for visibility; but each must be the next one, and of the right size.  If
 * anything else is found, the access method reads the value instead, or reports
 * the damage.
 *
 * Owns nothing between two calls: a GaToastRelation is its caller's, and after
 * an error the resource owner closes it.  array_stored.c calls it, and the
 * offload for the xmin.  Locking is that of detoasting: AccessShareLock on the
 * relation and its index, a share lock on the buffer while a page is copied.
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

/* The columns of a chunk's tuple, behind its header. */
typedef struct Chunk
{
	Oid value_id;
	int32 number;
	char data[FLEXIBLE_ARRAY_MEMBER]; /* a varlena */
} Chunk;

/* A read of some bytes of one value. */
typedef struct ChunkReader
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
} ChunkReader;

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
	relation->has_strategy = false;
	relation->xmin = InvalidTransactionId;
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

/*
 * Return the strategy for pages that have to be read from disk.  Those of a
 * large relation must not evict all others, by the rule of sequential scans.
 * The session has one ring, since a new one would begin with fresh buffers.
 */
static BufferAccessStrategy
get_strategy(GaToastRelation *relation)
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

/* Would SnapshotToast skip the tuple, as left by an insertion that failed? */
static bool
is_garbage(HeapTupleHeader tuple)
{
	if (HeapTupleHeaderXminCommitted(tuple))
		return false;
	return HeapTupleHeaderXminInvalid(tuple) ||
		   (tuple->t_infomask & HEAP_MOVED) != 0 ||
		   !TransactionIdIsValid(HeapTupleHeaderGetRawXmin(tuple));
}

/* Is the tuple committed, without an attempt to delete it? */
static bool
is_settled(HeapTupleHeader tuple)
{
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);

	if ((tuple->t_infomask & HEAP_XMAX_INVALID) == 0)
		return false;
	return HeapTupleHeaderXminCommitted(tuple) ||
		   (!TransactionIdIsInProgress(xmin) && TransactionIdDidCommit(xmin));
}

/* Return the chunk at a line pointer, and its tuple; NULL if it is none. */
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

/*
 * Copy the wanted bytes of the next chunk.  Returns false if another one is at
 * the line pointer.
 */
static bool
copy_chunk(ChunkReader *reader, Page page, OffsetNumber at)
{
	int32 begin = reader->next * CHUNK_BYTES;
	int32 n = CHUNK_BYTES;
	HeapTupleHeader tuple;
	const Chunk *chunk = find_chunk(page, at, &tuple);
	int32 first;
	int32 end;

	if (reader->next == reader->last_of_value)
		n = VARATT_EXTERNAL_GET_EXTSIZE(*reader->pointer) - begin;
	if (chunk == NULL || chunk->value_id != reader->pointer->va_valueid ||
		chunk->number != reader->next || reader->next > reader->last ||
		VARSIZE_ANY_EXHDR(chunk->data) != n)
		return false;
	first = Max(begin, reader->from);
	end = Min(begin + n, reader->from + reader->n);
	memcpy(reader->to + (first - reader->from),
		   VARDATA_ANY(chunk->data) + (first - begin), end - first);
	if (reader->next++ == 0)
	{
		reader->relation->xmin = HeapTupleHeaderGetRawXmin(tuple);
		reader->relation->is_settled = is_settled(tuple);
	}
	return true;
}

/* Copy the next n chunks, on one page; returns false if there are others. */
static bool
copy_page(ChunkReader *reader, BlockNumber block, const OffsetNumber *at, int n)
{
	GaToastRelation *relation = reader->relation;
	Buffer buffer;
	Page page;
	bool is_good = true;
	int i;

	CHECK_FOR_INTERRUPTS();
	buffer = ReadBufferExtended(relation->table, MAIN_FORKNUM, block,
								RBM_NORMAL, get_strategy(relation));
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	for (i = 0; i < n && is_good; i++)
		is_good = copy_chunk(reader, page, at[i]);
	UnlockReleaseBuffer(buffer);
	return is_good;
}

/* Make the index's keys for the wanted chunks; returns their number. */
static int
make_keys(const ChunkReader *reader, ScanKey keys)
{
	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(reader->pointer->va_valueid));
	if (reader->first == 0 && reader->last == reader->last_of_value)
		return 1;
	if (reader->first == reader->last)
	{
		ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT4EQ,
					Int32GetDatum(reader->first));
		return 2;
	}
	ScanKeyInit(&keys[1], 2, BTGreaterEqualStrategyNumber, F_INT4GE,
				Int32GetDatum(reader->first));
	ScanKeyInit(&keys[2], 2, BTLessEqualStrategyNumber, F_INT4LE,
				Int32GetDatum(reader->last));
	return 3;
}

/* Read page by page; returns false if anything is not as expected. */
static bool
read_by_page(ChunkReader *reader)
{
	GaToastRelation *relation = reader->relation;
	OffsetNumber at[CHUNKS_ON_PAGE];
	BlockNumber block = InvalidBlockNumber;
	int n = 0;
	bool is_good = true;
	ScanKeyData keys[3];
	int n_keys = make_keys(reader, keys);
	SnapshotData memory;
	IndexScanDesc scan;
	ItemPointer place;

	scan = ga_index_beginscan(relation->table, relation->index,
							  ga_toast_snapshot(&memory), n_keys);
	index_rescan(scan, keys, n_keys, NULL, 0);
	do
	{
		place = index_getnext_tid(scan, ForwardScanDirection);
		if (n > 0 && (place == NULL || n == CHUNKS_ON_PAGE ||
					  ItemPointerGetBlockNumber(place) != block))
		{
			is_good = copy_page(reader, block, at, n);
			n = 0;
		}
		if (place != NULL)
		{
			block = ItemPointerGetBlockNumber(place);
			at[n++] = ItemPointerGetOffsetNumber(place);
		}
	} while (place != NULL && is_good);
	index_endscan(scan);
	return is_good && reader->next == reader->last + 1;
}

/* Read page by page, if the relation is one of those; returns false if not. */
static bool
try_pages(GaToastRelation *relation, const struct varatt_external *pointer,
		  int32 from, int32 n, char *to)
{
	int32 size = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	ChunkReader reader = {relation, pointer, from, n, to};

	Assert(relation->relid == pointer->va_toastrelid);
	Assert(from >= 0 && n > 0 && n <= size - from);
	relation->xmin = InvalidTransactionId;
	relation->is_settled = false;
	reader.first = reader.next = from / CHUNK_BYTES;
	reader.last = (from + n - 1) / CHUNK_BYTES;
	reader.last_of_value = (size - 1) / CHUNK_BYTES;
	return relation->by_page && read_by_page(&reader);
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
