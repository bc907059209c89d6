/*
 * test_route.c
 *		Which device a stored array is looked up on.
 */
#include "tap.h"
#include "wire/route.h"

#define N_KEYS 30000

static GaStoredKey
key_of(uint32_t i)
{
	/* ids of arrays that were stored one after the other */
	return (GaStoredKey){16384 + i % 3, 20000 + i, 8000024, 0};
}

/* A device of the set, about as often as each other one. */
static void
test_balance(uint64_t devices)
{
	const uint32_t n_devices = (uint32_t) __builtin_popcountll(devices);
	uint32_t n_on[64] = {0};
	uint32_t i;

	tap_begin("arrays of %u devices", n_devices);
	for (i = 0; i < N_KEYS; i++)
	{
		const GaStoredKey key = key_of(i);
		const uint32_t device = ga_route(&key, devices);

		tap_check(device < 64 && (devices >> device & 1) != 0, "device %u",
				  device);
		n_on[device % 64]++;
	}
	for (i = 0; i < 64; i++)
	{
		if ((devices >> i & 1) != 0)
			tap_check(n_on[i] > 0.9 * N_KEYS / n_devices - 60 &&
						  n_on[i] < 1.1 * N_KEYS / n_devices + 60,
					  "device %u has %u", i, n_on[i]);
	}
	tap_end();
}

/* Only the arrays of a device that is lost get another one. */
static void
test_lost(uint64_t devices)
{
	uint64_t left;

	tap_begin("arrays when one of %d devices is lost",
			  __builtin_popcountll(devices));
	for (left = devices; left != 0; left &= left - 1)
	{
		const uint32_t lost = (uint32_t) __builtin_ctzll(left);
		uint32_t i;

		for (i = 0; i < N_KEYS; i++)
		{
			const GaStoredKey key = key_of(i);
			const uint32_t before = ga_route(&key, devices);
			const uint32_t after =
				ga_route(&key, devices & ~(UINT64_C(1) << lost));

			tap_check(before == lost ? after != lost : after == before,
					  "array %u: %u, then %u", i, before, after);
		}
	}
	tap_end();
}

int
main(void)
{
	test_balance(1);
	test_balance(UINT64_C(1) << 63);
	test_balance(3);
	test_balance(7);
	test_balance(0xa5);
	test_balance(UINT64_MAX);
	test_lost(3);
	test_lost(0xa5);
	test_lost(UINT64_C(1) << 63 | 1);
	return tap_done();
}
