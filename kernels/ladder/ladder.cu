/*
 * ladder.cu
 *		The ladder on a CUDA device: the device, the tables, and the memory of
 *		a request.
 *
 * Implements ladder_runner.h, for gpuagg-ladder and the tests.  The process has
 * one device open, with a context and a budget of its own.  Each request
 * allocates its memory, and frees all of it: one allocation, managed memory for
 * a rung that reads it, and what the exact kernels allocate for their queue.
 */
#include <algorithm>
#include <new>
#include <vector>

#include "timed_runs.h"

/* The part of the device's free memory that managed elements may have. */
constexpr uint64_t kManagedShare = 8;

/* The device that is open. */
static struct
{
	GaDevice *device;
	GaDeviceInfo info; /* as it was when it was opened */
	uint64_t reserve_bytes;
	uint32_t n_threads; /* resident threads */
} ladder;

static uint32_t
cuda_rungs(GaLadder of, const GaRung **rungs)
{
	static std::vector<GaRung> lists[2];
	const RungTable *table =
		of == GA_LADDER_REDUCE ? &reduce_table : &scan_table;
	std::vector<GaRung> *list = &lists[of == GA_LADDER_REDUCE ? 0 : 1];

	if (list->empty())
	{
		for (uint32_t i = 0; i < table->n; i++)
			list->push_back(table->rungs[i].about);
	}
	*rungs = list->data();
	return table->n;
}

/* Set the budget to what is free now, but for what is left to others. */
static GaStatus
open_budget(GaDeviceFailure *failure)
{
	const uint64_t reserve = ladder.reserve_bytes;
	GaDevice *device = ladder.device;
	int n_threads;

	TRY(ga_device_cuda.describe(device, &ladder.info, failure));
	CUDA_TRY(cudaDeviceGetAttribute(&n_threads,
									cudaDevAttrMaxThreadsPerMultiProcessor,
									device->ordinal),
			 failure);
	ladder.n_threads = uint32_t(device->n_multiprocessors * n_threads);
	/* a budget of 0 would be no limit */
	device->budget_bytes =
		ladder.info.free_bytes > reserve ? ladder.info.free_bytes - reserve : 1;
	return GA_OK;
}

static GaStatus
cuda_ladder_open(int ordinal, uint64_t reserve_bytes, GaDeviceFailure *failure)
{
	const GaDeviceOptions options = {ordinal};
	GaStatus status;

	TRY(ga_device_cuda.open(&options, &ladder.device, failure));
	ladder.reserve_bytes = reserve_bytes;
	status = open_budget(failure);
	if (status != GA_OK)
		ga_device_cuda.close(ladder.device);
	return status;
}

static void
cuda_ladder_close(void)
{
	ga_device_cuda.close(ladder.device);
	ladder.device = nullptr;
}

static const char *
cuda_device_name(void)
{
	return ladder.info.name;
}

static uint64_t
cuda_used_bytes(void)
{
	return ladder.device->used_bytes;
}

/*
 * Fill in what the request is about.  The shipping kernel's totals of integers
 * have 64 bits.
 */
static void
describe_runs(TimedRuns *runs, GaRungRequest *request)
{
	const RungTable *table =
		request->ladder == GA_LADDER_REDUCE ? &reduce_table : &scan_table;

	runs->request = request;
	runs->device = ladder.device;
	runs->rung = &table->rungs[request->rung];
	runs->has_totals =
		request->ladder != GA_LADDER_REDUCE || has_flag(runs, kCopies);
	runs->truth_type = request->type == GA_int4 ? GA_int8 : request->type;
	runs->out_type = runs->has_totals && runs->rung->run == nullptr ?
						 runs->truth_type :
						 request->type;
	runs->run.type = request->type;
	runs->run.exclusive = request->ladder == GA_LADDER_EXCLUSIVE_SCAN;
	runs->run.n = uint32_t(request->n);
	runs->run.n_threads = ladder.n_threads;
}

/*
 * Allocate managed memory for the elements, an eighth of the free one at most.
 */
static GaStatus
allocate_managed(TimedRuns *runs, uint64_t n_bytes, GaDeviceFailure *failure)
{
	size_t free_bytes;
	size_t all_bytes;
	int has_managed;

	CUDA_TRY(cudaDeviceGetAttribute(&has_managed, cudaDevAttrManagedMemory,
									runs->device->ordinal),
			 failure);
	if (!has_managed)
	{
		ga_device_failure(failure, "rung", "this device has no managed memory");
		return GA_NO_MEMORY;
	}
	CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes), failure);
	if (n_bytes > free_bytes / kManagedShare)
	{
		ga_device_failure(failure, "rung",
						  "%llu bytes of managed memory are more than an "
						  "eighth of the %llu that are free",
						  (unsigned long long) n_bytes,
						  (unsigned long long) free_bytes);
		return GA_NO_MEMORY;
	}
	CUDA_TRY(cudaMallocManaged(&runs->managed, n_bytes), failure);
	runs->run.in = runs->managed;
	return GA_OK;
}

/* Allocate n bytes; say how many are missing if there are too few. */
static GaStatus
allocate_memory(TimedRuns *runs, uint64_t n_bytes, GaDeviceFailure *failure)
{
	GaStatus status =
		ga_device_cuda.allocate(runs->device, n_bytes, &runs->memory, failure);

	if (status == GA_NO_MEMORY)
		ga_device_failure(failure, "rung",
						  "%llu bytes are needed; of %llu free bytes of the "
						  "device %llu are reserved for gpuaggd",
						  (unsigned long long) n_bytes,
						  (unsigned long long) ladder.info.free_bytes,
						  (unsigned long long) ladder.reserve_bytes);
	return status;
}

/* Allocate all the memory of the runs. */
static GaStatus
allocate_all(TimedRuns *runs, GaDeviceFailure *failure)
{
	RungRun *run = &runs->run;
	const size_t n_bytes = run->n * ga_element_size(run->type);
	const size_t item_bytes = std::max(ga_element_size(runs->out_type),
									   ga_element_size(runs->truth_type));
	const size_t n_out = runs->has_totals ? run->n : 1;
	/* exclusive exact totals begin so much behind the start of a vector */
	const size_t shift =
		run->exclusive ? kVectorBytes - ga_element_size(runs->truth_type) : 0;
	Layout layout;
	const size_t elements_at = layout.add<char>(n_bytes);
	const size_t in_at =
		has_flag(runs, kSpoils) ? layout.add<char>(n_bytes) : elements_at;
	const size_t out_at = layout.add<char>(shift + n_out * item_bytes);
	const size_t first_at = layout.add<char>(shift + n_out * item_bytes);
	const size_t outcome_at = layout.add<Outcome>(1);
	size_t workspace_at;
	char *start;

	if (runs->rung->workspace != nullptr)
		CUDA_TRY(runs->rung->workspace(*run, &run->workspace_bytes), failure);
	workspace_at = layout.add<char>(run->workspace_bytes);
	TRY(allocate_memory(runs, layout.n_bytes, failure));
	start = reinterpret_cast<char *>(runs->memory);
	runs->elements = start + elements_at;
	runs->first = start + first_at + shift;
	runs->outcome = reinterpret_cast<Outcome *>(start + outcome_at);
	run->in = start + in_at;
	run->out = start + out_at + (runs->rung->run == nullptr ? shift : 0);
	run->workspace = start + workspace_at;
	if (runs->rung->about.is_managed)
		TRY(allocate_managed(runs, n_bytes, failure));
	return GA_OK;
}

/* Open the queue, and allocate what belongs to the host. */
static GaStatus
open_queue(TimedRuns *runs, GaDeviceFailure *failure)
{
	TRY(ga_device_cuda.queue_open(runs->device, -1, &runs->queue, failure));
	ga_device_cuda.measure(runs->queue, true);
	runs->run.stream = runs->queue->stream;
	CUDA_TRY(cudaEventCreate(&runs->begin), failure);
	CUDA_TRY(cudaEventCreate(&runs->end), failure);
	CUDA_TRY(cudaMallocHost(&runs->host, sizeof(Outcome)), failure);
	runs->run.answer = &runs->host->answer;
	return GA_OK;
}

/* Make the elements, or copy those of the request. */
static GaStatus
bring_elements(TimedRuns *runs, GaDeviceFailure *failure)
{
	const GaRungRequest *request = runs->request;
	const size_t n_bytes = request->n * ga_element_size(request->type);
	const cudaStream_t stream = runs->run.stream;

	if (request->in != nullptr)
		CUDA_TRY(cudaMemcpyAsync(runs->elements, request->in, n_bytes,
								 cudaMemcpyDefault, stream),
				 failure);
	else
		CUDA_TRY(make_elements(request->type, runs->elements,
							   uint32_t(request->n), stream),
				 failure);
	if (runs->managed != nullptr)
		CUDA_TRY(cudaMemcpyAsync(runs->managed, runs->elements, n_bytes,
								 cudaMemcpyDefault, stream),
				 failure);
	CUDA_TRY(cudaMemsetAsync(runs->outcome, 0, sizeof(Outcome), stream),
			 failure);
	return GA_OK;
}

/* Free everything, whatever of it there is. */
static void
free_runs(TimedRuns *runs)
{
	if (runs->queue != nullptr)
		ga_device_cuda.queue_close(runs->queue);
	if (runs->begin != nullptr)
		(void) cudaEventDestroy(runs->begin);
	if (runs->end != nullptr)
		(void) cudaEventDestroy(runs->end);
	if (runs->managed != nullptr)
		(void) cudaFree(runs->managed);
	if (runs->host != nullptr)
		(void) cudaFreeHost(runs->host);
	ga_device_cuda.free(runs->device, runs->memory);
	(void) cudaGetLastError();
	delete runs;
}

static GaStatus
execute(TimedRuns *runs, GaDeviceFailure *failure)
{
	TRY(allocate_all(runs, failure));
	TRY(open_queue(runs, failure));
	TRY(bring_elements(runs, failure));
	return time_runs(runs, failure);
}

static GaStatus
cuda_run(GaRungRequest *request, GaDeviceFailure *failure)
{
	TimedRuns *runs;
	GaStatus status;

	TRY(ga_rung_check(&ga_ladder_cuda, request, failure));
	runs = new (std::nothrow) TimedRuns();
	if (runs == nullptr)
	{
		ga_device_failure(failure, "rung", "out of memory");
		return GA_NO_MEMORY;
	}
	describe_runs(runs, request);
	status = execute(runs, failure);
	free_runs(runs);
	return status;
}

extern "C" const GaLadderRunner ga_ladder_cuda = {
	cuda_ladder_open, cuda_ladder_close, cuda_device_name,
	cuda_used_bytes,  cuda_rungs,		 cuda_run,
};
