/* ptx_decode_runs.c: which products of matrices are carried out together. */
#include <string.h>

#include "ptx_decode.h"
#include "ptx_ids.h"
#include "ptx_tensor.h"

/* The slots of a product. */
static const int32_t *slots_of_a (const ptx_uop *I) {
  return I->extra->slots + ptx_product_form_of(I).d;
}
static const int32_t *slots_of_b (const ptx_uop *I) {
  return slots_of_a(I) + ptx_product_form_of(I).a;
}
static const int32_t *slots_of_c (const ptx_uop *I) {
  return slots_of_b(I) + ptx_product_form_of(I).b;
}

static bool are_equal (const int32_t *x, const int32_t *y, uint32_t num) {
  return memcmp(x, y, num * sizeof *x) == 0;
}

static bool have_common (const int32_t *x, uint32_t num_x, const int32_t *y, uint32_t num_y) {
  for (uint32_t i = 0; i < num_x; i++)
    for (uint32_t k = 0; k < num_y; k++)
      if (x[i] == y[k]) return true;
  return false;
}

/* Are both the same form of product? */
static bool are_alike (const ptx_uop *x, const ptx_uop *y) {
  return y->id == x->id && y->bb == x->bb && y->extra->p == x->extra->p &&
         memcmp(x->extra->imm, y->extra->imm, 3 * sizeof *x->extra->imm) == 0;
}

/* Do the matrices of I not depend on what products from `run` on add up? */
static bool is_independent (const ptx_uop *run, const ptx_uop *I) {
  ptx_product_form f = ptx_product_form_of(I);
  for (const ptx_uop *x = run; x < I; x++)
    if (have_common(x->extra->slots, f.d, slots_of_a(I), (uint32_t)f.a + f.b)) return false;
  return true;
}

static bool may_run (const ptx_uop *I) {
  return I->id == PTX_ID_mma_f32 && ptx_tensor_of(I)->form != PTX_TENSOR_SPARSE &&
         ptx_scaling_of(I).vectors == 0;
}

static bool adds_in_place (const ptx_uop *I) {
  ptx_product p = ptx_product_of(I);
  ptx_product_form f = ptx_product_form_of(I);
  return p.c == PTX_F32 && p.d == PTX_F32 && !p.satfinite && f.d == f.c &&
         are_equal(I->extra->slots, slots_of_c(I), f.c);
}

/* The number of a matrix: that of an earlier one in the same registers, or the next one. */
static uint8_t number_in_run (const ptx_uop *run, const ptx_uop *I, bool is_b) {
  ptx_product_form f = ptx_product_form_of(I);
  uint8_t next = 0;
  for (const ptx_uop *x = run; x < I; x++) {
    ptx_product_run r = ptx_product_run_of(x);
    uint8_t number = is_b ? r.b : r.a;
    if (is_b ? are_equal(slots_of_b(x), slots_of_b(I), f.b)
             : are_equal(slots_of_a(x), slots_of_a(I), f.a))
      return number;
    if (number >= next) next = (uint8_t)(number + 1);
  }
  return next;
}

static uint32_t run_length (const ptx_uop *run, const ptx_uop *end) {
  const ptx_uop *I = run + 1;
  if (!may_run(run)) return 1;
  while (I < end && I - run < PTX_RUN_MOST && are_alike(run, I) && is_independent(run, I)) I++;
  return (uint32_t)(I - run);
}

static void note_run (ptx_uop *run, uint32_t length) {
  for (uint32_t k = 0; k < length; k++) {
    ptx_product_run r = { .left = (uint16_t)(length - k),
                          .a = number_in_run(run, run + k, false),
                          .b = number_in_run(run, run + k, true),
                          .first = k == 0,
                          .in_place = adds_in_place(run + k) };
    memcpy(&((struct ptx_uop_extra *)(uintptr_t)run[k].extra)->imm[3], &r, sizeof r);
  }
}

void ptx_decode_runs (ptx_uop *uops, uint32_t num) {
  for (uint32_t i = 0; i < num;) {
    uint32_t length = 1;
    if (uops[i].id == PTX_ID_mma_f32) {
      length = run_length(&uops[i], uops + num);
      note_run(&uops[i], length);
    }
    i += length;
  }
}
