/* sort_network.h: sorts of many short rows at the same time: one row in each lane of vectors. */
#ifndef SORT_NETWORK_H
#define SORT_NETWORK_H

#include "lcu_base.h"
#include "lcu_isa.h"

enum { SORT_NETWORK_BLOCK = 8 };

/* A network for one instruction set. Element i of the row in lane l of m vectors is at
 * i * lanes + l. Vectors of keys begin at a multiple of their size, and up to the next multiple of
 * SORT_NETWORK_BLOCK they are overwritten. */
typedef struct sort_network {
  const char *name;
  int bytes; /* of a vector */
  void (*keys8)(uint8_t *v, int64_t m);
  void (*keys16)(uint16_t *v, int64_t m);
  void (*keys32)(uint32_t *v, int64_t m);
  void (*keys64)(uint64_t *v, int64_t m);
  /* by v, then by w */
  void (*pairs64)(uint64_t *v, uint64_t *w, int64_t m);
} sort_network;

#define SORT_DECLARE(level) extern const sort_network sort_isa_##level;
LCU_ISA_LEVELS(SORT_DECLARE)

#endif
