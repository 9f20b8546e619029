/* cu_jitlink.c: finds and opens nvJitLink. The table below lists the names searched. */
#include "cu_jitlink.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *const jitlink_sonames[] = { "libnvJitLink.so.13", "libnvJitLink.so.12",
                                               "libnvJitLink.so" };

/* Its header renames every function after the version, as in __nvJitLinkCreate_13_0, and a library
 * has the names of the versions since the first of its number. */
static const char *const name_forms[] = { "__%s_13_0", "__%s_12_0", "%s" };

static const lcu_symbol jitlink_symbols[] = {
#define LCU_JITLINK(name, params) { true, #name, offsetof(lcu_jitlink, name) },
#include "jitlink.def"
#undef LCU_JITLINK
};

/* form: "__%s_13_0" */
static void *find_form (void *handle, const char *name, const char *form) {
  char symbol[96];
  const char *place = strstr(form, "%s");
  snprintf(symbol, sizeof symbol, "%.*s%s%s", (int)(place - form), form, name, place + 2);
  return dlsym(handle, symbol);
}

static void *find_jitlink (void *handle, const char *name) {
  void *fn = NULL;
  for (size_t i = 0; i < lcu_arraylen(name_forms) && fn == NULL; i++)
    fn = find_form(handle, name, name_forms[i]);
  return fn;
}

/* Libraries before 12.3 do not tell their version. */
static lcu_status check_jitlink (void *table, void *handle, const char *path) {
  lcu_jitlink *out = table;
  int (*version)(unsigned *major, unsigned *minor) = NULL;
  void *fn = dlsym(handle, "nvJitLinkVersion");
  (void)path;
  memcpy(&version, &fn, sizeof fn);
  if (version == NULL || version(&out->major, &out->minor) != 0) out->major = out->minor = 0;
  return LCU_OK;
}

const lcu_library lcu_jitlink_library = {
  .name = "nvJitLink",
  .variable = "LUACUDA_NVJITLINK",
  .missing = "the option lto needs nvJitLink (libnvJitLink), which was not found; set "
             "LUACUDA_NVJITLINK to the file or LUACUDA_CUDA_HOME to the toolkit",
  .package = "nvjitlink",
  LCU_LIBRARY_TABLE(lcu_jitlink, jitlink_sonames, jitlink_symbols),
  .find = find_jitlink,
  .check = check_jitlink,
};
