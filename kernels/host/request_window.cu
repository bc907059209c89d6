/*
 * request_window.cu
 *		A request for values of windows: its launches.
 */
#include "device_cuda.h"
#include "window/window.h"

/* Offsets in the buffers. */
struct WindowPlan
{
	size_t pieces_at;
	size_t lists_end;
	size_t records_at;
};

/* Write down the pieces, in pinned memory, and an empty one behind them. */
static void
list_pieces(GaDeviceQueue *queue, const GaWindowRequest *request,
			const WindowPlan &plan)
{
	WindowPiece *pieces = queue->host<WindowPiece>(plan.pieces_at);
	uint32_t first = 0;

	for (uint32_t i = 0; i < request->n_pieces; i++)
	{
		pieces[i] = WindowPiece{request->pieces[i].data, first};
		first += uint32_t(request->pieces[i].n);
	}
	pieces[request->n_pieces] = WindowPiece{0, first};
}

/* Place the pieces in both buffers, and records in the workspace. */
static GaStatus
place(GaDeviceQueue *queue, const GaWindowRequest *request, WindowPlan *plan,
	  GaDeviceFailure *failure)
{
	Layout layout;

	plan->pieces_at = layout.add<WindowPiece>(uint64_t(request->n_pieces) + 1);
	plan->lists_end = layout.n_bytes;
	TRY(reserve_pinned(queue, layout.n_bytes, failure));
	list_pieces(queue, request, *plan);
	plan->records_at = ga_elem_is_extreme(request->form) ?
						   layout.add<int64_t>(request->n) :
						   layout.add<GaPartialSum>(request->n);
	return reserve_workspace(queue, layout.n_bytes, failure);
}

/* Launch the kernels. */
static GaStatus
launch(GaDeviceQueue *queue, const GaWindowRequest *request,
	   const WindowPlan &plan, GaDeviceFailure *failure)
{
	const WindowParams params = {queue->on_device<WindowPiece>(plan.pieces_at),
								 request->n_pieces,
								 request->windows,
								 request->first,
								 request->n,
								 queue->on_device<void>(plan.records_at)};
	const ElemRounding rounding = {
		static_cast<const GaPartialSum *>(params.records),
		reinterpret_cast<unsigned long long *>(request->out),
		request->n,
		request->first,
		request->windows,
		request->type,
		request->form,
		!ga_element_is_float(request->type)};

	if (ga_elem_is_extreme(request->form))
	{
		const bool is_max = request->form == GA_FORM_MAX;
		const ExtremeRecords extremes = {
			static_cast<const int64_t *>(params.records),
			reinterpret_cast<uint64_t *>(request->out), request->n, 1};

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

/* Step: the values are there. */
static GaStatus
finish_window(GaDeviceQueue *queue, GaDeviceFailure *)
{
	queue->window->device_ms = measured_ms(queue);
	return GA_OK;
}

GaStatus
submit_window(GaDeviceQueue *queue, GaWindowRequest *request,
			  GaDeviceFailure *failure)
{
	WindowPlan plan = {};

	queue->window = request;
	if (request->n > 0)
	{
		TRY(place(queue, request, &plan, failure));
		CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
								 plan.lists_end, cudaMemcpyHostToDevice,
								 queue->stream),
				 failure);
	}
	TRY(begin_measuring(queue, failure));
	TRY(clear_refused(queue, request->out, request->n, failure));
	if (request->n > 0)
		TRY(launch(queue, request, plan, failure));
	TRY(end_measuring(queue, failure));
	queue->step = finish_window;
	return GA_OK;
}
