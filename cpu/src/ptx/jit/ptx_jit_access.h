/* ptx_jit_access.h: a load, store or atomic of memory while its code is written: how the addresses
 * of the lanes lie to each other, the check, and the elements. */
#ifndef PTX_JIT_ACCESS_H
#define PTX_JIT_ACCESS_H

#include "ptx_jit_emit.h"

enum { PTX_JIT_ROW = 16 };
/* Elements of a window, for loads and stores. */
enum { PTX_JIT_WINDOW_LOADS = 128, PTX_JIT_WINDOW_STORES = 64 };

typedef enum ptx_jit_shape {
  PTX_JIT_ONE,    /* one address */
  PTX_JIT_RUN,    /* consecutive */
  PTX_JIT_ROWS,   /* in each row of 16 lanes, consecutive or equal */
  PTX_JIT_WINDOW, /* near each other, known for each lane */
  PTX_JIT_FIXED,  /* at known distances */
  PTX_JIT_ANY
} ptx_jit_shape;

typedef struct ptx_jit_transfer {
  const ptx_uop *I;
  uint32_t i;
  const ptx_value *a; /* of the address register; NULL: nothing is known */
  uint32_t base;      /* what lane 0 has in that register; 0: ask for the claim's base */
  bool load, shared;
  ptx_jit_shape shape;
  int64_t step;        /* ROWS: 0 or stride */
  int64_t least, most; /* WINDOW, FIXED: the offsets of the lanes' addresses */
  uint32_t stride;     /* bytes of one lane */
  uint32_t width;      /* bytes of the address register */
  uint32_t slot_bytes;
  uint32_t range;               /* of global memory: which of ptx_warp.last */
  char memory[8];               /* the type in memory */
  uint32_t from, size, storage; /* i64, i64, ptr: memory that may be accessed; ptr of address 0 */
  uint32_t ok;                  /* i1: the check */
  ptx_jit_group group;
} ptx_jit_transfer;

/* ---- ptx_jit_memory.c */

/* Fills in the fields that all shapes share; ptx_jit_transfer_shape finds the shape. */
ptx_jit_transfer ptx_jit_transfer_of (const ptx_jit_emitter *E, uint32_t i);
void ptx_jit_transfer_shape (const ptx_jit_emitter *E, ptx_jit_transfer *x);
/* The check has been written: `fast` begins; then `ptx_jit_transfer_end` calls the handler where it
 * fails. */
void ptx_jit_transfer_begin (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t labels[2]);
void ptx_jit_transfer_end (ptx_jit_emitter *E, const ptx_jit_transfer *x, const uint32_t labels[2]);

/* ---- ptx_jit_check.c */

/* What the fast path needs: places, or a place and offsets. */
typedef struct ptx_jit_spot {
  uint32_t at[2], offsets;
} ptx_jit_spot;

/* Where an access is that the first one of its group has checked. */
ptx_jit_spot ptx_jit_checked (ptx_jit_emitter *E, ptx_jit_transfer *x);
/* Checks the accesses of all lanes that are on: x->ok. */
ptx_jit_spot ptx_jit_check (ptx_jit_emitter *E, ptx_jit_transfer *x);
/* Whether the host moves consecutive elements of some lanes at a time. */
bool ptx_jit_has_masks (const ptx_jit_transfer *x);
/* Of lanes that are off, nothing is checked and nothing moved. */
bool ptx_jit_check_masked (const ptx_jit_emitter *E, const ptx_jit_transfer *x);
/* The lanes that are on, where they may not be all. */
const char *ptx_jit_check_mask (const ptx_jit_emitter *E, char text[16]);

/* ---- ptx_jit_move.c */

void ptx_jit_move (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t);
/* Where the checked addresses are in memory. */
uint32_t ptx_jit_move_place (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t at);

/* Element e of a vector: its slot; its value for all lanes, read or written. */
int32_t ptx_jit_move_slot (const ptx_jit_transfer *x, uint32_t e);
uint32_t ptx_jit_move_element (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t e);
void ptx_jit_move_set (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t e, uint32_t lanes);
/* From the type in a slot to the one in memory. */
uint32_t ptx_jit_move_narrowed (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t value);
/* The elements of all lanes side by side, as they are in memory. */
uint32_t ptx_jit_move_interleaved (ptx_jit_emitter *E, const ptx_jit_transfer *x);
/* Picks elements of two vectors of `from` elements each. */
uint32_t ptx_jit_move_shuffle (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t a,
                               uint32_t b, uint32_t from, const uint32_t *picks, uint32_t num);
/* `num` elements side by side. */
uint32_t ptx_jit_move_load (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from,
                            uint32_t num);
void ptx_jit_move_store (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t to, uint32_t value,
                         uint32_t num);
/* A place some bytes behind another. */
uint32_t ptx_jit_move_beyond (ptx_jit_emitter *E, uint32_t place, int64_t bytes);

/* ---- ptx_jit_local.c: a load or store of local memory; an address there */

void ptx_jit_local (ptx_jit_emitter *E, uint32_t i);
void ptx_jit_local_address (ptx_jit_emitter *E, uint32_t i, uint32_t bytes);

/* ---- ptx_jit_window.c: all elements from the least to the most are in memory that was checked */

void ptx_jit_window_take (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from);
/* Shared memory belongs to one worker: what lies between is written back as it was read. */
void ptx_jit_window_give (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t to);

#endif
