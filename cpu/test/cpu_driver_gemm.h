/* cpu_driver_gemm.h: tests of products of matrices: what cuxGemm computes, and what it checks. */
#ifndef CPU_DRIVER_GEMM_H
#define CPU_DRIVER_GEMM_H

#include "cpu_driver_check.h"
#include "lcu_dtype.h"
#include "lcu_gemm.h"

/* Two products of 2 x 3 by 3 x 2 floats, one after the other in memory: 12, 12 and 8 of them. */
static lcu_gemm two_products (void) {
  return (lcu_gemm){ .m = 2,
                     .n = 2,
                     .k = 3,
                     .a_row = 3,
                     .a_col = 1,
                     .b_row = 2,
                     .b_col = 1,
                     .c_row = 2,
                     .c_col = 1,
                     .axes = 1,
                     .batch = { { 2, 6, 6, 4 } } };
}

static void gemm_fault (const cux_gemm *g, const char *kind, uint64_t address, bool write) {
  cux_fault f;
  memset(&f, 0, sizeof f);
  OK(d->cuxGemm(g, NULL));
  CHECK(d->cuCtxSynchronize() != 0);
  OK(d->cuxTakeFault(&f));
  CHECK(strcmp(f.kind, kind) == 0 && strcmp(f.kernel, "luacuda_matmul") == 0, "%s", f.kind);
  CHECK(f.address == address && f.bytes == 4 && f.write == write, "%s", f.message);
  OK(d->cuCtxSynchronize());
}

static void test_gemm (void) {
  float ones[12], got[8];
  lcu_gemm plan = two_products();
  cu_deviceptr a = device_alloc(48), b = device_alloc(48), c = device_alloc(32);
  cux_gemm g = { &plan, LCU_FLOAT32, a, b, c, NULL };
  for (int i = 0; i < 12; i++) ones[i] = (float)(i + 1);
  OK(d->cuMemcpyHtoDAsync(a, ones, 48, NULL));
  for (int i = 0; i < 12; i++) ones[i] = 1;
  OK(d->cuMemcpyHtoDAsync(b, ones, 48, NULL));
  OK(d->cuxGemm(&g, NULL));
  OK(d->cuMemcpyDtoHAsync(got, c, 32, NULL));
  OK(d->cuCtxSynchronize());
  CHECK(got[0] == 6 && got[1] == 6 && got[3] == 15 && got[4] == 24 && got[7] == 33);

  /* one element too far, at either end, in each operand */
  g.a = a + 4;
  gemm_fault(&g, "out of bounds", a + 48, false);
  g.a = a - 4;
  gemm_fault(&g, "out of bounds", a - 4, false);
  g.a = a;
  g.b = b + 4;
  gemm_fault(&g, "out of bounds", b + 48, false);
  g.b = b;
  g.c = c + 4;
  gemm_fault(&g, "out of bounds", c + 32, true);
  g.c = c;
  plan.batch[0].extent = 3;
  gemm_fault(&g, "out of bounds", a + 48, false);
  plan = two_products();
  /* from the last row back to the first */
  plan.a_row = -3;
  gemm_fault(&g, "out of bounds", a - 12, false);
  g.a = a + 12;
  OK(d->cuxGemm(&g, NULL));
  OK(d->cuMemcpyDtoHAsync(got, c, 32, NULL));
  OK(d->cuCtxSynchronize());
  CHECK(got[0] == 15 && got[2] == 6 && got[7] == 24);
  plan = two_products();
  g.a = a + 2;
  gemm_fault(&g, "misaligned", a + 2, false);
  g.a = a;
  OK(d->cuMemFree(b));
  gemm_fault(&g, "use after free", b, false);
  OK(d->cuMemFree(a));
  OK(d->cuMemFree(c));
}

static void test_gemm_parts (void) {
  start(NULL, NULL);
  test_gemm();
  stop();
}

#endif
