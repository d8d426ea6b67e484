/* Loaded before the C library, for a process that takes this machine for another one: time that passes
 * faster, a clock that somebody sets, a disk without room. The three numbers are in the file that MACHINE
 * names: seconds that have passed, seconds by which the clock was set, and whether the disk is full. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile const long long none[3];
static volatile const long long *machine = none;

__attribute__((constructor)) static void look(void) {
    const char *path = getenv("MACHINE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *found = file < 0 ? MAP_FAILED : mmap(0, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) machine = found;
    if (file >= 0) close(file);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    long result = syscall(SYS_clock_gettime, clock, at);
    if (clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID) at->tv_sec += machine[0];
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) at->tv_sec += machine[1];
    return result;
}

/* A nap is looked at again soon, as time may have passed. */
int epoll_wait(int poll, struct epoll_event *events, int count, int timeout) {
    if (timeout < 0 || timeout > 20) timeout = 20;
    return syscall(SYS_epoll_pwait, poll, events, count, timeout, NULL, 8);
}

/* Whether there is no room for it. What the program says goes elsewhere. */
static int is_refused(int file) {
    struct stat found;
    if (!machine[2] || file <= 2 || fstat(file, &found) || !S_ISREG(found.st_mode)) return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *from, size_t length) {
    return is_refused(file) ? -1 : syscall(SYS_write, file, from, length);
}
ssize_t writev(int file, const struct iovec *from, int count) {
    return is_refused(file) ? -1 : syscall(SYS_writev, file, from, count);
}
ssize_t pwrite(int file, const void *from, size_t length, off_t at) {
    return is_refused(file) ? -1 : syscall(SYS_pwrite64, file, from, length, at);
}
ssize_t pwrite64(int file, const void *from, size_t length, off64_t at) {
    return is_refused(file) ? -1 : syscall(SYS_pwrite64, file, from, length, at);
}
