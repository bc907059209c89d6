/*
 * other_user.c
 *		A library to preload: the peer of a socket is another user.
 *
 * To a server's process, if the data directory has a file "peer_of_postgres",
 * and to gpuaggd, if it has "peer_of_gpuaggd".  A test needs no second user
 * then, and no right to become one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
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
