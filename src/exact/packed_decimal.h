/*
 * packed_decimal.h
 *		The floats that integers of packed arrays stand for (packed.h).
 */
#ifndef GA_PACKED_DECIMAL_H
#define GA_PACKED_DECIMAL_H

#include <math.h>

#include "packed.h"

/*
 * Powers of ten: X(places, 10^places, 10^-places rounded to a double, the rest
 * of it).  The first one is that of integers.
 */
#define GA_PACKED_SCALES(X)                                     \
	X(0, 1e0, 1.0, 0.0)                                         \
	X(1, 1e1, 0x1.999999999999ap-4, -0x1.999999999999ap-58)     \
	X(2, 1e2, 0x1.47ae147ae147bp-7, -0x1.eb851eb851eb8p-63)     \
	X(3, 1e3, 0x1.0624dd2f1a9fcp-10, -0x1.89374bc6a7efap-66)    \
	X(4, 1e4, 0x1.a36e2eb1c432dp-14, -0x1.6a161e4f765fep-68)    \
	X(5, 1e5, 0x1.4f8b588e368f1p-17, -0x1.ee78183f91e64p-71)    \
	X(6, 1e6, 0x1.0c6f7a0b5ed8dp-20, 0x1.b5a63f9a49c2cp-75)     \
	X(7, 1e7, 0x1.ad7f29abcaf48p-24, 0x1.5e1e99483b023p-78)     \
	X(8, 1e8, 0x1.5798ee2308c3ap-27, -0x1.03023df2d4c94p-82)    \
	X(9, 1e9, 0x1.12e0be826d695p-30, -0x1.34674bfabb83bp-84)    \
	X(10, 1e10, 0x1.b7cdfd9d7bdbbp-34, -0x1.20a5465df8d2cp-88)  \
	X(11, 1e11, 0x1.5fd7fe1796495p-37, 0x1.7f7bc7b4d28aap-91)   \
	X(12, 1e12, 0x1.19799812dea11p-40, 0x1.97f27f0f6e886p-96)   \
	X(13, 1e13, 0x1.c25c268497682p-44, -0x1.ecd79a5a0df95p-99)  \
	X(14, 1e14, 0x1.6849b86a12b9bp-47, 0x1.ea70909833de7p-107)  \
	X(15, 1e15, 0x1.203af9ee75616p-50, -0x1.937831647f5ap-104)  \
	X(16, 1e16, 0x1.cd2b297d889bcp-54, 0x1.5b4c2ebe68799p-109)  \
	X(17, 1e17, 0x1.70ef54646d497p-57, -0x1.db7b2080a3029p-111) \
	X(18, 1e18, 0x1.2725dd1d243acp-60, -0x1.7c628066e8ceep-114) \
	X(19, 1e19, 0x1.d83c94fb6d2acp-64, 0x1.a52b31e9e3d07p-119)  \
	X(20, 1e20, 0x1.79ca10c924223p-67, 0x1.75447a5d8e536p-121)  \
	X(21, 1e21, 0x1.2e3b40a0e9b4fp-70, 0x1.f769fb7e0b75ep-124)  \
	X(22, 1e22, 0x1.e392010175ee6p-74, -0x1.a7566d9cba769p-128)

typedef struct GaPackedScale
{
	double power; /* 10^places */
	double high;  /* 10^-places is high + low */
	double low;
} GaPackedScale;

/* Return i / 10^places, or nearly; |i| < GA_PACKED_MAX_INTEGER. */
static inline GA_HOST_DEVICE double
ga_packed_decimal(double i, GaPackedScale scale)
{
	return fma(i, scale.high, i * scale.low);
}

/* Return a decimal as a float, printed; the scale is that of printing. */
static inline GA_HOST_DEVICE double
ga_packed_printed(double decimal, GaPackedScale scale)
{
	return ga_packed_decimal(rint((double) (float) decimal * scale.power),
							 scale);
}

#endif /* GA_PACKED_DECIMAL_H */
