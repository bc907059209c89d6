/*
 * protocol.h
 *		What a backend and gpuaggd say to each other.
 *
 * Over a unix socket of type SOCK_SEQPACKET: each message is one packet, a
 * GaRequest or a GaReply, in the machine's own byte order, for both ends are
 * on it and were installed together.  A backend says GA_HELLO first; what does
 * not know this version, or is of another life of the server, is turned away.
 *
 * Bulk data goes through staging memory: a memfd that gpuaggd makes and lets
 * the device read and write directly.  A session that has work asks for a
 * window of it, with GA_LEASE; the answer brings the descriptor.  A window is
 * slots; the session fills one, sends a request about it, and leaves it alone
 * until the answer is there: in the slot, if the session looks there, or by the
 * socket.  Requests are answered in the order in which they were sent.  To close the socket is to cancel all of them.
 *
 * Values that are stored out of line can stay in the device's memory.  A
 * session names them, with GA_SUM_STORED, and has the sums of those that are
 * resident; of the others it is told what to do: most often to load them, with
 * GA_LOAD, and to ask again.
 *
 * Neither end trusts what it reads here further than its own bounds: gpuaggd
 * checks every offset, and copies what it checked.
 */
#ifndef GA_PROTOCOL_H
#define GA_PROTOCOL_H

#include "exact/element.h"
#include "ladder/ladder.h"
#include "oid_guard.h"
#include "exact/partial_sum.h"
#include "exact/status.h"

#define GA_PROTOCOL_MAGIC	UINT32_C(0x47504147)
#define GA_PROTOCOL_VERSION 3

/* A window, and its slots. */
#define GA_LEASE_SLOTS 4
#define GA_SLOT_BYTES  (UINT32_C(2) << 20)
#define GA_LEASE_BYTES (GA_LEASE_SLOTS * GA_SLOT_BYTES)

/* Arrays that a slot has room for at most, and sums that need a wide record. */
#define GA_SLOT_ARRAYS 4096
#define GA_SLOT_FULL   64

/* An array's elements: their place among the slot's data. */
typedef struct GaSlotArray
{
	uint32_t at; /* bytes, a multiple of the element's size */
	uint32_t n;	 /* elements */
} GaSlotArray;

/* Which stored value of the session's database: its TOAST pointer. */
typedef struct GaStoredKey
{
	uint32_t relation;	/* va_toastrelid */
	uint32_t value;		/* va_valueid */
	uint32_t raw_bytes; /* va_rawsize */
	uint32_t ext_info;	/* va_extinfo */
} GaStoredKey;

/* What there is to say about a value that was asked for. */
typedef enum GaStoredState
{
	GA_STORED_RESIDENT = 0, /* here is what was asked for */
	GA_STORED_LOAD,			/* there is room for it: load it, and ask again */
	GA_STORED_BUSY,			/* it is being loaded, perhaps by who asks */
	GA_STORED_DOUBT,		/* it may be another one that had its id: ask
								 * again, with the xmin */
	GA_STORED_STREAM		/* there is no room for it */
} GaStoredState;

/* A value that is asked for: among a slot's data, from its start on. */
typedef struct GaStoredRef
{
	GaStoredKey key;
	uint32_t xmin;		 /* raw, of its first chunk; 0 if not looked up */
	uint32_t is_settled; /* ... which is committed, and nobody deletes */
	uint32_t state;		 /* the answer: a GaStoredState */
	uint32_t n;			 /* the answer: its elements, if it is resident */
} GaStoredRef;

/* Wide sums of values lie among the data, behind GA_SLOT_ARRAYS of these. */
#define GA_STORED_FULL_AT ((uint32_t) (GA_SLOT_ARRAYS * sizeof(GaStoredRef)))
#define GA_STORED_FULL \
	((GA_SLOT_DATA_BYTES - GA_STORED_FULL_AT) / (uint32_t) sizeof(GaFullRecord))

/* Elements of a value that is being loaded, in the order in which they lie. */
typedef struct GaLoadSegment
{
	GaStoredKey key;
	uint32_t xmin;		 /* raw, of its first chunk */
	uint32_t at;		 /* among the slot's data, bytes */
	uint32_t n;			 /* elements */
	uint32_t from;		 /* ... of the value before these */
	uint32_t n_all;		 /* ... of the value in all */
	uint32_t is_settled; /* as in GaStoredRef */
} GaLoadSegment;

/* Pieces begin at multiples of this among the data, so that they are aligned. */
#define GA_LOAD_ALIGN 64

typedef enum GaOpcode
{
	/* Begin.  Answer: GA_OK and a device, or GA_BAD_VERSION and the end. */
	GA_HELLO = 1,

	/*
	 * Ask for a window; a session has one at most.  Answer: GA_OK and the
	 * memfd as ancillary data, or GA_NO_CAPACITY if all are taken (and, if the
	 * session wants to wait, when one is free again).
	 */
	GA_LEASE,

	/* Give the window back, with no request under way.  No answer. */
	GA_RELEASE_LEASE,

	/* The sums of a slot's arrays.  Answer: sums[], wide[], n_full. */
	GA_SUM,

	/*
	 * Running totals of one array, or of a piece of it, whose elements are the
	 * slot's first data; its totals go behind them, to GA_TOTALS_AT.  Answer:
	 * n_totals and sum, as in GaScanResult; a wide record is wide[0].  Or the
	 * elements are those of a stored value, if that is resident, and the slot
	 * has totals only; the answer's state says if it is, and what else to do.
	 */
	GA_SCAN,

	/*
	 * The sums of the values that a slot names.  Answer: state and n of each,
	 * and sums[] of those that are resident, in the same order but without
	 * gaps; wide sums at GA_STORED_FULL_AT, n_full.
	 */
	GA_SUM_STORED,

	/* Pieces of values that the session was told to load.  Answer: a status. */
	GA_LOAD,

	/* Load nothing of what the session was told to.  No answer. */
	GA_CANCEL_LOADS,

	/*
	 * Time a rung of a ladder, on elements that the device makes; needs a
	 * window, but no slot.  Answer: the rung and how many there are, ms,
	 * max_error, same_bits.  With repeats = 0 nothing is timed, and the rung is
	 * empty if there is none of that number.
	 */
	GA_RUNG,

	/* What devices there are.  Answers: one for each, at least one. */
	GA_DEVICES,

	/* What is resident.  Answer: n_rows, and a memfd with as many GaCacheRow. */
	GA_CACHE,

	/* Forget values.  Answer: n_rows, how many. */
	GA_CLEAR,

	/* What was done since the start, or since the last GA_RESET. */
	GA_STAT,

	/* Count from zero again.  Answer: as GA_STAT, before that. */
	GA_RESET
} GaOpcode;

/* Is it about a slot, which is gpuaggd's until it is answered? */
static inline bool
ga_uses_slot(uint32_t operation)
{
	return operation >= GA_SUM && operation <= GA_LOAD;
}

/* How a session asks for values. */
typedef struct GaAskHow
{
	uint64_t scan;		/* one for each of a session's statements */
	GaOidSample sample; /* taken after the session got to know the
								 * values */
	uint32_t waits;		/* for values that others are loading */
	uint32_t loads;		/* may be told to load */
} GaAskHow;

typedef struct GaRequest
{
	uint32_t operation;
	uint32_t slot; /* of sums and running totals */
	union
	{
		struct
		{
			uint32_t magic;
			uint32_t version;
			uint64_t boot_token; /* one for each life of the server */
			uint32_t database;	 /* its OID, and the raw xmin of its row */
			uint32_t database_xmin;
		} hello;
		struct
		{
			uint32_t waits;
		} window;
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
			uint32_t wide_totals; /* of int8: GaInt128, not int64_t */
			uint32_t exclusive;
			uint32_t continues;		 /* what the session's running totals before
									 * this piece came to is before it */
			uint32_t n_before_bytes; /* > 0: a sum is before it, serialized,
										 * where wide[] is */
			uint32_t is_value; /* the elements are a stored value's: ... */
			uint32_t from;	   /* ... from this one on */
			GaStoredRef value;
			GaAskHow how;
		} scan;
		struct
		{
			uint32_t type;
			uint32_t n_values;
			GaAskHow how;
		} values;
		struct
		{
			uint32_t type;
			uint32_t n_segments;
			uint32_t n_data_bytes;
		} load;
		struct
		{
			uint32_t ladder; /* a GaLadder */
			uint32_t rung;
			uint32_t type;
			uint32_t repeats; /* up to GA_LADDER_REPEATS */
			uint64_t n;		  /* 1 to GA_LADDER_ELEMENTS */
		} rung;
		struct
		{
			uint32_t relation; /* 0 is all, of all databases */
		} clear;
	} u;
} GaRequest;

/* What is resident of one TOAST relation. */
typedef struct GaCacheRow
{
	uint32_t device; /* its ordinal */
	uint32_t database;
	uint32_t database_xmin;
	uint32_t relation;
	uint64_t n_values;
	uint64_t n_bytes; /* of elements */
	uint64_t n_hits;
	int64_t used_us; /* since 1970 */
} GaCacheRow;

/* Counters since since_us. */
typedef struct GaStatRow
{
	uint64_t n_requests;  /* that went to a device */
	uint64_t n_arrays;	  /* that were sent with them */
	uint64_t n_hits;	  /* values that were resident */
	uint64_t n_misses;	  /* ... that had to be loaded */
	uint64_t n_streamed;  /* ... that there was no room for */
	uint64_t n_evictions; /* values that made room for others */
	uint64_t n_bytes_in;  /* copied to devices */
	uint64_t n_bytes_out; /* ... from devices, but for sums */
	double device_ms;
	int64_t since_us;  /* since 1970 */
	uint64_t n_values; /* that are resident now, and their bytes */
	uint64_t n_cache_bytes;
	uint64_t cache_bytes; /* that there may be */
	uint64_t n_refused;	  /* as in GaScanRequest */
} GaStatRow;

/* A device, as GA_DEVICES tells; device.h says what it means. */
typedef struct GaDeviceRow
{
	uint32_t index; /* of n_devices */
	uint32_t n_devices;
	int32_t ordinal;
	int32_t major;
	int32_t minor;
	int32_t n_multiprocessors;
	int32_t driver_version;
	int32_t runtime_version;
	uint64_t memory_bytes;
	uint64_t free_bytes;
	uint64_t budget_bytes;
	uint64_t used_bytes;
	uint32_t n_sessions; /* that are connected, to all devices */
	uint32_t n_leases;	 /* ... and have a window */
	char name[128];
	char id[48];
	char kind[16]; /* "cuda", "emulated" */
} GaDeviceRow;

typedef struct GaReply
{
	uint32_t operation; /* of the request */
	uint32_t slot;
	int32_t status; /* a GaStatus */
	uint32_t n_full;
	union
	{
		struct
		{
			uint64_t offset; /* of the window in the memfd */
			uint32_t keeps;	 /* may be kept while there is no work; otherwise
								 * it is to be given back with the
								 * transaction's end */
		} window;
		struct
		{
			double device_ms;
		} sum;
		struct
		{
			uint64_t n_totals;
			GaPartialSum sum;
			uint32_t state; /* of a value */
			uint32_t n_all; /* ... and its elements */
		} scan;
		struct
		{
			GaRung rung;
			uint32_t n_rungs;
			uint32_t same_bits; /* as in GaRungRequest */
			double ms;
			double max_error;
		} rung;
		struct
		{
			uint64_t n_rows;
		} cache;
		GaStatRow stat;
		GaDeviceRow device;
	} u;
	char reason[256]; /* "cudaMalloc: out of memory (2)"; or empty */
} GaReply;

/*
 * How the reply about a slot comes.  Who awaits it looks at the slot for a
 * while, which costs gpuaggd nothing; who goes to sleep says so, to be woken up
 * by the socket.  Each reply comes one way only.
 */
typedef enum GaReplyState
{
	GA_REPLY_BY_SOCKET = 0,
	GA_REPLY_AWAITED, /* it is to be put here */
	GA_REPLY_HERE
} GaReplyState;

typedef struct GaSlotReply
{
	uint32_t state; /* a GaReplyState, set before the request is sent */
	GaReply reply;
} GaSlotReply;

/*
 * Change a state, with all that was written before.  False: it was another, and
 * all is seen that was written before it became that.
 */
static inline bool
ga_reply_change(GaSlotReply *room, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&room->state, &from, to, false,
									   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* If it is GA_REPLY_HERE, the reply is to be read. */
static inline GaReplyState
ga_reply_state(const GaSlotReply *room)
{
	return (GaReplyState) __atomic_load_n(&room->state, __ATOMIC_ACQUIRE);
}

/* What a slot begins with; the rest of it is data. */
typedef struct GaSlot
{
	GaSlotArray arrays[GA_SLOT_ARRAYS];
	union
	{
		GaPartialSum sums[GA_SLOT_ARRAYS]; /* the answer */
		GaLoadSegment pieces[GA_SLOT_ARRAYS];
	};
	GaFullRecord wide[GA_SLOT_FULL];
	GaSlotReply reply;
} GaSlot;

#define GA_SLOT_DATA_AT	   ((uint32_t) ((sizeof(GaSlot) + 4095) / 4096 * 4096))
#define GA_SLOT_DATA_BYTES (GA_SLOT_BYTES - GA_SLOT_DATA_AT)

/* Where totals begin among a slot's data, behind so many bytes of elements. */
#define GA_TOTALS_AT(n_bytes) (((uint32_t) (n_bytes) + 15) / 16 * 16)

#endif /* GA_PROTOCOL_H */
