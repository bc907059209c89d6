/*
 * look_back.cuh
 *		How a tile learns the sum of all tiles before it.
 *
 * Each tile has a state in device memory: nothing yet, the sum of its own
 * elements, or the sum of all elements of its array up to its end.  A warp
 * looks at the states before a tile, from the nearest one on, until it finds
 * one of the last kind.
 *
 * A state is a few words, and each of them tells by itself what it is of: no
 * reader needs to see them change at once, and nothing else is passed, so that
 * relaxed loads and stores will do.
 */
#ifndef GA_LOOK_BACK_CUH
#define GA_LOOK_BACK_CUH

#include "thread_scan.cuh"

enum Publication
{
	kNothing = 0, /* what memory is cleared to */
	kOwnSum,
	kWholeSum
};

constexpr int kPublicationBits = 2;

/*
 * States that a lane reads at once.  A warp sees more tiles than blocks can
 * have under way, so that one look is mostly enough.
 */
constexpr int kLookAhead = 5;

static __device__ __forceinline__ void
store_pair(uint64_t *to, uint64_t a, uint64_t b)
{
	asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
				 :
				 : "l"(to), "l"(a), "l"(b)
				 : "memory");
}

static __device__ __forceinline__ void
load_pair(const uint64_t *from, uint64_t &a, uint64_t &b)
{
	asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
				 : "=l"(a), "=l"(b)
				 : "l"(from)
				 : "memory");
}

/* Publish a normalised sum; one thread. */
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

/* A state as it was read. */
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

	/* What it is; kNothing, and sum is garbage, if not all of it was there. */
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
 * The sum of the tiles from first to tile - 1, in all lanes, normalised; a
 * whole warp.  Their states lie n_words apart.
 */
template <int kLevels>
static __device__ __forceinline__ Levels<kLevels>
look_back(const uint64_t *states, int n_words, int first, int tile)
{
	int at = tile - 1 - lane_id();
	bool is_done = first == tile;
	Levels<kLevels> sum;

	sum.clear();
	while (!is_done)
	{
		StateWords<kLevels> words[kLookAhead];
		Levels<kLevels> read[kLookAhead];
		Publication what[kLookAhead];

		/* all on their way at once, so without a branch */
#pragma unroll
		for (int i = 0; i < kLookAhead; i++)
			words[i].load(states +
						  int64_t(max(at - i * kWarp, first)) * n_words);
#pragma unroll
		for (int i = 0; i < kLookAhead; i++)
		{
			what[i] = words[i].get(read[i]);
			if (at - i * kWarp < first)
			{
				what[i] = kWholeSum;
				read[i].clear();
			}
		}
#pragma unroll
		for (int i = 0; i < kLookAhead; i++)
		{
			unsigned whole;
			unsigned needed;

			/* wait for those up to the nearest sum of all */
			for (;;)
			{
				whole = __ballot_sync(kFullMask, what[i] == kWholeSum);
				needed = whole ^ (whole - 1);
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
			is_done = whole != 0;
			if (is_done)
				break;
		}
	}
	sum.add_lanes();
	sum.normalise();
	return sum;
}

#endif /* GA_LOOK_BACK_CUH */
