/*
 * log.c
 *		The log of gpuaggd: a line for each event, on stderr.
 *
 * A line is "LOG: ", "WARNING: " or "FATAL: " and a message; the supervisor
 * relays it to the server's log.  Each line is one write, so that none is
 * torn.  Must not be called for a request that went well.
 */
#include <stdio.h>
#include <unistd.h>

#include "log.h"

/* Write one line, cut off if it is very long. */
void
ga_log_line(const char *prefix, const char *format, va_list args)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%s", prefix);
	int more = vsnprintf(line + n, sizeof(line) - n, format, args);
	ssize_t written;

	n += more > 0 ? more : 0;
	if (n > (int) sizeof(line) - 1)
		n = sizeof(line) - 1;
	line[n++] = '\n';

	/* without a reader there is no log */
	written = write(STDERR_FILENO, line, n);
	(void) written;
}

void
ga_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ga_log_line("LOG: ", format, args);
	va_end(args);
}

void
ga_log_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ga_log_line("WARNING: ", format, args);
	va_end(args);
}
