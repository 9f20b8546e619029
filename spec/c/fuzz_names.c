/* fuzz_names.c: fuzzes the readers of mangled names and of kernel headers in PTX. The first byte of
 * an input selects the reader: 'T' for a carried type, 'P' for PTX text, any other for a name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_entry.h"
#include "lcu_demangle.h"
#include "lcu_signature.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void require (bool ok) {
  if (!ok) abort();
}

static void check_param (const lcu_param *p) {
  require(p->type_name != NULL && strlen(p->type_name) < 1u << 20);
  require(p->kind != LCU_PARAM_SCALAR || p->dtype != NULL);
  require(p->kind != LCU_PARAM_CLASS || p->class_name != NULL);
  require(p->size == 0 || p->align != 0);
  require(p->kind != LCU_PARAM_POINTER || p->indirections > 0);
}

static void read_name (const char *text) {
  lcu_arena a = { 0 };
  lcu_encoding e;
  lcu_signature s;
  if (lcu_demangle(&a, text, &e) == LCU_OK)
    require(e.name->kind == LCU_TYPE_NAMED && e.name->text != NULL && e.name->base != NULL);
  lcu_arena_free(&a);
  if (lcu_signature_parse(text, &s) != LCU_OK) return;
  for (size_t i = 0; i < s.num_params; i++) check_param(&s.params[i]);
  lcu_signature_free(&s);
}

static void read_carried (const char *type) {
  int64_t dims[8];
  int ndim;
  lcu_param p;
  lcu_buf name = { 0 };
  lcu_buf_addf(&name, "_Z11luacuda_sigI%sEvv", type);
  if (name.failed) return;
  read_name(name.data);
  if (lcu_type_parse(name.data, &p, dims, &ndim) == LCU_OK) {
    require(ndim >= 0 && ndim <= 8);
    check_param(&p);
    lcu_param_free(&p);
  }
  lcu_buf_free(&name);
}

static void read_ptx (const char *text) {
  lcu_entries e;
  if (lcu_entries_read(text, &e) != LCU_OK) return;
  for (size_t i = 0; i < e.num; i++) {
    require(strlen(e.list[i].name) > 0);
    for (size_t k = 0; k < e.list[i].num_params; k++)
      require(e.list[i].params[k].size > 0 && e.list[i].params[k].align > 0);
    read_name(e.list[i].name);
  }
  lcu_entries_free(&e);
}

/* Fails on a crash, on a violated rule and on a leak. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size) {
  long before = lcu_mem_live();
  char *text = malloc(size + 1); /* the exact size, so that reading past the end is detected */
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  if (text[0] == 'T') read_carried(text + 1);
  else if (text[0] == 'P') read_ptx(text + 1);
  else read_name(text);
  free(text);
  require(lcu_mem_live() == before);
  return 0;
}
