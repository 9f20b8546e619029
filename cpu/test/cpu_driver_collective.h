/* cpu_driver_collective.h: tests of cuxCollective: a job is carried out or skipped, never both. */
#ifndef CPU_DRIVER_COLLECTIVE_H
#define CPU_DRIVER_COLLECTIVE_H

#include "cpu_driver_check.h"
#include "cu_collective.h"

static atomic_int jobs_run, jobs_skipped;

static lcu_status count_run (const cux_collective_job *job, bool (*stops)(void *ud), void *ud,
                             char why[CUX_WHY_SIZE]) {
  (void)why;
  (void)job;
  (void)stops;
  (void)ud;
  atomic_fetch_add(&jobs_run, 1);
  return LCU_OK;
}

static void count_skip (const cux_collective_job *job) {
  (void)job;
  atomic_fetch_add(&jobs_skipped, 1);
}

static void test_collective (void) {
  cu_deviceptr x = device_alloc(40);
  union {
    cux_collective_job job;
    char bytes[sizeof(cux_collective_job) + sizeof(lcu_collective)];
  } u = { .job = { .run = count_run, .skip = count_skip, .size = 1, .n = 1 } };
  u.job.ops[0] = (lcu_collective){
    .kind = LCU_COLLECTIVE_ALL_REDUCE, .dtype = LCU_FLOAT32, .count = 10, .in = x, .out = x
  };
  OK(d->cuxCollective(&u.job, NULL));
  OK(d->cuCtxSynchronize());
  CHECK(atomic_load(&jobs_run) == 1 && atomic_load(&jobs_skipped) == 0);
  u.job.ops[0].count = 11; /* one element too many */
  OK(d->cuxCollective(&u.job, NULL));
  CHECK(d->cuCtxSynchronize() != 0);
  CHECK(atomic_load(&jobs_run) == 1 && atomic_load(&jobs_skipped) == 1);
  OK(d->cuMemFree(x));
}

static void test_collective_parts (void) {
  start(NULL, NULL);
  test_collective();
  stop();
}

#endif
