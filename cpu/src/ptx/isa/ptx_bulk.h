/* ptx_bulk.h: bulk copies (9.7.9.25.4) and asynchronous stores, operands and options. */
#ifndef PTX_BULK_H
#define PTX_BULK_H

#include "ptx_flight.h"
#include "ptx_fragment.h"

/* I->extra->slots. Addresses are in 64-bit registers; imm[i] is the offset of the one at slots[i].
 * I->space is the space of the destination, I->imm that of the source. imm[BULK_CHANGE] of
 * reductions is mode | type << 8, of copies 0. */
enum { BULK_TO, BULK_FROM, BULK_BAR, BULK_SIZE, BULK_MASK, BULK_VALUES, BULK_CHANGE = 3 };

/* Of copies of boxes of tensors, TO is the address in shared memory, FROM that of the tensor map,
 * VALUES are the coordinates, and imm[BULK_CHANGE] is the mode alone. I->space is PTX_GLOBAL for
 * copies to the tensor, I->imm is the mode. In im2col mode OFFSETS are those of spatial dimensions,
 * -1 for none. Of copies of four rows, VALUES are the first column and the rows. */
enum { BULK_TILE, BULK_IM2COL, BULK_FOUR_ROWS };
enum { BULK_OFFSETS = BULK_VALUES + 5, BULK_ROWS = 4 };
/* Of copies to global memory, a mask of bytes of every unit of 16, -1: all. */
enum { BULK_BYTES = BULK_VALUES };

/* The memory that a lane writes: one span per block of the cluster that gets a copy. */
uint32_t ptx_bulk_spans (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                         ptx_span spans[PTX_MAX_CLUSTER]);
/* The address of the barrier object at which the copy to a span completes; UINT64_MAX: none. */
uint64_t ptx_bulk_object (const ptx_uop *I, const uint8_t *rf, const ptx_span *s);
/* Bits of the swizzle of a box; 0: none. Changes w->fault. */
uint32_t ptx_tensor_swizzle (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane);
/* The memory of one piece that the copy of a lane reads; false: it is in several. *space: its. */
bool ptx_bulk_source (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                      ptx_span *span, uint8_t *space);
/* The same for boxes of tensors; they change w->fault. */
bool ptx_tensor_source (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                        ptx_span *span);
uint32_t ptx_tensor_spans (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                           ptx_span spans[PTX_MAX_CLUSTER]);

/* A part of a box that is in the tensor, and where the bytes are that a store writes there; NULL:
 * it is not known. False: that is enough. */
typedef bool ptx_box_fn (void *ud, uint64_t address, uint32_t bytes, const uint8_t *stored);
/* Calls `each` for the parts of the box of a lane; changes w->fault. The same for one in flight. */
void ptx_tensor_show (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                      ptx_box_fn *each, void *ud);
void ptx_tensor_show_flight (const ptx_flight *f, ptx_box_fn *each, void *ud);

/* The places that get `bytes` bytes. */
uint32_t ptx_bulk_targets (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint32_t bytes,
                           ptx_span spans[PTX_MAX_CLUSTER]);
/* The operation that brings them to one of them is in flight from now on. It completes at the
 * barrier object, or else with a group. False: w->fault is set. */
bool ptx_bulk_await (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, const ptx_span *s,
                     ptx_flight *f);

#endif
