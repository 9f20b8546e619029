/* ptx_tensor.c: the rows of ptx_tensor.def and the registers of their operands. */
#include "ptx_tensor.h"

static const ptx_tensor rows[] = {
#define PTX_TENSOR(form_, shape_, m_, n_, k_, element_, accumulator_) \
  { .form = PTX_TENSOR_##form_, \
    .shape = PTX_SHAPE_##shape_, \
    .m = m_, \
    .n = n_, \
    .k = k_, \
    .element = PTX_ELEMENT_##element_, \
    .accumulator = PTX_ACCUMULATOR_##accumulator_ },
#include "ptx_tensor.def"
#undef PTX_TENSOR
};

static const uint8_t element_bits[] = {
  [PTX_ELEMENT_F16] = 16, [PTX_ELEMENT_BF16] = 16, [PTX_ELEMENT_TF32] = 32, [PTX_ELEMENT_F32] = 32,
  [PTX_ELEMENT_F64] = 64, [PTX_ELEMENT_I8] = 8,    [PTX_ELEMENT_I4] = 4,    [PTX_ELEMENT_B1] = 1,
  [PTX_ELEMENT_F8] = 8,   [PTX_ELEMENT_F4] = 4
};

const ptx_tensor *ptx_tensor_find (ptx_tensor_form form, uint8_t shape, ptx_element element) {
  for (size_t i = 0; i < lcu_arraylen(rows); i++)
    if (rows[i].form == form && rows[i].shape == shape && rows[i].element == element)
      return &rows[i];
  return NULL;
}

const ptx_tensor *ptx_tensor_of_accumulator (uint8_t shape, ptx_type type) {
  for (size_t i = 0; i < lcu_arraylen(rows); i++)
    if (rows[i].form == PTX_TENSOR_WMMA && rows[i].shape == shape &&
        ptx_tensor_accumulates(&rows[i], type))
      return &rows[i];
  return NULL;
}

bool ptx_element_of (ptx_type type, ptx_element *element) {
  switch (type) {
    case PTX_F16: *element = PTX_ELEMENT_F16; return true;
    case PTX_BF16: *element = PTX_ELEMENT_BF16; return true;
    case PTX_TF32: *element = PTX_ELEMENT_TF32; return true;
    case PTX_F32: *element = PTX_ELEMENT_F32; return true;
    case PTX_F64: *element = PTX_ELEMENT_F64; return true;
    case PTX_S8:
    case PTX_U8: *element = PTX_ELEMENT_I8; return true;
    case PTX_S4:
    case PTX_U4: *element = PTX_ELEMENT_I4; return true;
    case PTX_B1: *element = PTX_ELEMENT_B1; return true;
    case PTX_E4M3:
    case PTX_E5M2:
    case PTX_E3M2:
    case PTX_E2M3:
    case PTX_E2M1: *element = PTX_ELEMENT_F8; return true;
    case PTX_E2M1X2: *element = PTX_ELEMENT_F4; return true;
    default: return false;
  }
}

bool ptx_tensor_accumulates (const ptx_tensor *t, ptx_type type) {
  switch (t->accumulator) {
    case PTX_ACCUMULATOR_HALF: return type == PTX_F16 || type == PTX_F32;
    case PTX_ACCUMULATOR_F32: return type == PTX_F32;
    case PTX_ACCUMULATOR_F64: return type == PTX_F64;
    default: return type == PTX_S32;
  }
}

static ptx_fragment_form accumulator_form (const ptx_tensor *t, ptx_type type) {
  ptx_fragment_form f = { .rows = t->m / 8, .words = t->n / 8, .per_word = 1 };
  f.bits = (uint8_t)(ptx_type_bytes(type) * 8);
  f.pairs = f.bits > 16;
  if (!f.pairs) f.per_word = 2;
  f.type = f.bits == 64 ? PTX_B64 : PTX_B32;
  f.total = f.unique = (uint8_t)(f.rows * f.words * (f.pairs ? 2 : 1));
  return f;
}

ptx_fragment_form ptx_tensor_fragment (const ptx_tensor *t, char which, ptx_type type) {
  if (which == 'c') return accumulator_form(t, type);
  bool a = which == 'a';
  uint32_t k = a && t->form == PTX_TENSOR_SPARSE ? t->k / 2u : t->k;
  ptx_fragment_form f = { .rows = (a ? t->m : t->n) / 8, .bits = element_bits[t->element] };
  f.per_word = f.bits == 64 ? 1 : 32 / f.bits;
  f.words = (uint8_t)(k / (4u * f.per_word));
  f.type = f.bits == 64 ? PTX_B64 : PTX_B32;
  f.total = f.unique = (uint8_t)(f.rows * f.words);
  /* Every fragment of halves has eight registers, whatever its shape. */
  if (t->form == PTX_TENSOR_WMMA && t->element == PTX_ELEMENT_F16) f.total = 8;
  return f;
}

ptx_product_form ptx_product_form_make (const ptx_tensor *t, const ptx_product *p) {
  ptx_fragment_form a = ptx_tensor_fragment(t, 'a', PTX_NOTYPE),
                    b = ptx_tensor_fragment(t, 'b', PTX_NOTYPE),
                    c = ptx_tensor_fragment(t, 'c', (ptx_type)p->c),
                    d = ptx_tensor_fragment(t, 'c', (ptx_type)p->d);
  return (ptx_product_form){ .rows = a.rows,
                             .columns = b.rows,
                             .words = b.words,
                             .per_word = b.per_word,
                             .d = d.total,
                             .a = a.unique,
                             .b = b.unique,
                             .c = c.unique };
}
