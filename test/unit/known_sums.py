#!/usr/bin/env python3
"""known_sums.py
	Prints known_sums.h: short sums and what they round to.

	The results come from Python's fractions, and are there to test the other
	oracles against: known_sums.py > known_sums.h
"""

from fractions import Fraction
import math
import random

FLOAT8 = (53, -1074, 1024)
FLOAT4 = (24, -149, 128)


def exponent_of(x):
	"""The e for which 2^e <= x < 2^(e+1)."""
	e = x.numerator.bit_length() - x.denominator.bit_length()
	while Fraction(2) ** e > x:
		e -= 1
	while Fraction(2) ** (e + 1) <= x:
		e += 1
	return e


def rounded(total, precision, least, end):
	"""The nearest number of the format, as a C literal; ties to even."""
	if total == 0:
		return "0.0"
	e = max(exponent_of(abs(total)) - precision + 1, least)
	unit = Fraction(2) ** e
	result = round(total / unit) * unit		# Fractions round ties to even
	if abs(result) >= Fraction(2) ** end:
		return "OVERFLOW"
	if result == 0:
		return "-0.0" if total < 0 else "0.0"
	return float(result).hex()


def show(terms):
	total = sum((Fraction(x) for x in terms), Fraction(0))
	f8 = rounded(total, *FLOAT8)
	f4 = rounded(total, *FLOAT4)
	if f8 != "OVERFLOW":		# a division of integers rounds correctly, too
		assert float.fromhex(f8) == total.numerator / total.denominator
	print("\t{%d, {" % len(terms))
	for x in terms:
		print("\t\t%s," % x.hex())
	print("\t}, %s, %s}," % (f8, f4))


def fixed():
	top8 = float.fromhex("0x1.fffffffffffffp+1023")
	top4 = float.fromhex("0x1.fffffep+127")
	tiny8 = math.ldexp(1, -1074)
	tiny4 = math.ldexp(1, -149)
	half8 = math.ldexp(1, 970)
	half4 = math.ldexp(1, 103)
	yield [1e308, 1e308, -1e308]
	yield [1e308, 1e308]
	yield [top8, half8]
	yield [top8, half8, -tiny8]
	yield [-top8, -half8, tiny8]
	yield [-top8, -half8]
	yield [top4, half4]
	yield [top4, half4, -tiny8]
	yield [-top4, -half4, tiny4]
	yield [tiny8]
	yield [-tiny8]
	yield [tiny8, tiny8, tiny8]
	yield [tiny4 / 2]
	yield [tiny4 / 2, tiny8]
	yield [-tiny4 / 2, -tiny8]
	yield [tiny4 / 2, tiny4]
	yield [tiny4 / 2, tiny4, -tiny8]
	yield [tiny4 / 4, tiny4 / 2]
	for ulps in range(4):
		base = 1 + math.ldexp(ulps, -52)
		for tip in (0.0, tiny8, -tiny8):
			yield [base, math.ldexp(1, -53), tip]
			yield [-base, -math.ldexp(1, -53), tip]
		base = 1 + math.ldexp(ulps, -23)
		for tip in (0.0, math.ldexp(1, -60), -tiny8):
			yield [base, math.ldexp(1, -24), tip]
	least = math.ldexp(1, -126)
	yield [least, -tiny4]
	yield [least, -tiny4, tiny4 / 2]
	yield [least, -tiny4, tiny4 / 2, -tiny8]
	yield [0.1] * 10
	yield [0.1, 0.2, -0.3]
	yield [1e16, 1.0, -1e16]


def main():
	print("""/*
 * known_sums.h
 *		Short sums and what they round to, by Python's fractions.
 *
 * Made by known_sums.py: do not edit.
 */
static const KnownSum known_sums[] = {""")
	for terms in fixed():
		show(terms)
	generator = random.Random(1)
	for _ in range(60):
		middle = generator.choice([0, 0, -1040, 1000, -149, 110])
		spread = generator.choice([3, 30, 60])
		terms = []
		for _ in range(generator.randint(2, 6)):
			e = generator.randint(middle - spread, middle + spread)
			m = generator.randint(-2 ** 53, 2 ** 53)
			try:
				terms.append(math.ldexp(m, max(e, -1074) - 53))
			except OverflowError:
				terms.append(math.ldexp(m, 1023 - 53))
		show(terms)
	print("};")


if __name__ == "__main__":
	main()
