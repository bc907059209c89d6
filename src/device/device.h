/*
 * device.h
 *		A device that sums arrays in its own memory, whatever it is made of.
 *
 * There are two: ga_device_cuda (kernels/) is a GPU, ga_device_emulated
 * computes with the CPU code of src/common and fails when told to.  Both give
 * the same bits.
 *
 * All work goes through a queue: copies and one request at a time, in the
 * order they were submitted.  Nothing here blocks but open, close, allocate
 * and free, registering host memory, and wait; and a request, or a step of it in
 * poll, that takes more memory to work with than its queue has by then; and what
 * is submitted after a request that failed.  A queue belongs to one thread at a
 * time; queues of one device may be used by different threads.
 *
 * Every function that can fail says why: a status, and in *failure the name
 * of the call that failed and what it answered.  After GA_DEVICE_FAILED from
 * a queue the device has to be closed; all other failures leave it usable.
 */
#ifndef GA_DEVICE_H
#define GA_DEVICE_H

#include "exact/element.h"
#include "ladder/ladder.h"
#include "exact/partial_sum.h"
#include "exact/status.h"

/* An address in the device's memory, in bytes; 0 is none. */
typedef uint64_t GaDeviceAddress;

typedef struct GaDevice GaDevice;
typedef struct GaDeviceQueue GaDeviceQueue;

typedef struct GaDeviceFailure
{
	char call[48];	   /* "cudaMalloc" */
	char message[208]; /* "out of memory (2)" */
} GaDeviceFailure;

/* What the emulated device does on purpose; a GPU does not look at it. */
typedef struct GaDeviceFaults
{
	uint32_t fail_allocation; /* the n-th from now on; 0 is never */
	uint32_t fail_launch;	  /* the n-th request is answered with a failure */
	uint32_t refuse_launch;	  /* ... is not taken: out of memory */
	uint32_t hang_launch;	  /* ... is never finished */
	uint32_t crash_launch;	  /* ... ends the process with SIGABRT */
} GaDeviceFaults;

typedef struct GaDeviceOptions
{
	int ordinal;		   /* which of the devices, from 0 */
	uint64_t budget_bytes; /* for all allocations together and what requests
								 * take to work with; 0 is no limit */
	GaDeviceFaults faults;
} GaDeviceOptions;

typedef struct GaDeviceInfo
{
	char name[128]; /* "NVIDIA H200" */
	char id[48];	/* PCI bus id */
	int major;		/* compute capability; 0.0 if emulated */
	int minor;
	int n_multiprocessors;
	int driver_version; /* 1000 * major + 10 * minor, as CUDA has it */
	int runtime_version;
	uint64_t memory_bytes; /* of the device */
	uint64_t free_bytes;   /* ... not taken by anybody */
	uint64_t budget_bytes; /* 0 is no limit */
	uint64_t used_bytes;   /* of the budget */
} GaDeviceInfo;

/* Elements in an array at most; longer ones go in pieces. */
#define GA_DEVICE_MAX_ELEMENTS UINT32_C(0x3fffffff)

/*
 * What requests of no more than some megabytes take of the device's memory to
 * work with, on each queue, at most.  It stays until the queue is closed, or a
 * rung has ended on it.
 */
#define GA_DEVICE_WORKSPACE_BYTES (UINT64_C(6) << 20)

/* Arrays in a request at most. */
#define GA_DEVICE_MAX_ARRAYS (1 << 24)

/*
 * Elements of the request's type in device memory, without NULLs; aligned to
 * the type's own size, no more than that.
 */
typedef struct GaDeviceArray
{
	GaDeviceAddress data; /* anything where n is 0 */
	uint64_t n;
} GaDeviceArray;

/*
 * The sum of each of many arrays.  All that it points to stays the caller's,
 * and in place until the request is finished.
 */
typedef struct GaSumRequest
{
	GaElementType type;
	uint32_t n_arrays;
	const GaDeviceArray *arrays;
	GaPartialSum *results;	/* one for each array */
	GaFullRecord *full;		/* room for the few that need it */
	uint32_t full_capacity; /* how many there fit; more than that become
								 * GA_PARTIAL_NO_CAPACITY: ask again for those */
	/* the answer, besides */
	uint32_t n_full;  /* how many there would be, given room: those with
								 * NaN or infinities, and those with digits more
								 * than some 160 bits apart */
	double device_ms; /* that the device took; < 0 if not measured */
} GaSumRequest;

/* Totals of int2 and int4 are int64_t, of floats they are of their type. */
typedef enum GaScanTotals
{
	GA_TOTALS_PLAIN = 0, /* of int8: int64_t, as long as they fit */
	GA_TOTALS_INT128	 /* of int8 only: GaInt128 */
} GaScanTotals;

/*
 * What a device learned when it made the running totals of an array of floats:
 * the scale on which it did, or that there is none.  Given with the same array
 * the next time, it saves the search.  Only devices look into it; all zero
 * tells nothing.  The totals have the same bits whatever it says: a wrong hint
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
 * The ladder of teaching kernels (ladder.h): one of them, run on elements that
 * the device makes, and looked at.  Types are int4, int8, float4 and float8;
 * sums and running totals are of the elements' own type, as the classic
 * kernels have them.
 */
typedef struct GaRungRequest
{
	GaLadder ladder;
	uint32_t rung; /* its place in the ladder's list */
	GaElementType type;
	uint64_t n;		  /* 1 to GA_LADDER_ELEMENTS */
	uint32_t repeats; /* 1 to GA_LADDER_REPEATS, after one that is not
								 * timed */
	const void *in;	  /* host memory: n elements instead of those of
								 * ladder.h, or NULL */
	void *out;		  /* host memory for the result of the last run: the
								 * sum or n totals; or NULL.  "copy" has elements
								 * for totals, and the first one for the sum */
	/* the answer */
	double ms;		  /* the median run, on the device's clock */
	double max_error; /* of the sum or of any total, against the exact
								 * one of the shipping kernel */
	bool same_bits;	  /* all runs had the first one's result */
} GaRungRequest;

/*
 * A kind of device.  Statuses: open GA_NO_DRIVER, GA_NO_DEVICE, GA_NO_MEMORY;
 * allocate, register_host and queue_open GA_NO_MEMORY; copies GA_BAD_REQUEST
 * while a request is in progress; sum and scan GA_BAD_REQUEST, GA_NO_MEMORY
 * (split the request); poll and wait GA_PENDING (poll only) and what the work
 * came to, which may be GA_NO_MEMORY, too; any of them GA_DEVICE_FAILED.
 */
typedef struct GaDeviceKind
{
	const char *name; /* "cuda", "emulated" */

	/* How many devices there are. */
	GaStatus (*count)(int *n_devices, GaDeviceFailure *failure);

	GaStatus (*open)(const GaDeviceOptions *options, GaDevice **device,
					 GaDeviceFailure *failure);
	/* Queues have to be closed first; memory is freed with the device. */
	void (*close)(GaDevice *device);
	GaStatus (*describe)(GaDevice *device, GaDeviceInfo *info,
						 GaDeviceFailure *failure);

	/* Device memory, aligned to 256 bytes, with any content. */
	GaStatus (*allocate)(GaDevice *device, uint64_t n_bytes,
						 GaDeviceAddress *address, GaDeviceFailure *failure);
	void (*free)(GaDevice *device, GaDeviceAddress address); /* or 0 */

	/*
	 * Let the device read and write host memory directly, whole pages that
	 * stay mapped until they are unregistered.  Copies of other memory work,
	 * but may block.
	 */
	GaStatus (*register_host)(GaDevice *device, void *start, size_t n_bytes,
							  GaDeviceFailure *failure);
	void (*unregister_host)(GaDevice *device, void *start);

	/*
	 * event_fd is an eventfd that takes a count of 1 whenever a notify() is
	 * reached, or -1.  Closing waits for what the device is doing, unless it
	 * hangs.
	 */
	GaStatus (*queue_open)(GaDevice *device, int event_fd,
						   GaDeviceQueue **queue, GaDeviceFailure *failure);
	void (*queue_close)(GaDeviceQueue *queue);

	GaStatus (*copy_in)(GaDeviceQueue *queue, GaDeviceAddress to,
						const void *from, size_t n_bytes,
						GaDeviceFailure *failure);
	GaStatus (*copy_out)(GaDeviceQueue *queue, void *to, GaDeviceAddress from,
						 size_t n_bytes, GaDeviceFailure *failure);

	/*
	 * Submit a request.  The queue takes nothing more until poll() or wait()
	 * has answered anything but GA_PENDING.
	 */
	GaStatus (*sum)(GaDeviceQueue *queue, GaSumRequest *request,
					GaDeviceFailure *failure);
	GaStatus (*scan)(GaDeviceQueue *queue, GaScanRequest *request,
					 GaDeviceFailure *failure);

	/*
	 * The rungs of a ladder, in order; *rungs is constant.  0 of them where a
	 * device has none.
	 */
	uint32_t (*rungs)(GaLadder ladder, const GaRung **rungs);

	/*
	 * Submit a rung's runs, one step each, so that they can be given up by
	 * closing the queue.  Memory for it is of the device's budget, taken here,
	 * and given back when it is finished: the one request that may block for
	 * that, and while a library's kernel runs that has to.
	 */
	GaStatus (*rung)(GaDeviceQueue *queue, GaRungRequest *request,
					 GaDeviceFailure *failure);

	/* Is all that was submitted finished?  Does not wait for it. */
	GaStatus (*poll)(GaDeviceQueue *queue, GaDeviceFailure *failure);

	/*
	 * Have the event_fd written when there is reason to poll(): all that was
	 * submitted is finished, or a request needs its next step.
	 */
	GaStatus (*notify)(GaDeviceQueue *queue, GaDeviceFailure *failure);

	/* As poll(), but waits until it is finished. */
	GaStatus (*wait)(GaDeviceQueue *queue, GaDeviceFailure *failure);

	/* Take device_ms of each request; costs some microseconds. */
	void (*measure)(GaDeviceQueue *queue, bool on);
} GaDeviceKind;

extern const GaDeviceKind ga_device_emulated;

/* Its address is NULL in programs that are linked without CUDA. */
extern const GaDeviceKind ga_device_cuda __attribute__((weak));

#endif /* GA_DEVICE_H */
