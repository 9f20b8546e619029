/* cu_jitlink.c: finds and opens nvJitLink. The table below lists the names searched. */
#include "cu_jitlink.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_search.h"

static const char *const sonames[] = { "libnvJitLink.so.13", "libnvJitLink.so.12",
                                       "libnvJitLink.so" };

/* Its header renames every function after the version, as in __nvJitLinkCreate_13_0, and a library
 * has the names of the versions since the first of its number. */
static const char *const name_forms[] = { "__%s_13_0", "__%s_12_0", "%s" };

static const struct {
  const char *name;
  size_t offset;
} entries[] = {
#define LCU_JITLINK(name, params) { #name, offsetof(lcu_jitlink, name) },
#include "jitlink.def"
#undef LCU_JITLINK
};

/* form: "__%s_13_0" */
static void *find_entry (void *handle, const char *name, const char *form) {
  char symbol[96];
  const char *place = strstr(form, "%s");
  snprintf(symbol, sizeof symbol, "%.*s%s%s", (int)(place - form), form, name, place + 2);
  return dlsym(handle, symbol);
}

/* Libraries before 12.3 do not tell their version. */
static void ask_version (lcu_jitlink *out, void *handle) {
  int (*version)(unsigned *major, unsigned *minor) = NULL;
  void *fn = find_entry(handle, "nvJitLinkVersion", "%s");
  memcpy(&version, &fn, sizeof fn);
  if (version == NULL || version(&out->major, &out->minor) != 0) out->major = out->minor = 0;
}

static lcu_status fill_table (lcu_jitlink *out, void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = NULL;
    for (size_t k = 0; k < lcu_arraylen(name_forms) && fn == NULL; k++)
      fn = find_entry(handle, entries[i].name, name_forms[k]);
    if (fn == NULL)
      return lcu_fail(LCU_E_UNSUPPORTED, "the nvJitLink in %s cannot be used: it has no %s", path,
                      entries[i].name);
    memcpy((char *)out + entries[i].offset, &fn, sizeof fn);
  }
  void *create;
  memcpy(&create, &out->nvJitLinkCreate, sizeof create);
  lcu_path_of_symbol(out->path, create, path);
  ask_version(out, handle);
  return LCU_OK;
}

static bool try_library (void *ud, const char *path, lcu_buf *report, bool *found) {
  lcu_jitlink *out = ud;
  void *h = lcu_search_dlopen(path, RTLD_NOW | RTLD_LOCAL, report);
  if (h == NULL) return false;
  *found = true;
  if (fill_table(out, h, path) != LCU_OK) {
    lcu_report_failure(report, path);
    *out = (lcu_jitlink){ 0 };
    dlclose(h);
    return false;
  }
  lcu_report_line(report, path, "opened");
  return true;
}

static bool search_everywhere (lcu_jitlink *out, lcu_buf *report, bool *found) {
  const lcu_search search = { "libnvJitLink", sonames,     lcu_arraylen(sonames),
                              "nvjitlink",    try_library, out };
  return lcu_search_everywhere(&search, report, found);
}

lcu_status lcu_jitlink_open (lcu_jitlink *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_NVJITLINK");
  bool found = false, is_given = given != NULL && given[0] != '\0';
  *out = (lcu_jitlink){ 0 };
  if (is_given ? try_library(out, given, report, &found) : search_everywhere(out, report, &found))
    return LCU_OK;
  /* the record has the reason why the last one found is not usable */
  if (found) return lcu_failure_get()->code;
  if (is_given)
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_NVJITLINK names %s, which cannot be opened", given);
  return lcu_fail(LCU_E_NOT_FOUND,
                  "the option lto needs nvJitLink (libnvJitLink), which was not found; "
                  "set LUACUDA_NVJITLINK to the file or LUACUDA_CUDA_HOME to the toolkit");
}
