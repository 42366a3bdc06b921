# SPDX-License-Identifier: Apache-2.0
"""XXH3, 64 bits, seed 0, default secret, in Python and numpy: the hash of plan files.
Written from the description of XXH3 in the xxHash project (BSD-2-Clause, Yann Collet)."""
import struct

import numpy as np

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
MASK = (1 << 64) - 1
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
       0x27D4EB2F165667C5)
STRIPE, BLOCK = 64, 1024  # 16 stripes make a block
# the secret moves on by 8 bytes from stripe to stripe: keys of a block, of its end, of the last stripe
KEYS = np.stack([np.frombuffer(SECRET, "<u8", 8, 8 * i) for i in range(16)])
SCRAMBLE_KEY = np.frombuffer(SECRET, "<u8", 8, 128)
LAST_KEY = np.frombuffer(SECRET, "<u8", 8, 121)
START = np.array([P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]], dtype=np.uint64)
SWAP = np.array([1, 0, 3, 2, 5, 4, 7, 6])
LOW, HALF, SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(47)


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def fold(a, b):
    product = a * b
    return (product ^ (product >> 64)) & MASK


def avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & MASK
    return h ^ (h >> 32)


def avalanche_of_xxh64(h):
    h = (h ^ (h >> 33)) * P64[1] & MASK
    h = (h ^ (h >> 29)) * P64[2] & MASK
    return h ^ (h >> 32)


def rotate(h, n):
    return (h << n | h >> (64 - n)) & MASK


def mix16(data, at, key):
    return fold(u64(data, at) ^ u64(SECRET, key), u64(data, at + 8) ^ u64(SECRET, key + 8))


def hash_to_16(data, n):
    if n == 0:
        return avalanche_of_xxh64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        word = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return avalanche_of_xxh64(word ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    if n <= 8:
        h = u32(data, n - 4) + (u32(data, 0) << 32) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h = h * 0x9FB21C651E98DF25 & MASK
        h ^= (h >> 35) + n
        h = h * 0x9FB21C651E98DF25 & MASK
        return h ^ (h >> 28)
    low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
    high = u64(data, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
    swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
    return avalanche((n + swapped + high + fold(low, high)) & MASK)


def hash_to_128(data, n):
    h = n * P64[0]
    for i in range((n - 1) // 32, -1, -1):
        h += mix16(data, 16 * i, 32 * i) + mix16(data, n - 16 * (i + 1), 32 * i + 16)
    return avalanche(h & MASK)


def hash_to_240(data, n):
    h = n * P64[0] + sum(mix16(data, 16 * i, 16 * i) for i in range(8))
    h = avalanche(h & MASK)
    h += sum(mix16(data, 16 * i, 16 * i - 125) for i in range(8, n // 16))
    return avalanche(h + mix16(data, n - 16, 119) & MASK)


def accumulated(stripes, keys):
    """What stripes (..., 16 or fewer, 8) add to the eight accumulators, summed over the stripes."""
    keyed = stripes ^ keys
    products = (keyed & LOW) * (keyed >> HALF)
    return (products + stripes[..., SWAP]).sum(axis=-2, dtype=np.uint64)


def hash_long(data, n):
    words = np.frombuffer(data, "<u8", (n - 1) // STRIPE * 8)
    blocks = (n - 1) // BLOCK
    accumulators = START.copy()
    if blocks:
        prime = np.uint64(P32[0])
        stripes = words[:blocks * 128].reshape(blocks, 16, 8)
        for first in range(0, blocks, 1024):
            for added in accumulated(stripes[first:first + 1024], KEYS):
                accumulators += added
                accumulators ^= accumulators >> SHIFT
                accumulators ^= SCRAMBLE_KEY
                accumulators *= prime
    rest = words[blocks * 128:].reshape(-1, 8)
    accumulators += accumulated(rest, KEYS[:len(rest)])
    accumulators += accumulated(np.frombuffer(data, "<u8", 8, n - STRIPE)[None], LAST_KEY[None])
    a = accumulators.tolist()
    h = n * P64[0]
    for i in range(4):
        h += fold(a[2 * i] ^ u64(SECRET, 11 + 16 * i), a[2 * i + 1] ^ u64(SECRET, 19 + 16 * i))
    return avalanche(h & MASK)


def xxh3_64(data):
    """The hash of bytes (or of a memoryview of bytes) as an int."""
    n = len(data)
    if n <= 16:
        return hash_to_16(data, n)
    if n <= 128:
        return hash_to_128(data, n)
    if n <= 240:
        return hash_to_240(data, n)
    return hash_long(data, n)


PIECE = 1 << 20


def fingerprint(stream):
    """The hash of the list of the hashes of pieces of 1 MiB."""
    view = memoryview(stream)
    hashes = [xxh3_64(view[i:i + PIECE]) for i in range(0, len(view), PIECE)]
    return xxh3_64(struct.pack(f"<{len(hashes)}Q", *hashes))
