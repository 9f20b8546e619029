/* cu_nccl.c: finds and opens NCCL. The table below lists the names searched. */
#include "cu_nccl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_search.h"

static const char *const sonames[] = { "libnccl.so.2", "libnccl.so" };

enum { REQ, OPT };
static const struct {
  int need;
  const char *name;
  size_t offset;
} entries[] = {
#define LCU_NCCL(need, name, params) { need, #name, offsetof(lcu_nccl, name) },
#include "nccl.def"
#undef LCU_NCCL
};

static lcu_status fill_table (lcu_nccl *out, void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(handle, entries[i].name);
    if (fn == NULL && entries[i].need == REQ)
      return lcu_fail(LCU_E_UNSUPPORTED, "the NCCL in %s cannot be used: it has no %s", path,
                      entries[i].name);
    memcpy((char *)out + entries[i].offset, &fn, sizeof fn);
  }
  return LCU_OK;
}

static lcu_status adopt (lcu_nccl *out, void *handle, const char *path) {
  int v = 0;
  *out = (lcu_nccl){ 0 };
  LCU_TRY(fill_table(out, handle, path));
  LCU_TRY(lcu_nccl_status("ncclGetVersion", out->ncclGetVersion(&v)));
  out->version[0] = v / 10000;
  out->version[1] = v / 100 % 100;
  out->version[2] = v % 100;
  lcu_path_of_symbol(out->path, dlsym(handle, "ncclGetVersion"), path);
  return LCU_OK;
}

static bool try_library (void *ud, const char *path, lcu_buf *report, bool *found) {
  lcu_nccl *out = ud;
  char words[LCU_PATH_SIZE + 64];
  void *h = lcu_search_dlopen(path, RTLD_NOW | RTLD_LOCAL, report);
  if (h == NULL) return false;
  *found = true;
  if (adopt(out, h, path) != LCU_OK) {
    lcu_report_failure(report, path);
    *out = (lcu_nccl){ 0 };
    dlclose(h);
    return false;
  }
  snprintf(words, sizeof words, "opened %s, NCCL %d.%d.%d", out->path, out->version[0],
           out->version[1], out->version[2]);
  lcu_report_line(report, path, words);
  return true;
}

static bool search_everywhere (lcu_nccl *out, lcu_buf *report, bool *found) {
  const lcu_search search = { "libnccl", sonames, lcu_arraylen(sonames), "nccl", try_library, out };
  return lcu_search_everywhere(&search, report, found);
}

lcu_status lcu_nccl_open (lcu_nccl *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBNCCL");
  bool found = false;
  *out = (lcu_nccl){ 0 };
  if (lcu_search_forbids(given)) {
    lcu_report_line(report, "NCCL", "not searched, LUACUDA_LIBNCCL is off");
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBNCCL forbids NCCL");
  }
  if (given != NULL ? try_library(out, given, report, &found)
                    : search_everywhere(out, report, &found))
    return LCU_OK;
  /* the record has the reason why the last one found is not usable */
  if (found) return lcu_failure_get()->code;
  if (given != NULL)
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBNCCL names %s, which cannot be opened", given);
  return lcu_fail(LCU_E_NOT_FOUND, "NCCL (libnccl), which communicators of GPUs need, was not "
                                   "found; set LUACUDA_LIBNCCL to the file");
}

static const struct {
  nccl_result code;
  const char *name, *text;
} errors[] = {
#define LCU_NCCLERR(code, name, text) { code, #name, text },
#include "nccl_errors.def"
#undef LCU_NCCLERR
};

lcu_status lcu_nccl_status (const char *call, nccl_result r) {
  if (lcu_likely(r == 0)) return LCU_OK;
  for (size_t i = 0; i < lcu_arraylen(errors); i++)
    if (errors[i].code == r)
      return lcu_fail(LCU_E_COMM, "%s failed: %s (%s)", call, errors[i].name, errors[i].text);
  return lcu_fail(LCU_E_COMM, "%s failed: ncclResult_t %d", call, r);
}

nccl_type lcu_nccl_type (lcu_dtype_id dtype, uint64_t *parts) {
  *parts = 1;
  switch (dtype) {
    case LCU_INT8: return LCU_NCCL_INT8;
    case LCU_INT32: return LCU_NCCL_INT32;
    case LCU_UINT32: return LCU_NCCL_UINT32;
    case LCU_INT64: return LCU_NCCL_INT64;
    case LCU_UINT64: return LCU_NCCL_UINT64;
    case LCU_FLOAT16: return LCU_NCCL_FLOAT16;
    case LCU_BFLOAT16: return LCU_NCCL_BFLOAT16;
    case LCU_FLOAT32: return LCU_NCCL_FLOAT32;
    case LCU_FLOAT64: return LCU_NCCL_FLOAT64;
    case LCU_COMPLEX64: *parts = 2; return LCU_NCCL_FLOAT32;
    case LCU_COMPLEX128: *parts = 2; return LCU_NCCL_FLOAT64;
    default: *parts = lcu_dtypes[dtype].size; return LCU_NCCL_UINT8;
  }
}
