/* SPDX-License-Identifier: Apache-2.0 */
/* impostor.c - takes the place of the programs of libexec and answers what no honest one would
 *
 * It does what the name says by which it is called: links to it are made by tests/unit/test_contained.c. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ANSWER = 4, WORDS = 5 };

static void say_done(void)
{
    (void)!write(WORDS, "d\0\0\0", 4);
}

/* Bytes at random, behind the mark of a mesh or not. */
static void answer_garbage(uint64_t seed)
{
    static const uint64_t mark = 0x314853454d4c504d;
    uint64_t words[512];
    uint64_t state = seed;
    for (size_t i = 0; i < 512; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        words[i] = state >> (state >> 58); /* small ones often */
    }
    if (seed % 4)
        words[0] = mark;
    for (size_t i = 1; i < 6 && seed % 4 > 1; i++)
        words[i] %= 3;
    (void)!write(ANSWER, words, sizeof words);
    say_done();
}

/* Somebody else keeps the answer open for writing. */
static void hold_answer(void)
{
    (void)!ftruncate(ANSWER, 4096);
    char *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ANSWER, 0);
    if (fork() == 0) {
        close(WORDS);
        close(STDERR_FILENO);
        for (int i = 0; i < 30 && data != MAP_FAILED; i++) {
            data[0]++;
            usleep(100000);
        }
        _exit(0);
    }
    say_done();
}

/* Fails with its arguments: the limits that it was given. */
static void tell_words(int argc, char **argv)
{
    struct {
        uint8_t kind, zero;
        uint16_t length;
        char data[512];
    } frame = {'e', 0, 0, {0}};
    const int32_t status = 14; /* MPLAN_ERR_PARTITIONER */
    size_t used = sizeof status;
    memcpy(frame.data, &status, sizeof status);
    for (int i = 2; i < argc && used < sizeof frame.data - 32; i++)
        used += (size_t)snprintf(frame.data + used, 32, " %s", argv[i]);
    frame.length = (uint16_t)used;
    (void)!write(WORDS, &frame, 4 + used);
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : "";
    if (strncmp(name, "garbage", 7) == 0)
        answer_garbage(strtoull(name + 7, NULL, 10));
    else if (strcmp(name, "huge") == 0) {
        (void)!ftruncate(ANSWER, (off_t)1 << 42);
        say_done();
    } else if (strcmp(name, "held") == 0)
        hold_answer();
    else if (strcmp(name, "empty") == 0)
        say_done();
    else if (strcmp(name, "tells") == 0)
        tell_words(argc, argv);
    else if (strcmp(name, "killed") == 0)
        raise(SIGKILL);
    else if (strcmp(name, "slow") == 0)
        raise(SIGXCPU);
    else if (strcmp(name, "crashes") == 0) {
        signal(SIGSEGV, SIG_DFL); /* sanitizers catch it */
        raise(SIGSEGV);
    } else if (strcmp(name, "waits") == 0)
        pause();
    else if (strcmp(name, "deaf") == 0) { /* closes its pipes and stays */
        close(WORDS);
        close(STDERR_FILENO);
        pause();
    }
    return 0;
}
