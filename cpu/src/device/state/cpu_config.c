/* cpu_config.c: reads the settings of the device from the environment. */
#include "cpu_config.h"
#include "cpu_words.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_driver.h"
#include "lcu_room.h"

cpu_config cpu_configuration;

static cu_result bad_setting (const char *variable, const char *value, const char *expected) {
  return cpu_fail("cuInit", CU_ERR_INVALID_VALUE, "%s is '%s', expected %s", variable, value,
                  expected);
}

static const char *setting (const char *variable) {
  const char *v = getenv(variable);
  return v != NULL && v[0] != '\0' ? v : NULL;
}

static cu_result read_number (const char *variable, long low, long high, const char *expected,
                              long *out) {
  const char *v = setting(variable);
  char *end;
  if (v == NULL) return 0;
  errno = 0;
  long n = strtol(v, &end, 10);
  if (errno != 0 || *end != '\0' || n < low || n > high) return bad_setting(variable, v, expected);
  *out = n;
  return 0;
}

static const cpu_arch archs[] = {
  /* cc, threads and blocks of an SM, shared memory */
  { 75, 1024, 16, 64 << 10, 64 << 10, 0 },
  { 80, 2048, 32, 163 << 10, 164 << 10, PTX_SHARED_RESERVED },
  { 90, 2048, 32, 227 << 10, 228 << 10, PTX_SHARED_RESERVED },
  { 100, 2048, 32, 227 << 10, 228 << 10, PTX_SHARED_RESERVED },
  { 120, 1536, 24, 99 << 10, 100 << 10, PTX_SHARED_RESERVED },
};

static const cpu_arch *arch_of (long cc) {
  for (size_t i = 0; i < lcu_arraylen(archs); i++)
    if (archs[i].cc == cc) return &archs[i];
  return NULL;
}

static cu_result read_arch (cpu_config *c) {
  long cc = 80;
  static const char expected[] = "75, 80, 90, 100 or 120";
  cu_result r = read_number("LUACUDA_CPU_ARCH", 0, INT_MAX, expected, &cc);
  if (r != 0) return r;
  c->arch = arch_of(cc);
  if (c->arch == NULL)
    return bad_setting("LUACUDA_CPU_ARCH", setting("LUACUDA_CPU_ARCH"), expected);
  c->cc = (int)cc;
  return 0;
}

static cu_result read_threads (cpu_config *c) {
  long n = lcu_cpu_count();
  cu_result r = read_number("LUACUDA_CPU_THREADS", 1, 1024, "a number from 1 to 1024", &n);
  c->threads = (int)n;
  return r;
}

static cu_result read_livelock (cpu_config *c) {
  long ms = 5000;
  cu_result r =
    read_number("LUACUDA_CPU_LIVELOCK_MS", 1, 1000000000, "a number of milliseconds", &ms);
  c->livelock_ms = (double)ms;
  return r;
}

static cu_result read_timeout (cpu_config *c) {
  long ms = 0;
  cu_result r = read_number("LUACUDA_CPU_TIMEOUT_MS", 0, 1000000000,
                            "a number of milliseconds, or 0 for no limit", &ms);
  c->timeout_ms = (double)ms;
  return r;
}

static cu_result read_check (cpu_config *c) {
  const char *v = setting("LUACUDA_CPU_CHECK");
  c->check = PTX_CHECK_DEFAULT;
  if (v == NULL || strcmp(v, "default") == 0) return 0;
  if (strcmp(v, "all") == 0) c->check = PTX_CHECK_ALL;
  else if (strcmp(v, "off") == 0) c->check = PTX_CHECK_OFF;
  else return bad_setting("LUACUDA_CPU_CHECK", v, "default, all or off");
  return 0;
}

static cu_result read_jit (cpu_config *c) {
  const char *v = setting("LUACUDA_CPU_JIT");
  c->compile = PTX_JIT_ON;
  if (v == NULL || strcmp(v, "on") == 0) return 0;
  if (strcmp(v, "off") == 0) c->compile = PTX_JIT_OFF;
  else if (strcmp(v, "force") == 0) c->compile = PTX_JIT_FORCE;
  else return bad_setting("LUACUDA_CPU_JIT", v, "off, on or force");
  return 0;
}

/* A number, or a number and ",exclusive". */
static cu_result read_gpus (cpu_config *c) {
  const char *v = setting("LUACUDA_CPU_GPUS");
  char *end;
  if (v == NULL) return 0;
  long n = strtol(v, &end, 10);
  c->gpus_exclusive = strcmp(end, ",exclusive") == 0;
  if (n < 1 || n > CPU_MOST_GPUS || (end[0] != '\0' && !c->gpus_exclusive))
    return bad_setting("LUACUDA_CPU_GPUS", v,
                       "a number from 1 to 4, or one of them followed by ,exclusive");
  c->gpus = (int)n;
  return 0;
}

/* The level itself is chosen in ptx_select.c. */
static cu_result check_isa (void) {
  const char *v = setting("LUACUDA_CPU_ISA"), *name = ptx_isa_name();
  if (name == NULL)
    return cpu_fail("cuInit", CU_ERR_NOT_SUPPORTED,
                    "this build is for x86-64%s, which this processor lacks: build it "
                    "here, or with -DLUACUDA_ISA=portable",
                    ptx_isa_levels());
  const char *dash = strrchr(name, '-');
  if (v == NULL || strcmp(dash != NULL ? dash + 1 : name, v) == 0) return 0;
  return cpu_fail("cuInit", CU_ERR_INVALID_VALUE,
                  "LUACUDA_CPU_ISA is '%s', expected a level of this processor among"
                  "%s, which this build has",
                  v, ptx_isa_levels());
}

/* The same folder as in lua/luacuda/compile/cache.lua. A path that is too long gives none. */
static void read_store (ptx_jit_folder *s) {
  const char *off = setting("LUACUDA_DISABLE_CACHE"), *named = setting("LUACUDA_CACHE_DIR"),
             *base = setting("XDG_CACHE_HOME"), *home = setting("HOME");
  int n = 0;
  *s = (ptx_jit_folder){ .named = named != NULL };
  if (off != NULL && strcmp(off, "0") != 0) return;
  if (named != NULL) n = snprintf(s->path, sizeof s->path, "%s", named);
  else if (base != NULL) n = snprintf(s->path, sizeof s->path, "%s/luacuda", base);
  else if (home != NULL) n = snprintf(s->path, sizeof s->path, "%s/.cache/luacuda", home);
  if (n < 0 || (size_t)n >= sizeof s->path) s->path[0] = '\0';
}

static unsigned unit_shift (const char *unit) {
  switch (unit[0]) {
    case '\0': return 0;
    case 'k':
    case 'K': return 10;
    case 'm':
    case 'M': return 20;
    case 'g':
    case 'G': return 30;
    default: return 64;
  }
}

static cu_result read_memory (cpu_config *c) {
  const char *v = setting("LUACUDA_CPU_MEMORY");
  char *end;
  if (v == NULL) return 0;
  errno = 0;
  unsigned long long n = strtoull(v, &end, 10);
  unsigned shift = unit_shift(end);
  bool bad = errno != 0 || end == v || v[0] == '-' || shift == 64 ||
             (end[0] != '\0' && end[1] != '\0') || n == 0;
  if (bad || n > SIZE_MAX >> shift)
    return bad_setting("LUACUDA_CPU_MEMORY", v, "a number of bytes, or a number with K, M or G");
  c->memory = (size_t)n << shift;
  return 0;
}

/* Copies the CPU's name from the line "model name : Some CPU" of /proc/cpuinfo. */
static void read_model (char *out, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(out, size, "host CPU");
  if (f == NULL) return;
  while (fgets(line, sizeof line, f) != NULL) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
    break;
  }
  fclose(f);
}


/* ---- memory ---- */

static atomic_size_t machine; /* 0: not read yet */

size_t cpu_config_memory (void) {
  if (cpu_configuration.memory != 0) return cpu_configuration.memory;
  size_t known = atomic_load(&machine);
  if (known != 0) return known;
  uint64_t bytes = lcu_room_limit();
  if (bytes == UINT64_MAX) bytes = (uint64_t)1 << 32;
  known = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
  atomic_store(&machine, known);
  return known;
}

/* Reading the limits of control groups takes longer than a small program's kernels, and every
 * machine has a little. */
bool cpu_config_has (uint64_t n) {
  const uint64_t little = 16u << 20;
  return (n <= little && cpu_configuration.memory == 0) || n <= cpu_config_memory();
}

cu_result cpu_config_read (cpu_config *c) {
  char model[96];
  cu_result r = read_arch(c);
  atomic_store(&machine, 0);
  if (r == 0) r = read_threads(c);
  if (r == 0) r = read_livelock(c);
  if (r == 0) r = read_timeout(c);
  if (r == 0) r = read_check(c);
  if (r == 0) r = read_jit(c);
  if (r == 0) r = read_gpus(c);
  if (r == 0) r = check_isa();
  if (r == 0) r = read_memory(c);
  read_store(&c->folder);
  read_model(model, sizeof model);
  snprintf(c->name, sizeof c->name, "CPU device (%s)", model);
  return r;
}
