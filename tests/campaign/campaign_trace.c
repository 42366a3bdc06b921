/* SPDX-License-Identifier: Apache-2.0 */
/* campaign_trace.c - runs a command and makes one of its system calls fail (x86-64 Linux)
 *
 * campaign_trace REPORT MODE AT -- COMMAND [ARGUMENT]...
 *
 * MODE: none; kill (SIGKILL before the call); short (half the bytes of a read or write); a number of errno, which the
 * call answers without being made. AT: which call, from 1, counted over all processes and threads since the mark of
 * campaign_shim.c. REPORT gets the number of each call that was counted, one a line, with `none`; else "hit NUMBER" when
 * the fault was made. Exit code: that of the command, or 128 and the signal. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096 };

typedef struct tracee {
    pid_t pid;
    bool inside; /* a call was entered */
    bool fail;   /* its answer is to be an error */
} tracee;

static tracee tracees[MOST];
static int n_tracees;

static tracee *find(pid_t pid)
{
    for (int i = 0; i < n_tracees; i++)
        if (tracees[i].pid == pid)
            return &tracees[i];
    if (n_tracees == MOST)
        abort();
    tracees[n_tracees] = (tracee){.pid = pid};
    return &tracees[n_tracees++];
}

static void forget(pid_t pid)
{
    for (int i = 0; i < n_tracees; i++)
        if (tracees[i].pid == pid)
            tracees[i--] = tracees[--n_tracees];
}

static bool counts(long call)
{
    return call != SYS_exit && call != SYS_exit_group && call != SYS_rt_sigreturn &&
           call != SYS_brk && call != SYS_restart_syscall && call != SYS_execve;
}

static bool has_length(long call)
{
    return call == SYS_read || call == SYS_write || call == SYS_pread64 || call == SYS_pwrite64;
}

typedef struct fault {
    const char *mode;
    long at, error, seen;
    bool marked, hit;
    FILE *report;
} fault;

/* At the entry of a call. */
static void entered(fault *of, tracee *it, pid_t root)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, it->pid, NULL, &regs))
        return;
    const long call = (long)regs.orig_rax;
    if (call == SYS_getpriority && regs.rdi == 77) {
        of->marked = true;
        return;
    }
    if (!of->marked || !counts(call) || ++of->seen != of->at || of->hit) {
        if (of->marked && counts(call) && strcmp(of->mode, "none") == 0)
            fprintf(of->report, "%ld\n", call);
        return;
    }
    of->hit = true;
    if (strcmp(of->mode, "kill") == 0) {
        kill(root, SIGKILL);
    } else if (strcmp(of->mode, "short") == 0) {
        of->hit = has_length(call) && regs.rdx > 1;
        regs.rdx = of->hit ? regs.rdx / 2 : regs.rdx;
        ptrace(PTRACE_SETREGS, it->pid, NULL, &regs);
    } else if (of->error) {
        regs.orig_rax = (unsigned long long)-1;
        ptrace(PTRACE_SETREGS, it->pid, NULL, &regs);
        it->fail = true;
    }
    if (of->hit)
        fprintf(of->report, "hit %ld\n", call);
    fflush(of->report);
}

static void left(const fault *of, tracee *it)
{
    struct user_regs_struct regs;
    if (!it->fail || ptrace(PTRACE_GETREGS, it->pid, NULL, &regs))
        return;
    regs.rax = (unsigned long long)-of->error;
    ptrace(PTRACE_SETREGS, it->pid, NULL, &regs);
    it->fail = false;
}

/* Follows all processes until the first one ends; its status. */
static int follow(fault *of, pid_t root)
{
    int status, answer = 0;
    bool running = true;
    while (running || n_tracees > 0) {
        const pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0)
            break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == root) {
                answer = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
                running = false;
            }
            forget(pid);
            continue;
        }
        tracee *it = find(pid);
        int sent = 0;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            it->inside = !it->inside;
            if (it->inside)
                entered(of, it, root);
            else
                left(of, it);
        } else if (status >> 16 == PTRACE_EVENT_EXEC) {
            it->inside = true; /* the call that executed it returns next */
        } else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP) {
            sent = WSTOPSIG(status);
        }
        ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)sent);
    }
    return answer;
}

int main(int argc, char **argv)
{
    if (argc < 6 || strcmp(argv[4], "--") != 0) {
        fprintf(stderr, "usage: campaign_trace REPORT MODE AT -- COMMAND [ARGUMENT]...\n");
        return 64;
    }
    fault of = {
        .mode = argv[2], .at = atol(argv[3]), .error = atol(argv[2]), .report = fopen(argv[1], "we")};
    const pid_t root = fork();
    if (!of.report || root < 0)
        return 74;
    if (root == 0) {
        const char *preload = getenv("CAMPAIGN_PRELOAD");
        if (preload)
            setenv("LD_PRELOAD", preload, 1);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(argv[5], argv + 5);
        _exit(127);
    }
    int status;
    waitpid(root, &status, 0);
    ptrace(PTRACE_SETOPTIONS, root, NULL,
           (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                          PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
    ptrace(PTRACE_SYSCALL, root, NULL, NULL);
    const int answer = follow(&of, root);
    fclose(of.report);
    return answer;
}
