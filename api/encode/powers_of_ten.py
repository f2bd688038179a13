"""Make powers_of_ten.h: 10^k for k in [-292, 324] as 128 bits, rounded up.

Each is ceil(10^k / 2^(floor(log2 10^k) - 127)): the g of R. Giulietti, The Schubfach
way to render doubles (2020), section 9.
"""
import sys
from fractions import Fraction

FIRST, LAST = -292, 324


def bits(k):
    power = Fraction(10) ** k
    shift = (k * 1741647 >> 19) - 127  # floor(log2 10^k), for these k
    scaled = power / Fraction(2) ** shift
    value = -(-scaled.numerator // scaled.denominator)
    assert 1 << 127 <= value < 1 << 128
    return value


def main(path):
    with open(path, "w", encoding="ascii") as out:
        out.write("/* Made by api/encode/powers_of_ten.py. */\n")
        out.write(f"enum {{ FIRST_POWER = {FIRST} }};\n")
        out.write("static const uint64_t powers_of_ten[][2] = {\n")
        for k in range(FIRST, LAST + 1):
            value = bits(k)
            out.write(f"\t{{0x{value >> 64:016x}, 0x{value & (1 << 64) - 1:016x}}},\n")
        out.write("};\n")


main(sys.argv[1])
