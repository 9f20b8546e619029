/* ptx_shape_dump.c: claims as text, for tests. */
#include "ptx_shape.h"

#include <inttypes.h>

#include "ptx_shape_inst.h"

static void dump_lanes (const ptx_value *v, lcu_buf *out) {
  lcu_buf_adds(out, " + lanes");
  for (uint32_t l = 0; l < PTX_LANES; l++) lcu_buf_addf(out, " %" PRIu64, v->offsets[l]);
}

static void dump_value (const ptx_value *v, uint32_t bits, lcu_buf *out) {
  static const char *const names[] = { "none", "", "uniform", "rows", "varying" };
  int64_t stride;
  if (v->base == PTX_BASE_CONST) lcu_buf_addf(out, "%" PRIu64, v->constant);
  lcu_buf_adds(out, names[v->base]);
  if (v->base == PTX_BASE_WARP && v->align != 0)
    lcu_buf_addf(out, " *%" PRIu64, (uint64_t)1 << v->align);
  if (v->offsets != NULL) {
    if (v->base != PTX_BASE_ROW && ptx_value_stride(v, bits, 32, &stride))
      lcu_buf_addf(out, " + %" PRId64 " * lane", stride);
    else if (v->base == PTX_BASE_ROW && ptx_value_stride(v, bits, 16, &stride))
      lcu_buf_addf(out, " + %" PRId64 " * column", stride);
    else dump_lanes(v, out);
  }
  if (v->widened) lcu_buf_adds(out, " widened");
}

static void dump_root (const ptx_root *r, lcu_buf *out) {
  if (r->kind == PTX_ROOT_PARAM) lcu_buf_addf(out, " (param %u)", (unsigned)r->param);
  if (r->kind == PTX_ROOT_VARIABLE) lcu_buf_addf(out, " (%s)", r->variable->name);
  if (r->kind == PTX_ROOT_MANY) lcu_buf_adds(out, " (many)");
}

void ptx_shape_dump (const ptx_claims *s, lcu_buf *out) {
  const ptx_function *f = s->function;
  for (uint32_t k = 0; k < f->num_regs; k++) {
    if (s->values[k].base == PTX_BASE_NONE) continue;
    lcu_buf_addf(out, "%s = ", f->regs[k]->name);
    dump_value(&s->values[k], ptx_value_bits(f->regs[k]->type), out);
    dump_root(&s->roots[k], out);
    lcu_buf_adds(out, "\n");
  }
  for (uint32_t b = 0; b < f->num_bbs; b++) {
    if (!s->divergent[b] && !s->joins[b] && !s->ragged[b]) continue;
    lcu_buf_addf(out, "block %u:%s%s%s\n", b, s->joins[b] ? " joins" : "",
                 s->divergent[b] ? " diverges" : "", s->ragged[b] ? " ragged" : "");
  }
}
