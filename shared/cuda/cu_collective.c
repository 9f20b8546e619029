/* cu_collective.c: see cu_collective.h. */
#include "cu_collective.h"

const lcu_collective_row lcu_collectives[LCU_COLLECTIVE_COUNT] = {
#define LCU_COLLECTIVE(ID, name, in, out) \
  [LCU_COLLECTIVE_##ID] = { name, LCU_EXTENT_##in, LCU_EXTENT_##out },
#include "collectives.def"
#undef LCU_COLLECTIVE
};

const char *const lcu_reduce_ops[LCU_REDUCE_COUNT + 1] = {
  "sum", "prod", "max", "min", "avg", NULL
};

static const char *refuses_complex (lcu_reduce_op op) {
  bool fits = op == LCU_REDUCE_SUM || op == LCU_REDUCE_AVG;
  return fits ? NULL : "complex numbers have only sum and avg";
}

static const char *refuses_bool (lcu_reduce_op op) {
  bool fits = op == LCU_REDUCE_MIN || op == LCU_REDUCE_MAX || op == LCU_REDUCE_PROD;
  return fits ? NULL : "bools have only min (all), max (any) and prod; convert them to count";
}

const char *lcu_reduce_refuses (const lcu_dtype *t, lcu_reduce_op op) {
  if (t->kind == LCU_KIND_STRUCT) return "structs cannot be combined";
  if (t->kind == LCU_KIND_COMPLEX) return refuses_complex(op);
  if (t->kind == LCU_KIND_BOOL) return refuses_bool(op);
  if (t->id == LCU_INT16 || t->id == LCU_UINT16)
    return "NCCL has no integers of 16 bits; convert them";
  if (op == LCU_REDUCE_AVG && t->kind != LCU_KIND_FLOAT)
    return "integers have no avg; convert them, or divide the sum";
  return NULL;
}

uint64_t lcu_collective_bytes (const lcu_collective *op, int size, bool out) {
  const lcu_collective_row *row = &lcu_collectives[op->kind];
  lcu_collective_extent span = out ? row->out : row->in;
  uint64_t bytes = op->count * lcu_dtypes[op->dtype].size;
  if (span == LCU_EXTENT_NONE || (out ? op->out : op->in) == 0) return 0;
  return span == LCU_EXTENT_ALL ? bytes * (uint64_t)size : bytes;
}
