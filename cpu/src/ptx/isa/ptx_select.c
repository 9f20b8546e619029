/* ptx_select.c: the best instruction set of this build that this processor has, or the one that
 * LUACUDA_CPU_ISA (v2, v3, v4) names. */
#include "ptx_select.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ptx.h"

static const ptx_isa *usable[4];
static const ptx_isa *chosen;
static bool fast_gathers;
static pthread_once_t choose_once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
/* _luacuda_best_level in cmake/LuaCudaLayer.cmake asks for the same features. */
static bool can_run_v3 (void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}
static bool can_run_v4 (void) {
  return can_run_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
static bool can_run_v2 (void) { return __builtin_cpu_supports("sse4.2"); }
static bool can_run (const char *level) {
  __builtin_cpu_init();
  return strcmp(level, "v4") == 0   ? can_run_v4()
         : strcmp(level, "v3") == 0 ? can_run_v3()
                                    : can_run_v2();
}
/* Downfall (INTEL-SA-00828) does not affect Intel's processors that have AVX-VNNI; on the affected
 * ones, its fix slows gathers down. AMD's, up to Zen 5, split a gather into single loads. */
static bool has_fast_gathers (void) {
  enum { FEATURES = 7, AVX_VNNI = 1 << 4 };
  uint32_t a, b, c, d;
  return __builtin_cpu_is("intel") && __get_cpuid_count(FEATURES, 1, &a, &b, &c, &d) != 0 &&
         (a & AVX_VNNI) != 0 && chosen != NULL && strcmp(chosen->name, "x86-64-v4") == 0;
}
#else
static bool has_fast_gathers (void) { return false; }
static bool can_run (const char *level) { return strcmp(level, "base") == 0; }
#endif

#define LEVEL(level) " " #level
const char *ptx_isa_levels (void) { return LCU_ISA_LEVELS(LEVEL); }

static void choose (void) {
  uint32_t n = 0;
  const char *wanted = getenv("LUACUDA_CPU_ISA");
#define LIST(level) \
  if (can_run(#level)) usable[n++] = &ptx_isa_##level;
  LCU_ISA_LEVELS(LIST)
  chosen = usable[0];
  for (uint32_t i = 0; wanted != NULL && i < n; i++)
    if (strcmp(usable[i]->name + strlen(LCU_ISA_PREFIX), wanted) == 0) chosen = usable[i];
  fast_gathers = has_fast_gathers();
}

const ptx_isa *ptx_isa_select (void) {
  pthread_once(&choose_once, choose);
  return chosen;
}

const ptx_isa *ptx_isa_at (uint32_t index) {
  pthread_once(&choose_once, choose);
  return index < lcu_arraylen(usable) ? usable[index] : NULL;
}

const char *ptx_isa_name (void) {
  const ptx_isa *isa = ptx_isa_select();
  return isa != NULL ? isa->name : NULL;
}

bool ptx_isa_gathers (void) {
  pthread_once(&choose_once, choose);
  return fast_gathers;
}
