/* lcu_costs.h: what kernels cost, by line of their source: the result of counting on the CPU
 * device. */
#ifndef LCU_COSTS_H
#define LCU_COSTS_H

#include "lcu_trace.h"

typedef struct lcu_cost {
#define LCU_COST(name) uint64_t name;
#include "lcu_costs.def"
} lcu_cost;

/* A kernel; its launches with another shape are another one. */
typedef struct lcu_cost_kernel {
  char name[256];
  uint32_t grid[3], block[3], shared; /* shared: bytes per block, static and dynamic */
  uint32_t registers;                 /* per thread, of the PTX: an estimate */
  uint64_t launches;
  uint64_t global_bytes; /* of all sectors of global memory that a launch touched, each once */
} lcu_cost_kernel;

typedef struct lcu_cost_line {
  uint32_t kernel; /* its index */
  int line;        /* 0: unknown */
  char file[512];  /* "": unknown */
  lcu_cost cost;
} lcu_cost_line;

typedef struct lcu_costs {
  lcu_buf kernels;  /* lcu_cost_kernel */
  lcu_buf lines;    /* lcu_cost_line */
  lcu_trace *trace; /* NULL: none */
} lcu_costs;

static inline size_t lcu_costs_kernels (const lcu_costs *c) {
  return c->kernels.len / sizeof(lcu_cost_kernel);
}
static inline size_t lcu_costs_lines (const lcu_costs *c) {
  return c->lines.len / sizeof(lcu_cost_line);
}
static inline lcu_cost_kernel *lcu_costs_kernel (const lcu_costs *c, size_t i) {
  return (lcu_cost_kernel *)(void *)c->kernels.data + i;
}
static inline lcu_cost_line *lcu_costs_line (const lcu_costs *c, size_t i) {
  return (lcu_cost_line *)(void *)c->lines.data + i;
}

static inline void lcu_costs_free (lcu_costs *c) {
  lcu_buf_free(&c->kernels);
  lcu_buf_free(&c->lines);
}

#endif
