/*
 * device_cuda.h
 *		The CUDA device and its queues, as kernels/host and ladder/ use them.
 *
 * device_cuda.cu opens and describes devices, device_memory.cu allocates,
 * queue_cuda.cu submits and polls; request_*.cu plan and finish requests.  A
 * queue and its buffers belong to the thread that uses it.  Nothing here may be
 * included by a file without CUDA.
 */
#ifndef GA_DEVICE_CUDA_H
#define GA_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include <map>
#include <mutex>

#include "sum/sum.h"
extern "C"
{
#include "device/device_check.h"
}

struct GaDevice
{
	int ordinal;
	int n_multiprocessors;
	int short_blocks;	/* blocks of sum_short() that fill the device */
	int long_blocks[2]; /* blocks of sum_long(): of integers, of floats */
	int n_lane_sums;	/* LaneSums of a block of sum_long() */

	/* blocks of sum_packed(), of kSumWarps, that fill it, by type */
	int packed_blocks[GA_N_ELEMENT_TYPES];

	bool has_rings;	  /* for ring.cuh: the code that is loaded has them */
	bool large_tiles; /* for scan.h */
	uint64_t budget_bytes;
	GaDeviceInfo info; /* what of it does not change */
	std::mutex lock;   /* protects the fields below */
	uint64_t used_bytes;
	std::map<GaDeviceAddress, uint64_t> allocations;
};

/* Return a / b, rounded up; neither is negative. */
constexpr int64_t
divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/* Memory that grows to the needs of the largest request so far. */
struct Buffer
{
	char *start;
	size_t n_bytes;
};

/* The arrays that a request places in a buffer, and the buffer's size. */
struct Layout
{
	size_t n_bytes = 0;

	/* Append an array of n items; return its offset, a multiple of 256. */
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
 * Two device buffers of the same size, which requests use in turn and which are
 * zero when a request begins: each request zeroes what the previous one wrote
 * to the other buffer.
 */
struct ZeroedBuffers
{
	char *start[2];
	size_t n_bytes; /* of each */
	size_t n_dirty; /* bytes written to the buffer that is not next */
	int next;
};

struct GaDeviceQueue
{
	GaDevice *device;
	cudaStream_t stream;
	cudaEvent_t begin; /* device_ms is the time from begin to end */
	cudaEvent_t end;
	int event_fd;
	bool is_measured;

	/*
	 * Since the last submission a request succeeded, or failed.  The stream may
	 * not be empty yet.
	 */
	bool is_ending;
	bool has_failed;

	Buffer pinned;	  /* host memory */
	Buffer workspace; /* device memory */
	ZeroedBuffers zeroed;

	/* For sum.h and reduce.h: words that are zero between requests. */
	unsigned long long *accumulators;
	size_t n_accumulators;

	/*
	 * The next step of the request in progress, or NULL.  It is called when
	 * nothing is left to wait for, and returns GA_OK if the request is
	 * finished, GA_PENDING if it submitted more.
	 */
	GaStatus (*step)(GaDeviceQueue *queue, GaDeviceFailure *failure);
	GaSumRequest *sum;
	GaReduceRequest *reduce;
	GaElemRequest *elem;
	GaWindowRequest *window;
	GaScanRequest *scan;
	GaPackRequest *pack;

	/* Offsets of the request's arrays in pinned and workspace. */
	size_t results_at;
	size_t full_at;
	size_t count_at;
	size_t long_at;		 /* LongArray, the packed ones last */
	size_t long_sums_at; /* their accumulators, of a small request */
	uint32_t n_long;
	size_t short_at; /* ShortArray of the arrays with small blocks */
	size_t warps_at; /* WarpResult of those */
	uint32_t n_small;
	uint32_t n_small_warps; /* of a block */

	/* WarpResults that complete the request; 0: the stream must be empty. */
	uint32_t n_awaited;
	bool is_small; /* a small request: see request_sum.cu */

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
		return reinterpret_cast<T *>(workspace.start + at);
	}
};

/* device_error.cu: the status of a CUDA error. */
extern GaStatus cuda_status(cudaError_t error, const char *call,
							GaDeviceFailure *failure);

/* Return the status of a CUDA call from this function if the call fails. */
#define CUDA_TRY(call, failure)                                 \
	do                                                          \
	{                                                           \
		GaStatus status_ = cuda_status((call), #call, failure); \
		if (status_ != GA_OK)                                   \
			return status_;                                     \
	} while (0)

/* Return the call's status from this function unless it is GA_OK. */
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
extern GaStatus reserve_pinned(GaDeviceQueue *queue, size_t n_bytes,
							   GaDeviceFailure *failure);
extern GaStatus allocate_workspace(GaDeviceQueue *queue, size_t n_bytes,
								   GaDeviceAddress *address,
								   GaDeviceFailure *failure);
extern GaStatus reserve_accumulators(GaDeviceQueue *queue, size_t n_words,
									 GaDeviceFailure *failure);
extern GaStatus reserve_workspace(GaDeviceQueue *queue, size_t n_bytes,
								  GaDeviceFailure *failure);
extern GaStatus reserve_zeroed(GaDeviceQueue *queue, size_t n_bytes,
							   GaDeviceFailure *failure);
extern void free_zeroed(GaDeviceQueue *queue);
extern void free_buffers(GaDeviceQueue *queue);
extern GaStatus allocate_bytes(GaDevice *device, uint64_t n_bytes,
							   GaDeviceAddress *address,
							   GaDeviceFailure *failure);
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
extern bool small_sums_arrived(GaDeviceQueue *queue);
extern GaStatus fetch_full_records(GaDeviceQueue *queue,
								   GaDeviceFailure *failure);
extern GaStatus submit_reduction(GaDeviceQueue *queue, GaReduceRequest *request,
								 GaDeviceFailure *failure);
extern GaStatus submit_elem(GaDeviceQueue *queue, GaElemRequest *request,
							GaDeviceFailure *failure);
extern GaStatus clear_refused(GaDeviceQueue *queue, GaDeviceAddress values,
							  uint64_t n, GaDeviceFailure *failure);
extern GaStatus submit_window(GaDeviceQueue *queue, GaWindowRequest *request,
							  GaDeviceFailure *failure);
extern GaStatus submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
							GaDeviceFailure *failure);
extern GaStatus submit_pack(GaDeviceQueue *queue, GaPackRequest *request,
							bool packs, GaDeviceFailure *failure);

#endif /* GA_DEVICE_CUDA_H */
