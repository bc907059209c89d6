/*
 * memcheck.h
 *		What PostgreSQL tells valgrind of its memory, told to the address
 *		sanitizer instead.
 *
 * The address sanitizer sees only the large blocks that palloc() cuts up.  A
 * server compiled with -DUSE_VALGRIND, and this header in the place of
 * valgrind's, says of each byte whether it may be used: not beyond the size
 * that was asked for, not after pfree() or the end of the memory context, and
 * no page that is not pinned.  test/bin/sanitized-server builds it.
 *
 * What is said of uninitialized memory is lost: the sanitizer knows none.
 */
#ifndef GPUAGG_MEMCHECK_H
#define GPUAGG_MEMCHECK_H

#include <stddef.h>

/* From <sanitizer/asan_interface.h>. */
extern void __asan_poison_memory_region(void const volatile *, size_t);
extern void __asan_unpoison_memory_region(void const volatile *, size_t);

#define VALGRIND_MAKE_MEM_NOACCESS(begin, size) \
	__asan_poison_memory_region((begin), (size))
#define VALGRIND_MAKE_MEM_DEFINED(begin, size) \
	__asan_unpoison_memory_region((begin), (size))
#define VALGRIND_MAKE_MEM_UNDEFINED(begin, size) \
	__asan_unpoison_memory_region((begin), (size))

/* The allocator has said already that the rest of the piece is not for use. */
#define VALGRIND_MEMPOOL_ALLOC(pool, begin, size) \
	__asan_unpoison_memory_region((begin), (size))
#define VALGRIND_MEMPOOL_CHANGE(pool, old, begin, size) \
	__asan_unpoison_memory_region((begin), (size))

/* wipe_mem() says it. */
#define VALGRIND_MEMPOOL_FREE(pool, begin) ((void) 0)

#define VALGRIND_CREATE_MEMPOOL(pool, red_zone, is_zeroed) ((void) 0)
#define VALGRIND_DESTROY_MEMPOOL(pool)					   ((void) 0)
#define VALGRIND_CHECK_MEM_IS_DEFINED(begin, size)		   ((void) 0)
#define VALGRIND_COUNT_ERRORS							   0
#define VALGRIND_PRINTF(...)							   ((void) 0)
#define RUNNING_ON_VALGRIND								   0

#endif
