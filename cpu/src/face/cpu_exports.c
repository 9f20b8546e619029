/* cpu_exports.c: what the library exports: libcuda's symbols for what the device has (driver.def,
 * cpu_more.def), those of face.def and refused.def, and cuGetProcAddress. */
#include <string.h>

#include "cpu_face.h"
#include "gpus.h"

lcu_driver face = {
  .kind = "cpu",
#define LCU_DRV(need, since, name, symbol, params, args) .name = cpu_##name,
#include "driver.def"
#undef LCU_DRV
};

/* A program that knows only CUDA gets no details of a fault but what the device writes. GPUs write
 * nothing. */
__attribute__((constructor)) static void begin (void) {
  gpus_begin(&face);
  face_advice_begin();
  cpu_fault_write(!gpus_are(&face));
}

#define EXPORTED __attribute__((visibility("default")))
#ifdef __APPLE__
#define SYMBOL(name) __asm__("_" name)
#else
#define SYMBOL(name) __asm__(name)
#endif

/* Symbols have suffixes, as "cuMemAlloc_v2", and a name may have several versions. */
#define EXPORT_REQ(since, name, symbol, params, args) \
  EXPORTED cu_result exported_##name##_##since params SYMBOL(symbol); \
  cu_result exported_##name##_##since params { return face.name args; }
#define EXPORT_OPT EXPORT_REQ
#define EXPORT_EXT(since, name, symbol, params, args)
#define LCU_DRV(need, since, name, symbol, params, args) \
  EXPORT_##need(since, name, symbol, params, args)
#include "driver.def"
#undef LCU_DRV
#define CPU_FACE(since, name, symbol, params, result) \
  EXPORTED cu_result exported_##name##_##since params SYMBOL(symbol); \
  cu_result exported_##name##_##since params { return result; }
#include "face.def"
#undef CPU_FACE
#define CPU_MORE(since, name, symbol, params, args) \
  EXPORTED cu_result exported_##name##_##since params SYMBOL(symbol); \
  cu_result exported_##name##_##since params { return cpu_##name args; }
#include "cpu_more.def"
#undef CPU_MORE
#define REFUSED(symbol) \
  EXPORTED cu_result symbol(void); \
  cu_result symbol(void) { return CU_ERR_NOT_SUPPORTED; }
#include "refused.def"
#undef REFUSED

/* ---- what CUDA lacks ---- */

/* Whoever asks for it wants the device itself. */
static const cux_table *get_table (unsigned version) {
  static const cux_table table = {
    .size = sizeof table,
#define LCU_DRV(need, since, name, symbol, params, args) .name = cpu_##name,
#include "extensions.def"
#undef LCU_DRV
  };
  if (version != CUX_VERSION || !gpus_end(&face)) return NULL;
  cpu_fault_write(false);
  return &table;
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
#define ROW_REQ(since, name) { #name, since, (any_function *)exported_##name##_##since },
#define ROW_OPT ROW_REQ
#define ROW_EXT(since, name)
#define LCU_DRV(need, since, name, symbol, params, args) ROW_##need(since, name)
#include "driver.def"
#undef LCU_DRV
#define CPU_FACE(since, name, symbol, params, result) ROW_REQ(since, name)
#include "face.def"
#undef CPU_FACE
#define CPU_MORE(since, name, symbol, params, args) ROW_REQ(since, name)
#include "cpu_more.def"
#undef CPU_MORE
  { "cuGetProcAddress", 11030, (any_function *)cuGetProcAddress },
  { "cuGetProcAddress", 12000, (any_function *)cuGetProcAddress_v2 },
  { CUX_TABLE, 0, (any_function *)get_table },
};

/* The newest function of this name that a program written for `version` may use. */
static int look_up (const char *name, int version, any_function **fn) {
  const struct row *best = NULL;
  bool exists = false;
  for (const struct row *r = rows; r < rows + lcu_arraylen(rows); r++) {
    if (strcmp(r->name, name) != 0) continue;
    exists = true;
    if (r->since <= version && (best == NULL || r->since > best->since)) best = r;
  }
  if (best != NULL) *fn = best->fn;
  return best != NULL ? FOUND : exists ? VERSION_NOT_SUFFICIENT : SYMBOL_NOT_FOUND;
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
