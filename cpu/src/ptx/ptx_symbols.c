/* ptx_symbols.c: the names through which a module can be linked with others. */
#include "ptx_module.h"
#include "ptx_parse.h"
#include "ptx_refs.h"

typedef struct walk {
  ptx_symbol_fn each;
  void *ud;
} walk;

static void report_function (const walk *w, const ptx_function *f, ptx_symbol_kind kind) {
  w->each(w->ud, &(ptx_symbol){ .name = f->name, .kind = kind });
}

static void report_variable (const walk *w, const ptx_variable *v, ptx_symbol_kind kind) {
  w->each(w->ud, &(ptx_symbol){ v->name, kind, ptx_space_name(v->space), v->size });
}

static void need_function (const walk *w, const ptx_function *f) {
  if (f != NULL && !f->has_body) report_function(w, f, PTX_SYMBOL_NEEDED);
}

/* Extern shared memory is the block's dynamic memory: nothing defines it. */
static void need_variable (const walk *w, const ptx_variable *v) {
  if (v != NULL && v->is_extern && v->space != PTX_SHARED) report_variable(w, v, PTX_SYMBOL_NEEDED);
}

static void walk_function (const walk *w, const ptx_function *f) {
  if (!f->has_body) return;
  if (f->is_weak) report_function(w, f, PTX_SYMBOL_WEAK);
  else if (f->is_visible) report_function(w, f, PTX_SYMBOL_DEFINED);
  for (uint32_t k = 0; k < f->refs->num_functions; k++) need_function(w, f->refs->functions[k]);
  for (uint32_t k = 0; k < f->refs->num_variables; k++) need_variable(w, f->refs->variables[k]);
}

static void walk_variable (const walk *w, const ptx_variable *v) {
  if (v->is_extern) return;
  if (v->is_weak) report_variable(w, v, PTX_SYMBOL_WEAK);
  else if (v->is_visible) report_variable(w, v, PTX_SYMBOL_DEFINED);
  for (const ptx_init *i = v->init; i != NULL; i = i->next) {
    need_function(w, i->function);
    need_variable(w, i->variable);
  }
}

void ptx_module_symbols (const ptx_module *m, ptx_symbol_fn each, void *ud) {
  const walk w = { each, ud };
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next) walk_function(&w, f);
  for (const ptx_variable *v = m->ast.variables; v != NULL; v = v->next) walk_variable(&w, v);
}
