/*
 * stat_client.c
 *		Questions of views to gpuaggd, each on a connection of its own.
 *
 * A view does not start gpuaggd; if that is not up, or does not answer, the
 * view is empty.  Needs no lease, and leaves the session's connection as it is.
 * All functions throw if the query is cancelled.
 */
#include "postgres.h"

#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "connect.h"
#include "stat_client.h"
#include "extension/settings.h"
#include "utils/memutils.h"

/* How long a view waits for gpuaggd, and how many devices it shows. */
#define VIEW_MS		2000
#define MAX_DEVICES 64

/* The rows of a view, palloc'd. */
typedef struct Rows
{
	void *rows;
	int64 n;
} Rows;

/*
 * Send a request, and have its reply, and what follows it, read by a function
 * (NULL: nothing follows).  False if there was no reply, or a failure.
 */
static bool
ask(const GaRequest *request, GaReply *reply,
	void (*read)(int fd, long ms, GaReply *reply, int descriptor, Rows *to),
	Rows *to)
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
		if (is_there && read != NULL)
			read(fd, ms, reply, descriptor, to);
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

/* Send a request with one reply.  False if there was none, or a failure. */
bool
ga_stat_client_ask(const GaRequest *request, GaReply *reply)
{
	return ask(request, reply, NULL, NULL);
}

/* Read the replies about devices, one for each. */
static void
read_devices(int fd, long ms, GaReply *reply, int descriptor, Rows *to)
{
	GaDeviceRow *rows = palloc(MAX_DEVICES * sizeof(GaDeviceRow));
	GaReason reason = GA_NO_REASON;

	to->rows = rows;
	while (reason == GA_NO_REASON && reply->opcode == GA_DEVICES &&
		   reply->status == GA_OK && to->n < MAX_DEVICES &&
		   reply->u.device.index == to->n)
	{
		rows[to->n++] = reply->u.device;
		if (to->n == reply->u.device.n_devices)
			break;
		reason = ga_client_wait(fd, reply, NULL, ms);
	}
}

/* Get the devices, in a palloc'd array.  Returns how many. */
int
ga_stat_client_devices(GaDeviceRow **rows)
{
	const GaRequest request = {.opcode = GA_DEVICES};
	Rows devices = {NULL, 0};
	GaReply reply;

	(void) ask(&request, &reply, read_devices, &devices);
	*rows = devices.rows;
	return (int) devices.n;
}

/* Read the rows about the cache, which are in a memfd, as far as they are. */
static void
read_cache(int fd, long ms, GaReply *reply, int descriptor, Rows *to)
{
	const uint64 n_rows =
		Min(reply->u.cache.n_rows, MaxAllocSize / sizeof(GaCacheRow));
	struct stat file;
	Size n_bytes = 0;
	Size done = 0;

	if (descriptor >= 0 && fstat(descriptor, &file) == 0 && file.st_size > 0)
		n_bytes = Min(n_rows * sizeof(GaCacheRow), (uint64) file.st_size);
	to->rows = palloc(n_bytes + 1);
	while (done < n_bytes)
	{
		ssize_t n = pread(descriptor, (char *) to->rows + done, n_bytes - done,
						  (off_t) done);

		if (n <= 0)
			break;
		done += n;
	}
	to->n = done / sizeof(GaCacheRow);
}

/* Get what is resident, in a palloc'd array.  Returns how many rows. */
int64
ga_stat_client_cache(GaCacheRow **rows)
{
	const GaRequest request = {.opcode = GA_CACHE};
	Rows cache = {NULL, 0};
	GaReply reply;

	(void) ask(&request, &reply, read_cache, &cache);
	*rows = cache.rows;
	return cache.n;
}
