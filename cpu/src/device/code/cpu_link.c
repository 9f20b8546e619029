/* cpu_link.c: the linker: joins PTX modules into one text, whose modules the PTX machine links when
 * it loads it. */
#include <stdlib.h>
#include <string.h>

#include "cpu_enter.h"
#include "cpu_module.h"
#include "cpu_jit.h"
#include "cpu_words.h"

enum { LINK_MAGIC = 0x4c494e4b };

/* A name that an input defines or needs. */
typedef struct symbol {
  const char *name, *input, *space;
  ptx_symbol_kind kind;
  uint32_t order; /* of its input */
  uint64_t size;
} symbol;

struct cu_link_ {
  uint32_t magic, num_inputs;
  cpu_jit jit;
  double began;
  lcu_arena names;
  lcu_buf text, symbols; /* symbol */
};

static bool is_link (cu_link l) { return l != NULL && l->magic == LINK_MAGIC; }

cu_result cpu_cuLinkCreate (unsigned n, int *options, void **values, cu_link *out) {
  cpu_jit jit;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (out == NULL) return CU_ERR_INVALID_VALUE;
  r = cpu_jit_read(n, options, values, &jit);
  if (r != 0) return r;
  cu_link l = lcu_calloc(1, sizeof *l);
  if (l == NULL) return CU_ERR_OUT_OF_MEMORY;
  l->magic = LINK_MAGIC;
  l->jit = jit;
  l->began = lcu_now_ms();
  *out = l;
  return 0;
}

cu_result cpu_cuLinkDestroy (cu_link l) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_link(l)) return CU_ERR_INVALID_HANDLE;
  l->magic = 0;
  lcu_arena_free(&l->names);
  lcu_buf_free(&l->text);
  lcu_buf_free(&l->symbols);
  lcu_free(l);
  return 0;
}


/* ---- inputs ---- */

typedef struct reader {
  cu_link link;
  const char *input;
} reader;

static void add_symbol (void *ud, const ptx_symbol *found) {
  const reader *r = ud;
  symbol s = { .name = lcu_arena_strndup(&r->link->names, found->name, strlen(found->name)),
               .input = r->input,
               .space = found->space,
               .kind = found->kind,
               .order = r->link->num_inputs,
               .size = found->size };
  if (s.name == NULL) r->link->symbols.failed = true;
  else lcu_buf_add(&r->link->symbols, &s, sizeof s);
}

/* Reads a module to check it and to list its names. */
static lcu_status read_module (cu_link l, const char *text, size_t size, const char *input) {
  ptx_module *m = NULL;
  reader r = { l, lcu_arena_strndup(&l->names, input, strlen(input)) };
  if (r.input == NULL) return lcu_no_memory("the linker");
  lcu_status st = ptx_module_load(text, size, &cpu_ptx_host, &m);
  if (st == LCU_OK) st = cpu_jit_check_target(m);
  if (st == LCU_OK) ptx_module_symbols(m, add_symbol, &r);
  ptx_module_free(m);
  return st;
}

static cu_result add_ptx (cu_link l, const char *text, size_t size, const char *input) {
  char words[LCU_MESSAGE_SIZE];
  size = strnlen(text, size);
  lcu_status st = read_module(l, text, size, input);
  if (st != LCU_OK) {
    cpu_jit_complain(words, sizeof words, input, lcu_failure_get()->message);
    cpu_jit_write(&l->jit.error, words);
    return cpu_fail("cuLinkAddData", cpu_jit_result(st), "%s", words);
  }
  lcu_buf_add(&l->text, text, size);
  lcu_buf_adds(&l->text, "\n");
  l->num_inputs++;
  return l->text.failed || l->symbols.failed ? CU_ERR_OUT_OF_MEMORY : 0;
}

static cu_result refuse_input (cu_link l, const char *input, const char *why) {
  char words[LCU_MESSAGE_SIZE];
  cpu_jit_complain(words, sizeof words, input, why);
  cpu_jit_write(&l->jit.error, words);
  return cpu_fail("cuLinkAddData", CU_ERR_NO_BINARY_FOR_GPU, "%s", words);
}

/* The device runtime is part of the CPU device: its library has nothing to add. */
static bool is_device_runtime (int kind, const char *input) {
  return kind == CU_JIT_INPUT_LIBRARY_ && strstr(input, "cudadevrt") != NULL;
}

cu_result cpu_cuLinkAddData (cu_link l, int kind, void *data, size_t size, const char *name,
                             unsigned n, int *options, void **values) {
  const char *input = name != NULL ? name : "an input";
  cpu_jit unused;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_link(l)) return CU_ERR_INVALID_HANDLE;
  if (data == NULL || size == 0) return CU_ERR_INVALID_VALUE;
  r = cpu_jit_read(n, options, values, &unused);
  if (r != 0) return r;
  if (is_device_runtime(kind, input)) return 0;
  if (kind != CU_JIT_INPUT_PTX_)
    return refuse_input(l, input, "the CPU device links PTX, not GPU machine code");
  return add_ptx(l, data, size, input);
}


/* ---- linking ---- */

static int compare_symbols (const void *a, const void *b) {
  const symbol *x = a, *y = b;
  int by_name = strcmp(x->name, y->name);
  if (by_name != 0) return by_name;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* What of a declaration contradicts the definition of a variable, or NULL. */
static const char *mismatch (const symbol *needed, const symbol *defined) {
  if (needed->space == NULL || defined->space == NULL) return NULL;
  if (strcmp(needed->space, defined->space) != 0) return "State space";
  return needed->size != 0 && needed->size != defined->size ? "Size" : NULL;
}

static void check_declarations (const symbol *list, size_t n, lcu_buf *errors) {
  for (size_t i = 1; i < n; i++) {
    const char *what = mismatch(&list[i], &list[0]);
    if (list[i].kind == PTX_SYMBOL_NEEDED && list[i].order != list[i - 1].order && what != NULL)
      lcu_buf_addf(errors, "error   : %s doesn't match for '%s' in '%s', first specified in '%s'\n",
                   what, list[i].name, list[i].input, list[0].input);
  }
}

/* `list`: the symbols of one name, definitions first. */
static void check_name (const symbol *list, size_t n, lcu_buf *errors) {
  for (size_t i = 1; i < n && list[i].kind == PTX_SYMBOL_DEFINED; i++)
    lcu_buf_addf(errors, "error   : Multiple definition of '%s' in '%s', first defined in '%s'\n",
                 list[i].name, list[i].input, list[0].input);
  if (list[0].kind == PTX_SYMBOL_DEFINED) check_declarations(list, n, errors);
  if (list[0].kind != PTX_SYMBOL_NEEDED || ptx_runtime_has(list[0].name)) return;
  for (size_t i = 0; i < n; i++)
    if (i == 0 || list[i].order != list[i - 1].order)
      lcu_buf_addf(errors, "error   : Undefined reference to '%s' in '%s'\n", list[i].name,
                   list[i].input);
}

static void check_names (cu_link l, lcu_buf *errors) {
  size_t n = l->symbols.len / sizeof(symbol), first = 0;
  symbol *list = (symbol *)(void *)l->symbols.data;
  if (n != 0) qsort(list, n, sizeof *list, compare_symbols);
  for (size_t i = 1; i <= n; i++) {
    if (i < n && strcmp(list[i].name, list[first].name) == 0) continue;
    check_name(list + first, i - first, errors);
    first = i;
  }
}

/* The whole text is read once more: modules may contradict each other in other ways. */
static cu_result check_whole (cu_link l) {
  ptx_module *m = NULL;
  char words[LCU_MESSAGE_SIZE];
  lcu_status st = ptx_module_load(l->text.data, l->text.len, &cpu_ptx_host, &m);
  ptx_module_free(m);
  if (st == LCU_OK) return 0;
  cpu_jit_complain(words, sizeof words, "linked ptx", lcu_failure_get()->message);
  cpu_jit_write(&l->jit.error, words);
  return cpu_fail("cuLinkComplete", cpu_status_result(st), "%s", words);
}

static cu_result check_link (cu_link l) {
  lcu_buf errors = { 0 };
  cu_result r = 0;
  check_names(l, &errors);
  if (errors.failed) r = CU_ERR_OUT_OF_MEMORY;
  else if (errors.len > 0) {
    cpu_jit_write(&l->jit.error, errors.data);
    errors.data[strcspn(errors.data, "\n")] = '\0';
    r = cpu_fail("cuLinkComplete", CU_ERR_INVALID_PTX, "%s", errors.data);
  } else if (l->num_inputs > 1) r = check_whole(l);
  lcu_buf_free(&errors);
  return r;
}

/* The image belongs to the linker. */
cu_result cpu_cuLinkComplete (cu_link l, void **image, size_t *size) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_link(l)) return CU_ERR_INVALID_HANDLE;
  if (image == NULL) return CU_ERR_INVALID_VALUE;
  if (l->num_inputs == 0)
    return cpu_fail("cuLinkComplete", CU_ERR_INVALID_IMAGE, "nothing was given to link");
  r = check_link(l);
  if (r != 0) return r;
  cpu_jit_write(&l->jit.info, "");
  cpu_jit_write(&l->jit.error, "");
  cpu_jit_time(&l->jit, lcu_now_ms() - l->began);
  *image = l->text.data;
  if (size != NULL) *size = l->text.len;
  return 0;
}
