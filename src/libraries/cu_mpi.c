/* cu_mpi.c: finds and opens Open MPI or MPICH. The tables below list the names searched. */
#include "cu_mpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const open_mpi[] = { "libmpi.so.40", "libmpi.so" };
static const char *const mpich[] = { "libmpi.so.12", "libmpich.so.12" };

static const lcu_symbol mpi_symbols[] = {
#define LCU_MPI(name, params) { true, #name, offsetof(lcu_mpi, name) },
#include "mpi.def"
#undef LCU_MPI
};

static const lcu_symbol objects[] = {
  { true, "ompi_mpi_comm_world", offsetof(lcu_mpi, world) },
  { true, "ompi_mpi_byte", offsetof(lcu_mpi, byte) },
  { true, "ompi_request_null", offsetof(lcu_mpi, request_null) },
  { true, "ompi_mpi_errors_return", offsetof(lcu_mpi, errors_return) },
};

static lcu_status use_open_mpi (lcu_mpi *out, void *handle, const char *path) {
  LCU_TRY(lcu_library_fill(&lcu_mpi_library, objects, lcu_arraylen(objects), out, handle, path));
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

static lcu_status check_mpi (void *table, void *handle, const char *path) {
  lcu_mpi *out = table;
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

/* Plugins of Open MPI find its functions among those of the program, so they have to be global. */
static void *open_globally (const char *path) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL); }

static bool try_names (lcu_opening *o, const char *const names[2]) {
  return lcu_library_try(o, names[0]) || lcu_library_try(o, names[1]);
}

/* Where both are installed, the program's launcher says which. */
static bool search_mpi (lcu_opening *o) {
  bool hydra = getenv("PMI_RANK") != NULL && getenv("OMPI_COMM_WORLD_RANK") == NULL;
  return try_names(o, hydra ? mpich : open_mpi) || try_names(o, hydra ? open_mpi : mpich);
}

static void mpi_version (const void *table, char *out, size_t size) {
  snprintf(out, size, "%s", ((const lcu_mpi *)table)->name);
}

const lcu_library lcu_mpi_library = {
  .name = "MPI",
  .variable = "LUACUDA_LIBMPI",
  .dispensable = true,
  .missing = "MPI (libmpi of Open MPI or MPICH) was not found, which several processes on the CPU "
             "device need; install one (Debian: openmpi-bin, mpich), or set LUACUDA_LIBMPI",
  LCU_LIBRARY_TABLE(lcu_mpi, open_mpi, mpi_symbols),
  .open = open_globally,
  .search = search_mpi,
  .check = check_mpi,
  .version = mpi_version,
};

lcu_status lcu_mpi_status (const lcu_mpi *m, const char *call, int r) {
  char text[1024] = "";
  int length = 0;
  if (lcu_likely(r == MPI_SUCCESS_)) return LCU_OK;
  (void)m->MPI_Error_string(r, text, &length);
  return lcu_fail(LCU_E_COMM, "%s failed: %s", call, text[0] != '\0' ? text : "unknown error");
}
