/* cu_mpi.c: finds and opens Open MPI. The table below lists the names searched. */
#include "cu_mpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_search.h"

static const char *const sonames[] = { "libmpi.so.40", "libmpi.so" };

static const struct {
  const char *name;
  size_t offset;
} entries[] = {
#define LCU_MPI(name, params) { #name, offsetof(lcu_mpi, name) },
#include "mpi.def"
#undef LCU_MPI
};

static const struct {
  const char *name;
  size_t offset;
} objects[] = {
  { "ompi_mpi_comm_world", offsetof(lcu_mpi, world) },
  { "ompi_mpi_byte", offsetof(lcu_mpi, byte) },
  { "ompi_request_null", offsetof(lcu_mpi, request_null) },
  { "ompi_mpi_errors_return", offsetof(lcu_mpi, errors_return) },
};

static lcu_status take (lcu_mpi *out, void *handle, const char *path, const char *name,
                        size_t offset) {
  void *address = dlsym(handle, name);
  if (address == NULL)
    return lcu_fail(LCU_E_UNSUPPORTED, "the MPI in %s cannot be used: it has no %s", path, name);
  memcpy((char *)out + offset, &address, sizeof address);
  return LCU_OK;
}

static lcu_status adopt (lcu_mpi *out, void *handle, const char *path) {
  if (dlsym(handle, objects[0].name) == NULL)
    return lcu_fail(LCU_E_UNSUPPORTED,
                    "the MPI in %s is not Open MPI, the only one that the CPU device works with; "
                    "install Open MPI, or set LUACUDA_LIBMPI to its libmpi.so",
                    path);
  for (size_t i = 0; i < lcu_arraylen(entries); i++)
    LCU_TRY(take(out, handle, path, entries[i].name, entries[i].offset));
  for (size_t i = 0; i < lcu_arraylen(objects); i++)
    LCU_TRY(take(out, handle, path, objects[i].name, objects[i].offset));
  lcu_path_of_symbol(out->path, dlsym(handle, "MPI_Test"), path);
  return LCU_OK;
}

/* Its plugins find its functions among those of the program, so they have to be global. */
static bool try_library (lcu_mpi *out, const char *path, lcu_buf *report, bool *found) {
  char words[LCU_PATH_SIZE + 64];
  void *h = lcu_search_dlopen(path, RTLD_NOW | RTLD_GLOBAL, report);
  if (h == NULL) return false;
  *found = true;
  if (adopt(out, h, path) != LCU_OK) {
    lcu_report_failure(report, path);
    dlclose(h);
    return false;
  }
  snprintf(words, sizeof words, "opened %s", out->path);
  lcu_report_line(report, path, words);
  return true;
}

lcu_status lcu_mpi_open (lcu_mpi *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBMPI");
  bool found = false, ok = false;
  *out = (lcu_mpi){ 0 };
  if (lcu_search_forbids(given)) {
    lcu_report_line(report, "MPI", "not searched, LUACUDA_LIBMPI is off");
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBMPI forbids MPI");
  }
  if (given != NULL) ok = try_library(out, given, report, &found);
  for (size_t i = 0; given == NULL && !ok && i < lcu_arraylen(sonames); i++)
    ok = try_library(out, sonames[i], report, &found);
  if (ok) return LCU_OK;
  /* the record has the reason why the last one found is not usable */
  if (found) return lcu_failure_get()->code;
  if (given != NULL)
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBMPI names %s, which cannot be opened", given);
  return lcu_fail(LCU_E_NOT_FOUND,
                  "MPI (libmpi.so of Open MPI) was not found, which several processes on the CPU "
                  "device need; install it (Debian: openmpi-bin), or set LUACUDA_LIBMPI");
}

lcu_status lcu_mpi_status (const lcu_mpi *m, const char *call, int r) {
  char text[1024] = "";
  int length = 0;
  if (lcu_likely(r == MPI_SUCCESS_)) return LCU_OK;
  (void)m->MPI_Error_string(r, text, &length);
  return lcu_fail(LCU_E_COMM, "%s failed: %s", call, text[0] != '\0' ? text : "unknown error");
}
