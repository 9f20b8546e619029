/* ptx_prepare.c: lowers a kernel and all functions it can reach, once, under the module's lock:
 * matching, flow graph, registers, variables, decoding. */
#include "ptx_cfg.h"
#include "ptx_decode.h"
#include "ptx_module.h"
#include "ptx_refs.h"
#include "ptx_regs.h"
#include "ptx_shape.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static bool is_refusal (lcu_status status) {
  return status == LCU_E_UNSUPPORTED || status == LCU_E_SYNTAX;
}

/* Keeps the latest failure, with the place of `inst`, as the reason why f cannot run. */
static lcu_status refuse_function (ptx_module *m, ptx_function *f, const ptx_inst *inst,
                                   lcu_status status) {
  char text[LCU_MESSAGE_SIZE];
  const char *file, *message = f->unsupported != NULL ? f->unsupported : lcu_failure_get()->message;
  uint32_t line;
  if (!is_refusal(status)) return status;
  if (inst == NULL) snprintf(text, sizeof text, "%.1500s", message);
  else if (ptx_loc_user(&m->ast, inst->loc, &file, &line))
    snprintf(text, sizeof text, "%.1000s, %.800s:%u", message, file, (unsigned)line);
  else
    snprintf(text, sizeof text, "%.1000s, line %u of the PTX", message, (unsigned)inst->text_line);
  char *kept = lcu_arena_strndup(&m->ast.arena, text, strlen(text));
  if (kept == NULL) return lcu_no_memory("function '%s'", f->name);
  f->unsupported = kept;
  return status;
}

static bool spins_itself (const ptx_function *f) {
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next)
    if ((inst->match.flags & PTX_F_SPIN) != 0) return true;
  return false;
}

static lcu_status match_function (ptx_module *m, ptx_function *f) {
  if (f->stage >= PTX_STAGE_MATCHED) return LCU_OK;
  for (ptx_inst *inst = f->body; inst != NULL; inst = inst->next) {
    lcu_status status = ptx_match_inst(inst);
    if (status != LCU_OK) return refuse_function(m, f, inst, status);
  }
  f->may_spin = spins_itself(f);
  f->stage = PTX_STAGE_MATCHED;
  return LCU_OK;
}

static bool function_calls_spinner (const ptx_function *f, bool any_taken) {
  for (uint32_t k = 0; k < f->refs->num_functions; k++)
    if (f->refs->functions[k]->may_spin) return true;
  return f->refs->indirect && any_taken;
}

/* To a fixed point, since recursion makes cycles. */
static void spread_spin (const ptx_module *m, ptx_function **list, uint32_t num) {
  for (bool changed = true; changed;) {
    bool any_taken = false;
    for (uint32_t k = 0; k < m->num_taken; k++) any_taken |= m->taken[k]->may_spin;
    changed = false;
    for (uint32_t k = 0; k < num; k++) {
      if (list[k]->may_spin || !function_calls_spinner(list[k], any_taken)) continue;
      list[k]->may_spin = changed = true;
    }
  }
}

static lcu_status place_variables (ptx_module *m, const ptx_function *f) {
  for (uint32_t k = 0; k < f->refs->num_variables; k++)
    if (f->refs->variables[k]->space != PTX_SHARED)
      LCU_TRY(ptx_variable_place(m, f->refs->variables[k]));
  return LCU_OK;
}

static lcu_status finish_function (ptx_module *m, ptx_function *f) {
  lcu_arena *arena = &m->ast.arena;
  if (f->stage == PTX_STAGE_MATCHED) {
    LCU_TRY(ptx_cfg_build(f, arena));
    f->stage = PTX_STAGE_BLOCKS;
  }
  if (f->stage == PTX_STAGE_BLOCKS) {
    LCU_TRY(ptx_regs_allocate(f));
    f->stage = PTX_STAGE_REGS;
  }
  if (f->stage != PTX_STAGE_REGS) return LCU_OK;
  LCU_TRY(place_variables(m, f));
  if (f->is_entry) ptx_shared_place_dynamic(f);
  LCU_TRY(ptx_decode(f, arena));
  f->stage = PTX_STAGE_DONE;
  return LCU_OK;
}

/* Functions from num_direct on are reached only by calls through registers. If one cannot run, the
 * call fails, not the kernel. */
static lcu_status prepare_list (ptx_module *m, ptx_function **list, uint32_t num_direct,
                                uint32_t num) {
  for (uint32_t k = 0; k < num; k++) {
    lcu_status status =
      list[k]->unsupported != NULL ? LCU_E_UNSUPPORTED : match_function(m, list[k]);
    if (status != LCU_OK && (k < num_direct || !is_refusal(status))) return status;
  }
  spread_spin(m, list, num);
  ptx_mark_compared(list, num);
  for (uint32_t k = 0; k < num; k++) {
    if (!list[k]->has_body || list[k]->unsupported != NULL) continue;
    lcu_status status = finish_function(m, list[k]);
    if (is_refusal(status)) status = refuse_function(m, list[k], list[k]->refused, status);
    if (status != LCU_OK && (k < num_direct || !is_refusal(status))) return status;
  }
  return LCU_OK;
}

/* The reason why the kernel cannot run is that of the first directly called function that
 * cannot. */
static lcu_status explain (const ptx_kernel *k, ptx_function **list, uint32_t num_direct,
                           lcu_status status) {
  char reason[LCU_MESSAGE_SIZE];
  snprintf(reason, sizeof reason, "%s", lcu_failure_get()->message);
  for (uint32_t n = 0; n < num_direct; n++) {
    const ptx_function *f = list[n];
    if (f->unsupported == NULL) continue;
    if (f == k->function)
      return lcu_fail(LCU_E_UNSUPPORTED, "kernel '%s': %s", k->info.name, f->unsupported);
    return lcu_fail(LCU_E_UNSUPPORTED, "kernel '%s': in function '%s': %s", k->info.name, f->name,
                    f->unsupported);
  }
  return lcu_fail(status, "kernel '%s': %s", k->info.name, reason);
}

static lcu_status prepare (ptx_kernel *k) {
  ptx_function **list;
  uint32_t num_direct, num;
  LCU_TRY(ptx_refs_reach(k->module, k->function, &list, &num_direct, &num));
  lcu_status status = prepare_list(k->module, list, num_direct, num);
  if (status != LCU_OK) status = explain(k, list, num_direct, status);
  else k->info.registers = k->function->max_live;
  for (uint32_t n = 0; n < num; n++) {
    k->reads_reserved |= list[n]->refs->reserved;
    k->reads_workspace |= list[n]->refs->workspace;
  }
  lcu_free(list);
  return status;
}

/* Success and refusals are final, unlike running out of memory. */
lcu_status ptx_kernel_prepare (ptx_kernel *k) {
  ptx_module *m = k->module;
  lcu_status status;
  pthread_mutex_lock(&m->lock);
  if (k->prepared)
    status = k->status == LCU_OK ? LCU_OK
                                 : lcu_fail(k->status, "%s", k->message != NULL ? k->message : "");
  else {
    status = prepare(k);
    k->prepared = status == LCU_OK || is_refusal(status);
    k->status = status;
    if (k->prepared && status != LCU_OK) {
      const char *message = lcu_failure_get()->message;
      k->message = lcu_arena_strndup(&m->ast.arena, message, strlen(message));
    }
  }
  pthread_mutex_unlock(&m->lock);
  return status;
}


/* ---- all functions of a module ---- */

/* Modules of several kernels with more instructions are not prepared when they are loaded. */
enum { CHECKED_INSTS = 4096 };

static bool is_missing (const ptx_function *f) { return !f->has_body && !ptx_runtime_has(f->name); }

static lcu_status check_calls (const ptx_function *f) {
  if (is_missing(f) && !f->is_extern)
    return lcu_fail(LCU_E_SYNTAX, "line %u: the function '%s' is declared but not defined",
                    (unsigned)f->text_line, f->name);
  for (uint32_t k = 0; f->has_body && k < f->refs->num_functions; k++)
    if (is_missing(f->refs->functions[k]))
      return lcu_fail(LCU_E_SYNTAX,
                      "line %u: '%s' uses the function '%s', which is declared but not defined: "
                      "link the module that defines it",
                      (unsigned)f->text_line, f->name, f->refs->functions[k]->name);
  return LCU_OK;
}

/* Fails for what no device runs. What only this one lacks concerns only the kernels that use it. */
static lcu_status judge (const ptx_module *m, const ptx_function *f, lcu_status status) {
  if (status == LCU_E_UNSUPPORTED) return LCU_OK;
  if (status != LCU_E_SYNTAX) return status;
  if (m->ast.version > PTX_KNOWN_VERSION) return LCU_OK;
  return lcu_fail(LCU_E_SYNTAX, "%s '%s': %s", f->is_entry ? "kernel" : "function", f->name,
                  f->unsupported);
}

static lcu_status check_forms (ptx_module *m) {
  for (ptx_function *f = m->ast.functions; f != NULL; f = f->next)
    if (f->has_body) LCU_TRY(judge(m, f, match_function(m, f)));
  return LCU_OK;
}

static bool is_small (const ptx_module *m) {
  uint64_t n = 0;
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next) n += f->num_insts;
  return n <= CHECKED_INSTS || m->num_kernels == 1;
}

static lcu_status check_operands (ptx_module *m, ptx_function **list, uint32_t num) {
  spread_spin(m, list, num);
  ptx_mark_compared(list, num);
  for (uint32_t k = 0; k < num; k++) {
    lcu_status status = finish_function(m, list[k]);
    if (is_refusal(status)) status = refuse_function(m, list[k], list[k]->refused, status);
    LCU_TRY(judge(m, list[k], status));
  }
  return LCU_OK;
}

static lcu_status check_bodies (ptx_module *m) {
  lcu_buf list = { 0 };
  for (ptx_function *f = m->ast.functions; f != NULL; f = f->next)
    if (f->has_body && f->unsupported == NULL) lcu_buf_add(&list, &f, sizeof f);
  lcu_status status = list.failed ? lcu_no_memory("a PTX module")
                                  : check_operands(m, (ptx_function **)(void *)list.data,
                                                   (uint32_t)(list.len / sizeof(ptx_function *)));
  lcu_buf_free(&list);
  return status;
}

static lcu_status check (ptx_module *m) {
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next) LCU_TRY(check_calls(f));
  LCU_TRY(check_forms(m));
  return is_small(m) ? check_bodies(m) : LCU_OK;
}

lcu_status ptx_module_check (ptx_module *m) {
  pthread_mutex_lock(&m->lock);
  lcu_status status = check(m);
  pthread_mutex_unlock(&m->lock);
  return status;
}

_Static_assert(lcu_arraylen(((ptx_function *)0)->claims) == PTX_BLOCK_CLASSES, "one per class");

/* Checks ask at each access to shared memory, so what exists is read without the lock. */
const ptx_claims *ptx_function_claims (ptx_function *f, ptx_block_class blocks) {
  ptx_module *m = f->module;
  ptx_claims *claims = atomic_load_explicit(&f->claims[blocks], memory_order_acquire);
  if (claims != NULL) return claims;
  pthread_mutex_lock(&m->lock);
  claims = f->claims[blocks];
  if (claims == NULL) f->claims[blocks] = claims = ptx_shape_make(f, blocks, &m->ast.arena);
  pthread_mutex_unlock(&m->lock);
  return claims;
}
