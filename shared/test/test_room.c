/* test_room.c: tests the estimate of the memory that is left, with files of an imaginary system and
 * on this one. */
#include "lcu_room.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static const uint64_t MIB = 1u << 20;
static char root[64];

/* Writes the file <root><path> and creates its folders. */
static void put (const char *path, const char *fmt, ...) {
  char full[512];
  va_list args;
  snprintf(full, sizeof full, "%s%s", root, path);
  for (char *p = strchr(full + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
    *p = '\0';
    mkdir(full, 0700);
    *p = '/';
  }
  FILE *f = fopen(full, "w");
  CHECK(f != NULL);
  if (f == NULL) return;
  va_start(args, fmt);
  vfprintf(f, fmt, args);
  va_end(args);
  fclose(f);
}

static void begin (void) {
  snprintf(root, sizeof root, "/tmp/luacuda-room-XXXXXX");
  CHECK(mkdtemp(root) != NULL);
  put("/proc/meminfo", "MemTotal:  1024000 kB\nMemFree:  1 kB\nMemAvailable:  512000 kB\n");
  put("/proc/self/statm", "100000 3000 1000 1 0 1 0\n");
}

static void end (void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  CHECK(system(command) == 0);
}

static lcu_room look (void) {
  lcu_room r;
  lcu_room_look(root, &r);
  return r;
}

static void test_machine (void) {
  begin();
  lcu_room r = look();
  CHECK(r.limit == 1024000 * 1024ull && r.available == 512000 * 1024ull);
  CHECK(r.resident == 2000 * (uint64_t)sysconf(_SC_PAGESIZE));
  end();
}

/* The tightest limit of a group and those around it applies; cache that can be dropped is not
 * counted. */
static void test_v2 (void) {
  begin();
  put("/proc/self/cgroup", "0::/a.slice/b.scope\n");
  put("/sys/fs/cgroup/a.slice/memory.max", "%llu\n", 300 * MIB);
  put("/sys/fs/cgroup/a.slice/memory.high", "max\n");
  put("/sys/fs/cgroup/a.slice/memory.current", "%llu\n", 250 * MIB);
  put("/sys/fs/cgroup/a.slice/memory.stat", "anon 5\ninactive_anon 7\ninactive_file %llu\n",
      50 * MIB);
  put("/sys/fs/cgroup/a.slice/b.scope/memory.max", "max\n");
  put("/sys/fs/cgroup/a.slice/b.scope/memory.current", "%llu\n", 60 * MIB);
  lcu_room r = look();
  CHECK(r.limit == 300 * MIB && r.available == 100 * MIB);
  put("/sys/fs/cgroup/a.slice/b.scope/memory.high", "%llu\n", 90 * MIB);
  r = look();
  CHECK(r.limit == 90 * MIB && r.available == 30 * MIB);
  put("/sys/fs/cgroup/a.slice/b.scope/memory.current", "%llu\n", 95 * MIB);
  r = look();
  CHECK(r.available == 0);
  end();
}

static void test_container (void) {
  begin();
  put("/sys/fs/cgroup/memory.max", "%llu\n", 200 * MIB);
  put("/sys/fs/cgroup/memory.current", "%llu\n", 40 * MIB);
  put("/proc/self/cgroup", "0::/\n");
  CHECK(look().available == 160 * MIB);
  put("/proc/self/cgroup", "0::/../../other\n");
  CHECK(look().available == 160 * MIB);
  put("/proc/self/cgroup", "0::/not/shown/here\n");
  CHECK(look().available == 160 * MIB);
  end();
}

static void test_v1 (void) {
  begin();
  put("/proc/self/cgroup", "5:cpu,memoryless:/x\n4:memory:/job/one\n0::/\n");
  put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "%llu\n", 400 * MIB);
  put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "%llu\n", 350 * MIB);
  put("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 9\ntotal_inactive_file %llu\n",
      100 * MIB);
  put("/sys/fs/cgroup/memory/job/one/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/memory/job/one/memory.usage_in_bytes", "%llu\n", 350 * MIB);
  lcu_room r = look();
  CHECK(r.limit == 400 * MIB && r.available == 150 * MIB);
  end();
}

static void test_silence (void) {
  snprintf(root, sizeof root, "/nowhere");
  lcu_room r = look();
  CHECK(r.available == UINT64_MAX && r.limit > 0 && lcu_room_after(&r, MIB) == UINT64_MAX);
}

/* Booked bytes count until they are touched, and then as resident memory; a part is left to the
 * system. */
static void test_books (void) {
  lcu_room r = { 10240 * MIB, 3200 * MIB, 500 * MIB, UINT64_MAX };
  CHECK(lcu_room_after(&r, 0) == 3100 * MIB && lcu_room_after(&r, 400 * MIB) == 3100 * MIB);
  CHECK(lcu_room_after(&r, 1500 * MIB) == 2100 * MIB && lcu_room_after(&r, 9000 * MIB) == 0);
  r.available = 102400 * MIB;
  CHECK(lcu_room_after(&r, 0) == (102400 - 256) * MIB);
}

static bool near (uint64_t a, uint64_t b) { return (a > b ? a - b : b - a) < 4096 * MIB; }

static void test_take (void) {
  uint64_t before = lcu_room_left();
  size_t most = (size_t)1 << 46;
  CHECK(!lcu_room_take(most) && !lcu_room_take(most) && near(lcu_room_left(), before));
  CHECK(lcu_room_take(MIB));
  lcu_room_give(MIB);
  size_t part = (size_t)(before / 4); /* reserved and never touched */
  int taken = 0;
  while (taken < 8 && lcu_room_take(part)) taken++;
  CHECK(taken >= 1 && taken <= 4);
  lcu_room_give(part * (size_t)taken);
  CHECK(near(lcu_room_left(), before));
  CHECK(lcu_room_limit() >= before);
}

int main (void) {
  test_machine();
  test_v2();
  test_container();
  test_v1();
  test_silence();
  test_books();
  test_take();
  return check_result();
}
