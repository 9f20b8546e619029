/* lcu_jit.h: options and results of the driver's PTX compiler and linker. */
#ifndef LCU_JIT_H
#define LCU_JIT_H

#include "cu_driver.h"

#define LCU_JIT_LOG 16384
enum { LCU_JIT_MAX = 16 };

typedef struct lcu_jit_option {
  cu_jit_option id;
  unsigned value;
} lcu_jit_option;

typedef struct lcu_jit_report {
  char info[LCU_JIT_LOG], error[LCU_JIT_LOG];
  double wall_ms;             /* 0: not measured */
  unsigned threads_per_block; /* that the code was compiled for; 0: not asked */
} lcu_jit_report;

/* The arguments of one driver call: `options` of the caller, and those that fill the report. They
 * stay in place until the driver is done with them. */
typedef struct lcu_jit {
  int ids[LCU_JIT_MAX];
  void *values[LCU_JIT_MAX];
  unsigned num, wall, threads; /* indices of the results; 0: not asked */
  lcu_jit_report *report;
} lcu_jit;

/* Empties `report`, which also receives the time if `timed` is set. */
void lcu_jit_begin (lcu_jit *j, const lcu_jit_option *options, size_t num, bool timed,
                    lcu_jit_report *report);
/* Reads the results, after the driver's last call. */
void lcu_jit_end (lcu_jit *j);

#endif
