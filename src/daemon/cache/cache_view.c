/*
 * cache_view.c
 *		What is resident, as rows in a memfd for a client.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cache_view.h"
#include "caches.h"

/*
 * Return a memfd with a GaCacheRow for each relation, which the caller closes;
 * -1 if there is no memory.
 */
int
ga_cache_view(uint64_t *n_rows)
{
	uint64_t n = ga_caches_rows(NULL, 0);
	GaCacheRow *rows = calloc(n + 1, sizeof(*rows));
	int fd = memfd_create("gpuagg cache", MFD_CLOEXEC);
	ssize_t n_bytes = (ssize_t) (n * sizeof(*rows));

	*n_rows = n;
	if (rows != NULL && fd >= 0)
	{
		(void) ga_caches_rows(rows, n);
		if (write(fd, rows, (size_t) n_bytes) != n_bytes)
		{
			close(fd);
			fd = -1;
		}
	}
	else if (fd >= 0)
	{
		close(fd);
		fd = -1;
	}
	free(rows);
	return fd;
}
