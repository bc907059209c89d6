/*
 * memory_backoff.c
 *		How long not to ask a device for memory that it did not have.
 *
 * Owns nothing: request_pool.c has a GaMemoryBackoff for each device, of what
 * it allocates there for requests; session.h has one for each session, of its
 * requests, which request.c uses; load_pack.c has one for each device, of
 * packing.
 */
#include "device/clock.h"
#include "memory_backoff.h"

#define FIRST_NS (100 * GA_NS_PER_MS)
#define MOST_NS	 (5000 * GA_NS_PER_MS)

/* Is it too early to ask again?  *failure is then what was said last. */
bool
ga_memory_backoff_holds(const GaMemoryBackoff *backoff,
						GaDeviceFailure *failure)
{
	if (backoff->until_ns == 0 || ga_now_ns() >= backoff->until_ns)
		return false;
	*failure = backoff->failure;
	return true;
}

/* Note what came of asking; of failures only GA_NO_MEMORY counts. */
void
ga_memory_backoff_note(GaMemoryBackoff *backoff, GaStatus status,
					   const GaDeviceFailure *failure)
{
	if (status == GA_OK)
	{
		backoff->until_ns = backoff->delay_ns = 0;
		backoff->n_failures = 0;
	}
	if (status != GA_NO_MEMORY || ++backoff->n_failures < 2)
		return;
	backoff->delay_ns = backoff->delay_ns == 0			? FIRST_NS :
						backoff->delay_ns > MOST_NS / 2 ? MOST_NS :
														  2 * backoff->delay_ns;
	backoff->until_ns = ga_now_ns() + backoff->delay_ns;
	backoff->failure = *failure;
}
