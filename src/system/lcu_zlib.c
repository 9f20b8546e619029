/* lcu_zlib.c: finds and opens zlib. */
#include "lcu_zlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__)
static const char *const sonames[] = { "libz.1.dylib", "libz.dylib" };
#else
static const char *const sonames[] = { "libz.so.1", "libz.so" };
#endif

static const struct {
  const char *name;
  size_t offset;
} entries[] = {
#define LCU_ZLIB(result, name, params) { #name, offsetof(lcu_zlib, name) },
#include "zlib.def"
#undef LCU_ZLIB
};

static lcu_zlib zlib;
static bool usable;
static char missing[512];

static bool fill_table (void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(handle, entries[i].name);
    if (fn == NULL) {
      snprintf(missing, sizeof missing, "%s has no %s", path, entries[i].name);
      return false;
    }
    memcpy((char *)&zlib + entries[i].offset, &fn, sizeof fn);
  }
  return true;
}

/* Major version 1 has had this interface since 1995. */
static bool check_version (const char *path) {
  const char *version = zlib.zlibVersion();
  if (version[0] == '1') return true;
  snprintf(missing, sizeof missing, "%s has version %s, not 1", path, version);
  return false;
}

static bool try_file (const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *why = dlerror();
    snprintf(missing, sizeof missing, "%s", why != NULL ? why : path);
    return false;
  }
  if (fill_table(handle, path) && check_version(path)) return true;
  dlclose(handle);
  return false;
}

static bool search (void) {
  for (size_t i = 0; i < lcu_arraylen(sonames); i++)
    if (try_file(sonames[i])) return true;
  return false;
}

static void open_library (void) {
  const char *given = getenv("LUACUDA_LIBZ");
  if (given == NULL) usable = search();
  else if (given[0] != '\0' && strcmp(given, "off") != 0) usable = try_file(given);
  else snprintf(missing, sizeof missing, "LUACUDA_LIBZ is off");
}

const lcu_zlib *lcu_zlib_open (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return usable ? &zlib : NULL;
}

lcu_status lcu_zlib_check (void) {
  const char *given = getenv("LUACUDA_LIBZ");
  bool named = given != NULL && given[0] != '\0' && strcmp(given, "off") != 0;
  if (!named || lcu_zlib_open() != NULL) return LCU_OK;
  return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBZ names %s, which cannot be used: %s", given,
                  missing);
}

const char *lcu_zlib_missing (void) { return missing; }
