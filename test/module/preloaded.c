/*
 * preloaded.c
 *		A library to preload: what a test has no right to make.
 *
 * Files in the data directory say what happens.  "peer_of_postgres": to a
 * server's process the peer of a socket is another user; "peer_of_gpuaggd": to
 * gpuaggd.  "full_disk": the status file is on a full disk.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int (*GetSocketOption)(int, int, int, void *, socklen_t *);

static char path[64];

/* The server writes over its arguments later. */
static void __attribute__((constructor)) set_path(void)
{
	snprintf(path, sizeof(path), "peer_of_%.30s",
			 program_invocation_short_name);
}

int
getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	GetSocketOption next = (GetSocketOption) dlsym(RTLD_NEXT, "getsockopt");
	int result = next(fd, level, name, value, size);

	if (result == 0 && level == SOL_SOCKET && name == SO_PEERCRED &&
		access(path, F_OK) == 0)
		((struct ucred *) value)->uid++;
	return result;
}

FILE *
fopen(const char *name, const char *mode)
{
	FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");

	if (strstr(name, "/gpuagg.status") != NULL && mode[0] == 'w' &&
		access("full_disk", F_OK) == 0)
		name = "/dev/full";
	return next(name, mode);
}
