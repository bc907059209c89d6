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

#include "device_request.h"
#include "exact/status.h"

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

	/* The number of the one at which the device fails. */
	uint32_t lose_allocation;

	/*
	 * The number of the first allocation that fails as all later ones do, each
	 * after some milliseconds: another program has the memory.
	 */
	uint32_t no_memory_after;

	uint32_t other_memory_mb; /* that another program has of the device */

	/* The number of the call of describe() at which the device fails. */
	uint32_t lose_describe;

	/* The number of the call of zero() that is refused: out of memory. */
	uint32_t refuse_zero;

	/* The number of the launch, that is, request, ... */
	uint32_t fail_launch;	 /* whose result is a failure */
	uint32_t refuse_launch;	 /* that is refused: out of memory */
	uint32_t hang_launch;	 /* that never finishes */
	uint32_t block_launch;	 /* whose submission never returns */
	uint32_t crash_launch;	 /* that ends the process with SIGABRT */
	uint32_t wrong_pack;	 /* that packs a vector wrong */
	uint32_t refuse_surveys; /* up to which surveys are refused */

	uint32_t pause_launch_ms; /* that each submission takes */

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
