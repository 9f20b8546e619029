/* cpu_board.c: boards: what the processes that share an event know of its records.
 *
 * A board is a file in memory with the number of records and the records that are not reached yet.
 * A lock of its first byte guards it. Each process keeps a lock of a byte of its own, whose number
 * is in the records that it adds. When the process ends, the system gives up its locks, so that
 * others see that its records will never be reached. All are locks of an open file, which threads
 * of a process share; a mutex keeps these apart. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* locks of open files */
#endif
#include "cpu_board.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "cpu_memfile.h"
#include "cpu_words.h"

enum { MOST = 240 };

typedef struct entry {
  uint64_t ticket; /* 0: the entry is free */
  uint64_t holder; /* the byte of the process that made the record */
} entry;

typedef struct contents {
  uint64_t records;
  entry open[MOST];
} contents;

struct cpu_board {
  atomic_int refs;
  cpu_memfile file;
  contents *shared;
  uint64_t holder;
  bool foreign;
};

static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;


/* ---- locks ---- */

#ifdef F_OFD_SETLK
static bool set_lock (const cpu_board *b, uint64_t byte, short type) {
  struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1 };
  int r;
  do r = fcntl(b->file.fd, F_OFD_SETLKW, &l);
  while (r < 0 && errno == EINTR);
  return r == 0;
}

/* Does a process hold the lock of that byte? */
static bool is_held (const cpu_board *b, uint64_t byte) {
  struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1 };
  if (byte == b->holder) return true;
  return fcntl(b->file.fd, F_OFD_GETLK, &l) != 0 || l.l_type != F_UNLCK;
}
#else
static bool set_lock (const cpu_board *b, uint64_t byte, short type) {
  (void)b, (void)byte, (void)type;
  return false;
}
static bool is_held (const cpu_board *b, uint64_t byte) { return byte == b->holder; }
#endif

static void enter (cpu_board *b) {
  pthread_mutex_lock(&threads);
  (void)set_lock(b, 0, F_WRLCK);
}

static void leave (cpu_board *b) {
  (void)set_lock(b, 0, F_UNLCK);
  pthread_mutex_unlock(&threads);
}


/* ---- begin and end ---- */

/* Every opening has another byte. */
static cu_result take_holder (const char *call, cpu_board *b) {
  cpu_memfile f;
  cu_result r = cpu_memfile_make(call, CPU_MEMFILE_EVENT, 1, &f); /* for its random id */
  if (r != 0) return r;
  cpu_memfile_close(&f);
  memcpy(&b->holder, f.id, sizeof b->holder);
  b->holder = (b->holder >> 2) | 1;
  return set_lock(b, b->holder, F_WRLCK) ? 0 : CU_ERR_NOT_SUPPORTED;
}

/* Takes the file over. */
static cu_result make (const char *call, const cpu_memfile *f, cpu_board **out) {
  cpu_board *b = lcu_calloc(1, sizeof *b);
  if (b == NULL) {
    cpu_memfile_close(&(cpu_memfile){ .fd = f->fd });
    return CU_ERR_OUT_OF_MEMORY;
  }
  atomic_init(&b->refs, 1);
  b->file = *f;
  b->shared = cpu_memfile_map(f);
  cu_result r = b->shared != NULL ? take_holder(call, b) : CU_ERR_OUT_OF_MEMORY;
  if (r != 0) cpu_board_unref(b);
  else *out = b;
  return r;
}

cu_result cpu_board_make (cpu_board **out) {
  static const char call[] = "cuEventCreate";
  cpu_memfile f;
  cu_result r = cpu_memfile_make(call, CPU_MEMFILE_EVENT, sizeof(contents), &f);
  return r == 0 ? make(call, &f, out) : r;
}

cu_result cpu_board_open (const char name[64], cpu_board **out) {
  static const char call[] = "cuIpcOpenEventHandle";
  cpu_memfile f;
  cu_result r = cpu_memfile_open(call, CPU_MEMFILE_EVENT, name, &f);
  if (r == 0 && f.size != sizeof(contents)) {
    cpu_memfile_close(&f);
    r = CU_ERR_INVALID_HANDLE;
  }
  if (r == 0) r = make(call, &f, out);
  if (r == 0) (*out)->foreign = true;
  return r;
}

bool cpu_board_name (const cpu_board *b, char name[64]) {
  if (!b->foreign) cpu_memfile_name(&b->file, name);
  return !b->foreign;
}

cpu_board *cpu_board_ref (cpu_board *b) {
  atomic_fetch_add(&b->refs, 1);
  return b;
}

void cpu_board_unref (cpu_board *b) {
  if (b == NULL || atomic_fetch_sub(&b->refs, 1) != 1) return;
  if (b->shared != NULL) cpu_memfile_unmap(b->shared, b->file.size);
  cpu_memfile_close(&b->file);
  lcu_free(b);
}


/* ---- records ---- */

/* The entry of the ticket, or NULL. */
static entry *find (cpu_board *b, uint64_t ticket) {
  for (int i = 0; i < MOST; i++)
    if (b->shared->open[i].ticket == ticket) return &b->shared->open[i];
  return NULL;
}

static void forget_ended (cpu_board *b) {
  for (int i = 0; i < MOST; i++) {
    entry *e = &b->shared->open[i];
    if (e->ticket != 0 && !is_held(b, e->holder)) e->ticket = 0;
  }
}

cu_result cpu_board_record (cpu_board *b, uint64_t *ticket) {
  enter(b);
  entry *e = find(b, 0);
  if (e == NULL) {
    forget_ended(b);
    e = find(b, 0);
  }
  if (e != NULL) {
    e->holder = b->holder;
    e->ticket = *ticket = ++b->shared->records;
  }
  leave(b);
  if (e != NULL) return 0;
  return cpu_fail("cuEventRecord", CU_ERR_LAUNCH_OUT_OF_RESOURCES,
                  "%d records of an event of several processes are not reached yet", (int)MOST);
}

void cpu_board_reach (cpu_board *b, uint64_t ticket) {
  enter(b);
  entry *e = find(b, ticket);
  if (e != NULL) e->ticket = 0;
  leave(b);
}

uint64_t cpu_board_latest (cpu_board *b) {
  enter(b);
  uint64_t n = b->shared->records;
  leave(b);
  return n;
}

bool cpu_board_reached (cpu_board *b, uint64_t ticket) {
  enter(b);
  entry *e = ticket != 0 ? find(b, ticket) : NULL;
  if (e != NULL && !is_held(b, e->holder)) {
    e->ticket = 0;
    e = NULL;
  }
  leave(b);
  return e == NULL;
}

void cpu_board_pause (unsigned *turn) {
  const struct timespec t = { .tv_nsec = *turn < 50 ? 20000 : 1000000 };
  (*turn)++;
  (void)nanosleep(&t, NULL);
}
