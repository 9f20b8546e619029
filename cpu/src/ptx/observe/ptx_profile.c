/* ptx_profile.c: profiles: while a launch runs, costs are kept per source position of the module;
 * when it ends they are added to those of the lines that users know. */
#include "ptx_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_count.h"
#include "ptx_ids.h"
#include "ptx_module.h"

/* ---- floating-point operations */

static const struct {
  const char *name;
  uint8_t operations;
} functions[] = { { "add_", 1 }, { "sub_", 1 }, { "mul_", 1 },   { "fma_", 2 }, { "mad_", 2 },
                  { "div_", 1 }, { "rcp_", 1 }, { "sqrt_", 1 },  { "ex2_", 1 }, { "lg2_", 1 },
                  { "sin_", 1 }, { "cos_", 1 }, { "rsqrt_", 1 }, { "tanh_", 1 } };

static uint8_t operations_of (const char *name) {
  if (strncmp(name, "round_", 6) == 0) name += 6;
  for (size_t i = 0; i < lcu_arraylen(functions); i++)
    if (strncmp(name, functions[i].name, strlen(functions[i].name)) == 0)
      return functions[i].operations;
  return 0;
}

static ptx_arithmetic arithmetic_of (const char *name) {
  uint8_t n = operations_of(name);
  if (n == 0) return (ptx_arithmetic){ 0 };
  if (strstr(name, "f16x2") != NULL)
    return (ptx_arithmetic){ PTX_ARITHMETIC_F16, (uint8_t)(2 * n) };
  if (strstr(name, "f16") != NULL) return (ptx_arithmetic){ PTX_ARITHMETIC_F16, n };
  if (strstr(name, "_f32") != NULL) return (ptx_arithmetic){ PTX_ARITHMETIC_F32, n };
  if (strstr(name, "_f64") != NULL) return (ptx_arithmetic){ PTX_ARITHMETIC_F64, n };
  return (ptx_arithmetic){ 0 };
}

/* ---- launches */

ptx_profile *ptx_profile_new (lcu_costs *costs) {
  ptx_profile *p = lcu_calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  p->costs = costs;
  for (int id = 1; id < PTX_ID_COUNT; id++) p->arithmetic[id] = arithmetic_of(ptx_id_names[id]);
  return p;
}

void ptx_profile_free (ptx_profile *p) {
  if (p == NULL) return;
  lcu_free(p->counts);
  lcu_free(p->sectors.slots);
  lcu_free(p);
}

lcu_status ptx_profile_begin (ptx_profile *p, const ptx_launch *launch) {
  uint32_t n = launch->kernel->module->ast.num_locs;
  lcu_free(p->counts);
  p->num_counts = n == 0 ? 1 : n;
  p->counts = lcu_calloc(p->num_counts, sizeof *p->counts);
  if (p->sectors.slots != NULL) memset(p->sectors.slots, 0, p->sectors.cap * sizeof(uint64_t));
  p->sectors.num = 0;
  return p->counts != NULL ? LCU_OK : lcu_no_memory("the counts of a profile");
}

static bool same_launch (const lcu_cost_kernel *k, const ptx_launch *l, uint32_t shared) {
  return strcmp(k->name, l->kernel->info.name) == 0 && k->shared == shared &&
         memcmp(k->grid, l->grid, sizeof k->grid) == 0 &&
         memcmp(k->block, l->block, sizeof k->block) == 0;
}

static uint32_t kernel_index (ptx_profile *p, const ptx_launch *l) {
  lcu_costs *c = p->costs;
  uint32_t shared = l->kernel->info.shared_bytes + l->dynamic_shared;
  for (size_t i = 0; i < lcu_costs_kernels(c); i++)
    if (same_launch(lcu_costs_kernel(c, i), l, shared)) return (uint32_t)i;
  lcu_cost_kernel k = { .shared = shared, .registers = l->kernel->info.registers };
  snprintf(k.name, sizeof k.name, "%s", l->kernel->info.name);
  memcpy(k.grid, l->grid, sizeof k.grid);
  memcpy(k.block, l->block, sizeof k.block);
  lcu_buf_add(&c->kernels, &k, sizeof k);
  return (uint32_t)lcu_costs_kernels(c) - 1;
}

static void add (lcu_cost *to, const lcu_cost *from) {
#define LCU_COST(name) to->name += from->name;
#include "lcu_costs.def"
}

static void add_line (ptx_profile *p, uint32_t kernel, const char *file, int line,
                      const lcu_cost *cost) {
  lcu_costs *c = p->costs;
  for (size_t i = 0; i < lcu_costs_lines(c); i++) {
    lcu_cost_line *have = lcu_costs_line(c, i);
    if (have->kernel == kernel && have->line == line && strcmp(have->file, file) == 0) {
      add(&have->cost, cost);
      return;
    }
  }
  lcu_cost_line made = { .kernel = kernel, .line = line, .cost = *cost };
  snprintf(made.file, sizeof made.file, "%s", file);
  lcu_buf_add(&c->lines, &made, sizeof made);
}

static void add_lines (ptx_profile *p, uint32_t kernel, const struct ptx_module_ast *ast) {
  for (uint32_t i = 0; i < p->num_counts; i++) {
    const char *file = "";
    uint32_t line = 0;
    if (p->counts[i].instructions == 0) continue;
    ptx_loc_user(ast, i, &file, &line);
    add_line(p, kernel, file, (int)line, &p->counts[i]);
  }
}

lcu_status ptx_profile_end (ptx_profile *p, const ptx_launch *launch) {
  uint32_t kernel = kernel_index(p, launch);
  if (!p->failed && !p->costs->kernels.failed) {
    lcu_cost_kernel *k = lcu_costs_kernel(p->costs, kernel);
    k->launches++;
    k->global_bytes += p->sectors.num * PTX_SECTOR;
    add_lines(p, kernel, &launch->kernel->module->ast);
  }
  if (!p->failed && !p->costs->kernels.failed && !p->costs->lines.failed) return LCU_OK;
  return lcu_no_memory("the counts of a profile");
}
