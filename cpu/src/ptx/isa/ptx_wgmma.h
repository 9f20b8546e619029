/* ptx_wgmma.h: matrices of wgmma in shared memory (9.7.15.5.1), which 64-bit descriptors name. The
 * decoder makes a product of each block of eight columns, as of mma: every warp of a warpgroup
 * multiplies its own 16 rows. It does so when it waits for the product: until then the product is
 * in flight (ptx_flight.h). */
#ifndef PTX_WGMMA_H
#define PTX_WGMMA_H

#include "ptx_flight.h"
#include "ptx_fragment.h"

/* What wgmma_load takes from a matrix, in extra->imm[0]. I->a: the descriptor. The slots are the
 * registers of a fragment of mma. */
typedef struct ptx_group_load {
  bool is_b;      /* eight columns of b, otherwise the warp's 16 rows of a */
  bool across;    /* elements of 16 bits; those that follow each other are of one k */
  uint8_t chunks; /* of 16 bytes, along k */
  uint8_t block;  /* b: the columns from 8 * block */
  uint32_t unused;
} ptx_group_load;
static inline ptx_group_load ptx_group_load_of (const ptx_uop *I) {
  ptx_group_load g;
  _Static_assert(sizeof g == sizeof I->extra->imm[0], "it is kept in one imm");
  __builtin_memcpy(&g, &I->extra->imm[0], sizeof g);
  return g;
}

/* The micro-operations of one wgmma, in extra->p of the one that issues it. They are not part of
 * the code around it. Operands that count when it is issued are kept with it and put into `slots`
 * before the operations run: descriptors, scale-d, metadata. The registers of d and a count at the
 * end. In debug code (I->imm) the operations run at once: it keeps variables in memory and stores
 * the registers before any wait, and ptxas waits there. */
enum { PTX_KEPT = 6 };
typedef struct ptx_products {
  const ptx_uop *uops;
  uint32_t num, num_kept;
  int32_t slots[PTX_KEPT];
  uint32_t bytes[PTX_KEPT]; /* of each slot, in the order of extra->slots */
} ptx_products;

static inline const ptx_products *ptx_products_of (const ptx_uop *I) {
  return (const ptx_products *)I->extra->p;
}

/* Puts the operands of the issuing operation where its loads find them. */
void ptx_products_open (const ptx_uop *I, uint8_t *rf);
/* The warp waits until at most `left` of its latest groups of products are in flight. A product is
 * one of the whole warp group: what is complete for one warp has been multiplied in all four.
 * False: another warp has yet to issue such a product. */
bool ptx_products_wait (ptx_warp *w, uint32_t left);
/* Runs what is in flight in a register file that is going. */
void ptx_products_leave (ptx_warp *w, const uint8_t *rf);
/* Of a product in flight: what its load I reads. Returns the number of spans. */
uint32_t ptx_product_spans (const ptx_flight *f, const ptx_uop *I, ptx_span spans[PTX_LANES]);
/* The registers of a product in flight. */
const uint8_t *ptx_product_frame (const ptx_flight *f);

/* Bits of the swizzle of the matrix that an operation loads from, as of tensor maps; 0: none. */
uint32_t ptx_wgmma_swizzle (const ptx_uop *I, const uint8_t *rf);
/* As ptx_matrix_spans: the chunks of 16 bytes that the warp reads. */
uint32_t ptx_wgmma_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                          ptx_span spans[PTX_LANES]);

#endif
