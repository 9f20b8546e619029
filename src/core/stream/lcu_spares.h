/* lcu_spares.h: pieces of memory freed on one stream and kept for later allocations of the same
 * size class on that stream. The stream's order makes the reuse safe. The driver's pool does the
 * same, but is slower. Not thread-safe: the caller holds a lock. */
#ifndef LCU_SPARES_H
#define LCU_SPARES_H

#include "cu_abi.h"
#include "lcu_base.h"

enum {
  LCU_SPARES = 1024,         /* pieces */
  LCU_SPARE_SIZE = 1 << 20,  /* bytes of the largest piece */
  LCU_SPARE_BYTES = 64 << 20 /* bytes of all pieces */
};

typedef struct lcu_spares {
  size_t bytes;
  /* head of the list of empty places (1-based, 0: none) */
  uint16_t vacant;
  uint16_t heads[128]; /* lists of pieces by size class */
  struct {
    cu_deviceptr address;
    uint16_t next;
  } places[LCU_SPARES];
} lcu_spares;

void lcu_spares_init (lcu_spares *s);
/* The bytes to allocate for `size` (1 to LCU_SPARE_SIZE): the largest size of its class, at most an
 * eighth more. */
size_t lcu_spare_round (size_t size);
/* A piece of lcu_spare_round(size) bytes, or 0. */
cu_deviceptr lcu_spares_take (lcu_spares *s, size_t size);
/* Keeps a piece. Returns false if the table is full or LCU_SPARE_BYTES are reached. */
bool lcu_spares_keep (lcu_spares *s, cu_deviceptr address, size_t size);
/* Any piece, or 0 where none is left: for freeing all. */
cu_deviceptr lcu_spares_drop (lcu_spares *s);

#endif
