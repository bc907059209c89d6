/*
 * protocol.h
 *		The packets that a backend and gpuaggd exchange.
 *
 * The socket is a unix socket of type SOCK_SEQPACKET: each message is one
 * packet, a GaRequest or a GaReply, in the machine's own byte order, since
 * both ends run on one machine and were installed together.  A backend sends
 * GA_HELLO first; gpuaggd turns a client away that has another version of this
 * file, or another boot token.  The first fields of both packets, up to the
 * reply's status, and GA_BAD_VERSION are the same in all versions: so each can
 * tell another one by its answer.
 *
 * Bulk data goes through staging memory: a memfd that gpuaggd makes and that
 * the device reads and writes directly.  GA_LEASE requests a lease of it, some
 * slots (slot.h); the reply brings the descriptor.  A session fills a slot,
 * sends a request about it, and does not touch the slot until the reply is
 * there: in the slot, or on the socket.  Requests are answered in the order in
 * which they were sent.  Closing the socket cancels all of them.
 *
 * Stored arrays (out of line, TOAST) can stay in the device's memory.  A
 * session names them in GA_REDUCE_STORED and receives results of those that
 * are resident; for each of the others the reply says what to do, most often to
 * load it with GA_LOAD, as a whole, and to ask again.  They are named in lookup
 * slots, in memory of the session's own, which no device needs to read.
 *
 * There may be several devices, numbered from 0.  The session chooses one for
 * each request; a stored array is always looked up on the same one (route.h).
 * A device that has failed is missing in the devices of all later replies.
 *
 * Neither end trusts what it reads here further than its own bounds: each
 * copies a field or a record, and checks the copy.  A session keeps for itself
 * what it asked for.
 */
#ifndef GA_PROTOCOL_H
#define GA_PROTOCOL_H

#include "exact/element.h"
#include "ladder/ladder.h"
#include "oid_guard.h"
#include "view_rows.h"
#include "exact/reduction.h"
#include "exact/status.h"
#include "exact/window.h"

/* Slots of a lease at most, and lookup slots of a session. */
#define GA_LEASE_SLOTS	4
#define GA_LOOKUP_COUNT 8

/* Devices of a gpuaggd at most; a set of them has a bit for each. */
#define GA_MAX_DEVICES 64

#define GA_PROTOCOL_MAGIC	UINT32_C(0x47504147)
#define GA_PROTOCOL_VERSION 21

/* A stored array of the session's database: its TOAST pointer. */
typedef struct GaStoredKey
{
	uint32_t relation;	/* va_toastrelid */
	uint32_t value_id;	/* va_valueid */
	uint32_t raw_bytes; /* va_rawsize */
	uint32_t ext_info;	/* va_extinfo */
} GaStoredKey;

/*
 * A part of a stored array: n of the elements that are not NULL, from one on.
 * If n is 0, all of them.
 */
typedef struct GaStoredPart
{
	uint32_t from;
	uint32_t n;
} GaStoredPart;

#define GA_STORED_ALL ((GaStoredPart){0, 0})

/* The most arrays behind its own of which a request has results. */
#define GA_AHEAD_MOST 256

/*
 * Which arrays besides its own a request has results of: n at most, those
 * behind its own, or behind those of another request of the session, which was
 * sent before it, for the same device: 1 + that one's slot.
 */
typedef struct GaAheadWanted
{
	uint32_t n; /* GA_AHEAD_MOST at most */
	uint32_t behind;
} GaAheadWanted;

/* The answer about a stored array. */
typedef enum GaStoredState
{
	GA_STORED_RESIDENT = 0, /* the reply has what was requested */
	GA_STORED_LOAD,			/* memory is reserved: load it, and ask again */
	GA_STORED_BUSY,	  /* being loaded, perhaps by the requesting session */
	GA_STORED_DOUBT,  /* its id may have been reused: ask again, with xmin */
	GA_STORED_STREAM, /* no memory for it: send the elements each time */
	GA_STORED_MISSING /* ask again to load it, as the lookup said */
} GaStoredState;

/* A stored array in a request, and its answer. */
typedef struct GaStoredRef
{
	GaStoredKey key;
	uint32_t xmin;		 /* raw, of its first chunk; 0 if not looked up */
	uint16_t is_settled; /* xmin is committed, and the chunk has no xmax */
	uint16_t is_missed;	 /* the session asked before, in vain: no hit */
	GaStoredPart part;	 /* GA_REDUCE_STORED: what is to be reduced */
	uint32_t state;		 /* the answer: a GaStoredState */
	uint32_t n; /* the answer: the elements reduced, if it is resident */
} GaStoredRef;

/*
 * Does a session load what is missing?  If it does so later, nothing is evicted
 * for that before it has named all arrays of its query: those that are resident
 * are in use by then.
 */
typedef enum GaStoredLoads
{
	GA_LOADS_NOTHING = 0,
	GA_LOADS_NOW,
	GA_LOADS_LATER
} GaStoredLoads;

/* How a session looks stored arrays up. */
typedef struct GaStoredLookup
{
	uint64_t statement_id; /* one for each execution of a query */
	GaOidSample sample;	   /* taken after the session got the pointers */
	uint32_t waits;		   /* until another session has loaded them */
	uint32_t loads;		   /* a GaStoredLoads */

	/*
	 * Of a single array: that of the same device which the query came to before
	 * it; relation 0: none.
	 */
	GaStoredKey previous;
} GaStoredLookup;

typedef enum GaOpcode
{
	/*
	 * Begin.  Reply: GA_OK and a device, or GA_BAD_VERSION or GA_NO_CAPACITY
	 * (too many sessions), and the end.
	 */
	GA_HELLO = 1,

	/*
	 * Request a lease, or more slots for the one that the session has.  Reply:
	 * GA_OK, all slots of the lease, and the memfd as ancillary data; there may
	 * be fewer slots than were requested.  GA_NO_CAPACITY if all are taken,
	 * after the time that the session waits for one.
	 */
	GA_LEASE,

	/* Release the lease, with no request under way.  No reply. */
	GA_RELEASE_LEASE,

	/*
	 * Request lookup slots, instead of those that the session has, with no
	 * request under way.  Reply: GA_OK, their size, and a memfd of their own;
	 * or GA_NO_CAPACITY, and the session keeps those that it has.
	 */
	GA_LOOKUP_SLOTS,

	/* Sum each of a slot's arrays.  Reply: sums[], full[], n_full. */
	GA_SUM,

	/*
	 * Compute running totals of one array, or of a segment of it, whose
	 * elements are the slot's first data; the totals go behind them, to
	 * GA_TOTALS_AT.  Reply: n_totals and sum, as in GaScanRequest; a full
	 * record is full[0].  Or the elements are those of a stored array, if that
	 * is resident, and the slot has totals only; the reply's state says
	 * whether it is, and what else to do.
	 */
	GA_SCAN,

	/*
	 * Reduce each of the stored arrays that a slot names, or a part of it: what
	 * the array has of that part.  Reply: state and n of each, and results in
	 * sums[] of those that are resident, in the same order but without gaps,
	 * ga_reduction_records() for each; full records, n_full.  A reduction of
	 * pairs takes the first two arrays, the next two, and so on; a pair has
	 * results if both are resident, with the same n.  If they have to be lines
	 * (GaLoadSegment), the n of another one is 0, which gives no results.  A
	 * single array, and no part of one, may be followed by other arrays of the
	 * same relation: n_ahead are named behind it, and have results.
	 */
	GA_REDUCE_STORED,

	/*
	 * Reduce the stored arrays that a slot of the lease names, position by
	 * position: n positions from one on.  All have n_all elements.  Reply:
	 * state and n of each; if all are resident and have as many elements, the
	 * slot's data are the results, as in GaElemRequest.  If they have to be
	 * lines (GaLoadSegment), the n of another one is 0.
	 */
	GA_ELEM,

	/*
	 * Make the values of windows over a stored array, or a part of it: n of
	 * them, from one on.  Reply: its state; if it is resident, the slot's data
	 * are the results, as in GaWindowRequest.  All buckets of a whole array may
	 * be followed by those of other arrays of the same relation, which the slot
	 * names: as if all were one array.
	 */
	GA_WINDOW,

	/*
	 * Load segments of stored arrays, as GA_STORED_LOAD requested.  Reply: a
	 * status.
	 */
	GA_LOAD,

	/* Cancel the loads that GA_STORED_LOAD requested.  No reply. */
	GA_CANCEL_LOADS,

	/*
	 * Time the kernels of a ladder, by gpuagg-ladder; needs no lease.  While
	 * another session's ladder runs, this one waits.  Replies: an event each,
	 * the last one of which is GA_LADDER_END, perhaps with a failure.
	 */
	GA_LADDER,

	/* Describe the devices.  Replies: one for each, at least one. */
	GA_DEVICES,

	/* List what is resident.  Reply: n_rows, and a memfd of GaCacheRow. */
	GA_CACHE,

	/*
	 * Remove resident arrays, and overwrite the memory that they had.  Replies:
	 * GA_PENDING and how many so far, several times a second; at last n_rows,
	 * how many.
	 */
	GA_CLEAR,

	/* Return the counters since the start, or since the last GA_RESET. */
	GA_STAT,

	/* Return the counters as GA_STAT does, then set them to zero. */
	GA_RESET
} GaOpcode;

/* Does a request use a slot, which is gpuaggd's until it is answered? */
static inline bool
ga_uses_slot(uint32_t opcode)
{
	return opcode >= GA_SUM && opcode <= GA_LOAD;
}

typedef struct GaRequest
{
	uint32_t opcode; /* a GaOpcode */
	uint32_t slot;	 /* if it uses one */
	union
	{
		struct
		{
			uint32_t magic;
			uint32_t version;
			uint64_t boot_token;	/* one for each start of the server */
			uint32_t database;		/* its OID, */
			uint64_t database_hash; /* and what tells it from others with it */
		} hello;
		struct
		{
			uint32_t n_slots; /* in all, GA_LEASE_SLOTS at most */
			uint32_t wait_ms; /* until the first of them is free */
		} lease;
		struct
		{
			uint32_t is_large; /* slots for thousands of arrays */
		} lookup_slots;
		struct
		{
			uint32_t type; /* a GaElementType */
			uint32_t n_arrays;
			uint32_t n_data_bytes; /* that the arrays lie in */
		} sum;
		struct
		{
			uint32_t type;
			uint32_t n;
			uint32_t is_int128; /* totals of int8: GaInt128, not int64_t */

			/*
			 * What comes before: the session's last segment, or a serialized
			 * sum of so many bytes, which lies where full[] is.
			 */
			uint32_t continues;
			uint32_t n_prefix_bytes;

			uint32_t is_stored; /* the elements are those of `stored`, */
			uint32_t from;		/* from this one on */
			GaStoredRef stored;
			GaStoredLookup lookup;
		} scan;
		struct
		{
			uint32_t type;
			uint32_t reduction; /* a GaReduction */
			uint32_t n_arrays;	/* whose results fit in sums[] */
			GaAheadWanted ahead;
			uint32_t lines; /* have the arrays of pairs to be lines? */
			GaStoredLookup lookup;
		} stored;
		struct
		{
			uint32_t type;
			uint32_t n_arrays;
			uint32_t form;	/* a GaElemForm */
			uint32_t lines; /* have the arrays to be lines? */
			uint32_t n_all; /* elements of each array */
			uint32_t from;	/* position */
			uint32_t n;		/* whose results fit in the slot's data */
			GaStoredLookup lookup;
		} elem;
		struct
		{
			uint32_t type;
			uint32_t form;	   /* a GaElemForm, but no record */
			GaWindows windows; /* over the n elements of a part, */
			uint32_t from;	   /* from this one of the array on */
			uint32_t first;	   /* window */
			uint32_t n;		   /* whose results fit in the slot's data */
			GaAheadWanted ahead;
			GaStoredRef stored;
			GaStoredLookup lookup;
		} window;
		struct
		{
			uint32_t type;
			uint32_t n_segments;
			uint32_t n_data_bytes;
		} load;
		GaLadderCall ladder;
		struct
		{
			uint32_t relation; /* 0 is all, of all databases */
		} clear;
	} u;
	uint32_t device; /* if it uses a slot */
} GaRequest;

typedef struct GaReply
{
	uint32_t opcode; /* of the request */
	uint32_t slot;
	int32_t status; /* a GaStatus */
	uint32_t n_full;
	uint64_t device_us; /* from submission to completion; 0: no device */
	uint64_t devices;	/* a bit for each one that works */
	int64_t put_ns;		/* when it was put into its slot: CLOCK_MONOTONIC */
	uint32_t n_active;	/* sessions with requests */
	union
	{
		struct
		{
			uint64_t offsets[GA_LEASE_SLOTS]; /* of the slots in the memfd */
			uint32_t n_slots;
			uint32_t keeps; /* 1: the session may keep the lease while idle;
							 * 0: release it at the end of the transaction */
		} lease;
		struct
		{
			uint64_t offset;   /* in the memfd */
			uint32_t n_arrays; /* of each slot, */
			uint32_t n_full;   /* and its full records */
			uint32_t keeps;	   /* as that of a lease */
		} lookup_slots;
		struct
		{
			uint32_t n_ahead; /* other arrays */
			uint32_t is_last; /* no others are known behind them */
		} sum;
		struct
		{
			uint64_t n_totals;
			GaPartialSum sum;
			uint32_t state; /* of the stored array */
			uint32_t n_all; /* its elements */
		} scan;
		struct
		{
			uint32_t has_results;
		} elem;
		struct
		{
			uint32_t state;	  /* of the stored array */
			uint32_t n_ahead; /* other arrays, */
			uint32_t n_more;  /* and their windows */
			uint32_t is_last; /* no others are known behind them */
		} window;
		struct
		{
			uint32_t event; /* a GaLadderEvent */
			GaLadderRow row;
		} ladder;
		struct
		{
			uint64_t n_rows;
		} cache;
		GaStatRow stat;
		GaDeviceRow device;
	} u;
	char reason[256]; /* "cudaMalloc: out of memory (2)"; or empty */
} GaReply;

#endif /* GA_PROTOCOL_H */
