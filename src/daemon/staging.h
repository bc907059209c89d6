/*
 * staging.h
 *		Staging memory, and who has which window of it.
 */
#ifndef GA_STAGING_H
#define GA_STAGING_H

#include <sys/queue.h>

#include "devices.h"
#include "protocol.h"

struct GaSession;
struct GaWork;

typedef struct GaWindow
{
	uint64_t	offset;			/* in the memfd */
	char	   *start;			/* the same as an address here */
	const GaOpenDevice *device;
	struct GaSession *session;	/* that has it, or NULL */
	struct GaWork *work;		/* its device side; NULL before the first
								 * request */
	bool		is_busy;		/* a request of it is on the device, which may
								 * write to it: not free, session or not */
	SLIST_ENTRY(GaWindow) next_free;
} GaWindow;

extern void ga_staging_open(int64_t n_mb);
extern int	ga_staging_fd(void);
extern GaWindow *ga_staging_take(struct GaSession *session);
extern void ga_staging_leave(GaWindow *window);
extern void ga_staging_rest(GaWindow *window);
extern bool ga_staging_keeps(void);
extern uint32_t ga_staging_n_taken(void);
extern uint32_t ga_staging_n_windows(void);

static inline GaSlot *
ga_window_slot(const GaWindow *window, uint32_t i)
{
	return (GaSlot *) (window->start + (size_t) i * GA_SLOT_BYTES);
}

static inline char *
ga_slot_data(GaSlot *slot)
{
	return (char *) slot + GA_SLOT_DATA_AT;
}

#endif							/* GA_STAGING_H */
