/*
 * cache_view.c
 *		What is resident, for who wants to look at it.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cache.h"
#include "cache_view.h"

/*
 * A memfd with a GaCacheRow for each relation; the caller closes it.  Returns
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
