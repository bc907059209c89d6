/*
 * planes.cuh
 *		The planes of a lane's fields.
 *
 * There is a branch for each plane, which the whole warp takes.  Behind it,
 * which words are read and where in them a field is are known when the code is
 * compiled; only the bit that a plane begins with is not.
 */
#ifndef GA_PLANES_CUH
#define GA_PLANES_CUH

#include "vector.cuh"

static __device__ __forceinline__ uint32_t
load_word(const char *at)
{
	return *reinterpret_cast<const uint32_t *>(at);
}

/* Load four words, of global or shared memory. */
static __device__ __forceinline__ int4
load_four(const char *at)
{
	return *reinterpret_cast<const int4 *>(at);
}

/*
 * Load a lane's words w to w + kWords - 1 of a plane of kBits bits; w is a
 * multiple of kWords.
 */
template <int kBits, int kWords>
static __device__ __forceinline__ void
load_words(const char *plane, unsigned lane, unsigned w,
		   uint32_t (&words)[kWords])
{
	const char *from = plane + ga_packed_word_at(kBits, lane, w);

	if constexpr (kWords >= 4)
	{
#pragma unroll
		for (int q = 0; q < kWords / 4; q++)
		{
			/* the next four words of a lane are behind those of the others */
			const int4 four = load_four(from + q * 16 * kWarp);

			words[4 * q] = four.x;
			words[4 * q + 1] = four.y;
			words[4 * q + 2] = four.z;
			words[4 * q + 3] = four.w;
		}
	}
	else if constexpr (kWords == 2)
	{
		const uint64_t two = *reinterpret_cast<const uint64_t *>(from);

		words[0] = uint32_t(two);
		words[1] = uint32_t(two >> 32);
	}
	else
		words[0] = load_word(from);
}

/*
 * Put field f of a word of a plane into a field, from bit `done` on.  The word
 * was rotated left by as many bits, if kBits is less than 8.  Before the first
 * plane a field is 0.
 */
template <int kBits>
static __device__ __forceinline__ void
put_bits(uint32_t &field, uint32_t word, int f, unsigned done)
{
	const int shift = f * kBits % 32;

	if constexpr (kBits == 32)
		field = word;
	else if constexpr (kBits == 16)
		field = __byte_perm(field, word, shift == 0 ? 0x3254 : 0x3276);
	else if constexpr (kBits == 8)
		field = __byte_perm(field, word,
							done == 0 ? 0x3220 | (4 + shift / 8) :
										0x3010 | (4 + shift / 8) << 8);
	else
		field |= __funnelshift_r(word, word, shift) & ((1u << kBits) - 1)
														  << done;
}

/* Words of a plane of kBits bits that have kN fields of a lane. */
template <int kBits, int kN>
constexpr int kFieldWords = kN *kBits >= 32 ? kN *kBits / 32 : 1;

/*
 * Put the fields of a word of a plane of less than 8 bits into byte done / 8 of
 * fields.  Shifted, the word has four of them in its bytes.
 */
template <int kBits, int kN>
static __device__ __forceinline__ void
put_bytes(uint32_t word, int first, unsigned done, uint32_t (&fields)[kN])
{
	constexpr int kStep = 8 / kBits; /* from field to field in the bytes */
	constexpr uint32_t kMask = 0x01010101 * ((1u << kBits) - 1);
	const unsigned at = done / 2; /* in the selector */

#pragma unroll
	for (int r = 0; r < kStep; r++)
	{
		const uint32_t bytes = word >> r * kBits & kMask;

#pragma unroll
		for (unsigned b = 0; b < 4; b++)
			fields[first + r + b * kStep] =
				__byte_perm(fields[first + r + b * kStep], bytes,
							(0x3210 & ~(15u << at)) | (4 + b) << at);
	}
}

/*
 * Put the fields of a word of a plane of less than 8 bits into fields, from bit
 * `done` on, which is 8 or more.  They are shifted to the left by
 * multiplication, which other units do than shifts and masks.  The highest bit
 * of the factor, which is of no field, keeps the compiler from a shift.
 */
template <int kBits, int kN>
static __device__ __forceinline__ void
put_multiplied(uint32_t word, int first, unsigned done, uint32_t (&fields)[kN])
{
	const uint32_t mask = ((1u << kBits) - 1) << done;

#pragma unroll
	for (int byte = 0; byte < 4; byte++)
	{
		const uint32_t lower = word >> 8 * byte;

#pragma unroll
		for (int at = 0; at < 8; at += kBits)
			fields[first + (8 * byte + at) / kBits] |=
				lower * (0x80000000 | 1u << (done - at)) & mask;
	}
}

/*
 * Add the bits of a plane to fields j to j + kN - 1 of a lane, from bit `done`
 * on, given its words; j is a multiple of kN.  kIsKnown: `done` is a constant
 * when this is compiled.
 */
template <int kBits, int kN, bool kIsKnown = false>
static __device__ __forceinline__ void
add_plane(uint32_t (&words)[kFieldWords<kBits, kN>], unsigned j, unsigned done,
		  uint32_t (&fields)[kN])
{
	if constexpr (kBits < 8 && kN * kBits >= 32)
	{
		if (kIsKnown && done >= 8)
		{
#pragma unroll
			for (int w = 0; w < kN * kBits / 32; w++)
				put_multiplied<kBits>(words[w], w * (32 / kBits), done, fields);
			return;
		}
		/* the planes before one of 4 bits have 8 or more */
		if (kBits == 4 || done % 8 == 0)
		{
#pragma unroll
			for (int w = 0; w < kN * kBits / 32; w++)
				put_bytes<kBits>(words[w], w * (32 / kBits), done, fields);
			return;
		}
	}
	if constexpr (kN * kBits < 32)
		words[0] >>= j * kBits % 32;
	if constexpr (kBits < 8)
	{
#pragma unroll
		for (uint32_t &word : words)
			word = __funnelshift_l(word, word, done);
	}
#pragma unroll
	for (int f = 0; f < kN; f++)
		put_bits<kBits>(fields[f], words[f * kBits / 32], f, done);
}

/* The same, with words that are loaded. */
template <int kBits, int kN, bool kIsKnown = false>
static __device__ __forceinline__ void
load_plane(const char *plane, unsigned lane, unsigned j, unsigned done,
		   uint32_t (&fields)[kN])
{
	uint32_t words[kFieldWords<kBits, kN>];

	load_words<kBits>(plane, lane, j * kBits / 32, words);
	add_plane<kBits, kN, kIsKnown>(words, j, done, fields);
}

/*
 * Call f(bits, done) for each plane of fields of up to 31 bits, the widest
 * first: bits is a std::integral_constant, and so many bits were done before.
 */
template <typename F>
static __device__ __forceinline__ void
for_each_plane(unsigned width, F f)
{
	unsigned done = 0;

#define PLANE(bits)                                   \
	if (width & bits)                                 \
	{                                                 \
		f(std::integral_constant<int, bits>{}, done); \
		done += bits;                                 \
	}
	PLANE(16)
	PLANE(8)
	PLANE(4)
	PLANE(2)
	PLANE(1)
#undef PLANE
}

/*
 * Load fields of up to 32 bits of elements j to j + kN - 1 of a lane.
 * kIsKnown: see add_plane().
 */
template <bool kIsKnown = false, int kN>
static __device__ __forceinline__ void
load_fields(const char *plane, unsigned width, unsigned lane, unsigned j,
			uint32_t (&fields)[kN])
{
	const auto load = [&](auto bits, unsigned done)
	{
		load_plane<bits.value, kN, kIsKnown>(plane, lane, j, done, fields);
		plane += ga_packed_plane_bytes(bits.value);
	};

	/* the first plane and zeros above it, without a branch between them */
	const auto begin = [&](auto bits)
	{
#pragma unroll
		for (int f = 0; f < kN; f++)
			fields[f] = 0;
		load(bits, 0);
	};

	if (width == 32)
		begin(std::integral_constant<int, 32>{});
	else if (width & 16)
		begin(std::integral_constant<int, 16>{});
	else if (width & 8)
		begin(std::integral_constant<int, 8>{});
	else
	{
#pragma unroll
		for (int f = 0; f < kN; f++)
			fields[f] = 0;
	}
	for_each_plane(width,
				   [&](auto bits, unsigned done)
				   {
					   if (bits.value < 8 || (bits.value == 8 && done == 16))
						   load(bits, done);
				   });
}

/* The words of all planes of fields of up to 31 bits. */
template <int kN>
struct PlaneWords
{
	uint32_t of_16[kFieldWords<16, kN>];
	uint32_t of_8[kFieldWords<8, kN>];
	uint32_t of_4[kFieldWords<4, kN>];
	uint32_t of_2[kFieldWords<2, kN>];
	uint32_t of_1[kFieldWords<1, kN>];

	template <int kBits>
	__device__ __forceinline__ uint32_t (&of())[kFieldWords<kBits, kN>]
	{
		if constexpr (kBits == 16)
			return of_16;
		else if constexpr (kBits == 8)
			return of_8;
		else if constexpr (kBits == 4)
			return of_4;
		else if constexpr (kBits == 2)
			return of_2;
		else
			return of_1;
	}
};

/*
 * The same, up to 31 bits, with all loads before the first use, which takes
 * registers.
 */
template <int kN>
static __device__ __forceinline__ void
load_fields_at_once(const char *plane, unsigned width, unsigned lane,
					unsigned j, uint32_t (&fields)[kN])
{
	PlaneWords<kN> words;

	for_each_plane(width,
				   [&](auto bits, unsigned)
				   {
					   constexpr int kBits = bits.value;

					   load_words<kBits>(plane, lane, j * kBits / 32,
										 words.template of<kBits>());
					   plane += ga_packed_plane_bytes(kBits);
				   });
#pragma unroll
	for (int f = 0; f < kN; f++)
		fields[f] = 0;
	for_each_plane(width,
				   [&](auto bits, unsigned done)
				   {
					   constexpr int kBits = bits.value;

					   add_plane<kBits, kN>(words.template of<kBits>(), j, done,
											fields);
				   });
}

#endif /* GA_PLANES_CUH */
