/* Preloaded into a process, lets its i-th change of files under a folder fail, as a full or broken
   disk does. `disk_arm` says which; without it everything is passed on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ONCE = 0, FROM_THEN_ON = 1, TORN = 2 }; /* TORN: half of the write is made first */

static char folder[PATH_MAX];
static long at = 0, seen = 0;
static int code = 0, kind = ONCE;

void disk_arm(const char *under, long number, int error, int how) {
    snprintf(folder, sizeof folder, "%s/", under);
    at = number, seen = 0, code = error, kind = how;
}

long disk_count(void) { return seen; }

static int is_ours(const char *path) { /* the folder itself, too, which is synced */
    size_t length = strlen(folder);
    if (!length || strncmp(path, folder, length - 1)) return 0;
    return path[length - 1] == 0 || path[length - 1] == '/';
}

static int is_open_in_ours(int descriptor) {
    char name[64], path[PATH_MAX];
    if (!folder[0]) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

/* Counts a change; returns 1 where it is to fail, 2 where half of it is to be made. */
static int fails(void) {
    seen++;
    if (!at || seen < at || (kind == ONCE && seen > at)) return 0;
    errno = code;
    return kind == TORN && seen == at ? 2 : 1;
}

#define REAL(type, name, ...)                                   \
    static type (*real)(__VA_ARGS__) = NULL;                    \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define PWRITE(name, offset_type)                                                    \
    ssize_t name(int fd, const void *data, size_t size, offset_type offset) {        \
        REAL(ssize_t, #name, int, const void *, size_t, offset_type);                \
        int bad = is_open_in_ours(fd) ? fails() : 0;                                 \
        if (bad == 1) return -1;                                                     \
        return real(fd, data, bad == 2 ? size / 2 : size, offset);                   \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    int bad = is_open_in_ours(fd) ? fails() : 0;
    if (bad == 1) return -1;
    return real(fd, data, bad == 2 ? size / 2 : size);
}

#define ON_DESCRIPTOR(name, ...)                         \
    REAL(int, #name, __VA_ARGS__);                       \
    if (is_open_in_ours(fd) && fails()) return -1;
int fsync(int fd) { ON_DESCRIPTOR(fsync, int) return real(fd); }
int fdatasync(int fd) { ON_DESCRIPTOR(fdatasync, int) return real(fd); }
static int grows(int fd, long long size) { /* a full disk lets one shorten files */
    struct stat found;
    return code != ENOSPC || fstat(fd, &found) != 0 || size > (long long)found.st_size;
}
#define CUT(name, type)                                                       \
    int name(int fd, type size) {                                             \
        REAL(int, #name, int, type);                                          \
        if (is_open_in_ours(fd) && grows(fd, size) && fails()) return -1;     \
        return real(fd, size);                                                \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)
int posix_fallocate(int fd, off_t from, off_t size) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    return is_open_in_ours(fd) && fails() ? code : real(fd, from, size);
}

#define ON_PATH(name, path, ...)                         \
    REAL(int, #name, __VA_ARGS__);                       \
    if (is_ours(path) && fails()) return -1;
int rename(const char *from, const char *to) {
    ON_PATH(rename, to, const char *, const char *)
    return real(from, to);
}
int unlink(const char *path) { /* a full disk lets one remove files */
    REAL(int, "unlink", const char *);
    if (is_ours(path) && code != ENOSPC && fails()) return -1;
    return real(path);
}
int mkdir(const char *path, mode_t mode) {
    ON_PATH(mkdir, path, const char *, mode_t)
    return real(path, mode);
}

static int makes(const char *path, int flags) {
    struct stat found;
    return (flags & O_CREAT) && is_ours(path) && lstat(path, &found) != 0;
}

#define OPEN(name)                                                   \
    int name(const char *path, int flags, ...) {                     \
        REAL(int, #name, const char *, int, ...);                    \
        va_list rest;                                                \
        va_start(rest, flags);                                       \
        mode_t mode = va_arg(rest, mode_t);                          \
        va_end(rest);                                                \
        if (makes(path, flags) && fails()) return -1;                \
        return real(path, flags, mode);                              \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                 \
    int name(int at_fd, const char *path, int flags, ...) {          \
        REAL(int, #name, int, const char *, int, ...);               \
        va_list rest;                                                \
        va_start(rest, flags);                                       \
        mode_t mode = va_arg(rest, mode_t);                          \
        va_end(rest);                                                \
        if (makes(path, flags) && fails()) return -1;                \
        return real(at_fd, path, flags, mode);                       \
    }
OPENAT(openat)
OPENAT(openat64)
