/*
 * daemon_log.c
 *		What gpuaggd says, in the server's log.
 *
 * gpuaggd writes lines "LOG: ...", "WARNING: ..." and "FATAL: ...", and the
 * line "READY".  Libraries that it uses write what they like.  Here its FATAL
 * is a message like others: the supervisor goes on.
 */
#include "postgres.h"

#include "daemon_log.h"

/* ASCII only: other bytes need not be in the encoding of the log. */
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

/* What follows a prefix of the line; NULL if it does not begin so. */
static const char *
after(const char *line, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(line, prefix, n) == 0 ? line + n : NULL;
}

/*
 * Logs a line, which is changed, and says what it means; message is
 * then what it says without its prefix, a part of the line.
 */
GaDaemonLine
ga_daemon_log(char *line, const char **message)
{
	GaDaemonLine said = GA_LINE_LOG;
	int level = LOG;

	clean(line);
	*message = line;
	if (strcmp(line, "READY") == 0)
		return GA_LINE_READY;
	if ((*message = after(line, "WARNING: ")) != NULL)
		level = WARNING;
	else if ((*message = after(line, "FATAL: ")) != NULL)
		said = GA_LINE_FATAL;
	else if ((*message = after(line, "LOG: ")) == NULL)
		*message = line;
	if (**message != '\0')
		ereport(level, (errmsg("gpuaggd: %s", *message)));
	return said;
}
