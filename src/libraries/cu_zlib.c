/* cu_zlib.c: zlib: its names, and its one table. */
#include "cu_zlib.h"

#include <pthread.h>
#include <stdlib.h>

#include "cu_search.h"

#if defined(__APPLE__)
static const char *const zlib_sonames[] = { "libz.1.dylib", "libz.dylib" };
#else
static const char *const zlib_sonames[] = { "libz.so.1", "libz.so" };
#endif

static const lcu_symbol zlib_symbols[] = {
#define LCU_ZLIB(result, name, params) { true, #name, offsetof(lcu_zlib, name) },
#include "zlib.def"
#undef LCU_ZLIB
};

/* Major version 1 has had this interface since 1995. */
static lcu_status check_zlib (void *table, void *handle, const char *path) {
  const char *version = ((const lcu_zlib *)table)->zlibVersion();
  (void)handle;
  if (version[0] == '1') return LCU_OK;
  return lcu_fail(LCU_E_UNSUPPORTED, "the zlib in %s has version %s, not 1", path, version);
}

static const lcu_library library = {
  .name = "zlib",
  .variable = "LUACUDA_LIBZ",
  .dispensable = true,
  .missing = "zlib (libz) was not found",
  LCU_LIBRARY_TABLE(lcu_zlib, zlib_sonames, zlib_symbols),
  .search = lcu_search_sonames,
  .check = check_zlib,
};

static lcu_zlib zlib;
static lcu_status opened;
static lcu_failure failure; /* why it is not open */

static void open_once (void) {
  opened = lcu_library_open(&library, &zlib, NULL);
  if (opened != LCU_OK) failure = *lcu_failure_get();
}

const lcu_zlib *lcu_zlib_open (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_once);
  return opened == LCU_OK ? &zlib : NULL;
}

lcu_status lcu_zlib_check (void) {
  bool fails = lcu_search_names("LUACUDA_LIBZ") && lcu_zlib_open() == NULL;
  return fails ? lcu_fail_again(&failure) : LCU_OK;
}

const char *lcu_zlib_missing (void) { return failure.message; }
