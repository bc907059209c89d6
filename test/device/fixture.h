/*
 * fixture.h
 *		The test fixture: the device under test, open, with a queue and
 *		memory.
 *
 * It is the GPU in programs that are linked with it, the emulated device in
 * others.  The fixture's functions end the program on any failure; a test that
 * expects one calls the functions of device.h.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "device/device.h"

/* Memory that requests read, and that they write; the payloads of packing. */
typedef enum FixtureMemory
{
	FIXTURE_IN,
	FIXTURE_OUT,
	FIXTURE_PAGES,
	FIXTURE_N_MEMORIES
} FixtureMemory;

typedef struct Fixture
{
	const GaDeviceKind *kind;
	GaDevice *device;
	GaDeviceQueue *queue;
	int event_fd;
	unsigned n_finished; /* requests, which are awaited in various ways */
	GaDeviceAddress memory[FIXTURE_N_MEMORIES];
	uint64_t n_bytes[FIXTURE_N_MEMORIES];
} Fixture;

extern const GaDeviceKind *fixture_kind(void);
extern bool fixture_is_emulated(void);

/* Open it, or print that all tests are skipped, and exit. */
extern void fixture_open(Fixture *fixture);
extern void fixture_open_with(Fixture *fixture, const GaDeviceOptions *options);
extern void fixture_close(Fixture *fixture);

/* End the program unless this is GA_OK. */
extern void fixture_must(const Fixture *fixture, const char *what,
						 GaStatus status, const GaDeviceFailure *failure);

/* So much memory, which the next call may move. */
extern GaDeviceAddress fixture_memory(Fixture *fixture, FixtureMemory which,
									  size_t n_bytes);
extern void fixture_copy_in(Fixture *fixture, GaDeviceAddress to,
							const void *from, size_t n_bytes);
extern void fixture_copy_out(Fixture *fixture, void *to, GaDeviceAddress from,
							 size_t n_bytes);

/* Submit a request and wait until it is finished. */
extern void fixture_sum(Fixture *fixture, GaSumRequest *request);
extern void fixture_reduce(Fixture *fixture, GaReduceRequest *request);
extern void fixture_elem(Fixture *fixture, GaElemRequest *request);
extern void fixture_window(Fixture *fixture, GaWindowRequest *request);
extern void fixture_scan(Fixture *fixture, GaScanRequest *request);
extern void fixture_survey(Fixture *fixture, GaPackRequest *request);
extern void fixture_pack(Fixture *fixture, GaPackRequest *request);
extern GaStatus fixture_finish(Fixture *fixture, GaDeviceFailure *failure);

/*
 * Are some sizes enough?  In the short form those of the emulated device are,
 * which computes as the CPU engine does; the kernels have sizes of their own,
 * unless GPUAGG_TEST_DIVISOR asks for few cases.
 */
extern bool fixture_is_quick(void);

/* Are all arrays packed?  GPUAGG_TEST_PACKED asks for it. */
extern bool fixture_packs(void);

/*
 * Pack an image in FIXTURE_IN as one array, wherever its own arrays lie.
 * Returns the packed address: elements are as far apart as in the image.
 */
extern GaDeviceAddress fixture_pack_image(Fixture *fixture, GaElementType type,
										  GaDeviceAddress image,
										  size_t n_bytes);

#endif /* FIXTURE_H */
