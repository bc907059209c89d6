/*
 * view_rows.h
 *		What gpuaggd tells of itself, of devices, and of resident arrays.
 *
 * Part of protocol.h.
 */
#ifndef GA_VIEW_ROWS_H
#define GA_VIEW_ROWS_H

#include <stdint.h>

/* What is resident of one TOAST relation. */
typedef struct GaCacheRow
{
	uint32_t device; /* its ordinal */
	uint32_t database;
	uint32_t relation;
	uint64_t n_arrays;
	uint64_t n_bytes;		 /* of elements */
	uint64_t n_packed_bytes; /* that these take on the device */
	uint64_t n_hits;
	int64_t used_us; /* since 1970 */
} GaCacheRow;

/* Counters since since_us. */
typedef struct GaStatRow
{
	uint64_t n_requests;  /* submitted to a device */
	uint64_t n_arrays;	  /* sent with them */
	uint64_t n_hits;	  /* stored arrays that were resident */
	uint64_t n_misses;	  /* stored arrays that had to be loaded */
	uint64_t n_streamed;  /* stored arrays without memory for them */
	uint64_t n_evictions; /* resident arrays that others replaced */
	uint64_t n_bytes_in;  /* copied to devices */
	uint64_t n_bytes_out; /* copied from devices, sums not counted */
	double device_ms;
	int64_t since_us; /* since 1970 */
	/* the state of now */
	uint64_t n_resident;	/* resident arrays */
	uint64_t n_cache_bytes; /* that they take, packed or not */
	uint64_t n_plain_bytes; /* of their elements */
	uint64_t n_page_bytes;	/* of the pages that have them */
	uint64_t cache_bytes;	/* that these may be */
	uint64_t host_bytes;	/* of gpuaggd's memory, for what it knows of them */
	uint64_t host_limit_bytes;
	uint64_t n_refused; /* counted: as in GaScanRequest */
} GaStatRow;

/* A device, as GA_DEVICES describes it; device.h defines the fields. */
typedef struct GaDeviceRow
{
	uint32_t index; /* of n_devices */
	uint32_t n_devices;
	int32_t ordinal;
	int32_t major;
	int32_t minor;
	int32_t n_multiprocessors;
	int32_t driver_version;
	int32_t runtime_version;
	uint64_t memory_bytes;
	uint64_t free_bytes;
	uint64_t budget_bytes;
	uint64_t used_bytes;
	uint32_t n_sessions; /* connected, to all devices */
	uint32_t n_leases;	 /* taken, of all devices */
	char name[128];
	char id[48];
	char kind[16];	   /* "cuda", "emulated" */
	char failure[128]; /* why it is not used any more; or empty */
} GaDeviceRow;

#endif /* GA_VIEW_ROWS_H */
