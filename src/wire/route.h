/*
 * route.h
 *		Which device a stored array is looked up on.
 *
 * Each array has a device of its own, the same for all sessions, so that the
 * memory of several devices adds up.  If a device fails, its arrays go to the
 * others, and those of the others stay (rendezvous hashing): of all devices
 * that work, the one whose hash with the array's key is the greatest.
 */
#ifndef GA_ROUTE_H
#define GA_ROUTE_H

#include "protocol.h"

/* Mix the bits of a number (the finalizer of splitmix64). */
static inline uint64_t
ga_route_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Return the device of an array, of a set that is not empty. */
static inline uint32_t
ga_route(const GaStoredKey *key, uint64_t devices)
{
	const uint64_t hash = ga_route_mix(
		((uint64_t) key->relation << 32 | key->value_id) + key->raw_bytes);
	uint64_t greatest = 0;
	uint32_t result = 0;
	uint64_t left = devices;

	if ((devices & (devices - 1)) == 0)
		return (uint32_t) __builtin_ctzll(devices);
	for (; left != 0; left &= left - 1)
	{
		const uint32_t device = (uint32_t) __builtin_ctzll(left);
		const uint64_t with =
			ga_route_mix(hash + (device + 1) * UINT64_C(0x9e3779b97f4a7c15));

		if (with >= greatest)
		{
			greatest = with;
			result = device;
		}
	}
	return result;
}

#endif /* GA_ROUTE_H */
