/* ptx_sparse.c: where the stored elements of a sparse matrix belong.
 *
 * Of a chunk of elements of a row, half are stored: 2 of 4, of tf32 1 of 2, and of 4-bit elements 2
 * pairs of 4. The metadata has 4 bits per chunk: two indices of 2 bits, of pairs for 4-bit elements
 * and of halves of elements for tf32. Its bits for a row lie in the words of the four lanes of the
 * row's group: the first or second half of a word for rows 0-7 and 8-15, if elements have 16 or 32
 * bits, and otherwise words of their own. When not all four lanes are needed, the selector names
 * those that are. */
#include "ptx_sparse.h"

#include <string.h>

#include "ptx_lanes.h"

typedef struct metadata {
  const S_u32 *words;
  uint32_t selector;
  uint32_t bits; /* of a row */
  bool halves;   /* rows 0-7 and 8-15 share a word */
} metadata;

/* The two bits at `index` of those of a row. */
static uint32_t index_at (const metadata *m, uint32_t row, uint32_t index) {
  uint32_t bit = index * 2, group = row % 8 * 4, upper = row / 8;
  if (m->halves) {
    uint32_t lanes = m->bits / 16, lane = group + m->selector * lanes + bit / 16;
    return m->words[lane] >> (upper * 16 + bit % 16) & 3;
  }
  uint32_t first = m->bits == 32 ? m->selector * 2 : 0;
  return m->words[group + first + bit / 32 * 2 + upper] >> bit % 32 & 3;
}

/* The column of stored element `i` of a row. */
static uint32_t column_of (const metadata *m, const ptx_tensor *t, uint32_t row, uint32_t i) {
  switch (t->element) {
    case PTX_ELEMENT_TF32: return i * 2 + index_at(m, row, i * 2) / 2;
    case PTX_ELEMENT_I4:
    case PTX_ELEMENT_F4: return i / 4 * 8 + index_at(m, row, i / 2) * 2 + i % 2;
    default: return i / 2 * 4 + index_at(m, row, i);
  }
}

static uint32_t bits_of_row (const ptx_tensor *t) {
  switch (t->element) {
    case PTX_ELEMENT_TF32: return t->k * 2u;
    case PTX_ELEMENT_I4:
    case PTX_ELEMENT_F4: return t->k / 2u;
    default: return t->k;
  }
}

int64_t ptx_sparse_selectors (const ptx_tensor *t) { return 64 / bits_of_row(t); }

/* The number of element `column` of a row: its block of rows, plane and place in the plane. */
static uint32_t number_of (const ptx_fragment_form *f, uint32_t row, uint32_t column) {
  uint32_t word = column / f->per_word, plane = column % f->per_word;
  return ((row / 8 * f->words + word / 4) * f->per_word + plane) * PTX_LANES + row % 8 * 4 +
         word % 4;
}

void ptx_sparse_expand (float *planes, const ptx_tensor *t, ptx_fragment_form *f,
                        const uint8_t *words, const uint8_t *selector) {
  float stored[32 * PTX_LANES];
  metadata m = { .words = PTX_SLOT(u32, words, 0),
                 .selector = PTX_SLOT(u32, selector, 0)[0],
                 .bits = bits_of_row(t),
                 .halves = f->bits >= 16 };
  ptx_fragment_form from = *f;
  uint32_t count = (uint32_t)f->rows * f->words * f->per_word * PTX_LANES;
  memcpy(stored, planes, count * sizeof *stored);
  memset(planes, 0, 2 * count * sizeof *planes);
  f->words = (uint8_t)(f->words * 2);
  for (uint32_t row = 0; row < t->m; row++)
    for (uint32_t i = 0; i < t->k / 2u; i++)
      planes[number_of(f, row, column_of(&m, t, row, i))] = stored[number_of(&from, row, i)];
}
