/*
 * daemon_output.c
 *		The output of gpuaggd: lines from a pipe, for the server's log.
 *
 * gpuaggd writes lines "LOG: ...", "WARNING: ..." and "FATAL: ...", and the
 * line "READY".  Libraries that it uses write what they like.  Here its FATAL
 * is a message like others: the supervisor goes on.
 *
 * Owns our end of the pipe, which does not block, and the bytes that were read
 * from it.  Only the supervisor calls these functions.  They never wait, and
 * never raise an error.
 */
#include "postgres.h"

#include <unistd.h>

#include "daemon_output.h"

/* Begin to read a pipe, which belongs to this output from now on. */
void
ga_daemon_output_open(GaDaemonOutput *output, int pipe)
{
	output->pipe = pipe;
	output->first = output->end = 0;
	output->is_cut = false;
}

/* Take a whole line out of the buffer; NULL if there is none. */
static char *
take_line(GaDaemonOutput *output)
{
	char *line = output->buffer + output->first;
	char *newline = memchr(line, '\n', output->end - output->first);

	if (newline == NULL)
		return NULL;
	*newline = '\0';
	output->first = (int) (newline + 1 - output->buffer);
	return line;
}

/*
 * Move the bytes in the buffer to its start.  If they fill it, they are
 * returned as a line, and what follows up to the newline is left out; NULL if
 * there is space to read more.
 */
static char *
compact(GaDaemonOutput *output)
{
	int n = output->end - output->first;

	memmove(output->buffer, output->buffer + output->first, n);
	output->first = 0;
	output->end = n;
	if (n < (int) sizeof(output->buffer) - 1)
		return NULL;
	output->buffer[n] = '\0';
	output->end = 0;
	if (output->is_cut)
		return NULL;
	output->is_cut = true;
	return output->buffer;
}

/*
 * Read more into the buffer.  Returns false if there is nothing to read, now or
 * for ever: gpuaggd that does not run writes no more, even if other processes
 * still have its end of the pipe.
 */
static bool
read_more(GaDaemonOutput *output, bool is_running)
{
	char *to = output->buffer + output->end;
	const char *last = output->buffer + sizeof(output->buffer) - 1;
	ssize_t n;

	do
		n = read(output->pipe, to, last - to);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN && is_running)
		return false;
	if (n > 0)
	{
		output->end += (int) n;
		return true;
	}
	/* the end of the output also ends a line */
	close(output->pipe);
	output->pipe = -1;
	if (output->end > output->first)
		output->buffer[output->end++] = '\n';
	return output->end > output->first;
}

/*
 * Return the next line without its newline, up to some 1000 bytes of it; NULL
 * if there is no whole line now.  The line is valid until the next call.
 */
char *
ga_daemon_output_read(GaDaemonOutput *output, bool is_running)
{
	char *line;

	for (;;)
	{
		line = take_line(output);
		if (line != NULL && output->is_cut)
			output->is_cut = false;
		else if (line != NULL)
			return line;
		else if (output->pipe < 0)
			return NULL;
		else if ((line = compact(output)) != NULL)
			return line;
		else if (!read_more(output, is_running))
			return NULL;
	}
}

/* Close the pipe, and discard what was read from it. */
void
ga_daemon_output_close(GaDaemonOutput *output)
{
	if (output->pipe >= 0)
		close(output->pipe);
	ga_daemon_output_open(output, -1);
}

/* Make a line ASCII: other bytes need not be in the encoding of the log. */
static void
clean(char *line)
{
	char *p;

	for (p = line; *p != '\0'; p++)
	{
		if (*p == '\t' || *p == '\r')
			*p = ' ';
		else if (*p < ' ' || *p > '~')
			*p = '?';
	}
}

/* Return the part of the line after a prefix; NULL if it begins otherwise. */
static const char *
skip_prefix(const char *line, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(line, prefix, n) == 0 ? line + n : NULL;
}

/*
 * Log a line, which is changed, and return its kind.  *message is then the part
 * of the line after its prefix.
 */
GaDaemonLine
ga_daemon_output_log(char *line, const char **message)
{
	GaDaemonLine kind = GA_LINE_LOG;
	int level = LOG;

	clean(line);
	*message = line;
	if (strcmp(line, "READY") == 0)
		return GA_LINE_READY;
	if ((*message = skip_prefix(line, "WARNING: ")) != NULL)
		level = WARNING;
	else if ((*message = skip_prefix(line, "FATAL: ")) != NULL)
		kind = GA_LINE_FATAL;
	else if ((*message = skip_prefix(line, "LOG: ")) == NULL)
		*message = line;
	if (**message != '\0')
		ereport(level, (errmsg("gpuaggd: %s", *message)));
	return kind;
}
