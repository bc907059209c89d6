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
 * window of it, with GA_ASK_WINDOW; the answer brings the descriptor.  A window is
 * slots; the session fills one, sends a request about it, and leaves it alone
 * until the answer is there.  Requests are answered in the order in which they
 * were sent.  To close the socket is to cancel all of them.
 *
 * Neither end trusts what it reads here further than its own bounds: gpuaggd
 * checks every offset, and copies what it checked.
 */
#ifndef GA_PROTOCOL_H
#define GA_PROTOCOL_H

#include "element.h"
#include "partial_sum.h"
#include "status.h"

#define GA_PROTOCOL_MAGIC	UINT32_C(0x47504147)
#define GA_PROTOCOL_VERSION 1

/* A window, and its slots. */
#define GA_WINDOW_SLOTS		4
#define GA_SLOT_BYTES		(UINT32_C(2) << 20)
#define GA_WINDOW_BYTES		(GA_WINDOW_SLOTS * GA_SLOT_BYTES)

/* Arrays that a slot has room for at most, and sums that need a wide record. */
#define GA_SLOT_ARRAYS		4096
#define GA_SLOT_WIDE		64

/* An array's elements: their place among the slot's data. */
typedef struct GaSlotArray
{
	uint32_t	at;				/* bytes, a multiple of the element's size */
	uint32_t	n;				/* elements */
} GaSlotArray;

/* What a slot begins with; the rest of it is data. */
typedef struct GaSlot
{
	GaSlotArray arrays[GA_SLOT_ARRAYS];
	GaPartialSum sums[GA_SLOT_ARRAYS];	/* the answer */
	GaWideSum	wide[GA_SLOT_WIDE];
} GaSlot;

#define GA_SLOT_DATA_AT \
	((uint32_t) ((sizeof(GaSlot) + 4095) / 4096 * 4096))
#define GA_SLOT_DATA_BYTES	(GA_SLOT_BYTES - GA_SLOT_DATA_AT)

/* Where totals begin among a slot's data, behind so many bytes of elements. */
#define GA_TOTALS_AT(n_bytes) (((uint32_t) (n_bytes) + 15) / 16 * 16)

typedef enum GaOperation
{
	/* Begin.  Answer: GA_OK and a device, or GA_BAD_VERSION and the end. */
	GA_HELLO = 1,

	/*
	 * Ask for a window; a session has one at most.  Answer: GA_OK and the
	 * memfd as ancillary data, or GA_NO_ROOM if all are taken (and, if the
	 * session wants to wait, when one is free again).
	 */
	GA_ASK_WINDOW,

	/* Give the window back, with no request under way.  No answer. */
	GA_GIVE_WINDOW,

	/* The sums of a slot's arrays.  Answer: sums[], wide[], n_wide. */
	GA_SUM,

	/*
	 * Running totals of one array, or of a piece of it, whose elements are the
	 * slot's first data; its totals go behind them, to GA_TOTALS_AT.  Answer:
	 * n_totals and sum, as in GaScanResult; a wide record is wide[0].
	 */
	GA_SCAN,

	/* What devices there are.  Answers: one for each, at least one. */
	GA_DEVICES
} GaOperation;

typedef struct GaRequest
{
	uint32_t	operation;
	uint32_t	slot;			/* of sums and running totals */
	union
	{
		struct
		{
			uint32_t	magic;
			uint32_t	version;
			uint64_t	boot_token; /* one for each life of the server */
		}			hello;
		struct
		{
			uint32_t	waits;
		}			window;
		struct
		{
			uint32_t	type;	/* a GaElementType */
			uint32_t	n_arrays;
			uint32_t	n_data_bytes;	/* that the arrays lie in */
		}			sum;
		struct
		{
			uint32_t	type;
			uint32_t	n;
			uint32_t	wide_totals;	/* of int8: GaInt128, not int64_t */
			uint32_t	exclusive;
			uint32_t	continues;	/* what the session's running totals before
									 * this piece came to is before it */
			uint32_t	n_before_bytes; /* > 0: a sum is before it, serialized,
										 * where wide[] is */
		}			scan;
	}			u;
} GaRequest;

/* A device, as GA_DEVICES tells; device.h says what it means. */
typedef struct GaDeviceRow
{
	uint32_t	index;			/* of n_devices */
	uint32_t	n_devices;
	int32_t		ordinal;
	int32_t		major;
	int32_t		minor;
	int32_t		n_multiprocessors;
	int32_t		driver_version;
	int32_t		runtime_version;
	uint64_t	memory_bytes;
	uint64_t	free_bytes;
	uint64_t	budget_bytes;
	uint64_t	used_bytes;
	uint32_t	n_sessions;		/* that are connected, to all devices */
	uint32_t	n_windows;		/* ... and have a window */
	char		name[128];
	char		id[48];
	char		kind[16];		/* "cuda", "emulated" */
} GaDeviceRow;

typedef struct GaReply
{
	uint32_t	operation;		/* of the request */
	uint32_t	slot;
	int32_t		status;			/* a GaStatus */
	uint32_t	n_wide;
	char		reason[256];	/* "cudaMalloc: out of memory (2)"; or empty */
	union
	{
		struct
		{
			uint64_t	offset; /* of the window in the memfd */
			uint32_t	keeps;	/* may be kept while there is no work; otherwise
								 * it is to be given back with the
								 * transaction's end */
		}			window;
		struct
		{
			double		device_ms;
		}			sum;
		struct
		{
			uint64_t	n_totals;
			GaPartialSum sum;
		}			scan;
		GaDeviceRow device;
	}			u;
} GaReply;

#endif							/* GA_PROTOCOL_H */
