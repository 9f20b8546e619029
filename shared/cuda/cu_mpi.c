/* cu_mpi.c: finds and opens Open MPI or MPICH. The tables below list the names searched. */
#include "cu_mpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_search.h"

static const char *const open_mpi[] = { "libmpi.so.40", "libmpi.so" };
static const char *const mpich[] = { "libmpi.so.12", "libmpich.so.12" };

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

static lcu_status use_open_mpi (lcu_mpi *out, void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(objects); i++)
    LCU_TRY(take(out, handle, path, objects[i].name, objects[i].offset));
  out->in_place = (void *)1;
  return LCU_OK;
}

/* The numbers are part of its binary interface. */
static lcu_status use_mpich (lcu_mpi *out) {
  out->world = (mpi_handle)(uintptr_t)0x44000000;
  out->byte = (mpi_handle)(uintptr_t)0x4c00010d;
  out->request_null = (mpi_handle)(uintptr_t)0x2c000000;
  out->errors_return = (mpi_handle)(uintptr_t)0x54000001;
  out->in_place = (void *)~(uintptr_t)0;
  return LCU_OK;
}

/* The implementations by what their text begins with. */
static const struct {
  const char *text, *name;
  bool has_objects; /* as Open MPI */
} families[] = { { "Open MPI", "Open MPI", true },
                 { "MPICH", "MPICH", false },
                 { "MVAPICH", "MVAPICH", false },
                 { "Intel(R) MPI", "Intel MPI", false } };

/* "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\n..." */
static void read_version (lcu_mpi *out, const char *name, const char *text) {
  const char *digits = text + strcspn(text, "0123456789");
  size_t n = strspn(digits, "0123456789.");
  snprintf(out->name, sizeof out->name, "%s %.*s", name, n < 16 ? (int)n : 16, digits);
  (void)sscanf(digits, "%d.%d", &out->version[0], &out->version[1]);
}

static lcu_status identify (lcu_mpi *out, void *handle, const char *path) {
  char text[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING of all of them */
  int length = 0;
  LCU_TRY(
    lcu_mpi_status(out, "MPI_Get_library_version", out->MPI_Get_library_version(text, &length)));
  for (size_t i = 0; i < lcu_arraylen(families); i++) {
    if (strncmp(text, families[i].text, strlen(families[i].text)) != 0) continue;
    read_version(out, families[i].name, text);
    return families[i].has_objects ? use_open_mpi(out, handle, path) : use_mpich(out);
  }
  return lcu_fail(LCU_E_UNSUPPORTED,
                  "the MPI in %s cannot be used: it is neither Open MPI nor one with the binary "
                  "interface of MPICH; install one of them, or set LUACUDA_LIBMPI to its library",
                  path);
}

static lcu_status adopt (lcu_mpi *out, void *handle, const char *path) {
  *out = (lcu_mpi){ 0 };
  for (size_t i = 0; i < lcu_arraylen(entries); i++)
    LCU_TRY(take(out, handle, path, entries[i].name, entries[i].offset));
  LCU_TRY(identify(out, handle, path));
  lcu_path_of_symbol(out->path, dlsym(handle, "MPI_Test"), path);
  return LCU_OK;
}

/* Plugins of Open MPI find its functions among those of the program, so they have to be global. */
static bool try_library (lcu_mpi *out, const char *path, lcu_buf *report, bool *found) {
  char words[LCU_PATH_SIZE + 64];
  void *h = lcu_search_dlopen(path, RTLD_NOW | RTLD_GLOBAL, report);
  if (h == NULL) return false;
  *found = true;
  if (adopt(out, h, path) != LCU_OK) {
    lcu_report_failure(report, path);
    *out = (lcu_mpi){ 0 };
    dlclose(h);
    return false;
  }
  snprintf(words, sizeof words, "opened %s, %s", out->path, out->name);
  lcu_report_line(report, path, words);
  return true;
}

static bool try_names (lcu_mpi *out, const char *const names[2], lcu_buf *report, bool *found) {
  return try_library(out, names[0], report, found) || try_library(out, names[1], report, found);
}

/* Where both are installed, the program's launcher says which. */
static bool search (lcu_mpi *out, lcu_buf *report, bool *found) {
  bool hydra = getenv("PMI_RANK") != NULL && getenv("OMPI_COMM_WORLD_RANK") == NULL;
  return try_names(out, hydra ? mpich : open_mpi, report, found) ||
         try_names(out, hydra ? open_mpi : mpich, report, found);
}

lcu_status lcu_mpi_open (lcu_mpi *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBMPI");
  bool found = false;
  *out = (lcu_mpi){ 0 };
  if (lcu_search_forbids(given)) {
    lcu_report_line(report, "MPI", "not searched, LUACUDA_LIBMPI is off");
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBMPI forbids MPI");
  }
  if (given != NULL ? try_library(out, given, report, &found) : search(out, report, &found))
    return LCU_OK;
  /* the record has the reason why the last one found is not usable */
  if (found) return lcu_failure_get()->code;
  if (given != NULL)
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBMPI names %s, which cannot be opened", given);
  return lcu_fail(LCU_E_NOT_FOUND,
                  "MPI (libmpi of Open MPI or MPICH) was not found, which several processes on the "
                  "CPU device need; install one (Debian: openmpi-bin, mpich), or set "
                  "LUACUDA_LIBMPI");
}

lcu_status lcu_mpi_status (const lcu_mpi *m, const char *call, int r) {
  char text[1024] = "";
  int length = 0;
  if (lcu_likely(r == MPI_SUCCESS_)) return LCU_OK;
  (void)m->MPI_Error_string(r, text, &length);
  return lcu_fail(LCU_E_COMM, "%s failed: %s", call, text[0] != '\0' ? text : "unknown error");
}
