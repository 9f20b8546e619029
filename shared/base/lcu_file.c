/* lcu_file.c: whole files over POSIX. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#elif defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif
#include "lcu_file.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lcu_status io_fail (const char *doing, const char *path) {
  int e = errno;
  char why[128];
  const char *text = why;
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  text = strerror_r(e, why, sizeof why);
#else
  if (strerror_r(e, why, sizeof why) != 0) snprintf(why, sizeof why, "error %d", e);
#endif
  return lcu_fail(e == ENOENT ? LCU_E_NOT_FOUND : LCU_E_IO, "cannot %s '%s': %s", doing, path,
                  text);
}

static lcu_status too_large (const char *path) {
  return lcu_fail(LCU_E_IO, "cannot read '%s': it is larger than %d MB", path, LCU_FILE_MOST >> 20);
}

static lcu_status read_all (int fd, const char *path, lcu_buf *out) {
  for (;;) {
    char chunk[16384];
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n == 0) return LCU_OK;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_fail("read", path);
    if (out->len + (size_t)n > LCU_FILE_MOST) return too_large(path);
    lcu_buf_add(out, chunk, (size_t)n);
    if (out->failed) return lcu_no_memory("the contents of '%s'", path);
  }
}

static bool is_trusted (const struct stat *st, lcu_file_trust trust) {
  if (trust == LCU_FILE_ANY) return true;
  if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  return st->st_uid == geteuid() || (trust == LCU_FILE_OWN_OR_ROOT && st->st_uid == 0);
}

static lcu_status check_open (int fd, const char *path, lcu_file_trust trust) {
  struct stat st;
  if (fstat(fd, &st) != 0) return io_fail("look at", path);
  if (S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return io_fail("read", path);
  }
  if (!S_ISREG(st.st_mode))
    return lcu_fail(LCU_E_IO, "cannot read '%s': it is not a regular file", path);
  if (st.st_size > LCU_FILE_MOST) return too_large(path);
  if (!is_trusted(&st, trust))
    return lcu_fail(LCU_E_IO, "cannot read '%s': another user could have written it", path);
  return LCU_OK;
}

lcu_status lcu_file_read (const char *path, lcu_file_trust trust, lcu_buf *out) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                        (trust == LCU_FILE_ANY ? 0 : O_NOFOLLOW));
  if (fd < 0) return io_fail("open", path);
  lcu_status s = check_open(fd, path, trust);
  if (s == LCU_OK) s = read_all(fd, path, out);
  close(fd);
  return s;
}

static lcu_status write_all (int fd, const char *path, const char *p, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, p, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_fail("write", path);
    p += n;
    len -= (size_t)n;
  }
  return LCU_OK;
}

static void make_parents (char *path) {
  for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
    *p = '\0';
    mkdir(path, 0700); /* opening the file reports a failure */
    *p = '/';
  }
}

/* Creates a new file in the directory of `path`, with its name in tmp. */
static int open_temporary (const char *path, char *tmp, size_t size) {
  static atomic_uint serial;
  int n = snprintf(tmp, size, "%s.%ld.%u.tmp", path, (long)getpid(), atomic_fetch_add(&serial, 1u));
  if (n < 0 || (size_t)n >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno == ENOENT) {
    make_parents(tmp);
    fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  return fd;
}

lcu_status lcu_file_replace (const char *path, const void *data, size_t len) {
  char tmp[4096];
  int fd = open_temporary(path, tmp, sizeof tmp);
  if (fd < 0) return io_fail("create", path);
  lcu_status s = write_all(fd, tmp, data, len);
  if (close(fd) != 0 && s == LCU_OK) s = io_fail("write", tmp);
  if (s == LCU_OK && rename(tmp, path) != 0) s = io_fail("rename to", path);
  if (s != LCU_OK) unlink(tmp);
  return s;
}

lcu_status lcu_file_remove (const char *path) {
  return unlink(path) == 0 ? LCU_OK : io_fail("remove", path);
}

void lcu_file_beside (char *out, size_t size, const void *code, const char *name) {
  Dl_info info;
  char *self = dladdr(code, &info) != 0 ? realpath(info.dli_fname, NULL) : NULL;
  out[0] = '\0';
  if (self == NULL) return;
  int n = snprintf(out, size, "%.*s/%s", (int)(strrchr(self, '/') - self), self, name);
  if (n < 0 || (size_t)n >= size) out[0] = '\0';
  free(self);
}

bool lcu_file_replaceable (const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 ? S_ISREG(st.st_mode) : errno == ENOENT;
}

lcu_status lcu_file_stat (const char *path, lcu_file_info *out) {
  struct stat st;
  if (stat(path, &st) != 0) return io_fail("look at", path);
  out->size = (uint64_t)st.st_size;
  out->modified = (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec;
  out->directory = S_ISDIR(st.st_mode);
  return LCU_OK;
}

lcu_status lcu_file_list (const char *dir, bool (*fn)(void *ud, const char *name), void *ud) {
  DIR *d = opendir(dir);
  if (d == NULL) return io_fail("list", dir);
  for (struct dirent *e = readdir(d); e != NULL; e = readdir(d))
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !fn(ud, e->d_name)) break;
  closedir(d);
  return LCU_OK;
}
