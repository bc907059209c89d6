/*
 * log.h
 *		The log of gpuaggd: a line for each event, on stderr.
 */
#ifndef GA_LOG_H
#define GA_LOG_H

#include <stdarg.h>

extern void ga_log(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
extern void ga_log_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
extern void ga_log_line(const char *prefix, const char *format, va_list args);

#endif /* GA_LOG_H */
