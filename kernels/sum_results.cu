/*
 * sum_results.cu
 *		The end of a request for sums: what came home as the results.
 */
#include <string.h>

#include <algorithm>

#include "device_cuda.h"
#include "row.h"
#include "sum.h"

/* Make the record of a result from its slots. */
static void
make_record(GaDeviceQueue *queue, uint32_t result, uint32_t n,
			const int64_t *row)
{
	GaSumRequest *request = queue->sum;
	GaPartialSum *record = request->results + result;
	GaFullSum	room;
	GaExactSum *sum;

	if (!ga_element_is_float(request->type))
	{
		*record = int_of_row(row);
		return;
	}
	sum = sum_of_row(&room, row, n);
	if (ga_partial_from_sum(record, sum))
		return;
	ga_wide_from_sum(queue->host<GaWideSum>(queue->wide_at) + result, sum);
	record->kind = GA_PARTIAL_WIDE;
}

/* Of arrays whose slots came home as they are. */
static void
make_long_records(GaDeviceQueue *queue)
{
	const LongArray *longs = queue->host<LongArray>(queue->long_at);

	for (uint32_t i = 0; i < queue->n_long; i++)
	{
		if (longs[i].n_chunks > 1)
			make_record(queue, longs[i].result, longs[i].n,
						queue->host<int64_t>(queue->sums_at) +
						uint64_t(longs[i].row) * kRowSize);
	}
}

/* Of arrays that had a small block each.  False if one was refused. */
static bool
make_small_records(GaDeviceQueue *queue)
{
	const ShortArray *arrays = queue->host<ShortArray>(queue->short_at);
	const int	spacing = small_spacing(queue->sum->type);

	for (uint32_t i = 0; i < queue->n_small; i++)
	{
		const SmallSum *parts = queue->host<SmallSum>(queue->parts_at) +
			uint64_t(arrays[i].result) * kSmallWarps;
		int64_t		row[kSlots] = {};

		for (uint32_t w = 0; w < queue->n_small_warps; w++)
		{
			if (parts[w].place < 0)
				return false;
			for (int k = 0; k < 3; k++)
				add_to_row(row, parts[w].total[k],
						   parts[w].place + k * spacing);
			row[kSlotNegZero] += parts[w].n_neg_zero;
		}
		make_record(queue, arrays[i].result, arrays[i].n, row);
	}
	return true;
}

/* Results and wide sums are home. */
GaStatus
finish_sum(GaDeviceQueue *queue, GaDeviceFailure *failure)
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

	make_long_records(queue);
	if (!make_small_records(queue))
		return resubmit_small_sums(queue, failure);
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
