/*
 * scan.c
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
#include "engine.h"
#include "exact_sum_io.h"
#include "scan.h"

/* Elements that the CPU does between two looks for a cancellation. */
#define PIECE			(1 << 20)

/* A run of elements on its way through the slots. */
typedef struct Pieces
{
	GaScan	   *scan;
	const char *in;
	char	   *out;
	size_t		n;
	size_t		in_size;		/* bytes of an element */
	size_t		out_size;		/* ... and of a total */
	size_t		piece;			/* elements in one */
	size_t		n_in;			/* elements that were sent */
	size_t		n_out;			/* totals that are there */
	int			next_slot;
	int			n_sent;			/* pieces under way */
	bool		overflow;
} Pieces;

/* Begin, by the device if there is no reason why not. */
void
ga_scan_begin(GaScan *scan, GaElementType type, GaReason reason)
{
	scan->type = type;
	scan->reason = reason;
	ga_full_sum_init(&scan->floats);
	memset(&scan->ints, 0, sizeof(scan->ints));
}

static size_t
total_size(GaElementType type)
{
	return type == GA_int8 ? sizeof(GaInt128) :
		type == GA_float4 ? sizeof(float4) : sizeof(int64);
}

/* The total so far, as bytes for gpuaggd; 0 if there is none. */
static uint32
put_before(GaScan *scan, GaSlot *slot)
{
	uint8	   *bytes = (uint8 *) slot->wide;

	if (!ga_element_is_float(scan->type))
		return scan->ints.n == 0 ? 0 :
			ga_int_sum_serialize(&scan->ints, bytes);
	return ga_full_sum(&scan->floats)->n == 0 ? 0 :
		ga_exact_sum_serialize(ga_full_sum(&scan->floats), bytes);
}

/* Elements of a piece at most: with their totals they fill a slot. */
static size_t
piece_size(const Pieces *pieces)
{
	return (GA_SLOT_DATA_BYTES - 16) / (pieces->in_size + pieces->out_size);
}

/* Send the next piece.  False if the connection is gone. */
static bool
send_piece(Pieces *pieces)
{
	GaRequest	request = {.operation = GA_SCAN};
	int			i = pieces->next_slot;
	size_t		n = Min(pieces->n - pieces->n_in, pieces->piece);

	request.slot = i;
	request.u.scan.type = pieces->scan->type;
	request.u.scan.n = n;
	request.u.scan.wide_totals = pieces->scan->type == GA_int8;
	request.u.scan.continues = pieces->n_in > 0;
	if (pieces->n_in == 0)
		request.u.scan.n_before_bytes = put_before(pieces->scan,
												   ga_client_slot(i));
	memcpy(ga_client_slot_data(i), pieces->in + pieces->n_in * pieces->in_size,
		   n * pieces->in_size);
	if (!ga_client_send(&request))
		return false;
	pieces->next_slot = (i + 1) % GA_WINDOW_SLOTS;
	pieces->n_in += n;
	pieces->n_sent++;
	return true;
}

/* Take the totals of the piece that was sent first. */
static GaReason
take_totals(Pieces *pieces, int i, const GaReply *reply)
{
	GaScan	   *scan = pieces->scan;
	GaSlot	   *slot = ga_client_slot(i);
	size_t		n = Min(pieces->n - pieces->n_out, pieces->piece);
	size_t		n_totals = Min(reply->u.scan.n_totals, n);

	if (reply->operation != GA_SCAN || reply->slot != i)
		return GA_REASON_GONE;
	if (reply->status != GA_OK)
		return reply->status == GA_NO_MEMORY ? GA_REASON_MEMORY :
			GA_REASON_FAILED;
	if (n_totals == n)
	{
		if (!ga_element_is_float(scan->type))
			ga_partial_merge_int(&scan->ints, n, &reply->u.scan.sum);
		else if ((reply->u.scan.sum.kind == GA_PARTIAL_WIDE &&
				  reply->u.scan.sum.limb[0] != 0) ||
				 ga_partial_merge(ga_full_sum(&scan->floats), n,
								  &reply->u.scan.sum, slot->wide) != GA_OK)
			return GA_REASON_FAILED;
	}
	memcpy(pieces->out + pieces->n_out * pieces->out_size,
		   ga_client_slot_data(i) + GA_TOTALS_AT(n * pieces->in_size),
		   n_totals * pieces->out_size);
	pieces->n_out += n_totals;
	pieces->n_sent--;
	pieces->overflow = n_totals < n;
	return GA_NO_REASON;
}

/*
 * Have the device do all pieces, until one overflows.  Returns a reason why it
 * did not.
 */
static pg_noinline GaReason
do_pieces(Pieces *pieces)
{
	while (pieces->n_out < pieces->n && !pieces->overflow)
	{
		int			first;
		GaReply		reply;
		bool		is_there;
		GaReason	reason;

		while (pieces->n_sent < GA_WINDOW_SLOTS && pieces->n_in < pieces->n &&
			   send_piece(pieces))
			;
		if (pieces->n_sent == 0)
			return GA_REASON_GONE;
		first = (pieces->next_slot + GA_WINDOW_SLOTS - pieces->n_sent) %
			GA_WINDOW_SLOTS;
		reason = ga_client_receive(&reply, true, &is_there);
		if (reason == GA_NO_REASON)
			reason = take_totals(pieces, first, &reply);
		if (reason != GA_NO_REASON)
			return reason;
	}
	return GA_NO_REASON;
}

/*
 * Totals by the device, as many as it does.  What it did not, and no overflow,
 * is left to the CPU, and why is in scan->reason.
 */
static size_t
scan_by_device(GaScan *scan, const void *in, size_t n, void *out,
			   bool *overflow)
{
	Pieces		pieces = {.scan = scan, .in = in, .out = out, .n = n,
		.in_size = ga_element_size(scan->type),
	.out_size = total_size(scan->type)};

	pieces.piece = piece_size(&pieces);

	/* sums under way use the same slots */
	ga_engine_finish();
	scan->reason = ga_client_open(false);
	if (scan->reason == GA_NO_REASON)
	{
		PG_TRY();
		{
			scan->reason = do_pieces(&pieces);
		}
		PG_CATCH();
		{
			ga_client_close();
			PG_RE_THROW();
		}
		PG_END_TRY();
	}
	/* pieces that nobody waits for */
	if (pieces.n_sent > 0)
		ga_client_close();
	ga_engine_count(GA_NO_REASON, 0, pieces.n_out);
	ga_engine_report(scan->reason);
	*overflow = pieces.overflow;
	return pieces.n_out;
}

/*
 * Running totals of the next n elements.  in may be unaligned; out is of the
 * floats' type, int64, or GaInt128 for int8.  Returns the number of outputs:
 * n, or the index of the element whose total overflows.  Throws if the query
 * is cancelled.
 */
size_t
ga_scan_run(GaScan *scan, const void *in, size_t n, void *out)
{
	size_t		in_size = ga_element_size(scan->type);
	size_t		out_size = total_size(scan->type);
	size_t		done = 0;
	bool		overflow = false;

	if (scan->reason == GA_NO_REASON)
		done = scan_by_device(scan, in, n, out, &overflow);
	while (done < n && !overflow)
	{
		size_t		piece = Min(n - done, PIECE);
		size_t		n_totals;

		CHECK_FOR_INTERRUPTS();
		n_totals = ga_cpu_scan(ga_scan_sum(scan), scan->type,
							   (const char *) in + done * in_size, piece,
							   (char *) out + done * out_size);
		ga_engine_count(scan->reason, 0, n_totals);
		done += n_totals;
		overflow = n_totals < piece;
	}
	return done;
}
