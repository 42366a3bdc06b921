/* SPDX-License-Identifier: Apache-2.0 */
/* planted_undefined.c - what the sanitizers must stop at: planted_undefined NAME, one fault of that name (sanitizers_catch.sh) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counts[4];

/* Not inlined, so that callers are told by name; through pointers, so that no compiler sees the fault. */
#define FAULT static __attribute__((noinline)) int

FAULT overflow(volatile int *most)
{
    return *most + 1;
}

FAULT shift(volatile int *bits)
{
    return 1 << *bits;
}

FAULT bounds(volatile int *i)
{
    return counts[*i];
}

FAULT global(volatile int *i)
{
    const volatile int *volatile first = counts;
    return first[*i];
}

FAULT misaligned(char *bytes)
{
    return *(volatile int *)(void *)(bytes + 1);
}

FAULT null_member(volatile int *zero)
{
    typedef struct pair {
        int first, second;
    } pair;
    pair *volatile none = (pair *)(intptr_t)*zero;
    return (int)((intptr_t)&none->second & 1);
}

FAULT freed(char *volatile bytes)
{
    free(bytes);
    return *(volatile char *)bytes;
}

FAULT beyond(char *volatile bytes)
{
    return ((volatile char *)bytes)[64];
}

/* The pointer is overwritten, so that nothing on the stack has it. */
FAULT leak(char *volatile bytes)
{
    bytes = malloc(100);
    memset(bytes, 1, 100);
    bytes = NULL;
    return bytes == NULL;
}

int main(int argc, char **argv)
{
    volatile int most = INT32_MAX, bits = 32, four = 4, zero = 0;
    char *bytes = calloc(64, 1);
    const char *name = argc > 1 ? argv[1] : "";
    int found = 0;
    if (!bytes)
        return 3;
    if (strcmp(name, "overflow") == 0)
        found = overflow(&most);
    else if (strcmp(name, "shift") == 0)
        found = shift(&bits);
    else if (strcmp(name, "bounds") == 0)
        found = bounds(&four);
    else if (strcmp(name, "global") == 0)
        found = global(&four);
    else if (strcmp(name, "misaligned") == 0)
        found = misaligned(bytes);
    else if (strcmp(name, "null_member") == 0)
        found = null_member(&zero);
    else if (strcmp(name, "beyond") == 0)
        found = beyond(bytes);
    else if (strcmp(name, "leak") == 0)
        found = leak(bytes);
    else if (strcmp(name, "freed") == 0) {
        found = freed(bytes);
        bytes = NULL;
    } else if (strcmp(name, "none") != 0)
        return 2;
    printf("%s: not caught: %d\n", name, found);
    free(bytes);
    return 0;
}
