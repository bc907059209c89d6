/*
 * stat_client.c
 *		What views ask gpuaggd, each on a connection of its own.
 *
 * They do not start it; if it is not up, or does not answer, there is nothing
 * to tell.  Throws if the query is cancelled.
 */
#include "postgres.h"

#include <unistd.h>

#include "client.h"
#include "connect.h"
#include "stat_client.h"
#include "extension/settings.h"

/* How long a view waits for gpuaggd, and how many devices it is told of. */
#define VIEW_MS		2000
#define MAX_DEVICES 64

/* Takes what was asked for, of a reply that came well. */
typedef void (*TakeReply)(int fd, long ms, GaReply *reply, int descriptor,
						  void *to);

/* Ask, and have the reply taken.  False if there was none. */
static bool
inquire(const GaRequest *request, GaReply *reply, TakeReply take, void *to)
{
	const long ms = Min(ga_request_timeout, VIEW_MS);
	volatile int fd = ga_connect_if_up();
	volatile bool is_there = false;
	volatile int descriptor = -1;

	if (fd < 0)
		return false;
	PG_TRY();
	{
		is_there = ga_client_greet(fd, ms) == GA_NO_REASON &&
				   ga_client_ask(fd, request, reply, (int *) &descriptor, ms) ==
					   GA_NO_REASON &&
				   reply->status == GA_OK;
		if (is_there && take != NULL)
			take(fd, ms, reply, descriptor, to);
	}
	PG_FINALLY();
	{
		if (descriptor >= 0)
			close(descriptor);
		ga_disconnect(fd);
	}
	PG_END_TRY();
	return is_there;
}

/* A question that is answered in one reply; false if it is not. */
bool
ga_stat_client_ask(const GaRequest *request, GaReply *reply)
{
	return inquire(request, reply, NULL, NULL);
}

typedef struct Devices
{
	GaDeviceRow *rows;
	int n;
} Devices;

/* One reply for each. */
static void
take_devices(int fd, long ms, GaReply *reply, int descriptor, void *to)
{
	Devices *devices = to;
	GaReason reason = GA_NO_REASON;

	devices->rows = palloc(MAX_DEVICES * sizeof(GaDeviceRow));
	while (reason == GA_NO_REASON && reply->status == GA_OK &&
		   devices->n < MAX_DEVICES && reply->u.device.index == devices->n)
	{
		int none;

		devices->rows[devices->n++] = reply->u.device;
		if (devices->n == reply->u.device.n_devices)
			break;
		reason = ga_client_wait(fd, reply, &none, ms);
	}
}

/* The devices, in a palloc'd array.  Returns how many. */
int
ga_stat_client_devices(GaDeviceRow **rows)
{
	const GaRequest request = {.opcode = GA_DEVICES};
	Devices devices = {NULL, 0};
	GaReply reply;

	(void) inquire(&request, &reply, take_devices, &devices);
	*rows = devices.rows;
	return devices.n;
}

typedef struct CacheRows
{
	GaCacheRow *rows;
	int64 n;
} CacheRows;

/* The rows are in a memfd. */
static void
take_cache(int fd, long ms, GaReply *reply, int descriptor, void *to)
{
	CacheRows *cache = to;
	Size n_bytes = reply->u.cache.n_rows * sizeof(GaCacheRow);
	Size done = 0;

	cache->rows = palloc_extended(n_bytes + 1, MCXT_ALLOC_HUGE);
	while (done < n_bytes)
	{
		ssize_t n = pread(descriptor, (char *) cache->rows + done,
						  n_bytes - done, (off_t) done);

		if (n <= 0)
			break;
		done += n;
	}
	cache->n = done / sizeof(GaCacheRow);
}

/* What is resident, in a palloc'd array.  Returns the number of rows. */
int64
ga_stat_client_cache(GaCacheRow **rows)
{
	const GaRequest request = {.opcode = GA_CACHE};
	CacheRows cache = {NULL, 0};
	GaReply reply;

	(void) inquire(&request, &reply, take_cache, &cache);
	*rows = cache.rows;
	return cache.n;
}
