/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - what a program of libexec gives up before it touches what it was given
 *
 * Limits of resources; Landlock (Linux 5.13 and later), by which no file can be opened any more but
 * the input; and a filter of system calls (seccomp), after landlock(7) and seccomp(2), which lets
 * memory, reading and writing through and answers everything else with EPERM: no sockets, no
 * processes, no programs, no files. Both are asked of the kernel directly, as no library is needed. */
#define _GNU_SOURCE /* O_PATH */
#include "helper/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static long landlock_version; /* 0: none */
static bool has_seccomp;

const char *mplan_helper_sandbox(void)
{
    static char text[32];
    if (landlock_version)
        snprintf(text, sizeof text, "landlock %ld%s", landlock_version,
                 has_seccomp ? ", seccomp" : "");
    else
        snprintf(text, sizeof text, "%s", has_seccomp ? "seccomp" : "none");
    return text;
}

/* --- resources ---------------------------------------------------------------------------------- */

/* Limits are only ever lowered. */
static void lower(int resource, int64_t soft, int64_t hard)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit))
        return;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (rlim_t)hard)
        limit.rlim_max = (rlim_t)hard;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)soft)
        limit.rlim_cur = (rlim_t)soft;
    setrlimit(resource, &limit);
}

/* Bytes of address space that are in use now, by libraries and what they have begun with. */
static int64_t used_bytes(void)
{
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return (int64_t)1 << 28;
    text[got] = '\0';
    return (int64_t)strtoll(text, NULL, 10) * sysconf(_SC_PAGESIZE);
}

/* Address space: what is in use, the input twice, and what the caller allows. */
static void limit_resources(const mplan_helper_limits *limits)
{
    enum { FILES = 16, SLACK = 1 << 20 };
    int64_t room = used_bytes() + limits->input_bytes + limits->memory + SLACK;
    lower(RLIMIT_CORE, 0, 0);
    lower(RLIMIT_NOFILE, FILES, FILES);
    if (limits->cpu_seconds)
        lower(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1);
#if defined __SANITIZE_ADDRESS__ || defined MPLAN_SANITIZED
    (void)room; /* sanitizers reserve terabytes */
#else
    if (limits->memory)
        lower(RLIMIT_AS, room, room);
#endif
    if (!limits->answers) /* what it writes to has its size already */
        lower(RLIMIT_FSIZE, 0, 0);
    else if (limits->memory)
        lower(RLIMIT_FSIZE, limits->memory, limits->memory);
}

/* --- files ------------------------------------------------------------------------------------------ */

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/prctl.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* Everything that version 1 of it knows, and what later ones added. Returns the version, 0: nothing is forbidden.
 * Bits are those of landlock(7), by number, because headers may be older than the kernel. */
static long forbid_files(const mplan_helper_limits *limits)
{
    struct {
        uint64_t files, network, scopes;
    } all = {(UINT64_C(1) << 13) - 1, 0, 0};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                           1u /* LANDLOCK_CREATE_RULESET_VERSION */);
    if (version < 1)
        return 0;
    if (version >= 2)
        all.files |= UINT64_C(1) << 13; /* REFER */
    if (version >= 3)
        all.files |= UINT64_C(1) << 14; /* TRUNCATE */
    if (version >= 4)
        all.network = 3; /* bind, connect */
    if (version >= 5)
        all.files |= UINT64_C(1) << 15; /* IOCTL_DEV */
    if (version >= 6)
        all.scopes = 3; /* nameless sockets and signals of others */
    size_t bytes = version >= 6   ? sizeof all
                   : version >= 4 ? 2 * sizeof all.files
                                  : sizeof all.files;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, bytes, 0u);
    if (rules < 0)
        return 0;
    if (limits->need == MPLAN_NEEDS_TO_OPEN) { /* fails, and need not work, for files without a folder */
        struct landlock_path_beneath_attr input = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
                                                   .parent_fd = MPLAN_CHILD_INPUT};
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &input, 0u);
    }
    bool done = syscall(SYS_landlock_restrict_self, rules, 0u) == 0;
    close(rules);
    return done ? version : 0;
}
#else
static long forbid_files(const mplan_helper_limits *limits)
{
    (void)limits;
    return 0;
}
#endif

/* --- system calls ----------------------------------------------------------------------------------- */

#if (defined __x86_64__ || defined __aarch64__) && __has_include(<linux/seccomp.h>) && \
    !defined __SANITIZE_ADDRESS__ && !defined MPLAN_SANITIZED
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#ifdef __x86_64__
#define OWN_MACHINE AUDIT_ARCH_X86_64
#else
#define OWN_MACHINE AUDIT_ARCH_AARCH64
#endif
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

/* Calls that go through: memory, descriptors that are there, clocks, signals to itself, the end. */
/* clang-format off */
static const uint16_t plain_calls[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_fstat,
    SYS_newfstatat, /* what C libraries call for fstat, too */
    SYS_ftruncate, SYS_fcntl, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
    SYS_exit, SYS_exit_group, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday,
    SYS_nanosleep, SYS_clock_nanosleep, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid,
    SYS_getegid, SYS_getpgid, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname, SYS_getrandom, SYS_restart_syscall,
    SYS_set_robust_list, SYS_flock,
#ifdef SYS_getpgrp
    SYS_getpgrp,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_getrlimit
    SYS_getrlimit,
#endif
};
/* clang-format on */
/* And for those who open their input by its name, calls that look at names. */
static const uint16_t name_calls[] = {
    SYS_faccessat,  SYS_readlinkat, SYS_getcwd,
#ifdef SYS_stat
    SYS_stat,       SYS_lstat,      SYS_access, SYS_readlink,
#endif
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
};

enum { ROOM = 192 };
/* A program for the kernel's filter of system calls, n instructions so far. */
typedef struct filter {
    struct sock_filter code[ROOM];
    unsigned short n;
} filter;

/* Appends an instruction; yes and no: how many are skipped where a test holds, and where not. What does not fit is
 * dropped, and filter_calls refuses a program that is full. */
static void put(filter *to, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    if (to->n < ROOM)
        to->code[to->n++] = (struct sock_filter){code, yes, no, value};
}

/* Loads 32 bits of struct seccomp_data, on which the next test is made. */
static void load(filter *to, size_t offset)
{
    put(to, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The number of the call has been loaded before; other calls go on behind the two instructions. */
static void allow(filter *to, uint32_t call)
{
    put(to, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    put(to, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* Lets a call through whose argument has none of `bits` (of the lower half) set.
 * The load replaces the number of the call, so that all ways behind it must return. */
static void allow_without(filter *to, uint32_t call, int argument, uint32_t bits)
{
    size_t low = offsetof(struct seccomp_data, args) + 8 * (size_t)argument; /* little-endian */
    put(to, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(to, low);
    put(to, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    put(to, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    put(to, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

/* A signal to itself, as abort sends one: the first argument is this process. */
static void allow_to_self(filter *to, uint32_t call)
{
    put(to, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(to, offsetof(struct seccomp_data, args));
    put(to, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1);
    put(to, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    put(to, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

/* Calls that are not on the list end with EPERM; another architecture ends the
 * process. */
static bool filter_calls(const mplan_helper_limits *limits)
{
    filter made = {.n = 0};
    load(&made, offsetof(struct seccomp_data, arch));
    put(&made, BPF_JMP | BPF_JEQ | BPF_K, OWN_MACHINE, 1, 0);
    put(&made, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    load(&made, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof plain_calls / sizeof *plain_calls; i++)
        allow(&made, plain_calls[i]);
    for (size_t i = 0;
         limits->need == MPLAN_NEEDS_TO_OPEN && i < sizeof name_calls / sizeof *name_calls; i++)
        allow(&made, name_calls[i]);
    allow_without(&made, SYS_mmap, 2, PROT_EXEC);
    allow_without(&made, SYS_mprotect, 2, PROT_EXEC);
    allow_to_self(&made, SYS_tgkill);
    allow_to_self(&made, SYS_kill);
    if (limits->need == MPLAN_NEEDS_TO_OPEN)
        allow_without(&made, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
    put(&made, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    struct sock_fprog program = {made.n, made.code};
    return made.n < ROOM && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
#else
static bool filter_calls(const mplan_helper_limits *limits)
{
    (void)limits;
    return false;
}
#endif

/* Whatever the system does not offer is left out: the limits are a second line
 * of defence. */
void mplan_helper_limit(const mplan_helper_limits *limits)
{
    limit_resources(limits);
#ifdef __linux__
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        landlock_version = forbid_files(limits);
        has_seccomp = filter_calls(limits);
    }
#endif
}
