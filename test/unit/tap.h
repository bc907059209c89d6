/*
 * tap.h
 *		The Test Anything Protocol, as far as the unit tests need it.
 *
 * A test is a law and stands in one line of output; tap_begin() and tap_end()
 * enclose it.  It may be checked for millions of cases, each one tap_check().
 * The first few that fail are shown.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

extern void tap_begin(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
extern void tap_end(void);
extern void tap_skip(const char *name, const char *reason);
extern void tap_note(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
extern bool tap_failed(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
extern bool tap_is_failing(void);
extern int tap_done(void);

/* Is this the long form of a test, `make check-long`? */
extern bool tap_is_long(void);
/* Were few cases asked for, since a tool slows the test down? */
extern bool tap_is_divided(void);
/*
 * Of many cases of a kind, which take time on a slow device, one in so many is
 * tried: GPUAGG_TEST_SAMPLE, or 1.
 */
extern unsigned tap_one_in(void);
/* n cases in the long form, fewer in the short one. */
extern long tap_cases(long n);

extern long tap_n_checks; /* in the test that is under way */

/* The rest, format and arguments, tells what went wrong. */
#define tap_check(condition, ...) \
	((void) (tap_n_checks++,      \
			 (condition) || tap_failed(__FILE__, __LINE__, __VA_ARGS__)))

#endif /* TAP_H */
