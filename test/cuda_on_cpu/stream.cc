/*
 * stream.cc
 *		Streams and events of cuda_runtime.h.
 *
 * What is submitted to a stream is done one after the other, and late: when
 * somebody waits for the stream, or asks it often enough.  So the host cannot
 * rely on anything that it has not waited for.
 */
#include <time.h>

#include <deque>
#include <set>

#include "runtime.h"

struct CpuStream
{
	std::deque<std::function<void()>> submitted;
};

struct CpuEvent
{
	bool is_recorded;
	double ms;
};

static std::set<CpuStream *> streams;

/* Do the first thing that was submitted to a stream. */
static void
do_first(CpuStream *stream)
{
	const std::function<void()> first = std::move(stream->submitted.front());

	stream->submitted.pop_front();
	first();
}

static void
do_all(CpuStream *stream)
{
	while (!stream->submitted.empty())
		do_first(stream);
}

void
cpu_synchronize(void)
{
	for (CpuStream *stream : streams)
		do_all(stream);
}

static cudaError_t
submit(CpuStream *stream, std::function<void()> what)
{
	RUNTIME_LOCK();

	if (stream == nullptr)
		return cpu_set_error(cudaErrorInvalidValue);
	stream->submitted.push_back(std::move(what));
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
	RUNTIME_LOCK();

	*stream = new CpuStream();
	streams.insert(*stream);
	return cudaSuccess;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
	RUNTIME_LOCK();

	do_all(stream);
	streams.erase(stream);
	delete stream;
	return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
	RUNTIME_LOCK();

	do_all(stream);
	return cudaSuccess;
}

/* Asking a stream lets it go on by one step. */
cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
	RUNTIME_LOCK();

	if (stream->submitted.empty())
		return cudaSuccess;
	do_first(stream);
	return cudaErrorNotReady;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n_bytes, cudaMemcpyKind,
				cudaStream_t stream)
{
	return submit(stream,
				  [=]
				  {
					  if (n_bytes > 0)
						  memcpy(to, from, n_bytes);
				  });
}

cudaError_t
cudaMemsetAsync(void *to, int byte, size_t n_bytes, cudaStream_t stream)
{
	return submit(stream, [=] { memset(to, byte, n_bytes); });
}

/* On a GPU the stream gets that far without anybody waiting for it. */
cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data)
{
	RUNTIME_LOCK();

	do_all(stream);
	function(data);
	return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
	*event = new CpuEvent();
	return cudaSuccess;
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
	RUNTIME_LOCK();

	cpu_synchronize();
	delete event;
	return cudaSuccess;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	event->is_recorded = false;
	return submit(stream,
				  [=]
				  {
					  struct timespec now;

					  clock_gettime(CLOCK_MONOTONIC, &now);
					  event->ms =
						  double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
					  event->is_recorded = true;
				  });
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
	RUNTIME_LOCK();

	if (!begin->is_recorded || !end->is_recorded)
		return cpu_set_error(cudaErrorNotReady);
	*ms = float(end->ms - begin->ms);
	return cudaSuccess;
}

cudaError_t
cpu_launch(const void *kernel, const CpuGrid &grid, cudaStream_t stream)
{
	CpuGrid checked = grid;
	const cudaError_t error = cpu_check_launch(kernel, &checked);

	if (error != cudaSuccess)
		return cpu_set_error(error);
	return submit(stream, [checked] { cpu_run_grid(checked); });
}
