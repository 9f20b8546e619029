/* cu_nvtx.c: the side of the program in the protocol of NVTX 3. The tool's library is called with a
 * function that finds tables by number. One of them leads to the tables of modules, whose entries
 * point to the slots that the tool fills with its functions. */
#include "cu_nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef void (*slot)(void);

enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3 };
enum { MODULE_CORE = 1, MODULES = 6 };
enum { RANGE_START = 5, RANGE_END = 7, RANGE_PUSH = 9, RANGE_POP = 11, CORE_SIZE = 16 };

typedef struct callbacks {
  size_t size;
  int (*module_table)(int module, slot ***table, unsigned *n);
} callbacks;

typedef struct version_info {
  size_t size;
  uint32_t version, reserved;
  void (*set_version)(uint32_t version);
} version_info;

/* What tools fill in. Functions that are not called here share a slot, and so do all modules but
 * the core: tools refuse programs without them. */
static struct {
  uint64_t (*start)(const char *name);
  int (*end)(uint64_t range);
  int (*push)(const char *name);
  int (*pop)(void);
  slot unused;
} functions;

enum { OTHER_SIZE = 32 };
static slot *core[CORE_SIZE + 1], *other[OTHER_SIZE + 1];

static int module_table (int module, slot ***table, unsigned *n) {
  if (module < MODULE_CORE || module > MODULES) return 0;
  if (table != NULL) *table = module == MODULE_CORE ? core : other;
  if (n != NULL) *n = module == MODULE_CORE ? CORE_SIZE : OTHER_SIZE;
  return 1;
}

static void set_version (uint32_t version) { (void)version; }

static const void *export_table (uint32_t id) {
  static const callbacks calls = { sizeof calls, module_table };
  static const version_info version = { sizeof version, 3, 0, set_version };
  return id == TABLE_CALLBACKS ? (const void *)&calls
         : id == TABLE_VERSION ? (const void *)&version
                               : NULL;
}

/* The first entry of a table is not used, and the last one is NULL. */
static void fill_tables (void) {
  for (int i = 1; i < CORE_SIZE; i++) core[i] = &functions.unused;
  for (int i = 1; i < OTHER_SIZE; i++) other[i] = &functions.unused;
  core[RANGE_START] = (slot *)(void *)&functions.start;
  core[RANGE_END] = (slot *)(void *)&functions.end;
  core[RANGE_PUSH] = (slot *)(void *)&functions.push;
  core[RANGE_POP] = (slot *)(void *)&functions.pop;
}

/* POSIX allows the result of dlsym to be read as a function pointer; ISO C has no cast for it. */
static void open_tool (void) {
  const char *path = getenv("NVTX_INJECTION64_PATH");
  int (*initialize)(const void *(*export_table)(uint32_t id));
  if (path == NULL || path[0] == '\0') return;
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  void *entry = library != NULL ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
  if (entry == NULL) return;
  fill_tables();
  memcpy(&initialize, &entry, sizeof initialize);
  if (initialize(export_table) == 0) memset(&functions, 0, sizeof functions);
}

static void ready (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_tool);
}

void lcu_nvtx_push (const char *name) {
  ready();
  if (functions.push != NULL) functions.push(name);
}

void lcu_nvtx_pop (void) {
  if (functions.pop != NULL) functions.pop();
}

uint64_t lcu_nvtx_start (const char *name) {
  ready();
  return functions.start != NULL ? functions.start(name) : 0;
}

void lcu_nvtx_end (uint64_t range) {
  if (range != 0 && functions.end != NULL) functions.end(range);
}
