/*
 * toast_chunk.c
 *		Chunks of a value, on a page of its TOAST relation.
 *
 * A transaction with a TOAST pointer may see all chunks of the value, so none
 * is tested for visibility; but each must be the next one, and of the right
 * size.
 *
 * A chunk is found under a share lock on its page, and copied when only a pin
 * is left, as PostgreSQL's scans do it: what a pinned page has is not moved.
 * toast_read.c calls it, and holds pins and locks.
 */
#include "postgres.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "storage/bufpage.h"
#include "storage/procarray.h"

#include "toast_chunk.h"

#define CHUNK_BYTES ((int32) TOAST_MAX_CHUNK_SIZE)

/* Bytes that a processor loads at once. */
#define CACHE_LINE_BYTES 64

/* The columns of a chunk's tuple, behind its header. */
typedef struct Chunk
{
	Oid value_id;
	int32 number;
	char data[FLEXIBLE_ARRAY_MEMBER]; /* a varlena */
} Chunk;

/* Set a reader that has its value and relation to read n bytes from one on. */
void
ga_chunk_reader_init(GaChunkReader *reader, int32 from, int32 n)
{
	int32 size = VARATT_EXTERNAL_GET_EXTSIZE(*reader->pointer);

	Assert(from >= 0 && n > 0 && n <= size - from);
	reader->from = from;
	reader->n = n;
	reader->first = reader->next = from / CHUNK_BYTES;
	reader->last = (from + n - 1) / CHUNK_BYTES;
	reader->last_of_value = (size - 1) / CHUNK_BYTES;
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
get_chunk(Page page, OffsetNumber at, HeapTupleHeader *tuple)
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

/* Return how many bytes the next chunk must have. */
static int32
next_bytes(const GaChunkReader *reader)
{
	if (reader->next < reader->last_of_value)
		return CHUNK_BYTES;
	return VARATT_EXTERNAL_GET_EXTSIZE(*reader->pointer) -
		   reader->next * CHUNK_BYTES;
}

/*
 * Find the next chunk at a line pointer.  Returns false if another one is
 * there, or, if the chunk's place was a guess, one of another transaction.
 */
bool
ga_chunk_find(GaChunkReader *reader, Buffer buffer, OffsetNumber at,
			  bool same_xmin)
{
	GaToastRelation *relation = reader->relation;
	HeapTupleHeader tuple;
	const Chunk *chunk = get_chunk(BufferGetPage(buffer), at, &tuple);
	TransactionId xmin;

	if (chunk == NULL || chunk->value_id != reader->pointer->va_valueid ||
		chunk->number != reader->next || reader->next > reader->last ||
		VARSIZE_ANY_EXHDR(chunk->data) != next_bytes(reader))
		return false;
	xmin = HeapTupleHeaderGetRawXmin(tuple);
	if (same_xmin && xmin != relation->last.xmin)
		return false;
	relation->last = (GaToastPlace){chunk->value_id, chunk->number,
									BufferGetBlockNumber(buffer), at, xmin};
	reader->found[reader->n_found++] = VARDATA_ANY(chunk->data);
	if (reader->next++ == 0)
	{
		relation->xmin = xmin;
		relation->is_settled = is_settled(tuple);
	}
	return true;
}

/*
 * Copy n bytes, and have the processor load as many others into its cache: a
 * line at a time, for it can load only some at once.
 */
static void
copy_and_prefetch(char *to, const char *from, int32 n, const char *others)
{
	int32 done;

	for (done = 0; done + CACHE_LINE_BYTES <= n; done += CACHE_LINE_BYTES)
	{
		__builtin_prefetch(others + done);
		memcpy(to + done, from + done, CACHE_LINE_BYTES);
	}
	memcpy(to + done, from + done, n - done);
	__builtin_prefetch(others + done);
}

/* Return what a page probably has at the place of its chunk i, of full ones. */
static const char *
guess_chunk(Buffer buffer, int i)
{
	return (char *) BufferGetPage(buffer) + BLCKSZ -
		   (i + 1) * (BLCKSZ / GA_CHUNKS_FILL_PAGE);
}

/*
 * Copy what was found on a page, as far as it is wanted.  Meanwhile the
 * processor loads the page in the buffer `ahead`, if that is valid.
 */
void
ga_chunk_copy(GaChunkReader *reader, Buffer ahead)
{
	const int32 wanted_end = reader->from + reader->n;
	int32 begin = (reader->next - reader->n_found) * CHUNK_BYTES;
	int i;

	for (i = 0; i < reader->n_found; i++, begin += CHUNK_BYTES)
	{
		const int32 first = Max(begin, reader->from);
		const int32 n = Min(begin + CHUNK_BYTES, wanted_end) - first;
		const char *from = reader->found[i] + (first - begin);
		char *to = reader->to + (first - reader->from);

		if (BufferIsValid(ahead) && i < GA_CHUNKS_FILL_PAGE)
			copy_and_prefetch(to, from, n, guess_chunk(ahead, i));
		else
			memcpy(to, from, n);
	}
	reader->n_found = 0;
}
