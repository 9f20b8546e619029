/* fake_nvtx.c: a tool as NVTX 3 calls it, for NVTX_INJECTION64_PATH: it writes the ranges of the
 * program to the file that FAKE_NVTX_FILE names. */
#include <stdio.h>
#include <stdlib.h>

#include "lcu_base.h"

typedef void (*slot)(void);
typedef struct callbacks {
  size_t size;
  int (*module_table)(int module, slot ***table, unsigned *n);
} callbacks;

enum { TABLE_CALLBACKS = 1, CORE = 1, CORE2 = 5 };
enum { RANGE_START = 5, RANGE_END = 7, RANGE_PUSH = 9, RANGE_POP = 11 };

static FILE *out;

static int push (const char *name) { return fprintf(out, "push %s\n", name); }
static int pop (void) { return fprintf(out, "pop\n"); }

static uint64_t start (const char *name) {
  static uint64_t last;
  fprintf(out, "start %s %d\n", name, (int)++last);
  return last;
}

static int end (uint64_t range) { return fprintf(out, "end %d\n", (int)range); }

LCU_EXPORT int InitializeInjectionNvtx2 (const void *(*export_table)(uint32_t id));
int InitializeInjectionNvtx2 (const void *(*export_table)(uint32_t id)) {
  const char *path = getenv("FAKE_NVTX_FILE");
  const callbacks *c = export_table(TABLE_CALLBACKS);
  slot **core, **core2;
  unsigned n;
  if (c == NULL || c->size < sizeof *c || c->module_table(CORE2, &core2, &n) == 0 || n < 8 ||
      c->module_table(CORE, &core, &n) == 0 || n <= RANGE_POP || path == NULL)
    return 0;
  out = fopen(path, "w");
  if (out == NULL) return 0;
  setvbuf(out, NULL, _IOLBF, 256);
  *core[RANGE_START] = (slot)start;
  *core[RANGE_END] = (slot)end;
  *core[RANGE_PUSH] = (slot)push;
  *core[RANGE_POP] = (slot)pop;
  *core2[1] = (slot)pop;
  return 1;
}
