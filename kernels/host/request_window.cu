/*
 * request_window.cu
 *		A request for values of windows: its launches.
 *
 * A request takes longer to submit than to compute, mostly.  So of few pieces
 * the kernel has them as parameters, and few values it writes to host memory.
 */
#include <string.h>

#include "device_cuda.h"
#include "window/window.h"

/* The most values that kernels write to host memory. */
constexpr uint32_t kDirectValues = 4096;

/* Where what a request needs is in the buffers. */
struct WindowPlan
{
	bool is_direct; /* kernels write the values to host memory */
	size_t pieces_at;
	size_t lists_end;
	size_t records_at;
	size_t of_blocks_at;
	size_t values_at; /* in the pinned buffer, or in the workspace */
};

/* Write down the pieces of an array, and return the number behind its last. */
static uint32_t
list_array(const GaDeviceArray *from, uint32_t n, uint32_t first,
		   WindowPiece *pieces)
{
	for (uint32_t i = 0; i < n; i++)
	{
		pieces[i] = WindowPiece{from[i].data, first, 0};
		first += uint32_t(from[i].n);
	}
	for (uint32_t i = 0; i < n; i++)
		pieces[i].end = first;
	return first;
}

/* Write down the pieces of all arrays, and an empty one behind them. */
static void
list_pieces(const GaWindowRequest *request, WindowPiece *pieces)
{
	uint32_t done = 0;
	uint32_t end = 0;

	if (request->n_arrays == 0)
		end = list_array(request->pieces, request->n_pieces, 0, pieces);
	for (uint32_t a = 0; a < request->n_arrays; a++)
	{
		end = list_array(request->pieces + done, request->n_pieces_of[a],
						 uint32_t(ga_windows_next(&request->windows, end)),
						 pieces + done);
		done += request->n_pieces_of[a];
	}
	pieces[request->n_pieces] = WindowPiece{0, end, end};
}

/* Place records, if the values are made of such. */
static void
place_records(const GaWindowRequest *request, const WindowParams &params,
			  WindowPlan *plan, Layout *workspace)
{
	if (request->form == GA_FORM_DELTA)
		return;
	if (!ga_elem_is_extreme(request->form))
	{
		plan->records_at = workspace->add<GaPartialSum>(request->n);
		return;
	}
	plan->records_at = workspace->add<int64_t>(request->n);
	plan->of_blocks_at = workspace->add<int64_t>(extreme_blocks(params));
}

/* Does the kernel that rounds need to know where arrays end? */
static bool
rounds_arrays(const GaWindowRequest *request)
{
	return request->n_arrays > 0 && ga_element_is_float(request->type) &&
		   !ga_elem_is_extreme(request->form);
}

/* Place the pieces, the records and the values, and grow the buffers. */
static GaStatus
place(GaDeviceQueue *queue, const GaWindowRequest *request,
	  const WindowParams &params, WindowPlan *plan, GaDeviceFailure *failure)
{
	Layout pinned;
	Layout workspace;

	plan->is_direct = request->n <= kDirectValues;
	if (request->n_pieces >= kInlinePieces || rounds_arrays(request))
		plan->pieces_at =
			pinned.add<WindowPiece>(uint64_t(request->n_pieces) + 1);
	workspace.n_bytes = plan->lists_end = pinned.n_bytes;
	place_records(request, params, plan, &workspace);
	plan->values_at =
		(plan->is_direct ? pinned : workspace).add<uint64_t>(request->n + 1);
	TRY(reserve_pinned(queue, pinned.n_bytes, failure));
	return reserve_workspace(queue, workspace.n_bytes, failure);
}

/* Have the pieces where the kernels read them. */
static GaStatus
give_pieces(GaDeviceQueue *queue, const GaWindowRequest *request,
			const WindowPlan &plan, WindowParams *params,
			GaDeviceFailure *failure)
{
	if (plan.lists_end == 0)
	{
		list_pieces(request, params->inline_pieces);
		return GA_OK;
	}
	list_pieces(request, queue->host<WindowPiece>(plan.pieces_at));
	params->pieces = queue->on_device<WindowPiece>(plan.pieces_at);
	CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
							 plan.lists_end, cudaMemcpyHostToDevice,
							 queue->stream),
			 failure);
	return GA_OK;
}

/* Launch the kernels that make the values. */
static GaStatus
launch(GaDeviceQueue *queue, const GaWindowRequest *request,
	   const WindowParams &params, uint64_t *values, GaDeviceFailure *failure)
{
	const ElemRounding rounding = {
		static_cast<const GaPartialSum *>(params.records),
		reinterpret_cast<unsigned long long *>(values),
		request->n,
		request->first,
		request->windows,
		rounds_arrays(request) ? params.pieces : nullptr,
		request->n_pieces,
		request->type,
		request->form,
		!ga_element_is_float(request->type)};

	if (request->form == GA_FORM_DELTA)
	{
		CUDA_TRY(launch_window_deltas(request->type, params, rounding.values,
									  queue->stream),
				 failure);
		return GA_OK;
	}
	if (ga_elem_is_extreme(request->form))
	{
		const bool is_max = request->form == GA_FORM_MAX;
		const ExtremeRecords extremes = {
			static_cast<const int64_t *>(params.records), values, request->n,
			1};

		CUDA_TRY(launch_window_extremes(request->type, is_max, params,
										queue->stream),
				 failure);
		CUDA_TRY(launch_extreme_values(request->type, is_max, extremes,
									   queue->stream),
				 failure);
		return GA_OK;
	}
	CUDA_TRY(launch_window_sums(request->type, params, queue->stream), failure);
	CUDA_TRY(launch_elem_round(rounding, queue->stream), failure);
	return GA_OK;
}

/* Have the values made, in host memory or in the workspace, and copied. */
static GaStatus
make_values(GaDeviceQueue *queue, const GaWindowRequest *request,
			const WindowPlan &plan, const WindowParams &params,
			GaDeviceFailure *failure)
{
	uint64_t *values;

	if (plan.is_direct)
	{
		values = queue->host<uint64_t>(plan.values_at);
		values[request->n] = 0;
		return launch(queue, request, params, values, failure);
	}
	values = queue->on_device<uint64_t>(plan.values_at);
	TRY(clear_refused(queue, GaDeviceAddress(values), request->n, failure));
	TRY(launch(queue, request, params, values, failure));
	CUDA_TRY(cudaMemcpyAsync(request->out, values,
							 ga_elem_all_bytes(request->form, request->n),
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	return GA_OK;
}

/* Step: the values are there. */
static GaStatus
finish_window(GaDeviceQueue *queue, GaDeviceFailure *)
{
	const GaWindowRequest *request = queue->window;

	queue->window->device_ms = measured_ms(queue);
	if (request->n <= kDirectValues)
		memcpy(request->out, queue->host<char>(queue->results_at),
			   ga_elem_all_bytes(request->form, request->n));
	return GA_OK;
}

GaStatus
submit_window(GaDeviceQueue *queue, GaWindowRequest *request,
			  GaDeviceFailure *failure)
{
	WindowPlan plan = {};
	WindowParams params = {};

	queue->window = request;
	params.n_pieces = request->n_pieces;
	params.windows = request->windows;
	params.first = request->first;
	params.n_windows = request->n;
	for (uint32_t i = 0; i < request->n_pieces; i++)
		params.any_packed |= ga_is_packed(request->pieces[i].data);
	TRY(place(queue, request, params, &plan, failure));
	queue->results_at = plan.values_at;
	params.records = queue->on_device<void>(plan.records_at);
	params.of_blocks = queue->on_device<int64_t>(plan.of_blocks_at);
	if (request->n > 0)
		TRY(give_pieces(queue, request, plan, &params, failure));
	TRY(begin_measuring(queue, failure));
	if (request->n > 0)
		TRY(make_values(queue, request, plan, params, failure));
	else
		*queue->host<uint64_t>(plan.values_at) = 0;
	TRY(end_measuring(queue, failure));
	queue->step = finish_window;
	return GA_OK;
}
