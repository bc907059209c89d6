/*
 * look_back.cuh
 *		The decoupled look-back: the sum of all tiles before a tile.
 *
 * Each tile has a state in device memory: nothing yet, the sum of its own
 * elements, or the inclusive sum, of all elements of the array up to its end.
 * A warp reads the states before a tile, from the nearest one back, until it
 * finds an inclusive sum.
 *
 * A state is a few words, and each of them says which of the three it belongs
 * to: readers need not see them change at once, and nothing else is passed, so
 * relaxed loads and stores are sufficient.
 */
#ifndef GA_LOOK_BACK_CUH
#define GA_LOOK_BACK_CUH

#include "thread_scan.cuh"

enum Publication
{
	kNothing = 0, /* cleared memory */
	kOwnSum,
	kInclusiveSum
};

constexpr int kPublicationBits = 2;

/*
 * States that a lane reads at once.  A warp reads more states than blocks of
 * scan_tiles() can have tiles under way, so that one round is mostly enough.
 */
constexpr int kLookAhead = 5;

/* Publish a sum, whose words are below 2^61, in a state; one thread. */
template <int kLevels>
static __device__ __forceinline__ void
publish(uint64_t *state, const Levels<kLevels> &sum, Publication what)
{
	uint64_t word[4] = {};

#pragma unroll
	for (int k = 0; k < kLevels; k++)
		word[k] = uint64_t(sum.word[k]) << kPublicationBits | what;
	store_pair(state, word[0], word[1]);
	if (kLevels > 2)
		store_pair(state + 2, word[2], word[3]);
}

/* The words of a state as they were read. */
template <int kLevels>
struct StateWords
{
	uint64_t word[4];

	__device__ __forceinline__ void
	load(const uint64_t *state)
	{
		load_pair(state, word[0], word[1]);
		if (kLevels > 2)
			load_pair(state + 2, word[2], word[3]);
	}

	/* Return which it is; kNothing, and garbage, if words differ in that. */
	__device__ __forceinline__ Publication
	get(Levels<kLevels> &sum) const
	{
		const unsigned what = unsigned(word[0]) & 3;
		unsigned others = 0;

#pragma unroll
		for (int k = 0; k < kLevels; k++)
		{
			others |= (unsigned(word[k]) & 3) ^ what;
			sum.word[k] = int64_t(word[k]) >> kPublicationBits;
		}
		return others != 0 ? kNothing : Publication(what);
	}
};

/*
 * Return the sum of the tiles 0 to tile - 1 in all lanes; a whole warp.  Their
 * states lie n_words apart.
 */
template <int kLevels>
static __device__ __forceinline__ Levels<kLevels>
look_back(const uint64_t *states, int n_words, int tile)
{
	int at = tile - 1 - lane_id();
	bool is_done = tile == 0;
	Levels<kLevels> sum;

	sum.clear();
	while (!is_done)
	{
		StateWords<kLevels> words[kLookAhead];
		Levels<kLevels> read[kLookAhead];
		Publication what[kLookAhead];

		/* all loads at once, so without a branch */
#pragma unroll
		for (int i = 0; i < kLookAhead; i++)
			words[i].load(states + int64_t(max(at - i * kWarp, 0)) * n_words);
#pragma unroll
		for (int i = 0; i < kLookAhead; i++)
		{
			what[i] = words[i].get(read[i]);
			if (at - i * kWarp < 0)
			{
				what[i] = kInclusiveSum;
				read[i].clear();
			}
		}
#pragma unroll
		for (int i = 0; i < kLookAhead; i++)
		{
			unsigned inclusive;
			unsigned needed;

			/* wait for the states up to the nearest inclusive sum */
			for (;;)
			{
				inclusive = __ballot_sync(kFullMask, what[i] == kInclusiveSum);
				needed = inclusive ^ (inclusive - 1);
				if ((__ballot_sync(kFullMask, what[i] == kNothing) & needed) ==
					0)
					break;
				if (what[i] == kNothing)
				{
					words[i].load(states + int64_t(at) * n_words);
					what[i] = words[i].get(read[i]);
				}
			}
			if (needed >> lane_id() & 1)
				sum.add(read[i]);
			at -= kWarp;
			is_done = inclusive != 0;
			if (is_done)
				break;
		}
	}
	sum.add_lanes();
	return sum;
}

#endif /* GA_LOOK_BACK_CUH */
