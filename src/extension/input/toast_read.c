/*
 * toast_read.c
 *		A value's chunks, page by page.
 *
 * PostgreSQL fetches chunks one by one through the index.  Here the index gives
 * the places of the first ones and of the last one, and the chunks on one page
 * are copied together.  If the last one is no more pages away than the chunks
 * up to there fill, as in a value that was written to free pages, the others
 * are taken page after page, without the index; and while one page is copied,
 * the processor loads the next one.  Where they do not go on, the index gives
 * places again, each time twice as many.
 *
 * May a chunk be taken that the index was not asked for?  It has the value's
 * id, the right number and size, and the raw xmin of the chunk before, back to
 * one that the index gave; all chunks of a value are of one transaction.  An
 * older value of the same id has another xmin, for VACUUM removes it before
 * transaction ids come again.  Chunk 0, whose xmin tells such values apart, is
 * always that of the index.
 *
 * toast.c calls it.  Takes a share lock on a buffer while chunks are found on
 * it, and pins two buffers at most.
 */
#include "postgres.h"
#include "access/genam.h"
#include "access/toast_internals.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "toast_page.h"
#include "toast_read.h"

/* So many chunks are looked up at once. */
#define FEW_CHUNKS 16

/* Of more chunks the index gives so many at first ... */
#define FIRST_LOOKUP 8

/* ... and at most: those of a leaf page or two. */
#define MAX_LOOKUP 512

/* Make the index's keys for chunks; returns their number. */
static int
make_keys(const GaChunkReader *reader, int32 from, int32 to, ScanKey keys)
{
	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(reader->pointer->va_valueid));
	if (from == 0 && to == reader->last_of_value)
		return 1;
	if (from == to)
	{
		ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT4EQ,
					Int32GetDatum(from));
		return 2;
	}
	ScanKeyInit(&keys[1], 2, BTGreaterEqualStrategyNumber, F_INT4GE,
				Int32GetDatum(from));
	ScanKeyInit(&keys[2], 2, BTLessEqualStrategyNumber, F_INT4LE,
				Int32GetDatum(to));
	return 3;
}

/* Begin to look up chunks; `memory` is the snapshot's. */
static IndexScanDesc
begin_lookup(const GaChunkReader *reader, int32 from, int32 to,
			 SnapshotData *memory)
{
	const GaToastRelation *relation = reader->relation;
	ScanKeyData keys[3];
	int n_keys = make_keys(reader, from, to, keys);
	IndexScanDesc scan = ga_index_beginscan(relation->table, relation->index,
											ga_toast_snapshot(memory), n_keys);

	index_rescan(scan, keys, n_keys, NULL, 0);
	return scan;
}

/*
 * Find the next n chunks, on one page, which is pinned in *held.  First copy
 * those of the page that was held before, while this one comes.  Returns false
 * if there are others.
 */
static bool
find_chunks(GaChunkReader *reader, BlockNumber block, const OffsetNumber *at,
			int n, Buffer *held)
{
	Buffer buffer;
	bool is_good = true;
	int i;

	CHECK_FOR_INTERRUPTS();
	buffer = ga_toast_pin(reader->relation, block);
	if (BufferIsValid(*held))
	{
		ga_chunk_copy(reader, buffer);
		ReleaseBuffer(*held);
	}
	*held = buffer;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	for (i = 0; i < n && is_good; i++)
		is_good = ga_chunk_find(reader, buffer, at[i], false);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return is_good;
}

/* Copy the chunks of the page that is held, if any is. */
static void
copy_held(GaChunkReader *reader, Buffer held)
{
	if (!BufferIsValid(held))
		return;
	ga_chunk_copy(reader, InvalidBuffer);
	ReleaseBuffer(held);
}

/*
 * Copy the next chunks, to one, at places of the index.  Returns false if
 * anything is not as expected.
 */
static bool
read_by_index(GaChunkReader *reader, int32 to)
{
	OffsetNumber at[GA_CHUNKS_ON_PAGE];
	BlockNumber block = InvalidBlockNumber;
	Buffer held = InvalidBuffer;
	int n = 0;
	bool is_good = true;
	SnapshotData memory;
	IndexScanDesc scan = begin_lookup(reader, reader->next, to, &memory);
	ItemPointer place;

	do
	{
		place = index_getnext_tid(scan, ForwardScanDirection);
		if (n > 0 && (place == NULL || n == GA_CHUNKS_ON_PAGE ||
					  ItemPointerGetBlockNumber(place) != block))
		{
			is_good = find_chunks(reader, block, at, n, &held);
			n = 0;
		}
		if (place != NULL)
		{
			block = ItemPointerGetBlockNumber(place);
			at[n++] = ItemPointerGetOffsetNumber(place);
		}
	} while (place != NULL && is_good);
	copy_held(reader, held);
	index_endscan(scan);
	return is_good && reader->next == to + 1;
}

/*
 * Look up the value's last two chunks, if those of another value are known.
 * The last one is small, and may have filled a gap far away.  Returns false if
 * they are not there.
 */
static bool
know_end(const GaChunkReader *reader)
{
	GaToastEnd *end = &reader->relation->end;
	const int32 last = reader->last_of_value;
	SnapshotData memory;
	IndexScanDesc scan;
	ItemPointer place;

	if (end->value_id == reader->pointer->va_valueid)
		return true;
	end->value_id = InvalidOid;
	scan = begin_lookup(reader, last - 1, last, &memory);
	place = index_getnext_tid(scan, ForwardScanDirection);
	if (place != NULL)
	{
		end->block = ItemPointerGetBlockNumber(place);
		place = index_getnext_tid(scan, ForwardScanDirection);
	}
	if (place != NULL)
	{
		end->value_id = reader->pointer->va_valueid;
		end->last = *place;
		if (ItemPointerGetBlockNumber(place) == end->block + 1)
			end->block++;
	}
	index_endscan(scan);
	return OidIsValid(end->value_id);
}

/*
 * Are the next chunks probably behind the one found last, page after page?  The
 * value has more than one chunk.
 */
static bool
is_in_line(const GaChunkReader *reader)
{
	const GaToastRelation *relation = reader->relation;
	const int32 n_pages = (reader->last_of_value - relation->last.number +
						   GA_CHUNKS_FILL_PAGE - 1) /
						  GA_CHUNKS_FILL_PAGE;

	return know_end(reader) && relation->end.block >= relation->last.block &&
		   relation->end.block - relation->last.block <= n_pages;
}

/*
 * Find the next chunks on a page, from a line pointer on.  Returns whether they
 * may go on, on the next page.
 */
static bool
find_on_page(GaChunkReader *reader, Buffer buffer, OffsetNumber at)
{
	OffsetNumber max;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	max = PageGetMaxOffsetNumber(BufferGetPage(buffer));
	while (at <= max && reader->n_found < GA_CHUNKS_ON_PAGE &&
		   ga_chunk_find(reader, buffer, at, true))
		at++;
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return at > max && reader->next <= reader->last;
}

/*
 * Copy the next chunks page after page, from the place of the last one on, or
 * behind it, as far as they are there.
 */
static void
read_in_line(GaChunkReader *reader)
{
	GaToastRelation *relation = reader->relation;
	BlockNumber block = relation->last.block;
	OffsetNumber at =
		relation->last.at + (reader->next > relation->last.number);
	Buffer buffer = ga_toast_pin(relation, block);

	while (BufferIsValid(buffer))
	{
		Buffer ahead = InvalidBuffer;

		CHECK_FOR_INTERRUPTS();
		if (find_on_page(reader, buffer, at) && block < relation->end.block)
			ahead = ga_toast_pin(relation, block + 1);
		ga_chunk_copy(reader, ahead);
		ReleaseBuffer(buffer);
		buffer = ahead;
		block++;
		at = FirstOffsetNumber;
	}
}

/*
 * Copy the next chunks page after page, if they are probably there, and then
 * the value's last one, wherever it is.
 */
static void
try_in_line(GaChunkReader *reader)
{
	const ItemPointerData *last = &reader->relation->end.last;
	Buffer held = InvalidBuffer;
	OffsetNumber at;

	if (reader->next > reader->last || !is_in_line(reader))
		return;
	read_in_line(reader);
	if (reader->next == reader->last_of_value && reader->next == reader->last)
	{
		at = ItemPointerGetOffsetNumber(last);
		(void) find_chunks(reader, ItemPointerGetBlockNumber(last), &at, 1,
						   &held);
		copy_held(reader, held);
	}
}

/* Is the next chunk the one that was found last, or the one behind it? */
static bool
is_continued(const GaChunkReader *reader)
{
	const GaToastPlace *last = &reader->relation->last;

	return last->value_id == reader->pointer->va_valueid && reader->next > 0 &&
		   (reader->next == last->number || reader->next == last->number + 1);
}

/*
 * Read page by page.  Returns false if anything is not as expected; then what
 * was copied is not to be used.
 */
bool
ga_toast_read_pages(GaChunkReader *reader)
{
	int32 n = FIRST_LOOKUP;

	if (is_continued(reader))
		try_in_line(reader);
	while (reader->next <= reader->last)
	{
		if (reader->last - reader->next < FEW_CHUNKS)
			n = FEW_CHUNKS;
		if (!read_by_index(reader, Min(reader->next + n - 1, reader->last)))
			return false;
		try_in_line(reader);
		n = Min(2 * n, MAX_LOOKUP);
	}
	return true;
}
