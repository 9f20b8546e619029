/* ptx_words.c: the messages of faults. */
#include "ptx_fault.h"

#include <string.h>

const char *ptx_fault_kind_name (ptx_fault_kind kind) {
  static const char *const names[PTX_FAULT_KIND_COUNT] = {
#define PTX_FAULT(id, name) [PTX_FAULT_##id] = name,
#include "ptx_faults.def"
#undef PTX_FAULT
  };
  return names[kind];
}

bool ptx_words_global (const ptx_fault *f) {
  return strcmp(f->space, "global") == 0 || strcmp(f->space, "const") == 0;
}

void ptx_words_callers (lcu_text *t, const ptx_caller *c, const char *before) {
  for (int n = 0; n < PTX_CALLERS && c[n].line != 0; n++)
    lcu_text_add(t, "%s%s:%d", n == 0 ? before : ", from ", c[n].file, c[n].line);
}

/* ", 12 bytes past the end of the allocation of 400 bytes at 0x7f0000001000" */
static void add_nearest (lcu_text *t, const ptx_fault *f) {
  const ptx_range *r = &f->nearest;
  unsigned long long size = (unsigned long long)r->size, base = (unsigned long long)r->base;
  if (r->size == 0) {
    if (ptx_words_global(f) && f->kind == PTX_FAULT_OUT_OF_BOUNDS)
      lcu_text_add(t, ", far from any allocation");
    return;
  }
  const char *what = r->live ? "allocation" : "freed allocation";
  if (f->address < r->base)
    lcu_text_add(t, ", %llu bytes before the %s of %llu bytes at 0x%llx",
                 (unsigned long long)(r->base - f->address), what, size, base);
  else if (f->address == r->base + r->size)
    lcu_text_add(t, ", just past the end of the %s of %llu bytes at 0x%llx", what, size, base);
  else if (f->address > r->base + r->size)
    lcu_text_add(t, ", %llu bytes past the end of the %s of %llu bytes at 0x%llx",
                 (unsigned long long)(f->address - r->base - r->size), what, size, base);
  else
    lcu_text_add(t, ", %llu bytes into the %s of %llu bytes at 0x%llx",
                 (unsigned long long)(f->address - r->base), what, size, base);
}

static void add_access (lcu_text *t, const ptx_fault *f, const char *detail) {
  bool null = f->kind == PTX_FAULT_NULL_POINTER;
  const char *access = f->atomic ? "atomic" : f->write ? "write" : "read";
  lcu_text_add(t, "%s: %s of %u byte%s at 0x%llx", ptx_fault_kind_name(f->kind), access, f->bytes,
               f->bytes == 1 ? "" : "s", (unsigned long long)f->address);
  if (f->space[0] != '\0' && !null) lcu_text_add(t, " in %s memory", f->space);
  if (f->kind != PTX_FAULT_MISALIGNED && !null) add_nearest(t, f);
  if (detail[0] != '\0') lcu_text_add(t, ", %s", detail);
}

static const char *words_between (const ptx_fault *f) {
  bool global = ptx_words_global(f);
  if (f->kind == PTX_FAULT_RACE)
    return global ? "which nothing orders after the" : "which no barrier orders after the";
  return f->write ? "which the kernel reads as constant (const __restrict__, __ldg, __constant__):"
                  : "read as constant (const __restrict__, __ldg, __constant__), after the";
}

/* ", computed with a product at k.cu:7 that wrapped around," */
static void add_wrapped (lcu_text *t, const ptx_other *o) {
  lcu_text_add(t, ", computed with a %s", o->access);
  if (o->line != 0) lcu_text_add(t, " at %s:%d", o->file, o->line);
  lcu_text_add(t, " that wrapped around,");
}

/* The other access: ", which nothing orders after the write at k.cu:7 by thread (1,0,0)" */
static void add_other (lcu_text *t, const ptx_fault *f) {
  const ptx_other *o = &f->other;
  if (o->access[0] == '\0' || (f->kind == PTX_FAULT_BARRIER && o->between == NULL)) return;
  if (f->kind == PTX_FAULT_OVERFLOW) {
    add_wrapped(t, o);
    return;
  }
  if (o->between != NULL) lcu_text_add(t, ", %s", o->between);
  else lcu_text_add(t, ", %s %s", words_between(f), o->access);
  if (o->line != 0) lcu_text_add(t, " at %s:%d", o->file, o->line);
  lcu_text_add(t, " by thread (%u,%u,%u) of ", o->thread[0], o->thread[1], o->thread[2]);
  if (o->before) lcu_text_add(t, "its block (%u,%u,%u),", o->block[0], o->block[1], o->block[2]);
  else if (memcmp(o->block, f->block, sizeof o->block) == 0) lcu_text_add(t, "the same block,");
  else lcu_text_add(t, "block (%u,%u,%u),", o->block[0], o->block[1], o->block[2]);
}

static void add_place (lcu_text *t, const ptx_fault *f) {
  if (f->line != 0) lcu_text_add(t, " at %s:%d", f->file, f->line);
  ptx_words_callers(t, f->callers, " (called from ");
  if (f->callers[0].line != 0) lcu_text_add(t, ")");
  lcu_text_add(t, " in kernel `%s`, block (%u,%u,%u), thread (%u,%u,%u)", f->kernel, f->block[0],
               f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
}

/* The text of an assertion has the form that CUDA prints. If the assertion names no function, the
 * text is its message and place. */
static void add_assert (lcu_text *t, const ptx_fault *f, const char *detail) {
  const char *split = strchr(detail, '\n');
  if (split == detail) {
    lcu_text_add(t, "%s", detail + 1);
    add_place(t, f);
    return;
  }
  if (split == NULL) split = detail + strlen(detail);
  lcu_text_add(t, "%s:%d: ", f->file, f->line);
  lcu_text_add(t, "%.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
               (int)(split - detail), detail, f->block[0], f->block[1], f->block[2], f->thread[0],
               f->thread[1], f->thread[2], *split != '\0' ? split + 1 : "");
}

/* Sets the place off from an address or an allocation before it. */
static void end_clause (lcu_text *t) {
  if (t->at[-1] != ',') lcu_text_add(t, ",");
}

void ptx_words_write (ptx_fault *f, const char *detail, bool told) {
  lcu_text t = lcu_text_in(f->message, sizeof f->message);
  bool access = f->bytes != 0 && !told && f->kind != PTX_FAULT_PRINTF;
  if (f->kind == PTX_FAULT_ASSERT) {
    add_assert(&t, f, detail);
    return;
  }
  if (access) {
    add_access(&t, f, detail);
  } else {
    lcu_text_add(&t, "%s%s%s", ptx_fault_kind_name(f->kind), detail[0] != '\0' ? ": " : "", detail);
    if (f->address != 0) add_nearest(&t, f);
  }
  add_other(&t, f);
  if (access || f->address != 0) end_clause(&t);
  add_place(&t, f);
}

void ptx_fault_describe (ptx_fault *f, const char *detail) { ptx_words_write(f, detail, false); }
