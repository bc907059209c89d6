/*
 * daemon_command.h
 *		The command line of gpuaggd.
 */
#ifndef GA_DAEMON_COMMAND_H
#define GA_DAEMON_COMMAND_H

/* The most words of a command, and the NULL after them. */
#define GA_COMMAND_WORDS 16

/* argv of gpuaggd; all NULL at first. */
typedef struct GaDaemonCommand
{
	char *words[GA_COMMAND_WORDS];
} GaDaemonCommand;

extern void ga_daemon_command_make(GaDaemonCommand *command);
extern bool ga_daemon_command_changed(const GaDaemonCommand *command);

#endif /* GA_DAEMON_COMMAND_H */
