/*
 * totals.c
 *		Running totals of elements that come in pieces.
 *
 * The CPU computes them from the elements to the totals.  For the device they
 * go through the slots of the session's window, one piece behind the other:
 * while it is at one, the next is copied in, and the one before copied out.
 * gpuaggd adds up what came before a piece; we do, too, so that the CPU can go
 * on at any piece.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "batch.h"
#include "client.h"
#include "extension/engine/engine.h"
#include "exact/exact_sum_io.h"
#include "totals.h"
#include "stored.h"

/* Elements that the CPU does between two looks for a cancellation. */
#define PIECE (1 << 20)

/* A run of elements on its way through the slots. */
typedef struct Pieces
{
	GaScan *scan;
	const char *in; /* NULL: the scan's array */
	char *out;
	size_t n;
	size_t in_size;	 /* bytes of an element */
	size_t out_size; /* ... and of a total */
	size_t piece;	 /* elements in one */
	size_t n_in;	 /* elements that were sent */
	size_t n_out;	 /* totals that are there */
	int next_slot;
	int n_sent; /* pieces under way */
	bool overflow;
	bool is_missing; /* the value is not resident */
	size_t n_begun;	 /* elements before the first piece that was sent
								 * in this go */
} Pieces;

/* Begin, by the device if there is no reason why not. */
void
ga_scan_begin(GaScan *scan, GaElementType type, GaReason reason)
{
	scan->type = type;
	scan->reason = reason;
	ga_full_sum_init(&scan->floats);
	memset(&scan->ints, 0, sizeof(scan->ints));
	scan->array = NULL;
	scan->is_resident = false;
	scan->n_done = 0;
}

/*
 * Begin with an array argument, which is open.  If it is stored and the device
 * is to do it, its elements need not be read.
 */
void
ga_scan_begin_array(GaScan *scan, GaArray *array, Datum value, GaReason reason)
{
	ga_scan_begin(scan, array->type, reason);
	if (scan->reason == GA_NO_REASON && ga_stored_key(value, &scan->key))
	{
		scan->array = array;
		scan->is_resident = true;
	}
}

/*
 * The next run of elements that is to be passed, of an array that was begun
 * with; 0 behind the last one.  It is NULL if they need not be read.
 */
int
ga_scan_next_run(GaScan *scan, GaArray *array, const void **run)
{
	if (scan->array == NULL)
		return ga_array_next_run(array, run);
	*run = NULL;
	return ga_array_n_values(array) - (int) scan->n_done;
}

static size_t
total_size(GaElementType type)
{
	return type == GA_int8	 ? sizeof(GaInt128) :
		   type == GA_float4 ? sizeof(float4) :
							   sizeof(int64);
}

/* The total so far, as bytes for gpuaggd; 0 if there is none. */
static uint32
put_before(GaScan *scan, GaSlot *slot)
{
	uint8 *bytes = (uint8 *) slot->full;

	if (!ga_element_is_float(scan->type))
		return scan->ints.n == 0 ? 0 : ga_int_sum_serialize(&scan->ints, bytes);
	return ga_full_sum(&scan->floats)->n == 0 ?
			   0 :
			   ga_exact_sum_serialize(ga_full_sum(&scan->floats), bytes);
}

/* Are the elements on the device already? */
static bool
is_resident(const Pieces *pieces)
{
	return pieces->in == NULL && pieces->scan->is_resident;
}

/* Elements of a piece at most: with their totals they fill a slot. */
static size_t
piece_size(const Pieces *pieces)
{
	return (GA_SLOT_DATA_BYTES - 16) /
		   ((is_resident(pieces) ? 0 : pieces->in_size) + pieces->out_size);
}

/* Put a piece's elements into a slot. */
static void
put_elements(Pieces *pieces, int i, size_t n)
{
	char *to = ga_client_slot_data(i);

	if (pieces->in == NULL)
		ga_array_read(pieces->scan->array, pieces->scan->n_done + pieces->n_in,
					  n, to);
	else
		memcpy(to, pieces->in + pieces->n_in * pieces->in_size,
			   n * pieces->in_size);
}

/* Send the next piece.  False if the connection is gone. */
static bool
send_piece(Pieces *pieces)
{
	GaRequest request = {.opcode = GA_SCAN};
	int i = pieces->next_slot;
	size_t n = Min(pieces->n - pieces->n_in, pieces->piece);

	request.slot = i;
	request.u.scan.type = pieces->scan->type;
	request.u.scan.n = n;
	request.u.scan.is_int128 = pieces->scan->type == GA_int8;
	request.u.scan.continues = pieces->n_in > pieces->n_begun;
	if (!request.u.scan.continues)
		request.u.scan.n_prefix_bytes =
			put_before(pieces->scan, ga_client_slot(i));
	if (is_resident(pieces))
	{
		request.u.scan.is_stored = true;
		request.u.scan.from = pieces->scan->n_done + pieces->n_in;
		request.u.scan.stored.key = pieces->scan->key;
		request.u.scan.stored.xmin = ga_array_xmin(pieces->scan->array);
		request.u.scan.stored.is_settled =
			ga_array_is_settled(pieces->scan->array);
		ga_stored_how(&request.u.scan.lookup, false, true);
	}
	else
		put_elements(pieces, i, n);
	if (!ga_client_send(&request))
		return false;
	pieces->next_slot = (i + 1) % GA_LEASE_SLOTS;
	pieces->n_in += n;
	pieces->n_sent++;
	return true;
}

/* The slot of the piece that was sent first. */
static int
first_slot(const Pieces *pieces)
{
	return (pieces->next_slot + GA_LEASE_SLOTS - pieces->n_sent) %
		   GA_LEASE_SLOTS;
}

/* Take the totals of the piece that was sent first. */
static GaReason
take_totals(Pieces *pieces, int i, const GaReply *reply)
{
	GaScan *scan = pieces->scan;
	GaSlot *slot = ga_client_slot(i);
	size_t n = Min(pieces->n - pieces->n_out, pieces->piece);
	size_t n_totals = Min(reply->u.scan.n_totals, n);

	if (reply->opcode != GA_SCAN || reply->slot != i)
		return GA_REASON_GONE;
	if (reply->status != GA_OK)
		return reply->status == GA_NO_MEMORY ? GA_REASON_MEMORY :
											   GA_REASON_FAILED;
	if (is_resident(pieces) && reply->u.scan.state != GA_STORED_RESIDENT)
	{
		pieces->n_sent--;
		pieces->is_missing = true;
		return GA_NO_REASON;
	}
	if (n_totals == n)
	{
		if (!ga_element_is_float(scan->type))
			ga_partial_merge_int(&scan->ints, n, &reply->u.scan.sum);
		else if ((reply->u.scan.sum.kind == GA_PARTIAL_FULL &&
				  reply->u.scan.sum.limb[0] != 0) ||
				 ga_partial_merge(ga_full_sum(&scan->floats), n,
								  &reply->u.scan.sum, slot->full) != GA_OK)
			return GA_REASON_FAILED;
	}
	memcpy(pieces->out + pieces->n_out * pieces->out_size,
		   ga_client_slot_data(i) +
			   (is_resident(pieces) ? 0 : GA_TOTALS_AT(n * pieces->in_size)),
		   n_totals * pieces->out_size);
	pieces->n_out += n_totals;
	pieces->n_sent--;
	pieces->overflow = n_totals < n;
	return GA_NO_REASON;
}

/* Pieces that may be under way: one, until it is clear that there are any. */
static int
most_sent(const Pieces *pieces)
{
	return is_resident(pieces) && pieces->n_out == pieces->n_begun ?
			   1 :
			   GA_LEASE_SLOTS;
}

/*
 * Have the device do all pieces, until one overflows or the value is missing.
 * Returns a reason why it did not.
 */
static pg_noinline GaReason
do_pieces(Pieces *pieces)
{
	pieces->piece = piece_size(pieces);
	while (pieces->n_out < pieces->n && !pieces->overflow &&
		   !pieces->is_missing)
	{
		int first;
		GaReply reply;
		bool is_there;
		GaReason reason;

		while (pieces->n_sent < most_sent(pieces) && pieces->n_in < pieces->n &&
			   send_piece(pieces))
			;
		if (pieces->n_sent == 0)
			return GA_REASON_GONE;
		first = first_slot(pieces);
		reason = ga_client_receive(first, &reply, true, &is_there);
		if (reason == GA_NO_REASON)
			reason = take_totals(pieces, first, &reply);
		if (reason != GA_NO_REASON)
			return reason;
	}
	return GA_NO_REASON;
}

/* Take the replies to pieces behind one that was not done. */
static GaReason
drop_pieces(Pieces *pieces)
{
	GaReason reason = GA_NO_REASON;

	while (pieces->n_sent > 0 && reason == GA_NO_REASON)
	{
		GaReply reply;
		bool is_there;

		reason = ga_client_receive(first_slot(pieces), &reply, true, &is_there);
		if (reason == GA_NO_REASON)
			pieces->n_sent--;
	}
	pieces->n_in = pieces->n_begun = pieces->n_out;
	pieces->is_missing = false;
	return reason;
}

/*
 * The same, by any way: with the value on the device, with its loading if it
 * is not there, or with its elements sent if there is no room for it.
 */
static GaReason
do_all(Pieces *pieces)
{
	GaScan *scan = pieces->scan;
	GaReason reason = do_pieces(pieces);
	int n_loads = 0;

	while (reason == GA_NO_REASON && pieces->is_missing)
	{
		reason = drop_pieces(pieces);
		if (reason == GA_NO_REASON && n_loads++ == 0)
		{
			ga_stored_load(scan->type, &scan->key);
			reason = ga_client_open(false);
		}
		else
			scan->is_resident = false;
		if (reason == GA_NO_REASON)
			reason = do_pieces(pieces);
	}
	return reason;
}

/*
 * Totals by the device, as many as it does.  What it did not, and no overflow,
 * is left to the CPU, and why is in scan->reason.
 */
static size_t
scan_by_device(GaScan *scan, const void *in, size_t n, void *out,
			   bool *overflow)
{
	Pieces pieces = {.scan = scan,
					 .in = in,
					 .out = out,
					 .n = n,
					 .in_size = ga_element_size(scan->type),
					 .out_size = total_size(scan->type)};

	/* sums under way use the same slots */
	ga_batch_finish();
	scan->reason = ga_client_open(false);
	if (scan->reason == GA_NO_REASON)
	{
		PG_TRY();
		{
			scan->reason = do_all(&pieces);
		}
		PG_CATCH();
		{
			ga_batch_reset();
			PG_RE_THROW();
		}
		PG_END_TRY();
	}
	/* pieces that nobody waits for */
	if (pieces.n_sent > 0)
		ga_batch_reset();
	ga_session_stat_count(GA_NO_REASON, 0, pieces.n_out);
	ga_engine_report(scan->reason);
	*overflow = pieces.overflow;
	return pieces.n_out;
}

/* Totals by the CPU, of elements that are at hand. */
static size_t
scan_by_cpu(GaScan *scan, const char *in, size_t n, char *out)
{
	size_t done = 0;
	size_t piece = 0;
	size_t n_totals = 0;

	for (; done < n && n_totals == piece; done += n_totals)
	{
		CHECK_FOR_INTERRUPTS();
		piece = Min(n - done, PIECE);
		n_totals = ga_cpu_scan(ga_scan_sum(scan), scan->type,
							   in + done * ga_element_size(scan->type), piece,
							   out + done * total_size(scan->type));
		ga_session_stat_count(scan->reason, 0, n_totals);
	}
	return done;
}

/* Totals by the CPU, of the next elements of the array. */
static size_t
scan_array_by_cpu(GaScan *scan, size_t n, char *out)
{
	size_t size = ga_element_size(scan->type);
	size_t room = Min(n, GA_PIECE_BYTES / size);
	char *elements = palloc(room * size);
	size_t done = 0;
	size_t piece = 0;
	size_t n_totals = 0;

	for (; done < n && n_totals == piece; done += n_totals)
	{
		piece = Min(n - done, room);
		ga_array_read(scan->array, scan->n_done + done, piece, elements);
		n_totals = scan_by_cpu(scan, elements, piece,
							   out + done * total_size(scan->type));
	}
	pfree(elements);
	return done;
}

/*
 * Running totals of the next n elements.  in may be unaligned, and is NULL for
 * those of the scan's array; out is of the floats' type, int64, or GaInt128 for
 * int8.  Returns the number of outputs: n, or the index of the element whose
 * total overflows.  Throws if the query is cancelled.
 */
size_t
ga_scan_run(GaScan *scan, const void *in, size_t n, void *out)
{
	size_t in_size = ga_element_size(scan->type);
	size_t done = 0;
	bool overflow = false;
	char *rest;

	if (scan->reason == GA_NO_REASON)
		done = scan_by_device(scan, in, n, out, &overflow);
	scan->n_done += done;
	rest = (char *) out + done * total_size(scan->type);
	if (done < n && !overflow)
	{
		size_t n_totals =
			in == NULL ? scan_array_by_cpu(scan, n - done, rest) :
						 scan_by_cpu(scan, (const char *) in + done * in_size,
									 n - done, rest);

		scan->n_done += n_totals;
		done += n_totals;
	}
	return done;
}
