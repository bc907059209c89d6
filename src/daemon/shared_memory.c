/*
 * shared_memory.c
 *		Memory that gpuaggd shares with sessions.
 *
 * Owns nothing: staging.c and lookup_memory.c own what is made here, which
 * stays mapped for the program's life.
 *
 * Clients write to the memory at any time, whatever they promised: nothing
 * that is read from it may be trusted, and nothing may be read twice.  It is
 * sealed, so that no client can truncate it.  Since it has users' data, it is
 * not in a core file.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared_memory.h"

/*
 * Allocate all of the memory of a file.  Where there is too little, a program
 * that wrote to it later would end by SIGBUS: the session of a user, or
 * gpuaggd.
 */
static int
allocate(int fd, size_t n_bytes)
{
	int error;

	do
		error = posix_fallocate(fd, 0, (off_t) n_bytes);
	while (error == EINTR);
	errno = error;
	return error;
}

/* Allocate, seal and map a file; return NULL, and the call that failed. */
static char *
map(int fd, size_t n_bytes, const char **failed_call)
{
	void *start;

	*failed_call = "posix_fallocate";
	if (allocate(fd, n_bytes) != 0)
		return NULL;
	*failed_call = "fcntl";
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return NULL;
	*failed_call = "mmap";
	start = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (start == MAP_FAILED)
		return NULL;
	if (madvise(start, n_bytes, MADV_DONTDUMP) == 0)
		return start;
	*failed_call = "madvise";
	(void) munmap(start, n_bytes);
	return NULL;
}

/*
 * Make and map n_bytes of shared memory, of zeros, and set *fd to its file.
 * Return NULL with errno, and set *failed_call, if that fails.
 */
char *
ga_shared_memory_make(const char *name, size_t n_bytes, int *fd,
					  const char **failed_call)
{
	char *start;
	int error;

	*failed_call = "memfd_create";
	*fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return NULL;
	start = map(*fd, n_bytes, failed_call);
	if (start != NULL)
		return start;
	error = errno;
	close(*fd);
	errno = error;
	*fd = -1;
	return NULL;
}
