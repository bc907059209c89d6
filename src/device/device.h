/*
 * device.h
 * 		The interface of a device, which reduces arrays in its own memory.
 *
 * There are two kinds: ga_device_cuda (kernels/host) is a GPU;
 * ga_device_emulated (emulated/) computes by the CPU engine and injects faults.
 * Both return the same bits.  Called by gpuaggd, by gpuagg-ladder, by tests and
 * benchmarks.
 *
 * Copies and requests are submitted to a queue, which executes them in order,
 * one request at a time.  Functions do not block, except for: open, close,
 * allocate, free, register_host and wait; submissions of requests and poll, if
 * a request needs more workspace than its queue has; and the first
 * submission after a request that failed.  A queue belongs to one thread at a
 * time; several threads may use queues of one device.
 *
 * A function that can fail returns a status, and sets *failure to the call that
 * failed and its message.  After GA_DEVICE_FAILED from a queue the device must
 * be closed; after all other failures it can still be used.
 */
#ifndef GA_DEVICE_H
#define GA_DEVICE_H

#include "exact/elem_form.h"
#include "exact/element.h"
#include "exact/packed.h"
#include "exact/partial_sum.h"
#include "exact/reduction.h"
#include "exact/status.h"
#include "exact/window.h"

/* An address in the device's memory, in bytes; 0 is none. */
typedef uint64_t GaDeviceAddress;

typedef struct GaDevice GaDevice;
typedef struct GaDeviceQueue GaDeviceQueue;

typedef struct GaDeviceFailure
{
	char call[48];	   /* "cudaMalloc" */
	char message[208]; /* "out of memory (2)" */
} GaDeviceFailure;

/* Faults that the emulated device injects; a GPU ignores them. */
typedef struct GaDeviceFaults
{
	/* The number of the allocation that fails, from 1; 0 is none. */
	uint32_t fail_allocation;

	/*
	 * The number of the first allocation that fails as all later ones do, each
	 * after some milliseconds: another program has the memory.
	 */
	uint32_t no_memory_after;

	uint32_t other_memory_mb; /* that another program has of the device */

	/* The number of the launch, that is, request, ... */
	uint32_t fail_launch;	 /* whose result is a failure */
	uint32_t refuse_launch;	 /* that is refused: out of memory */
	uint32_t hang_launch;	 /* that never finishes */
	uint32_t block_launch;	 /* whose submission never returns */
	uint32_t crash_launch;	 /* that ends the process with SIGABRT */
	uint32_t wrong_pack;	 /* that packs a vector wrong */
	uint32_t refuse_surveys; /* up to which surveys are refused */

	/*
	 * The reductions whose results are wrong, a bit each: 1 << GA_REDUCE_SUM;
	 * by position those of ga_elem_reduction(); 1 << GA_WINDOW_VALUES; or 1 <<
	 * GA_PACKED_VECTORS, and packing finds vectors that it cannot decode.
	 */
	uint32_t wrong_bits;
	bool wrong_packed_sums; /* sums of packed arrays are wrong */
} GaDeviceFaults;

typedef struct GaDeviceOptions
{
	int ordinal;		   /* number of the device, from 0 */
	uint64_t budget_bytes; /* of allocations and workspaces; 0 is no limit */
	GaDeviceFaults faults;
} GaDeviceOptions;

typedef struct GaDeviceInfo
{
	char name[128]; /* "NVIDIA H200" */
	char id[48];	/* PCI bus id */
	int major;		/* compute capability; 0.0 if emulated */
	int minor;
	int n_multiprocessors;
	int driver_version; /* 1000 * major + 10 * minor */
	int runtime_version;
	uint64_t memory_bytes; /* of the device */
	uint64_t free_bytes;   /* of the device, not allocated by any process */
	uint64_t budget_bytes; /* 0 is no limit */
	uint64_t used_bytes;   /* of the budget */
} GaDeviceInfo;

/* Sums by position, where reductions have a bit each. */
#define GA_ELEM_SUMS GA_N_ALL_REDUCTIONS

/* Values of windows, likewise. */
#define GA_WINDOW_VALUES (GA_ELEM_SUMS + 1)

/* Packed vectors, likewise. */
#define GA_PACKED_VECTORS (GA_WINDOW_VALUES + 1)

/* Return the bit of a form, where reductions have one each. */
static inline int
ga_elem_reduction(GaElemForm form)
{
	return form == GA_FORM_MIN ? (int) GA_REDUCE_MIN :
		   form == GA_FORM_MAX ? (int) GA_REDUCE_MAX :
								 (int) GA_ELEM_SUMS;
}

/* Most elements of an array; longer ones are sent in segments. */
#define GA_DEVICE_MAX_ELEMENTS UINT32_C(0x3fffffff)

/*
 * Most device memory that a queue allocates as workspace for requests of no
 * more than some megabytes.  It is freed when the queue is closed.
 */
#define GA_DEVICE_WORKSPACE_BYTES (UINT64_C(6) << 20)

/* Most arrays of a request. */
#define GA_DEVICE_MAX_ARRAYS (1 << 24)

/*
 * Elements of the request's type in device memory, without NULLs, with the
 * alignment of an element.  All requests but those that pack read packed
 * elements, too, if the address is one of ga_packed_address().
 */
typedef struct GaDeviceArray
{
	GaDeviceAddress data; /* any address if n is 0 */
	uint64_t n;
} GaDeviceArray;

/*
 * The sum of each of many arrays.  The request and all memory that it points to
 * belong to the caller, and must stay in place until it is finished.
 */
typedef struct GaSumRequest
{
	GaElementType type;
	uint32_t n_arrays;
	const GaDeviceArray *arrays;
	GaPartialSum *results; /* one for each array */

	/*
	 * Full records for the sums that need them.  Those that do not fit become
	 * GA_PARTIAL_NO_CAPACITY; the caller submits their arrays again.
	 */
	GaFullRecord *full;
	uint32_t full_capacity;

	/*
	 * Results, besides: the sums that need a full record, which have NaN or
	 * infinities, or digits more than some 160 bits apart; and the time on the
	 * device, < 0 if not measured.
	 */
	uint32_t n_full;
	double device_ms;
} GaSumRequest;

/*
 * A reduction other than the sum of each of many arrays, or pairs of arrays,
 * which may lie in memory in several parts.  As for a GaSumRequest, all memory
 * is the caller's.
 */
typedef struct GaReduceRequest
{
	GaReduction reduction; /* not GA_REDUCE_SUM */
	GaElementType type;
	uint32_t n_parts;
	const GaDeviceArray *parts;
	const GaDeviceArray *others; /* of pairs: for each part one as long */

	/*
	 * The first n_parts_of[0] parts are of the first result, and so on.  A
	 * result is of GA_DEVICE_MAX_ELEMENTS at most.
	 */
	uint32_t n_results;
	const uint32_t *n_parts_of; /* they add up to n_parts; none is 0 */
	GaPartialSum *results;		/* ga_reduction_records() for each */
	double device_ms;			/* as in GaSumRequest */
} GaReduceRequest;

/*
 * Arrays of one length are reduced position by position: element i of all
 * arrays, for each i of a range.  The arrays may lie in memory in pieces, which
 * end at the same positions in all of them: piece p has n_of[p] positions, and
 * those of array r are at arrays[p * n_arrays + r], with the alignment of an
 * element.  As for a GaSumRequest, all memory is the caller's.
 */
typedef struct GaElemRequest
{
	GaElementType type;
	uint32_t n_arrays; /* not 0 */
	uint32_t n_pieces;
	const uint32_t *n_of; /* none is 0 */
	const GaDeviceAddress *arrays;

	GaElemForm form; /* that the type has: ga_elem_has_form() */

	/*
	 * Memory of the device, aligned to 16 bytes, for the results of all
	 * positions, of ga_elem_all_bytes().
	 */
	GaDeviceAddress out;
	double device_ms; /* as in GaSumRequest */
} GaElemRequest;

/*
 * The values of windows over an array, which may lie in memory in pieces, or of
 * buckets of several: as for a GaSumRequest, all memory is the caller's.
 * ga_windows_fault() says which windows a form may have.
 */
typedef struct GaWindowRequest
{
	GaElementType type;
	uint32_t n_pieces;
	const GaDeviceArray *pieces; /* none is empty */

	/*
	 * Several arrays, of which all buckets are wanted: the first n_pieces_of[0]
	 * pieces are of the first, and so on.  Or 0: the pieces are one array.
	 */
	uint32_t n_arrays;
	const uint32_t *n_pieces_of; /* they add up to n_pieces; none is 0 */
	GaWindows windows;			 /* n as the pieces have it */
	uint32_t first;				 /* of the windows that are wanted */
	uint32_t n;					 /* how many are */

	GaElemForm form; /* that the type has: ga_window_has_form() */

	/*
	 * Host memory for the results of the n windows, aligned to 8 bytes, of
	 * ga_elem_all_bytes().  If it is not pinned, submitting may block.
	 */
	void *out;
	double device_ms; /* as in GaSumRequest */
} GaWindowRequest;

/*
 * Plain elements that are to be packed, as exact/packed.h says: some of an
 * array, from one of its vectors on.  All pieces of an array but the last one
 * have a multiple of GA_PACKED_VECTOR elements.
 */
typedef struct GaPackPiece
{
	GaDeviceAddress data; /* aligned to 16 bytes */
	uint32_t n;			  /* not 0 */

	/* Memory for the headers of its vectors, aligned to their size. */
	GaDeviceAddress headers;
} GaPackPiece;

/*
 * An array that is to be packed, and the memory for its payloads: pages of
 * GA_PACKED_PAGE_BYTES.
 */
typedef struct GaPackArray
{
	uint32_t n_pieces; /* not 0 */

	/* Where the first page is free from, a multiple of 16; or its end. */
	uint32_t at;

	/* What a survey found: pages, and the bytes of all payloads. */
	uint32_t n_pages;
	uint64_t n_bytes;

	/* For packing: the address of each page, aligned to 256 bytes. */
	const GaDeviceAddress *pages;
} GaPackArray;

/*
 * Arrays that are packed in two steps.  A survey chooses the form of each
 * vector, and places its payload: it writes headers that have a place among the
 * pages.  Packing writes payloads, and headers that have addresses, and decodes
 * what it wrote: if any element is not what it was, the packed arrays are of no
 * use.  The plain elements remain as they are.  As for a GaSumRequest, all
 * memory is the caller's.
 */
typedef struct GaPackRequest
{
	GaElementType type;
	uint32_t n_arrays;
	GaPackArray *arrays;
	const GaPackPiece *pieces; /* of all arrays, one after the other */
	uint32_t n_pieces;
	uint64_t n_wrong; /* what packing found: vectors that do not decode */
	double device_ms; /* as in GaSumRequest */
} GaPackRequest;

/* The type of totals; for int2 and int4 it is int64_t, for floats their own. */
typedef enum GaScanTotals
{
	GA_TOTALS_PLAIN = 0, /* for int8: int64_t, as long as they fit */
	GA_TOTALS_INT128	 /* for int8 only: GaInt128 */
} GaScanTotals;

/*
 * What a device learned when it made the running totals of an array of floats:
 * the scale on which it did, or that there is none.  Given with the same array
 * the next time, it saves the search.  Only devices look into it; all zero
 * is no hint.  The totals have the same bits whatever the hint is: a wrong hint
 * costs time.
 */
typedef struct GaScanHint
{
	int16_t unit;	   /* exponent of the unit of the first level */
	uint16_t n_levels; /* of the scale, or GA_SCAN_NO_SCALE */
} GaScanHint;

#define GA_SCAN_NO_SCALE UINT16_MAX

/*
 * The inclusive running totals of one array, or of a segment of it: total i is
 * that of the prefix and of the elements 0 to i.  Exclusive totals are these,
 * moved on by one place.
 */
typedef struct GaScanRequest
{
	GaElementType type;
	GaScanTotals totals;
	GaDeviceAddress in;	 /* as in GaDeviceArray */
	GaDeviceAddress out; /* memory for n totals, aligned to their size, but
						  * GaInt128 to 8 bytes; must not overlap in */
	uint64_t n;

	/*
	 * The sum of all elements before this segment: a GaExactSum or a GaIntSum
	 * in host memory; NULL is none.  It may be beyond the type of the totals:
	 * whether the first total fits is what counts.
	 */
	const void *prefix;
	GaScanHint hint;

	/* the answer */
	GaPartialSum sum;	  /* of the n elements, without the prefix; has no
						   * meaning after an overflow */
	GaFullRecord full;	  /* the sum, if its kind is GA_PARTIAL_FULL */
	uint64_t n_totals;	  /* n, or the index of the first total beyond the
						   * type; totals from there on have no meaning */
	GaScanHint next_hint; /* to be given with the same array next time */
	uint32_t n_refused;	  /* scales that were tried and did not do */
	double device_ms;	  /* as in GaSumRequest */
} GaScanRequest;

/*
 * A kind of device: its name and functions.  Statuses besides GA_OK: count and
 * open GA_NO_DRIVER, GA_OLD_DRIVER, GA_NO_DEVICE; open, allocate, register_host
 * and queue_open GA_NO_MEMORY; copies and zero GA_BAD_REQUEST while a request
 * is in progress; submissions of requests GA_BAD_REQUEST, GA_NO_MEMORY (split
 * the request); poll GA_PENDING; poll and wait GA_NO_MEMORY, if the
 * request failed so; any of them GA_DEVICE_FAILED.
 */
typedef struct GaDeviceKind
{
	const char *name; /* "cuda", "emulated" */

	/* Count the devices; GA_NO_DEVICE if there is none. */
	GaStatus (*count)(int *n_devices, GaDeviceFailure *failure);

	GaStatus (*open)(const GaDeviceOptions *options, GaDevice **device,
					 GaDeviceFailure *failure);
	/* Queues must be closed before; all device memory is freed. */
	void (*close)(GaDevice *device);
	GaStatus (*describe)(GaDevice *device, GaDeviceInfo *info,
						 GaDeviceFailure *failure);

	/* Allocate device memory, aligned to 256 bytes, not initialized. */
	GaStatus (*allocate)(GaDevice *device, uint64_t n_bytes,
						 GaDeviceAddress *address, GaDeviceFailure *failure);
	void (*free)(GaDevice *device, GaDeviceAddress address); /* or 0 */

	/*
	 * Pin host memory, whole pages which must stay mapped until they are
	 * unregistered.  Copies from or to other memory are possible, but may
	 * block.
	 */
	GaStatus (*register_host)(GaDevice *device, void *start, size_t n_bytes,
							  GaDeviceFailure *failure);
	void (*unregister_host)(GaDevice *device, void *start);

	/*
	 * Open or close a queue.  event_fd is the eventfd of notify(), or -1.
	 * Closing waits for the queue's work, unless the emulated device hangs.
	 */
	GaStatus (*queue_open)(GaDevice *device, int event_fd,
						   GaDeviceQueue **queue, GaDeviceFailure *failure);
	void (*queue_close)(GaDeviceQueue *queue);

	GaStatus (*copy_in)(GaDeviceQueue *queue, GaDeviceAddress to,
						const void *from, size_t n_bytes,
						GaDeviceFailure *failure);
	GaStatus (*copy_out)(GaDeviceQueue *queue, void *to, GaDeviceAddress from,
						 size_t n_bytes, GaDeviceFailure *failure);

	/* Overwrite device memory with zeros, in order with the queue's copies. */
	GaStatus (*zero)(GaDeviceQueue *queue, GaDeviceAddress at, uint64_t n_bytes,
					 GaDeviceFailure *failure);

	/*
	 * Submit a request.  The queue accepts no other submission until poll() or
	 * wait() has returned a status other than GA_PENDING.
	 */
	GaStatus (*sum)(GaDeviceQueue *queue, GaSumRequest *request,
					GaDeviceFailure *failure);
	GaStatus (*reduce)(GaDeviceQueue *queue, GaReduceRequest *request,
					   GaDeviceFailure *failure);
	GaStatus (*elem)(GaDeviceQueue *queue, GaElemRequest *request,
					 GaDeviceFailure *failure);
	GaStatus (*window)(GaDeviceQueue *queue, GaWindowRequest *request,
					   GaDeviceFailure *failure);
	GaStatus (*scan)(GaDeviceQueue *queue, GaScanRequest *request,
					 GaDeviceFailure *failure);
	GaStatus (*survey)(GaDeviceQueue *queue, GaPackRequest *request,
					   GaDeviceFailure *failure);
	GaStatus (*pack)(GaDeviceQueue *queue, GaPackRequest *request,
					 GaDeviceFailure *failure);

	/* Return GA_PENDING unless all submissions are finished; does not wait. */
	GaStatus (*poll)(GaDeviceQueue *queue, GaDeviceFailure *failure);

	/*
	 * Add 1 to the event_fd when poll() should be called: all submissions are
	 * finished, or a request needs its next step.
	 */
	GaStatus (*notify)(GaDeviceQueue *queue, GaDeviceFailure *failure);

	/* Wait until all submissions are finished, and return as poll() does. */
	GaStatus (*wait)(GaDeviceQueue *queue, GaDeviceFailure *failure);

	/* Measure device_ms of each request or not; it costs some microseconds. */
	void (*measure)(GaDeviceQueue *queue, bool on);
} GaDeviceKind;

extern const GaDeviceKind ga_device_emulated;

/* The address is NULL in programs linked without CUDA. */
extern const GaDeviceKind ga_device_cuda __attribute__((weak));

#endif /* GA_DEVICE_H */
