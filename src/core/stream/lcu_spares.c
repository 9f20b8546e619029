/* lcu_spares.c: lists of freed pieces by size class: eight classes between powers of two, from 512
 * bytes on. */
#include "lcu_spares.h"

#include <string.h>

enum { LEAST_BITS = 9, STEP_BITS = 3, STEPS = 1 << STEP_BITS };

/* The size class, and the largest size in it. */
static unsigned class_of (size_t size, size_t *most) {
  unsigned bits = LEAST_BITS;
  while (((size_t)2 << bits) < size) bits++;
  size_t base = (size_t)1 << bits, step = base >> STEP_BITS;
  /* 0: up to the power of two itself */
  size_t n = size > base ? (size - base + step - 1) / step : 0;
  *most = base + n * step;
  return (bits - LEAST_BITS) * STEPS + (unsigned)n;
}

void lcu_spares_init (lcu_spares *s) {
  memset(s, 0, sizeof *s);
  for (uint16_t i = LCU_SPARES; i > 0; i--) {
    s->places[i - 1].next = s->vacant;
    s->vacant = i;
  }
}

size_t lcu_spare_round (size_t size) {
  size_t most;
  (void)class_of(size, &most);
  return most;
}

static cu_deviceptr pop (lcu_spares *s, unsigned class, size_t size) {
  uint16_t at = s->heads[class];
  if (at == 0) return 0;
  s->heads[class] = s->places[at - 1].next;
  s->places[at - 1].next = s->vacant;
  s->vacant = at;
  s->bytes -= size;
  return s->places[at - 1].address;
}

cu_deviceptr lcu_spares_take (lcu_spares *s, size_t size) {
  size_t most;
  unsigned class = class_of(size, &most);
  return pop(s, class, most);
}

bool lcu_spares_keep (lcu_spares *s, cu_deviceptr address, size_t size) {
  size_t most;
  unsigned class = class_of(size, &most);
  uint16_t at = s->vacant;
  if (at == 0 || s->bytes + most > LCU_SPARE_BYTES) return false;
  s->vacant = s->places[at - 1].next;
  s->places[at - 1].address = address;
  s->places[at - 1].next = s->heads[class];
  s->heads[class] = at;
  s->bytes += most;
  return true;
}

cu_deviceptr lcu_spares_drop (lcu_spares *s) {
  for (unsigned class = 0; class < lcu_arraylen(s->heads); class ++) {
    cu_deviceptr address = pop(s, class, 0);
    if (address != 0) return address;
  }
  s->bytes = 0;
  return 0;
}
