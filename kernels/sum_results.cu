/*
 * sum_results.cu
 *		The end of a request for sums: what came home as the results.
 */
#include <string.h>

#include <algorithm>

#include "device_cuda.h"
#include "row.h"
#include "sum.h"

/* Make records of arrays whose slots came home as they are. */
static void
make_records(GaDeviceQueue *queue)
{
	GaSumRequest *request = queue->sum;
	const LongArray *longs = queue->host<LongArray>(queue->long_at);

	for (uint32_t i = 0; i < queue->n_long; i++)
	{
		const int64_t *row = queue->host<int64_t>(queue->sums_at) +
			uint64_t(longs[i].row) * kRowSize;
		GaPartialSum *result = request->results + longs[i].result;
		GaFullSum	room;
		GaExactSum *sum;

		if (longs[i].n_chunks == 1)
			continue;
		if (!ga_element_is_float(request->type))
		{
			*result = int_of_row(row);
			continue;
		}
		sum = sum_of_row(&room, row, longs[i].n);
		if (ga_partial_from_sum(result, sum))
			continue;
		ga_wide_from_sum(queue->host<GaWideSum>(queue->wide_at) +
						 longs[i].result, sum);
		result->kind = GA_PARTIAL_WIDE;
	}
}

/* Results and wide sums are home. */
GaStatus
finish_sum(GaDeviceQueue *queue, GaDeviceFailure *)
{
	GaSumRequest *request = queue->sum;

	request->device_ms = measured_ms(queue);
	memcpy(request->results, queue->host<char>(queue->results_at),
		   request->n_arrays * sizeof(GaPartialSum));
	if (!queue->is_small)
	{
		if (request->n_wide > 0)
			memcpy(request->wide, queue->host<char>(queue->wide_at),
				   std::min(request->n_wide, request->wide_room) *
				   sizeof(GaWideSum));
		return GA_OK;
	}

	make_records(queue);
	/* each result has had a wide one of its own: keep those that are used */
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		GaPartialSum *result = request->results + i;

		if (result->kind != GA_PARTIAL_WIDE)
			continue;
		if (request->n_wide < request->wide_room)
		{
			request->wide[request->n_wide] =
				queue->host<GaWideSum>(queue->wide_at)[i];
			result->limb[0] = request->n_wide;
		}
		else
		{
			result->kind = GA_PARTIAL_NO_ROOM;
			result->limb[0] = 0;
		}
		request->n_wide++;
	}
	return GA_OK;
}

/* The results of a large request are home; wide ones are still to come. */
GaStatus
fetch_wide_sums(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaSumRequest *request = queue->sum;
	uint32_t	n;

	request->n_wide = *queue->host<uint32_t>(queue->count_at);
	n = std::min(request->n_wide, request->wide_room);
	if (n == 0)
		return finish_sum(queue, failure);
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(queue->wide_at),
							 queue->on_device<char>(queue->wide_at),
							 n * sizeof(GaWideSum), cudaMemcpyDeviceToHost,
							 queue->stream), failure);
	queue->step = finish_sum;
	return GA_PENDING;
}
