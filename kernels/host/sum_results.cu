/*
 * sum_results.cu
 *		The end of a request for sums: its results on the host.
 *
 * Its steps are called by queue_cuda.cu.
 */
#include <string.h>

#include <algorithm>

#include "device_cuda.h"
#include "sum_words.h"
#include "sum/sum.h"

/* Write the record of result number `result` from the words of its sum. */
static void
make_record(GaSumRequest *request, uint32_t result, uint32_t n,
			const int64_t *words)
{
	GaPartialSum *record = request->results + result;
	GaFullSum buffer;

	if (ga_element_is_float(request->type))
		ga_partial_store(record, sum_from_words(&buffer, words, n),
						 request->full, request->full_capacity,
						 &request->n_full);
	else
		*record = int_from_words(words);
}

/* Write the records of a small request's long arrays. */
static void
make_long_records(GaDeviceQueue *queue)
{
	const LongArray *longs = queue->host<LongArray>(queue->long_at);

	for (uint32_t i = 0; i < queue->n_long; i++)
	{
		if (longs[i].n_shares > 1)
			make_record(queue->sum, longs[i].result, longs[i].n,
						queue->host<int64_t>(queue->long_sums_at) +
							uint64_t(longs[i].accumulator) *
								kAccumulatorStride);
	}
}

/*
 * Have all awaited WarpResults arrived?  They arrive before their kernel has
 * ended, but after it has read all of its input.
 */
bool
small_sums_arrived(GaDeviceQueue *queue)
{
	const WarpResult *warp_results = queue->host<WarpResult>(queue->warps_at);

	for (; queue->n_awaited > 0; queue->n_awaited--)
	{
		const WarpResult &part = warp_results[queue->n_awaited - 1];
		uint64_t bits = __atomic_load_n(&part.tail, __ATOMIC_RELAXED);

		for (int k = 0; k < kWarpResultWords - 1; k++)
			bits &= __atomic_load_n(&part.total[k], __ATOMIC_RELAXED);
		if ((bits & 1) == 0)
			return false;
	}
	return true;
}

/* Write the records of arrays with small blocks; false if one was refused. */
static bool
make_small_records(GaDeviceQueue *queue)
{
	const ShortArray *arrays = queue->host<ShortArray>(queue->short_at);
	const int spacing = total_spacing(queue->sum->type);

	for (uint32_t i = 0; i < queue->n_small; i++)
	{
		const WarpResult *warp_results =
			queue->host<WarpResult>(queue->warps_at) +
			uint64_t(arrays[i].result) * queue->n_small_warps;
		int64_t words[kSumWords] = {};

		for (uint32_t w = 0; w < queue->n_small_warps; w++)
		{
			const int64_t tail = int64_t(warp_results[w].tail) >> 1;
			const int32_t place = int32_t(tail);

			if (place == kPlaceRefused)
				return false;
			for (int k = 0; k < kWarpResultWords - 1; k++)
				add_to_words(words, int64_t(warp_results[w].total[k]) >> 1,
							 place + k * spacing);
			words[kWordNegZero] += tail >> 32;
		}
		make_record(queue->sum, arrays[i].result, arrays[i].n, words);
	}
	return true;
}

/*
 * Move the full records of a small request, which have the indexes of their
 * results, to the front of the request's list.  The requester may see and write
 * its results already, so they are not read.
 */
static void
move_full_records(GaDeviceQueue *queue)
{
	GaSumRequest *request = queue->sum;
	const GaPartialSum *left = queue->host<GaPartialSum>(queue->results_at);
	const GaFullRecord *full = queue->host<GaFullRecord>(queue->full_at);

	request->n_full = 0;
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		GaPartialSum *result = request->results + i;
		const uint32_t place = request->n_full;

		if (left[i].kind != GA_PARTIAL_FULL)
			continue;
		if (place < request->full_capacity)
			request->full[place] = full[i];
		else
			result->kind = GA_PARTIAL_NO_CAPACITY;
		result->limb[0] = place < request->full_capacity ? place : 0;
		request->n_full++;
	}
}

/* Step: results and full records have arrived. */
GaStatus
finish_sum(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaSumRequest *request = queue->sum;

	request->device_ms = measured_ms(queue);
	memcpy(request->results, queue->host<char>(queue->results_at),
		   request->n_arrays * sizeof(GaPartialSum));
	if (!queue->is_small)
	{
		if (request->n_full > 0)
			memcpy(request->full, queue->host<char>(queue->full_at),
				   std::min(request->n_full, request->full_capacity) *
					   sizeof(GaFullRecord));
		return GA_OK;
	}
	/* the records that kernels wrote, then those that the host writes */
	move_full_records(queue);
	make_long_records(queue);
	return make_small_records(queue) ? GA_OK :
									   resubmit_small_sums(queue, failure);
}

/* Step: the results of a large request have arrived; copy its full records. */
GaStatus
fetch_full_records(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaSumRequest *request = queue->sum;
	uint32_t n;

	request->n_full = *queue->host<uint32_t>(queue->count_at);
	n = std::min(request->n_full, request->full_capacity);
	if (n == 0)
		return finish_sum(queue, failure);
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(queue->full_at),
							 queue->on_device<char>(queue->full_at),
							 n * sizeof(GaFullRecord), cudaMemcpyDeviceToHost,
							 queue->stream),
			 failure);
	queue->step = finish_sum;
	return GA_PENDING;
}
