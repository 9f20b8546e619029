/* record.c: notes which functions of instrumented libraries and programs (-finstrument-functions) a
 * process runs. Preloaded by tools/test --record; appends lines "OBJECT OFFSET" to the file of the
 * program's name in the folder $LUACUDA_RECORD when the process ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 16 }; /* several times the number of functions */

static _Atomic(void *) slots[SLOTS];

void __cyg_profile_func_enter (void *function, void *caller);
void __cyg_profile_func_exit (void *function, void *caller);

void __cyg_profile_func_enter (void *function, void *caller) {
  (void)caller;
  size_t i = ((uintptr_t)function * UINT64_C(0x9E3779B97F4A7C15) >> 40) % SLOTS;
  for (;; i = (i + 1) % SLOTS) {
    void *there = atomic_load_explicit(&slots[i], memory_order_relaxed);
    if (there == function) return;
    if (there == NULL && atomic_compare_exchange_strong(&slots[i], &there, function)) return;
    if (there == function) return;
  }
}

void __cyg_profile_func_exit (void *function, void *caller) {
  (void)function;
  (void)caller;
}

__attribute__((destructor)) static void write_record (void) {
  const char *folder = getenv("LUACUDA_RECORD");
  static char buffer[1 << 22];
  char path[4096];
  snprintf(path, sizeof path, "%s/c.%s", folder != NULL ? folder : "",
           program_invocation_short_name);
  FILE *file = folder != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  setvbuf(file, buffer, _IOFBF, sizeof buffer); /* one write: processes share the file */
  for (size_t i = 0; i < SLOTS; i++) {
    void *function = atomic_load(&slots[i]);
    Dl_info info;
    if (function != NULL && dladdr(function, &info) != 0)
      fprintf(file, "%s %#tx\n", info.dli_fname, (char *)function - (char *)info.dli_fbase);
  }
  fclose(file);
}
