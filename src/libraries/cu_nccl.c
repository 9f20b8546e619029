/* cu_nccl.c: finds and opens NCCL. The table below lists the names searched. */
#include "cu_nccl.h"

#include <stddef.h>
#include <stdio.h>

static const char *const nccl_sonames[] = { "libnccl.so.2", "libnccl.so" };

static const lcu_symbol nccl_symbols[] = {
#define LCU_NCCL(need, name, params) { #need[0] == 'R', #name, offsetof(lcu_nccl, name) },
#include "nccl.def"
#undef LCU_NCCL
};

static lcu_status check_nccl (void *table, void *handle, const char *path) {
  lcu_nccl *out = table;
  int v = 0;
  (void)handle;
  (void)path;
  LCU_TRY(lcu_nccl_status("ncclGetVersion", out->ncclGetVersion(&v)));
  out->version[0] = v / 10000;
  out->version[1] = v / 100 % 100;
  out->version[2] = v % 100;
  return LCU_OK;
}

static void nccl_version (const void *table, char *out, size_t size) {
  const int *v = ((const lcu_nccl *)table)->version;
  snprintf(out, size, "NCCL %d.%d.%d", v[0], v[1], v[2]);
}

const lcu_library lcu_nccl_library = {
  .name = "NCCL",
  .variable = "LUACUDA_LIBNCCL",
  .dispensable = true,
  .missing = "NCCL (libnccl), which communicators of GPUs need, was not found; set LUACUDA_LIBNCCL "
             "to the file",
  .package = "nccl",
  LCU_LIBRARY_TABLE(lcu_nccl, nccl_sonames, nccl_symbols),
  .check = check_nccl,
  .version = nccl_version,
};

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
