/*
 * devices.c
 *		The devices that are open.
 *
 * Owns them; main.c opens them once at the start, and they are never closed.
 * Called by all that use a device.  A device that fails is not used any more;
 * the others go on.  With the last one the program ends.
 */
#include <stdio.h>
#include <string.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "devices.h"
#include "exit.h"
#include "log.h"
#include "options.h"

static GaOpenDevice devices[GA_MAX_DEVICES];
static uint32_t n_devices;
static uint64_t working; /* a bit for each one that is not lost */
static uint64_t lost;	 /* that ga_devices_next_lost() has not returned */

uint32_t
ga_devices_count(void)
{
	return n_devices;
}

/* Return a device; the pointer stays valid. */
const GaOpenDevice *
ga_devices_get(uint32_t i)
{
	return &devices[i];
}

/*
 * Find how much of a device's memory gpuaggd may use.  If that is half of it,
 * the device has to be opened to know.
 */
static GaStatus
find_budget(const GaDeviceKind *kind, int ordinal, uint64_t *budget_bytes,
			GaDeviceFailure *failure)
{
	GaDeviceOptions options = {.ordinal = ordinal};
	GaDeviceInfo info;
	GaDevice *device;
	GaStatus status;

	/* 0 would be no limit */
	*budget_bytes = ga_options.cache_size_mb == 0 ?
						1 :
						(uint64_t) ga_options.cache_size_mb << 20;
	if (ga_options.cache_size_mb >= 0)
		return GA_OK;
	status = kind->open(&options, &device, failure);
	if (status != GA_OK)
		return status;
	status = kind->describe(device, &info, failure);
	kind->close(device);
	*budget_bytes = info.memory_bytes / 2;
	return status;
}

/* Say what a device does not compute right. */
static void
log_wrong(const GaOpenDevice *device)
{
	const GaReductionSet packed = (GaReductionSet) 1 << GA_PACKED_VECTORS;

	if ((device->wrong & packed) != 0)
		ga_log_warning("device %d: packed vectors have wrong bits, and it "
					   "packs no arrays",
					   device->ordinal);
	if ((device->wrong & ~packed) != 0)
		ga_log_warning("device %d: reductions 0x%x have wrong bits, and the "
					   "CPU computes them",
					   device->ordinal, (unsigned) (device->wrong & ~packed));
}

/*
 * Have a device compute what the emulated one does, too.  One whose sums or
 * running totals are wrong is not used; other reductions that are wrong are not
 * asked of it, and one whose packed vectors are wrong packs no arrays.
 */
static GaStatus
test_device(GaOpenDevice *device, GaDeviceFailure *failure)
{
	const int64_t start_ns = ga_now_ns();
	GaStatus status =
		ga_self_test(device->kind, device->device, &ga_device_emulated,
					 &device->wrong, failure);

	if (status != GA_DEVICE_FAILED && (device->wrong >> GA_REDUCE_SUM & 1) != 0)
	{
		ga_device_failure(failure, "self-test", "sums have wrong bits");
		status = GA_NO_DEVICE;
	}
	if (status == GA_NO_MEMORY)
	{
		ga_log("device %d: no memory for its self-test", device->ordinal);
		status = GA_OK;
	}
	else if (status != GA_OK)
		device->kind->close(device->device);
	else if (device->wrong != 0)
		log_wrong(device);
	else
		ga_log("device %d: self-test passed in %.0f ms", device->ordinal,
			   ga_ms_since(start_ns));
	return status;
}

/* Open one more device. */
static GaStatus
open_device(const GaDeviceKind *kind, int ordinal, GaDeviceFailure *failure)
{
	GaDeviceOptions options = {.ordinal = ordinal};
	GaOpenDevice *to = &devices[n_devices];
	GaStatus status =
		find_budget(kind, ordinal, &options.budget_bytes, failure);

	if (n_devices == 0)
		options.faults = ga_options.emulated_faults;
	if (status == GA_OK)
		status = kind->open(&options, &to->device, failure);
	if (status != GA_OK)
		return status;
	to->kind = kind;
	to->ordinal = ordinal;
	/* the emulated device has nothing to be compared with but itself */
	if (kind != &ga_device_emulated || options.faults.wrong_bits != 0)
		status = test_device(to, failure);
	if (status == GA_OK)
		status = ga_devices_describe(n_devices, failure);
	if (status != GA_OK)
		return status;
	working |= UINT64_C(1) << n_devices;
	n_devices++;
	ga_log("device %d: %s, %d.%d, %llu MB of %llu MB", ordinal, to->info.name,
		   to->info.major, to->info.minor,
		   (unsigned long long) to->info.budget_bytes >> 20,
		   (unsigned long long) to->info.memory_bytes >> 20);
	return GA_OK;
}

/* Open emulated devices, the first of which injects the faults. */
static GaStatus
open_emulated(GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;
	int i;

	for (i = 0; i < ga_options.n_emulated && status == GA_OK; i++)
		status = open_device(&ga_device_emulated, i, failure);
	return status;
}

/*
 * Open all devices that can be; if none can, return the first one's failure.
 * End the program if there is neither a driver nor a device, as on most
 * servers.
 */
static GaStatus
open_any(const GaDeviceKind *kind, GaDeviceFailure *failure)
{
	GaDeviceFailure other;
	GaStatus result;
	int n;
	int i;

	if (kind == NULL)
		ga_exit_fatal(GA_EXIT_ABSENT, "gpuagg was built without CUDA");
	result = kind->count(&n, failure);
	if (result == GA_NO_DRIVER || result == GA_NO_DEVICE)
		ga_exit_fatal(GA_EXIT_ABSENT, "%s", failure->message);
	if (result != GA_OK)
		return result;
	for (i = 0; i < n && i < GA_MAX_DEVICES; i++)
	{
		GaDeviceFailure *why = i == 0 ? failure : &other;
		GaStatus status = open_device(kind, i, why);

		if (i == 0)
			result = status;
		if (status != GA_OK)
			ga_log_warning("device %d: %s: %s", i, why->call, why->message);
	}
	return n_devices > 0 ? GA_OK : result;
}

/* Open the devices that the options name. */
static GaStatus
open_all(GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;
	int i;

	if (ga_options.n_emulated > 0)
		return open_emulated(failure);
	if (ga_options.n_ordinals == 0)
		return open_any(&ga_device_cuda, failure);
	if (&ga_device_cuda == NULL)
	{
		ga_device_failure(failure, "gpuaggd", "it was built without CUDA");
		return GA_NO_DRIVER;
	}
	for (i = 0; i < ga_options.n_ordinals && status == GA_OK; i++)
		status = open_device(&ga_device_cuda, ga_options.ordinals[i], failure);
	return status;
}

/* Open the devices that the options name, or end the program. */
void
ga_devices_open(void)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status = open_all(&failure);

	if (status != GA_OK)
		ga_exit_refused(status, &failure);
}

/*
 * A device failed: use it no more.  Does not return if there is no other one,
 * since a new process can open it again.
 */
void
ga_devices_lose(const GaOpenDevice *device, const GaDeviceFailure *failure)
{
	const uint32_t i = (uint32_t) (device - devices);

	lost |= UINT64_C(1) << i;
	if (device->is_lost)
		return;
	working &= ~(UINT64_C(1) << i);
	if (working == 0)
		ga_exit_lost(failure);
	devices[i].is_lost = true;
	devices[i].failure = *failure;
	ga_log_warning("device %d failed, and the others go on without it until "
				   "gpuaggd starts again: %s: %s",
				   device->ordinal, failure->call, failure->message);
}

/* Note that a device computes something wrong, a bit of a GaReductionSet. */
void
ga_devices_set_wrong(const GaOpenDevice *device, int reduction)
{
	devices[device - devices].wrong |= (GaReductionSet) 1 << reduction;
}

/* Return a bit for each device that works. */
uint64_t
ga_devices_working(void)
{
	return working;
}

/* Return a device whose failure was seen since the last call; or NULL. */
const GaOpenDevice *
ga_devices_next_lost(void)
{
	const GaOpenDevice *device;

	if (lost == 0)
		return NULL;
	device = &devices[__builtin_ctzll(lost)];
	lost &= lost - 1;
	return device;
}

/* Describe a device as it is now, which takes some time; not a lost one. */
GaStatus
ga_devices_describe(uint32_t i, GaDeviceFailure *failure)
{
	GaOpenDevice *device = &devices[i];
	GaDeviceInfo info;
	GaStatus status;

	if (device->is_lost)
		return GA_OK;
	status = device->kind->describe(device->device, &info, failure);
	if (status == GA_OK)
		device->info = info;
	return status;
}

/* Describe a device for a reply, but for sessions and leases. */
void
ga_devices_fill(uint32_t i, GaDeviceRow *row)
{
	const GaOpenDevice *device = &devices[i];
	const GaDeviceInfo *info = &device->info;

	row->index = i;
	row->n_devices = n_devices;
	row->ordinal = device->ordinal;
	row->major = info->major;
	row->minor = info->minor;
	row->n_multiprocessors = info->n_multiprocessors;
	row->driver_version = info->driver_version;
	row->runtime_version = info->runtime_version;
	row->memory_bytes = info->memory_bytes;
	row->free_bytes = info->free_bytes;
	row->budget_bytes = info->budget_bytes;
	row->used_bytes = info->used_bytes;
	memcpy(row->name, info->name, sizeof(row->name));
	memcpy(row->id, info->id, sizeof(row->id));
	snprintf(row->kind, sizeof(row->kind), "%s", device->kind->name);
	if (device->is_lost)
		snprintf(row->failure, sizeof(row->failure), "%s: %.*s",
				 device->failure.call, (int) sizeof(row->failure) - 64,
				 device->failure.message);
}
