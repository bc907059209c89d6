/*
 * kernels.h
 *		What the parts of `make bench-kernels` share: the device, buffers, and
 *		how a row is measured.
 *
 * The program has one thread and uses one device; all of this is set once, by
 * bench_open().  A failed call of CUDA or of device.h ends it with exit code
 * 2.  A wrong answer ends its row, and the program with exit code 1 after
 * the others.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "device/device.h"
#include "kernels_check.h"
#include "kernels_gpu.h"

#define BENCH_WARM_UPS	  3
#define BENCH_MIN_ROUNDS  7 /* however long they take */
#define BENCH_MAX_ROUNDS  200
#define BENCH_MAX_SIDES	  3
#define BENCH_DATA_COPIES 16
#define BENCH_CHUNK_BYTES (UINT64_C(64) << 20) /* copied at once */

/* Full records of a request. */
#define BENCH_FULL_CAPACITY 64

/* Moved by a copy of 2 GB, each byte of which is read and written. */
#define BENCH_COPY_BYTES (UINT64_C(4) << 30)

typedef struct Bench
{
	/* options */
	bool quick;
	bool listing;
	bool ours;		  /* no other sides */
	int max_rounds;	  /* or 0 */
	const char *only; /* what names of rows begin with, by commas, or NULL */

	/* the device, as we have it and as CUDA has it */
	const GaDeviceKind *kind;
	GaDevice *device;
	GaDeviceQueue *queue;
	GaDeviceFailure failure; /* of the latest call */
	cudaStream_t stream;

	/* device memory */
	int max_log2; /* elements of 8 bytes that buffers hold */
	size_t buffer_bytes;
	GaDeviceAddress in;
	GaDeviceAddress out;
	GaDeviceAddress other_out; /* of whom we are compared with */
	uint64_t *word;			   /* counts, digests, sums; 16 bytes */

	/* host memory that the device reads and writes directly */
	void *chunk_in;
	void *chunk_out;

	double copy_gb_per_s; /* 0 before it is measured */
	int n_wrong;

	/*
	 * Each run takes the next of several buffers, which keeps the data out of
	 * the caches, but not the code.
	 */
	bool rotates;
} Bench;

extern Bench bench;

/*
 * One side of a comparison.  run() does the work once, checks the answer, and
 * returns the time in ms, or < 0 if it was wrong.
 */
typedef struct BenchSide
{
	const char *name;
	double (*run)(void *job);
	void *job;
} BenchSide;

/*
 * A line of the output.  sides[0] is ours; it is compared with the best of
 * those after it, but for the last n_copies, which are copies of as many
 * bytes.
 */
typedef struct BenchRow
{
	char name[64];
	uint64_t n;		  /* elements */
	uint64_t n_bytes; /* that ours reads and writes at least */
	int n_rounds;
	double limit_ms; /* for all rounds, checks included */
	int n_sides;
	int n_copies;
	BenchSide sides[BENCH_MAX_SIDES];
} BenchRow;

/* kernels_device.c */
extern void bench_cuda(cudaError_t failure, const char *call);
extern void bench_device(GaStatus status, const char *call);

#define CUDA(call)	 bench_cuda(call, #call)
#define DEVICE(call) bench_device(call, #call)

extern void bench_open(void);
extern void bench_close(void);
extern void *bench_pointer(GaDeviceAddress address);
extern void *bench_temp(size_t n_bytes);
extern void bench_cool(void);
extern double bench_now_ms(void);
extern void bench_submit_lead(void);
extern double bench_time_stream(cudaError_t (*work)(void *job), void *job);
extern uint64_t bench_digest_of(GaDeviceAddress from, size_t n_bytes);
extern void bench_copy_to_host(void *to, GaDeviceAddress from, size_t n_bytes);

/* kernels_row.c: what a row is */
extern bool bench_wants(BenchRow *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
extern bool bench_wants_size(const int *sizes, int i);
extern void bench_wrong(const char *what);
extern double bench_row(BenchRow *row);
extern void bench_print_head(void);

/* Elements in device memory, and their exact sum. */
typedef struct BenchSet
{
	GaElementType type;
	BenchData data;
	GaDeviceAddress at;
	size_t n;
	size_t n_copies;   /* of them, one after the other; 0 is as 1 */
	BenchCheck *check; /* n of them are in it */
} BenchSet;

/* kernels_job.c */
extern void bench_set_use(BenchSet *set, GaElementType type, BenchData data,
						  size_t n);
extern void bench_set_clear(BenchSet *set, GaDeviceAddress at);

/* A request for one array, ours or CUB's. */
typedef struct BenchJob
{
	BenchSet *set;
	size_t n;
	size_t copy;			/* of the set, for the next run */
	GaDeviceAddress packed; /* the same elements, for ours; or 0 */
	GaScanTotals totals;	/* of running totals, and so is the rest */
	GaDeviceAddress out;
	size_t out_bytes;
	bool by_wall;	  /* from submit to result, by the host's clock */
	bool was_checked; /* with this answer: */
	uint64_t digest;
} BenchJob;

extern double bench_our_sum(void *job);
extern double bench_cub_sum_ms(void *job);
extern double bench_our_scan(void *job);
extern double bench_cub_scan_ms(void *job);
extern double bench_copy_ms(void *n_bytes);

/* Of n elements of a set, which are packed, too: kernels_reduce.c, and so on */
extern void bench_packed_max(BenchRow *row, BenchSet *set, size_t n,
							 GaDeviceAddress packed);
extern void bench_packed_moments(BenchRow *row, BenchSet *set, size_t n,
								 GaDeviceAddress packed);
extern void bench_packed_products(BenchRow *row, BenchSet *set, size_t n,
								  GaDeviceAddress packed);
extern void bench_packed_elem(BenchRow *row, BenchSet *set, size_t n,
							  GaDeviceAddress packed);

/* kernels_packed.c */
extern void bench_packed_row(BenchRow *row, BenchSet *set, size_t n,
							 double (*run)(void *job), void *packed,
							 void *plain);

/* The rows: of kernels_rows.c, _reduce.c, _products.c, and so on */
extern void bench_copy_row(void);
extern void bench_sum_rows(void);
extern void bench_packed_rows(void);
extern void bench_reduce_rows(void);
extern void bench_products_rows(void);
extern void bench_scan_rows(void);
extern void bench_latency_rows(void);
extern void bench_many_rows(void);
extern void bench_elem_rows(void);
extern void bench_window_rows(void);

#endif /* KERNELS_H */
