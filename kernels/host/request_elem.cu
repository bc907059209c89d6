/*
 * request_elem.cu
 *		A request for sums by position: its plan and its launches.
 */
#include <string.h>

#include <algorithm>

#include "device_cuda.h"
#include "elem/elem.h"

/* The arrays are divided so that records take so much less than elements. */
constexpr uint64_t kElementsPerRecord = 8;

/* What a share costs besides its arrays, in tiles of them. */
constexpr uint64_t kShareTiles = 4;

struct ElemPlan
{
	ElemParams params; /* without pointers */
	/* offsets in the buffers */
	size_t addresses_at;
	size_t pieces_at;
	size_t lists_end;
	size_t records_at; /* of shares, and what becomes a value */
};

/*
 * Choose the number of shares for which the blocks that run at a time end soon,
 * and together; their records take no more than some bytes.
 */
static uint32_t
choose_shares(const GaDevice *device, GaElementType type,
			  const ElemParams &params, uint64_t n_bytes)
{
	const uint64_t at_a_time =
		uint64_t(kElemBlocks) * device->n_multiprocessors;
	const uint32_t n_tiles = divide_up(params.n_arrays, kTileArrays);
	const uint64_t most = std::min(
		uint64_t(params.n_arrays) * ga_element_size(type) /
			(kElementsPerRecord * sizeof(GaPartialSum)),
		n_bytes / (uint64_t(params.n_positions) * sizeof(GaPartialSum)));
	uint32_t best = divide_up(params.n_arrays, kMaxShareArrays);
	uint64_t least_cost = UINT64_MAX;

	for (uint64_t n = best;
		 n == best || (n <= most && n * params.n_blocks <= 8 * at_a_time); n++)
	{
		const uint64_t cost = divide_up(n * params.n_blocks, at_a_time) *
							  (divide_up(n_tiles, n) + kShareTiles);

		if (cost >= least_cost)
			continue;
		least_cost = cost;
		best = uint32_t(n);
	}
	return best;
}

/* Return the bits that any of the arrays of a piece has in its address. */
static GaDeviceAddress
address_bits(const GaDeviceAddress *arrays, uint32_t n)
{
	GaDeviceAddress bits = 0;

	for (uint32_t i = 0; i < n; i++)
		bits |= arrays[i];
	return bits;
}

/* Write down the pieces and the addresses, in pinned memory. */
static void
list_pieces(GaDeviceQueue *queue, const GaElemRequest *request, ElemPlan *plan)
{
	ElemParams *params = &plan->params;
	ElemPiece *pieces = queue->host<ElemPiece>(plan->pieces_at);
	const uint32_t block_positions =
		elem_block_positions(ga_element_size(request->type));

	for (uint32_t p = 0; p < request->n_pieces; p++)
	{
		const GaDeviceAddress bits =
			address_bits(request->arrays + uint64_t(p) * request->n_arrays,
						 request->n_arrays);

		pieces[p] = ElemPiece{request->n_of[p], params->n_positions,
							  params->n_blocks, bits % kVectorBytes == 0};
		params->any_packed |= ga_is_packed(bits);
		params->n_positions += request->n_of[p];
		params->n_blocks += divide_up(request->n_of[p], block_positions);
	}
	memcpy(queue->host<char>(plan->addresses_at), request->arrays,
		   uint64_t(request->n_pieces) * request->n_arrays *
			   sizeof(*request->arrays));
}

/*
 * Divide the arrays into shares, each of whole tiles.  With the lists, of so
 * many bytes, they are to fit in the workspace that a queue may keep.
 */
static void
divide_arrays(const GaDevice *device, GaElementType type, size_t lists_bytes,
			  ElemParams *params)
{
	const uint64_t n_bytes = lists_bytes < GA_DEVICE_WORKSPACE_BYTES ?
								 GA_DEVICE_WORKSPACE_BYTES - lists_bytes :
								 0;
	const uint32_t n_shares = choose_shares(device, type, *params, n_bytes);

	params->share_arrays =
		divide_up(divide_up(params->n_arrays, n_shares), kTileArrays) *
		kTileArrays;
	params->n_shares = divide_up(params->n_arrays, params->share_arrays);
}

/*
 * Place the lists in the pinned buffer and in the workspace, and the records of
 * shares behind them, and grow both.
 */
static GaStatus
place(GaDeviceQueue *queue, const GaElemRequest *request, ElemPlan *plan,
	  GaDeviceFailure *failure)
{
	ElemParams *params = &plan->params;
	uint64_t n_records;
	Layout layout;

	params->n_pieces = request->n_pieces;
	params->n_arrays = request->n_arrays;
	plan->addresses_at =
		layout.add<uint64_t>(uint64_t(request->n_pieces) * request->n_arrays);
	plan->pieces_at = layout.add<ElemPiece>(request->n_pieces);
	plan->lists_end = layout.n_bytes;
	TRY(reserve_pinned(queue, layout.n_bytes, failure));
	list_pieces(queue, request, plan);
	divide_arrays(queue->device, request->type, plan->lists_end, params);
	n_records = uint64_t(params->n_shares) * params->n_positions;
	if (ga_elem_is_extreme(request->form))
		plan->records_at = layout.add<int64_t>(n_records);
	else if (params->n_shares > 1 || request->form != GA_FORM_RECORD)
		plan->records_at = layout.add<GaPartialSum>(n_records);
	return reserve_workspace(queue, layout.n_bytes, failure);
}

/* Set how many of n values there are not, behind the values, to none. */
GaStatus
clear_refused(GaDeviceQueue *queue, GaDeviceAddress values, uint64_t n,
			  GaDeviceFailure *failure)
{
	CUDA_TRY(cudaMemsetAsync(reinterpret_cast<uint64_t *>(values) + n, 0,
							 sizeof(uint64_t), queue->stream),
			 failure);
	return GA_OK;
}

/* Have the arrays added, and their records rounded if that is wanted. */
static GaStatus
launch_sums(GaDeviceQueue *queue, const GaElemRequest *request,
			ElemParams *params, GaDeviceFailure *failure)
{
	const ElemRounding rounding = {
		static_cast<const GaPartialSum *>(params->records),
		reinterpret_cast<unsigned long long *>(request->out),
		params->n_positions,
		0,
		all_of(params->n_arrays),
		nullptr,
		0,
		request->type,
		request->form,
		!ga_element_is_float(request->type)};

	/* each record of the first share becomes that of all */
	if (request->form != GA_FORM_RECORD)
		params->results = params->records;
	CUDA_TRY(launch_elem(request->type, *params, queue->stream), failure);
	if (params->n_shares > 1)
		CUDA_TRY(launch_elem_combine(*params, queue->stream), failure);
	if (request->form != GA_FORM_RECORD)
		CUDA_TRY(launch_elem_round(rounding, queue->stream), failure);
	return GA_OK;
}

/* Have the extremes of the arrays found, and values made of them. */
static GaStatus
launch_extremes(GaDeviceQueue *queue, const GaElemRequest *request,
				const ElemParams &params, GaDeviceFailure *failure)
{
	const bool is_max = request->form == GA_FORM_MAX;
	const ExtremeRecords extremes = {
		static_cast<const int64_t *>(params.records),
		reinterpret_cast<uint64_t *>(request->out), params.n_positions,
		params.n_shares};

	CUDA_TRY(launch_elem_extremes(request->type, is_max, params, queue->stream),
			 failure);
	CUDA_TRY(
		launch_extreme_values(request->type, is_max, extremes, queue->stream),
		failure);
	return GA_OK;
}

/* Send the lists, and launch the kernels. */
static GaStatus
launch(GaDeviceQueue *queue, const GaElemRequest *request, ElemPlan *plan,
	   GaDeviceFailure *failure)
{
	ElemParams *params = &plan->params;

	CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
							 plan->lists_end, cudaMemcpyHostToDevice,
							 queue->stream),
			 failure);
	params->addresses = queue->on_device<uint64_t>(plan->addresses_at);
	params->pieces = queue->on_device<ElemPiece>(plan->pieces_at);
	params->results = reinterpret_cast<void *>(request->out);
	params->records = params->results;
	if (plan->records_at > 0)
		params->records = queue->on_device<void>(plan->records_at);
	TRY(begin_measuring(queue, failure));
	if (request->form != GA_FORM_RECORD)
		TRY(clear_refused(queue, request->out, params->n_positions, failure));
	if (ga_elem_is_extreme(request->form))
		TRY(launch_extremes(queue, request, *params, failure));
	else
		TRY(launch_sums(queue, request, params, failure));
	return end_measuring(queue, failure);
}

/* Step: the records are there. */
static GaStatus
finish_elem(GaDeviceQueue *queue, GaDeviceFailure *)
{
	queue->elem->device_ms = measured_ms(queue);
	return GA_OK;
}

GaStatus
submit_elem(GaDeviceQueue *queue, GaElemRequest *request,
			GaDeviceFailure *failure)
{
	ElemPlan plan = {};

	queue->elem = request;
	if (request->n_pieces > 0)
	{
		TRY(place(queue, request, &plan, failure));
		TRY(launch(queue, request, &plan, failure));
	}
	else
	{
		TRY(begin_measuring(queue, failure));
		if (request->form != GA_FORM_RECORD)
			TRY(clear_refused(queue, request->out, 0, failure));
		TRY(end_measuring(queue, failure));
	}
	queue->step = finish_elem;
	return GA_OK;
}
