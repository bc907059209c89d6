/*
 * fuzz_status.c
 *		The status file, as something else than the supervisor wrote it.
 *
 * What is read is a status, and is the same when it is written and read again.
 */
#include "postgres.h"

#include "bytes.h"
#include "extension/supervisor/daemon_status.h"
#include "extension/supervisor/supervisor.h"
#include "storage/fd.h"

/* The C library's, not the server's. */
#undef vfprintf

static Bytes content; /* of the file */
static char *written; /* NULL before ga_daemon_status_write() */
static size_t n_written;

/* --- in the place of the server */

TimestampTz PgStartTime;
pid_t PostmasterPid;
void *UsedShmemSegAddr;

/* For the boot token. */
uint64
hash_bytes_extended(const unsigned char *key, int n_bytes, uint64 seed)
{
	return 7;
}

int pg_file_create_mode = 0600;
TimestampTz PgReloadTime;
char *ga_device = "auto";

FILE *
AllocateFile(const char *name, const char *mode)
{
	if (mode[0] == 'w')
		return open_memstream(&written, &n_written);
	if (content.left == 0)
		return NULL;
	return fmemopen((void *) content.next, content.left, "r");
}

int
FreeFile(FILE *file)
{
	return fclose(file);
}

int
pg_fprintf(FILE *file, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vfprintf(file, format, arguments);
	va_end(arguments);
	return n;
}

size_t
strlcpy(char *to, const char *from, size_t n_bytes)
{
	const size_t n = strlen(from);

	memcpy(to, from, Min(n, n_bytes - 1));
	to[Min(n, n_bytes - 1)] = '\0';
	return n;
}

bool
errstart(int level, const char *domain)
{
	return false;
}

bool
errstart_cold(int level, const char *domain)
{
	return level >= ERROR;
}

void
errfinish(const char *file, int line, const char *function)
{
	abort();
}

int
errcode_for_file_access(void)
{
	return 0;
}

int
errmsg(const char *format, ...)
{
	return 0;
}

/* --- */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	GaDaemonStatus status;
	GaDaemonStatus again;

	content = (Bytes){data, n_bytes};
	ga_daemon_status_read(&status);
	must(memchr(status.reason, '\0', sizeof(status.reason)) != NULL);
	must(strchr(status.reason, '\n') == NULL);
	must(status.supervisor_pid >= 0 && status.daemon_pid >= 0);
	must(status.n_restarts >= 0 && status.since >= 0);
	must(ga_daemon_state_name(status.state) != NULL);

	ga_daemon_status_write(&status);
	content = (Bytes){(uint8_t *) written, n_written};
	ga_daemon_status_read(&again);
	must(again.state == status.state && again.since == status.since);
	must(again.daemon_pid == status.daemon_pid);
	must(again.supervisor_pid == status.supervisor_pid);
	must(again.n_restarts == status.n_restarts);
	must(again.reload == status.reload && again.checked == status.checked);
	must(strcmp(again.reason, status.reason) == 0);
	free(written);
	return 0;
}
