/*
 * request_alone.cu
 *		A request for the running totals of one long array.
 *
 * It takes one kernel, and nothing is sent before it: the array goes with the
 * launch, blocks choose the grid by themselves, and the memory in which they
 * tell each other where they are is clean already.
 */
#include "request_scan.h"

/* Where things are in a clean room. */
struct AloneRoom
{
	size_t outcome_at;
	size_t ticket_at;
	size_t states_at;
	size_t n_bytes;

	AloneRoom(uint32_t n_tiles, int n_words)
	{
		Layout layout;

		outcome_at = layout.add<ScanOutcome>(1);
		ticket_at = layout.add<uint32_t>(1);
		states_at = layout.add<uint64_t>(uint64_t(n_tiles) * n_words);
		n_bytes = layout.n_bytes;
	}
};

bool
is_long_alone(const GaScanRequest *request)
{
	return request->n_arrays == 1 && request->arrays[0].n > kShortScan &&
		   !(ga_element_is_float(request->type) &&
			 has_before(request, request->arrays[0]));
}

GaStatus
submit_alone(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const GaScanRequest *request = queue->scan;
	const GaScanArray &array = request->arrays[0];
	const uint32_t n_tiles = count_tiles(queue, request, array);
	const AloneRoom room(n_tiles, state_words(request->type));
	ZeroedBuffers &clean = queue->zeroed;
	ScanJob job = {};
	char *start;

	TRY(reserve_pinned(queue, sizeof(ScanOutcome), failure));
	TRY(reserve_zeroed(queue, room.n_bytes, failure));
	start = clean.start[clean.next];
	job.outcomes = reinterpret_cast<ScanOutcome *>(start + room.outcome_at);
	job.ticket = reinterpret_cast<uint32_t *>(start + room.ticket_at);
	job.states = reinterpret_cast<uint64_t *>(start + room.states_at);
	job.n_arrays = 1;
	job.n_tiles = n_tiles;
	job.alone.in = reinterpret_cast<const void *>(array.in);
	job.alone.out = reinterpret_cast<void *>(array.out);
	job.alone.n = uint32_t(array.n);
	job.alone.n_tiles = n_tiles;
	job.start = start_of(request, array, true);
	job.start.only_neg_zeros = 1;
	job.clear = reinterpret_cast<int4 *>(clean.start[1 - clean.next]);
	job.n_clear = uint32_t((clean.n_dirty + sizeof(int4) - 1) / sizeof(int4));

	TRY(begin_measuring(queue, failure));
	CUDA_TRY(launch_scan_tiles(kind_of(queue, request), job,
							   queue->device->n_multiprocessors, queue->stream),
			 failure);
	clean.n_dirty = room.n_bytes;
	clean.next = 1 - clean.next;
	TRY(end_measuring(queue, failure));
	queue->results_at = 0;
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(queue->results_at), job.outcomes,
							 sizeof(ScanOutcome), cudaMemcpyDeviceToHost,
							 queue->stream),
			 failure);
	queue->step = finish_first_pass;
	return GA_OK;
}
