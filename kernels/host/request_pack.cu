/*
 * request_pack.cu
 *		Requests that survey and pack arrays: their lists, their launches.
 */
#include <string.h>

#include "device_cuda.h"
#include "packed/pack.h"

/* Where what a request needs is in the buffers, which have the same layout. */
struct PackPlan
{
	size_t pieces_at;
	size_t arrays_at;
	size_t pages_at;
	size_t lists_end;
	size_t results_at; /* PackResult of each array, or the number of wrong */
	uint32_t n_vectors;
};

static uint64_t
count_pages(const GaPackRequest *request)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < request->n_arrays; i++)
		n += request->arrays[i].n_pages;
	return n;
}

/* Write down the pieces of an array, from one on. */
static void
list_pieces(const GaPackRequest *request, uint32_t array, uint32_t first,
			PackPlan *plan, PackPiece *pieces)
{
	for (uint32_t i = first; i < first + request->arrays[array].n_pieces; i++)
	{
		const GaPackPiece &piece = request->pieces[i];

		pieces[i] = PackPiece{reinterpret_cast<const void *>(piece.data),
							  reinterpret_cast<GaPackedHeader *>(piece.headers),
							  piece.n, plan->n_vectors, array};
		plan->n_vectors += (piece.n - 1) / GA_PACKED_VECTOR + 1;
	}
}

/* Write down the arrays, their pieces and, to pack them, their pages. */
static void
list_arrays(GaDeviceQueue *queue, const GaPackRequest *request, bool packs,
			PackPlan *plan)
{
	PackArray *arrays = queue->host<PackArray>(plan->arrays_at);
	GaDeviceAddress *pages = queue->host<GaDeviceAddress>(plan->pages_at);
	uint32_t first_piece = 0;
	uint32_t first_page = 0;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaPackArray &array = request->arrays[i];

		arrays[i] =
			PackArray{first_piece, array.n_pieces, array.at, first_page};
		list_pieces(request, i, first_piece, plan,
					queue->host<PackPiece>(plan->pieces_at));
		first_piece += array.n_pieces;
		if (!packs)
			continue;
		for (uint32_t p = 0; p < array.n_pages; p++)
			pages[first_page++] = array.pages[p];
	}
}

/* Place the lists and the results, and grow the buffers. */
static GaStatus
place(GaDeviceQueue *queue, const GaPackRequest *request, bool packs,
	  PackPlan *plan, GaDeviceFailure *failure)
{
	Layout layout;

	plan->pieces_at = layout.add<PackPiece>(request->n_pieces);
	plan->arrays_at = layout.add<PackArray>(request->n_arrays);
	plan->pages_at =
		layout.add<GaDeviceAddress>(packs ? count_pages(request) : 0);
	plan->lists_end = layout.n_bytes;
	plan->results_at = layout.add<PackResult>(request->n_arrays + 1);
	TRY(reserve_pinned(queue, layout.n_bytes, failure));
	TRY(reserve_workspace(queue, layout.n_bytes, failure));
	list_arrays(queue, request, packs, plan);
	return GA_OK;
}

/* Step: the arrays are surveyed. */
static GaStatus
finish_survey(GaDeviceQueue *queue, GaDeviceFailure *)
{
	GaPackRequest *request = queue->pack;
	const PackResult *results = queue->host<PackResult>(queue->results_at);

	request->device_ms = measured_ms(queue);
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		request->arrays[i].n_pages = results[i].n_pages;
		request->arrays[i].n_bytes = results[i].n_bytes;
	}
	return GA_OK;
}

/* Step: the arrays are packed. */
static GaStatus
finish_pack(GaDeviceQueue *queue, GaDeviceFailure *)
{
	queue->pack->device_ms = measured_ms(queue);
	queue->pack->n_wrong = *queue->host<unsigned long long>(queue->results_at);
	return GA_OK;
}

/* Launch the kernels of a step, and have its results copied if need be. */
static GaStatus
launch(GaDeviceQueue *queue, GaElementType type, bool packs,
	   const PackPlan &plan, PackParams *params, GaDeviceFailure *failure)
{
	const int max_blocks = kPackBlocks * queue->device->n_multiprocessors;

	if (!packs)
	{
		params->results = queue->host<PackResult>(plan.results_at);
		CUDA_TRY(launch_survey(type, *params, max_blocks, queue->stream),
				 failure);
		return GA_OK;
	}
	params->n_wrong = queue->on_device<unsigned long long>(plan.results_at);
	CUDA_TRY(cudaMemsetAsync(params->n_wrong, 0, sizeof(*params->n_wrong),
							 queue->stream),
			 failure);
	CUDA_TRY(launch_pack(type, *params, max_blocks, queue->stream), failure);
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(plan.results_at),
							 params->n_wrong, sizeof(*params->n_wrong),
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	return GA_OK;
}

/* Submit a survey, or packing. */
GaStatus
submit_pack(GaDeviceQueue *queue, GaPackRequest *request, bool packs,
			GaDeviceFailure *failure)
{
	PackPlan plan = {};
	PackParams params = {};

	queue->pack = request;
	TRY(place(queue, request, packs, &plan, failure));
	queue->results_at = plan.results_at;
	*queue->host<unsigned long long>(plan.results_at) = 0;
	params.pieces = queue->on_device<PackPiece>(plan.pieces_at);
	params.arrays = queue->on_device<PackArray>(plan.arrays_at);
	params.pages = queue->on_device<GaDeviceAddress>(plan.pages_at);
	params.n_pieces = request->n_pieces;
	params.n_arrays = request->n_arrays;
	params.n_vectors = plan.n_vectors;
	if (plan.n_vectors > 0)
		CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
								 plan.lists_end, cudaMemcpyHostToDevice,
								 queue->stream),
				 failure);
	TRY(begin_measuring(queue, failure));
	if (plan.n_vectors > 0)
		TRY(launch(queue, request->type, packs, plan, &params, failure));
	TRY(end_measuring(queue, failure));
	queue->step = packs ? finish_pack : finish_survey;
	return GA_OK;
}
