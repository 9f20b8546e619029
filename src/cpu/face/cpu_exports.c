/* cpu_exports.c: the CPU device as a library with the face of libcuda. It exports libcuda's symbols
 * for what the device has, and cuGetProcAddress. */
#include <string.h>

#include "cpu_driver.h"

#define EXPORTED __attribute__((visibility("default")))
#ifdef __APPLE__
#define SYMBOL(name) __asm__("_" name)
#else
#define SYMBOL(name) __asm__(name)
#endif

/* The symbols have suffixes, as "cuMemAlloc_v2", and are not names of the table. */
#define EXPORT_CPU(name, symbol, params, args) \
  EXPORTED cu_result exported_##name params SYMBOL(symbol); \
  cu_result exported_##name params { return cpu_##name args; }
#define EXPORT_NOCPU(name, symbol, params, args)
#define EXPORT_REQ(cpu, name, symbol, params, args) EXPORT_##cpu(name, symbol, params, args)
#define EXPORT_OPT(cpu, name, symbol, params, args) EXPORT_##cpu(name, symbol, params, args)
#define EXPORT_EXT(cpu, name, symbol, params, args)
#define LCU_DRV(need, cpu, since, name, symbol, params, args) \
  EXPORT_##need(cpu, name, symbol, params, args)
#include "driver.def"
#undef LCU_DRV


/* ---- what CUDA lacks ---- */

static const cux_table *get_table (unsigned version) {
  static const cux_table table = {
    .size = sizeof table,
#define LCU_DRV(need, cpu, since, name, symbol, params, args) .name = cpu_##name,
#include "extensions.def"
#undef LCU_DRV
  };
  return version == CUX_VERSION ? &table : NULL;
}


/* ---- cuGetProcAddress ---- */

typedef void any_function (void);
enum { FOUND, SYMBOL_NOT_FOUND, VERSION_NOT_SUFFICIENT }; /* CUdriverProcAddressQueryResult */

EXPORTED cu_result cuGetProcAddress (const char *name, void **fn, int version, uint64_t flags);
EXPORTED cu_result cuGetProcAddress_v2 (const char *name, void **fn, int version, uint64_t flags,
                                        int *status);

static const struct row {
  const char *name;
  int since;
  any_function *fn;
} rows[] = {
#define ROW_CPU(since, name) { #name, since, (any_function *)exported_##name },
#define ROW_NOCPU(since, name)
#define ROW_REQ(cpu, since, name) ROW_##cpu(since, name)
#define ROW_OPT(cpu, since, name) ROW_##cpu(since, name)
#define ROW_EXT(cpu, since, name)
#define LCU_DRV(need, cpu, since, name, symbol, params, args) ROW_##need(cpu, since, name)
#include "driver.def"
#undef LCU_DRV
  { "cuGetProcAddress", 11030, (any_function *)cuGetProcAddress },
  { "cuGetProcAddress", 12000, (any_function *)cuGetProcAddress_v2 },
  { CUX_TABLE, 0, (any_function *)get_table },
};

/* The newest function of this name that a program written for `version` may use. */
static int look_up (const char *name, int version, any_function **fn) {
  int status = SYMBOL_NOT_FOUND;
  for (size_t i = 0; i < lcu_arraylen(rows); i++) {
    if (strcmp(rows[i].name, name) != 0) continue;
    if (rows[i].since <= version) *fn = rows[i].fn;
    status = *fn != NULL ? FOUND : VERSION_NOT_SUFFICIENT;
  }
  return status;
}

cu_result cuGetProcAddress_v2 (const char *name, void **fn, int version, uint64_t flags,
                               int *status) {
  any_function *found = NULL;
  (void)flags; /* streams of a thread's own are not made */
  if (name == NULL || name[0] == '\0' || fn == NULL) return CU_ERR_INVALID_VALUE;
  int how = look_up(name, version, &found);
  memcpy(fn, &found, sizeof found);
  if (status != NULL) *status = how;
  return how == FOUND || status != NULL ? 0 : CU_ERR_NOT_FOUND;
}

cu_result cuGetProcAddress (const char *name, void **fn, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, fn, version, flags, NULL);
}
