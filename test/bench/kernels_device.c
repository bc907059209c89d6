/*
 * kernels_device.c
 *		The device of `make bench-kernels`, and how work on it is timed.
 *
 * Before each timing the L2 cache is made cold: a buffer of several times its
 * size is written and then read, so that what is left in it is of no use and
 * has not to be written back.  After that, ours and others' work alike waits
 * on its queue behind a kernel that takes LEAD_US, which is longer than
 * submitting the work; so the events around it do not see the host.  It is no
 * copy: behind those, and on a device that has nothing else to do, a kernel may
 * start 3 to 7 us late, or not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels.h"

#define FLUSH_BYTES (UINT64_C(256) << 20)
#define LEAD_US		60
#define MAX_LOG2	29
#define MIN_LOG2	26

Bench bench;

static cudaEvent_t begin;
static cudaEvent_t end;
static GaDeviceAddress flush;
static void *temp;
static size_t temp_bytes;

/* End the program if a call of CUDA failed. */
void
bench_cuda(cudaError_t failure, const char *call)
{
	if (failure == cudaSuccess)
		return;
	fprintf(stderr, "kernels: %s: %s (%d)\n", call, cudaGetErrorString(failure),
			(int) failure);
	exit(2);
}

/* The same of device.h. */
void
bench_device(GaStatus status, const char *call)
{
	if (status == GA_OK)
		return;
	fprintf(stderr, "kernels: %s: status %d: %s: %s\n", call, (int) status,
			bench.failure.call, bench.failure.message);
	exit(2);
}

static void
free_buffer(GaDeviceAddress *buffer)
{
	if (*buffer != 0)
		bench.kind->free(bench.device, *buffer);
	*buffer = 0;
}

static bool
take_buffer(GaDeviceAddress *buffer)
{
	GaStatus status = bench.kind->allocate(bench.device, bench.buffer_bytes,
										   buffer, &bench.failure);

	if (status == GA_NO_MEMORY)
	{
		*buffer = 0;
		return false;
	}
	bench_device(status, "allocate");
	return true;
}

/* The largest buffers there is memory for. */
static void
take_buffers(void)
{
	for (bench.max_log2 = MAX_LOG2; bench.max_log2 >= MIN_LOG2;
		 bench.max_log2--)
	{
		bench.buffer_bytes = (size_t) 8 << bench.max_log2;
		if (take_buffer(&bench.in) && take_buffer(&bench.out) &&
			take_buffer(&bench.other_out))
		{
			if (bench.max_log2 < MAX_LOG2)
				fprintf(stderr,
						"kernels: device memory is short: no rows "
						"beyond 2^%d\n",
						bench.max_log2);
			return;
		}
		free_buffer(&bench.in);
		free_buffer(&bench.out);
		free_buffer(&bench.other_out);
	}
	fprintf(stderr, "kernels: there is not enough device memory\n");
	exit(2);
}

void
bench_open(void)
{
	const GaDeviceOptions options = {.ordinal = 0};

	bench.kind = &ga_device_cuda;
	DEVICE(bench.kind->open(&options, &bench.device, &bench.failure));
	DEVICE(
		bench.kind->queue_open(bench.device, -1, &bench.queue, &bench.failure));
	CUDA(cudaSetDevice(options.ordinal));
	CUDA(cudaStreamCreateWithFlags(&bench.stream, cudaStreamNonBlocking));
	CUDA(cudaEventCreate(&begin));
	CUDA(cudaEventCreate(&end));

	DEVICE(bench.kind->allocate(bench.device, FLUSH_BYTES, &flush,
								&bench.failure));
	take_buffers();
	CUDA(cudaMalloc((void **) &bench.word, 16));
	CUDA(cudaHostAlloc(&bench.chunk_in, BENCH_CHUNK_BYTES,
					   cudaHostAllocDefault));
	CUDA(cudaHostAlloc(&bench.chunk_out, BENCH_CHUNK_BYTES,
					   cudaHostAllocDefault));

	/* what is copied should not be zeros either */
	CUDA(bench_fill(bench_pointer(bench.in), GA_int8, BENCH_UNIFORM,
					bench.buffer_bytes / 8, bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
}

void
bench_close(void)
{
	CUDA(cudaFree(temp));
	CUDA(cudaFree(bench.word));
	CUDA(cudaFreeHost(bench.chunk_in));
	CUDA(cudaFreeHost(bench.chunk_out));
	CUDA(cudaEventDestroy(begin));
	CUDA(cudaEventDestroy(end));
	CUDA(cudaStreamDestroy(bench.stream));
	bench.kind->queue_close(bench.queue);
	bench.kind->close(bench.device);
}

/* An address as CUDA has it; both are of the device's primary context. */
void *
bench_pointer(GaDeviceAddress address)
{
	return (void *) (uintptr_t) address;
}

/* Device memory for others to work with, until the next call. */
void *
bench_temp(size_t n_bytes)
{
	if (n_bytes > temp_bytes)
	{
		CUDA(cudaFree(temp));
		CUDA(cudaMalloc(&temp, n_bytes));
		temp_bytes = n_bytes;
	}
	return temp;
}

double
bench_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec * 1e3 + (double) now.tv_nsec * 1e-6;
}

/*
 * Make the L2 cache cold, unless the data are elsewhere each time; wait until
 * all of our stream is done.
 */
void
bench_cool(void)
{
	static int byte;

	if (bench.rotates)
	{
		CUDA(cudaStreamSynchronize(bench.stream));
		return;
	}
	byte = (byte + 1) % 255;
	CUDA(
		cudaMemsetAsync(bench_pointer(flush), byte, FLUSH_BYTES, bench.stream));
	CUDA(bench_read(bench_pointer(flush), FLUSH_BYTES, bench.word,
					bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
}

/* Have the queue wait for a while. */
void
bench_submit_lead(void)
{
	CUDA(bench_spin(LEAD_US, bench_stream_of(bench.queue)));
}

/*
 * What the device takes for work() on our stream, in ms, with a cold cache.
 * Whatever work() needs has to be allocated before.
 */
double
bench_time_stream(cudaError_t (*work)(void *job), void *job)
{
	float ms;

	bench_cool();
	CUDA(bench_spin(LEAD_US, bench.stream));
	CUDA(cudaEventRecord(begin, bench.stream));
	CUDA(work(job));
	CUDA(cudaEventRecord(end, bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
	CUDA(cudaEventElapsedTime(&ms, begin, end));
	return ms;
}

/* Copy what is finished, and wait for it. */
void
bench_copy_to_host(void *to, GaDeviceAddress from, size_t n_bytes)
{
	CUDA(cudaMemcpyAsync(to, bench_pointer(from), n_bytes,
						 cudaMemcpyDeviceToHost, bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
}

/* A digest of device memory, a multiple of 8 bytes. */
uint64_t
bench_digest_of(GaDeviceAddress from, size_t n_bytes)
{
	uint64_t digest;

	CUDA(bench_digest(bench_pointer(from), n_bytes, bench.word, bench.stream));
	bench_copy_to_host(&digest, (GaDeviceAddress) (uintptr_t) bench.word,
					   sizeof(digest));
	return digest;
}
