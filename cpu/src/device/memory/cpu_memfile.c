/* cpu_memfile.c: files in memory, through which processes share memory and events. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* memfd_create */
#endif
#include "cpu_memfile.h"
#include "cpu_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/random.h>
#endif

/* The 64 bytes of a handle. */
typedef struct name_parts {
  char magic[4];
  uint32_t kind;
  int32_t pid, fd;
  uint64_t size;
  unsigned char id[16];
  char zero[24];
} name_parts;
_Static_assert(sizeof(name_parts) == 64, "a handle has 64 bytes");

static const char MAGIC[4] = { 'L', 'C', 'P', 'U' };
static const uint64_t MOST = (uint64_t)1 << 46;

static uint64_t page_size (void) { return (uint64_t)sysconf(_SC_PAGESIZE); }
static uint64_t page_up (uint64_t n) { return (n + page_size() - 1) / page_size() * page_size(); }

/* The id follows the contents, at the next page. */
static uint64_t id_place (const cpu_memfile *f) { return page_up(f->size); }

void cpu_memfile_close (cpu_memfile *f) {
  if (f->fd >= 0) close(f->fd);
  f->fd = -1;
}


/* ---- making ---- */

#ifdef __linux__
static cu_result make (const char *call, cpu_memfile *f) {
  ssize_t len = (ssize_t)sizeof f->id;
  f->fd = memfd_create("luacuda", MFD_CLOEXEC);
  if (f->fd < 0)
    return cpu_fail(call, CU_ERR_OPERATING_SYSTEM, "memfd_create: %s", strerror(errno));
  if (getrandom(f->id, sizeof f->id, 0) == len &&
      pwrite(f->fd, f->id, sizeof f->id, (off_t)id_place(f)) == len)
    return 0;
  return cpu_fail(call, CU_ERR_OPERATING_SYSTEM, "a file in memory: %s", strerror(errno));
}
#else
static cu_result make (const char *call, cpu_memfile *f) {
  (void)f;
  return cpu_fail(call, CU_ERR_NOT_SUPPORTED,
                  "processes share memory of the CPU device on Linux only");
}
#endif

cu_result cpu_memfile_make (const char *call, cpu_memfile_kind kind, size_t size,
                            cpu_memfile *out) {
  *out = (cpu_memfile){ .fd = -1, .kind = kind, .size = size };
  cu_result r = make(call, out);
  if (r != 0) cpu_memfile_close(out);
  return r;
}

void cpu_memfile_name (const cpu_memfile *f, char name[64]) {
  name_parts n = {
    .kind = (uint32_t)f->kind, .pid = (int32_t)getpid(), .fd = f->fd, .size = f->size
  };
  memcpy(n.magic, MAGIC, sizeof n.magic);
  memcpy(n.id, f->id, sizeof n.id);
  memcpy(name, &n, sizeof n);
}


/* ---- opening ---- */

static bool is_it (const cpu_memfile *f) {
  struct stat info;
  unsigned char id[sizeof f->id];
  return fstat(f->fd, &info) == 0 && S_ISREG(info.st_mode) &&
         (uint64_t)info.st_size == id_place(f) + sizeof id &&
         pread(f->fd, id, sizeof id, (off_t)id_place(f)) == (ssize_t)sizeof id &&
         memcmp(id, f->id, sizeof id) == 0;
}

static cu_result explain (const char *call, const name_parts *n, int why) {
  if (why == EACCES || why == EPERM)
    return cpu_fail(call, CU_ERR_MAP_FAILED,
                    "this process may not open memory of process %d: they belong to "
                    "different users",
                    (int)n->pid);
  return cpu_fail(call, CU_ERR_MAP_FAILED,
                  "process %d, which made the handle, has ended or has freed it", (int)n->pid);
}

cu_result cpu_memfile_open (const char *call, cpu_memfile_kind kind, const char name[64],
                            cpu_memfile *out) {
  name_parts n;
  char path[64];
  memcpy(&n, name, sizeof n);
  *out = (cpu_memfile){ .fd = -1, .kind = kind, .size = n.size };
  memcpy(out->id, n.id, sizeof n.id);
  if (memcmp(n.magic, MAGIC, sizeof n.magic) != 0 || n.kind != (uint32_t)kind || n.pid <= 0 ||
      n.fd < 0 || n.size == 0 || n.size > MOST)
    return CU_ERR_INVALID_HANDLE;
  if (n.pid == (int32_t)getpid()) return CU_ERR_INVALID_CONTEXT;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)n.pid, (int)n.fd);
  out->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (out->fd < 0) return explain(call, &n, errno);
  if (is_it(out)) return 0;
  cpu_memfile_close(out);
  return explain(call, &n, ENOENT);
}


/* ---- mapping ---- */

void *cpu_memfile_map (const cpu_memfile *f) {
  uint64_t inner = page_up(f->size), page = page_size();
  char *all =
    mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return NULL;
  void *p = mmap(all + page, inner, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, f->fd, 0);
  if (p != MAP_FAILED) return p;
  munmap(all, inner + 2 * page);
  return NULL;
}

void cpu_memfile_unmap (void *p, uint64_t size) {
  munmap((char *)p - page_size(), page_up(size) + 2 * page_size());
}

void cpu_memfile_cover (void *p, uint64_t size) {
  (void)mmap(p, page_up(size), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
