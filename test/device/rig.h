/*
 * rig.h
 *		The test rig: the device under test, open, with a queue and memory.
 *
 * It is the GPU in programs that are linked with it, the emulated device in
 * others.  The rig's functions end the program on any failure; a test that
 * expects one calls the functions of device.h.
 */
#ifndef RIG_H
#define RIG_H

#include "device/device.h"

/* Memory that requests read, and that they write. */
typedef enum RigMemory
{
	RIG_IN,
	RIG_OUT,
	RIG_N_MEMORIES
} RigMemory;

typedef struct Rig
{
	const GaDeviceKind *kind;
	GaDevice *device;
	GaDeviceQueue *queue;
	int event_fd;
	unsigned n_finished; /* requests, which are awaited in various ways */
	GaDeviceAddress memory[RIG_N_MEMORIES];
	uint64_t n_bytes[RIG_N_MEMORIES];
} Rig;

extern const GaDeviceKind *rig_kind(void);
extern bool rig_is_emulated(void);

/* Open it, or print that all tests are skipped, and exit. */
extern void rig_open(Rig *rig);
extern void rig_open_with(Rig *rig, const GaDeviceOptions *options);
extern void rig_close(Rig *rig);

/* End the program unless this is GA_OK. */
extern void rig_must(const Rig *rig, const char *what, GaStatus status,
					 const GaDeviceFailure *failure);

/* So much memory, which the next call may move. */
extern GaDeviceAddress rig_memory(Rig *rig, RigMemory which, size_t n_bytes);
extern void rig_copy_in(Rig *rig, GaDeviceAddress to, const void *from,
						size_t n_bytes);
extern void rig_copy_out(Rig *rig, void *to, GaDeviceAddress from,
						 size_t n_bytes);

/* Submit a request and wait until it is finished. */
extern void rig_sum(Rig *rig, GaSumRequest *request);
extern void rig_scan(Rig *rig, GaScanRequest *request);
extern GaStatus rig_finish(Rig *rig, GaDeviceFailure *failure);

/*
 * Are some sizes enough?  In the short form those of the emulated device are,
 * which computes as the CPU engine does; the kernels have sizes of their own.
 */
extern bool rig_is_quick(void);

#endif /* RIG_H */
