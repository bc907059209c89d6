/*
 * device_cuda.h
 *		What the files of the CUDA device share: a device, and a queue.
 */
#ifndef GA_DEVICE_CUDA_H
#define GA_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include <map>
#include <mutex>

#include "common.cuh"
extern "C"
{
#include "device/device_check.h"
}

struct GaDevice
{
	int ordinal;
	int n_multiprocessors;
	int short_blocks;	/* of sum kernels, to fill the device */
	int long_blocks[2]; /* of integers, of floats */
	int n_lanes;		/* for sum.h */
	bool large_tiles;	/* for scan.h */
	uint64_t budget_bytes;
	std::mutex lock; /* of what follows */
	uint64_t used_bytes;
	std::map<GaDeviceAddress, uint64_t> allocations;
};

/* Memory that grows when a request needs more, and is kept. */
struct Room
{
	char *start;
	size_t n_bytes;
};

/* What a request needs of a room, part by part. */
struct Layout
{
	size_t n_bytes = 0;

	/* The offset of n items of a type. */
	template <typename T>
	size_t
	add(size_t n)
	{
		size_t at = (n_bytes + 255) & ~size_t(255);

		n_bytes = at + n * sizeof(T);
		return at;
	}
};

/*
 * Device memory that is zero when a request begins.  There are two of the same
 * size: the one makes the other zero, so far as its last one wrote to it.
 */
struct CleanRooms
{
	char *start[2];
	size_t n_bytes; /* of each */
	size_t n_dirty; /* of the one that is not next */
	int next;
};

struct GaDeviceQueue
{
	GaDevice *device;
	cudaStream_t stream;
	cudaEvent_t begin; /* of what device_ms is about */
	cudaEvent_t end;
	int event_fd;
	bool is_measured;
	bool is_ending;	 /* a request ended well, and nothing was
								 * submitted since; the stream may not be empty */
	bool has_failed; /* a request did, and nothing was submitted
								 * since */
	Room pinned;	 /* host memory */
	Room room;		 /* device memory */
	CleanRooms clean;
	unsigned long long *rows; /* for sum.h; all zero between requests */
	uint32_t n_rows;

	/*
	 * What to do when there is nothing left to wait for: NULL if there is no
	 * request, otherwise a function that answers GA_OK when it is finished or
	 * GA_PENDING after it submitted more.
	 */
	GaStatus (*step)(GaDeviceQueue *queue, GaDeviceFailure *failure);
	GaSumRequest *sum;
	GaScanRequest *scan;
	struct RungWork *rung; /* with memory of its own; or NULL */

	/* The request's parts of the rooms. */
	size_t results_at;
	size_t wide_at;
	size_t count_at;
	size_t long_at; /* LongArray, in the order of their rows */
	size_t sums_at; /* rows, if results went to pinned memory */
	uint32_t n_long;
	size_t short_at; /* ShortArray, which have small blocks */
	size_t parts_at; /* SmallSum of those */
	uint32_t n_small;
	uint32_t n_small_warps; /* of a block */
	uint32_t n_awaited;		/* SmallSums that are all there is to wait for; 0:
								 * the stream has to be empty */
	bool is_small;			/* a small request: see request_sum.cu */

	template <typename T>
	T *
	host(size_t at) const
	{
		return reinterpret_cast<T *>(pinned.start + at);
	}

	template <typename T>
	T *
	on_device(size_t at) const
	{
		return reinterpret_cast<T *>(room.start + at);
	}
};

/* device_error.cu: GA_OK, or what a CUDA error comes to. */
extern GaStatus cuda_status(cudaError_t error, const char *call,
							GaDeviceFailure *failure);

/* Returns from the function if the call fails. */
#define CUDA_TRY(call, failure)                                 \
	do                                                          \
	{                                                           \
		GaStatus status_ = cuda_status((call), #call, failure); \
		if (status_ != GA_OK)                                   \
			return status_;                                     \
	} while (0)

#define TRY(call)                  \
	do                             \
	{                              \
		GaStatus status_ = (call); \
		if (status_ != GA_OK)      \
			return status_;        \
	} while (0)

/* device_memory.cu */
extern cudaError_t use_device(const GaDevice *device);
extern GaStatus register_bytes(GaDevice *device, void *start, size_t n_bytes,
							   GaDeviceFailure *failure);
extern void unregister_bytes(GaDevice *device, void *start);
extern GaStatus need_pinned(GaDeviceQueue *queue, size_t n_bytes,
							GaDeviceFailure *failure);
extern GaStatus allocate_room(GaDeviceQueue *queue, size_t n_bytes,
							  GaDeviceAddress *address,
							  GaDeviceFailure *failure);
extern GaStatus need_room(GaDeviceQueue *queue, size_t n_bytes,
						  GaDeviceFailure *failure);
extern GaStatus need_clean_rooms(GaDeviceQueue *queue, size_t n_bytes,
								 GaDeviceFailure *failure);
extern void free_rooms(GaDeviceQueue *queue);
extern GaStatus allocate_bytes(GaDevice *device, uint64_t n_bytes,
							   GaDeviceAddress *address,
							   GaDeviceFailure *failure);
extern GaStatus allocate_managed(GaDevice *device, uint64_t n_bytes,
								 GaDeviceAddress *address,
								 GaDeviceFailure *failure);
extern cudaError_t move_to_host(const GaDevice *device, GaDeviceAddress address,
								size_t n_bytes, cudaStream_t stream);
extern void free_bytes(GaDevice *device, GaDeviceAddress address);

/* queue_cuda.cu */
extern GaStatus begin_measuring(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern GaStatus end_measuring(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern double measured_ms(GaDeviceQueue *queue);

extern GaStatus submit_sum(GaDeviceQueue *queue, GaSumRequest *request,
						   GaDeviceFailure *failure);
extern GaStatus resubmit_small_sums(GaDeviceQueue *queue,
									GaDeviceFailure *failure);
extern GaStatus finish_sum(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern bool small_sums_are_home(GaDeviceQueue *queue);
extern GaStatus fetch_wide_sums(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern GaStatus submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
							GaDeviceFailure *failure);

/* ladder/ladder.cu */
extern uint32_t list_rungs(GaLadder ladder, const GaRung **rungs);
extern GaStatus submit_rung(GaDeviceQueue *queue, GaRungRequest *request,
							GaDeviceFailure *failure);
extern void end_rung(GaDeviceQueue *queue);

#endif /* GA_DEVICE_CUDA_H */
