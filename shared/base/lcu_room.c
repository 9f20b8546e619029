/* lcu_room.c: the memory that the machine, control groups of either version and limits of the shell
 * leave to this process. */
#include "lcu_room.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };
static const uint64_t NOTHING_SAID = UINT64_MAX;
static const uint64_t UNLIMITED = (uint64_t)1 << 62; /* version 1 says almost 2^63 */
static const uint64_t CHECK_EACH = 64u << 20;
static const uint64_t MOST_RESERVED = 256u << 20;

/* ---- files of numbers ---- */

LCU_PRINTF(2, 3)
static FILE *open_file (const char *root, const char *fmt, ...) {
  char path[PATH_SIZE];
  va_list args;
  size_t len = strlen(root);
  if (len >= sizeof path) return NULL;
  memcpy(path, root, len);
  va_start(args, fmt);
  int n = vsnprintf(path + len, sizeof path - len, fmt, args);
  va_end(args);
  return n < 0 || (size_t)n >= sizeof path - len ? NULL : fopen(path, "re");
}

/* A file that holds one number; NOTHING_SAID when it cannot be read or says "max". */
static uint64_t read_number (const char *root, const char *group, const char *name) {
  uint64_t n = NOTHING_SAID;
  FILE *f = open_file(root, "%s/%s", group, name);
  if (f == NULL) return n;
  if (fscanf(f, "%" SCNu64, &n) != 1) n = NOTHING_SAID;
  fclose(f);
  return n;
}

/* The number after `key` at the start of a line, or `otherwise`. */
static uint64_t read_key (const char *root, const char *path, const char *key, uint64_t otherwise) {
  char line[256];
  uint64_t n;
  size_t len = strlen(key);
  FILE *f = open_file(root, "%s", path);
  if (f == NULL) return otherwise;
  while (fgets(line, sizeof line, f) != NULL) {
    if (strncmp(line, key, len) != 0 || sscanf(line + len, "%" SCNu64, &n) != 1) continue;
    otherwise = n;
    break;
  }
  fclose(f);
  return otherwise;
}

static void lower (uint64_t *to, uint64_t n) {
  if (n < *to) *to = n;
}

/* ---- the machine and the shell ---- */

static void look_at_machine (const char *root, lcu_room *out) {
  uint64_t kb = read_key(root, "/proc/meminfo", "MemTotal:", NOTHING_SAID);
  uint64_t free_kb = read_key(root, "/proc/meminfo", "MemAvailable:", NOTHING_SAID);
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (kb != NOTHING_SAID) out->limit = kb * 1024;
  else if (pages > 0 && page > 0) out->limit = (uint64_t)pages * (uint64_t)page;
  if (free_kb != NOTHING_SAID) out->available = free_kb * 1024;
}

static void look_at_process (const char *root, lcu_room *out) {
  uint64_t size = 0, resident = 0, shared = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
  struct rlimit l;
  FILE *f = open_file(root, "/proc/self/statm");
  if (f == NULL) return;
  if (fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &size, &resident, &shared) != 3)
    size = resident = shared = 0;
  fclose(f);
  if (resident > shared) out->resident = (resident - shared) * page;
  if (getrlimit(RLIMIT_AS, &l) != 0 || l.rlim_cur == RLIM_INFINITY) return;
  out->addresses = l.rlim_cur > size * page ? l.rlim_cur - size * page : 0;
  lower(&out->limit, l.rlim_cur);
  lower(&out->available, out->addresses);
}

/* ---- control groups ---- */

/* The file names of the two versions. */
typedef struct version {
  const char *mount, *limits[2], *used, *reclaimable;
} version;
static const version v1 = { "/sys/fs/cgroup/memory",
                            { "memory.limit_in_bytes", NULL },
                            "memory.usage_in_bytes",
                            "total_inactive_file" };
static const version v2 = {
  "/sys/fs/cgroup", { "memory.max", "memory.high" }, "memory.current", "inactive_file"
};

static void look_at_group (const char *root, const version *v, const char *group, lcu_room *out) {
  uint64_t limit = NOTHING_SAID, used;
  char stat[PATH_SIZE];
  for (int i = 0; i < 2; i++)
    if (v->limits[i] != NULL) lower(&limit, read_number(root, group, v->limits[i]));
  if (limit > UNLIMITED) return;
  lower(&out->limit, limit);
  used = read_number(root, group, v->used);
  if (used == NOTHING_SAID) return;
  int n = snprintf(stat, sizeof stat, "%s/memory.stat", group);
  uint64_t reclaimable =
    n > 0 && (size_t)n < sizeof stat ? read_key(root, stat, v->reclaimable, 0) : 0;
  used = used > reclaimable ? used - reclaimable : 0;
  lower(&out->available, limit > used ? limit - used : 0);
}

/* The group and all groups that contain it: each of them is a limit. Where a container sees a
 * different part of the tree than the path refers to, the files at the top are those of the
 * container. */
static void look_at_groups (const char *root, const version *v, const char *path, lcu_room *out) {
  char group[PATH_SIZE];
  int n = snprintf(group, sizeof group, "%s%s", v->mount, strstr(path, "/..") != NULL ? "" : path);
  if (n < 0 || (size_t)n >= sizeof group) return;
  for (;;) {
    look_at_group(root, v, group, out);
    char *slash = strrchr(group, '/');
    if (strlen(group) <= strlen(v->mount) || slash == NULL) return;
    *slash = '\0';
  }
}

/* "4:memory:/path" or "0::/path": the path, or NULL. */
static const char *path_of_line (char *line, const version **v) {
  char *kinds = strchr(line, ':'), *path = kinds != NULL ? strchr(kinds + 1, ':') : NULL;
  if (path == NULL) return NULL;
  *path++ = '\0';
  path[strcspn(path, "\n")] = '\0';
  *v = kinds[1] == '\0' ? &v2 : &v1;
  if (*v == &v1 && strcmp(kinds + 1, "memory") != 0) return NULL;
  return strcmp(path, "/") == 0 ? "" : path;
}

static void look_at_all_groups (const char *root, lcu_room *out) {
  char line[PATH_SIZE];
  const version *v;
  FILE *f = open_file(root, "/proc/self/cgroup");
  if (f == NULL) return;
  while (fgets(line, sizeof line, f) != NULL) {
    const char *path = path_of_line(line, &v);
    if (path != NULL) look_at_groups(root, v, path, out);
  }
  fclose(f);
}

void lcu_room_look (const char *root, lcu_room *out) {
  *out = (lcu_room){ NOTHING_SAID, NOTHING_SAID, 0, NOTHING_SAID };
  look_at_machine(root, out);
  look_at_all_groups(root, out);
  look_at_process(root, out);
}

/* ---- accounts ---- */

struct lcu_room_account {
  atomic_uint_fast64_t booked, unchecked;
};
static lcu_room_account own_account;
static _Atomic(lcu_room_account *) account = &own_account;

lcu_room_account *lcu_room_account_get (void) { return atomic_load(&account); }
void lcu_room_account_use (lcu_room_account *shared) { atomic_store(&account, shared); }

static uint64_t less (uint64_t n, uint64_t by) { return n > by ? n - by : 0; }

uint64_t lcu_room_after (const lcu_room *room, uint64_t out) {
  if (room->available == NOTHING_SAID) return NOTHING_SAID;
  uint64_t reserved = room->available / 32;
  lower(&reserved, MOST_RESERVED);
  return less(room->available, less(out, room->resident) + reserved);
}

uint64_t lcu_room_left (void) {
  lcu_room room;
  lcu_room_look("", &room);
  return lcu_room_after(&room, atomic_load(&lcu_room_account_get()->booked));
}

uint64_t lcu_room_limit (void) {
  lcu_room room;
  lcu_room_look("", &room);
  return room.limit;
}

bool lcu_room_has (uint64_t bytes, uint64_t addresses) {
  lcu_room room;
  lcu_room_look("", &room);
  return room.addresses >= addresses &&
         lcu_room_after(&room, atomic_load(&lcu_room_account_get()->booked)) >= bytes;
}

bool lcu_room_take (size_t n) {
  lcu_room_account *a = lcu_room_account_get();
  if (atomic_fetch_add(&a->unchecked, n) + n >= CHECK_EACH) {
    if (n > lcu_room_left()) return false;
    atomic_store(&a->unchecked, 0);
  }
  atomic_fetch_add(&a->booked, n);
  return true;
}

void lcu_room_give (size_t n) { atomic_fetch_sub(&lcu_room_account_get()->booked, n); }
