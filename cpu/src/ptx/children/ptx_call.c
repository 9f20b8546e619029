/* ptx_call.c: the arguments and results of a call of a function that the module does not define. */
#include "ptx_call.h"

#include <string.h>

#include "ptx_memory.h"

uint64_t ptx_call_value (const ptx_call *c, uint32_t index, uint32_t lane) {
  const ptx_operand *list = ptx_call_arguments(c->inst);
  return list != NULL && index < list->num_items
           ? ptx_call_argument(c->frame, &list->items[index], lane)
           : 0;
}

void ptx_call_struct (const ptx_call *c, uint32_t index, uint32_t lane, void *out, uint32_t bytes) {
  const ptx_operand *list = ptx_call_arguments(c->inst);
  memset(out, 0, bytes);
  if (list == NULL || index >= list->num_items || list->items[index].kind != PTX_O_VARIABLE ||
      list->items[index].variable->size < bytes)
    return;
  const uint8_t *words = ptx_frame_param(c->frame, list->items[index].variable);
  for (uint32_t k = 0; k < bytes / 4; k++)
    memcpy((uint8_t *)out + (size_t)k * 4, words + ((size_t)k * PTX_LANES + lane) * 4, 4);
}

void ptx_call_return (const ptx_call *c, uint32_t lane, uint64_t value) {
  const ptx_operand *list = ptx_call_results(c->inst);
  if (list == NULL || list->num_items == 0) return;
  const ptx_operand *o = &list->items[0];
  if (o->kind != PTX_O_VARIABLE) return;
  uint8_t *words = ptx_frame_param(c->frame, o->variable);
  memcpy(words + (size_t)lane * 4, &value, 4);
  if (o->variable->size > 4)
    memcpy(words + ((size_t)PTX_LANES + lane) * 4, (uint8_t *)&value + 4, 4);
}

bool ptx_call_each (const ptx_call *c, int (*run)(const ptx_call *c, uint32_t lane)) {
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    int error = run(c, lane);
    if (error < 0) return false;
    ptx_call_return(c, lane, (uint64_t)error);
  }
  return true;
}

int ptx_call_store (const ptx_call *c, uint32_t index, uint32_t lane, const void *value,
                    uint32_t bytes) {
  uint64_t to = ptx_call_value(c, index, lane);
  c->x->w.stored = 1;
  /* local memory is contiguous only by the word */
  for (uint32_t k = 0; k < bytes; k++)
    if (!ptx_memory_write(&c->x->w, PTX_GENERIC, lane, to + k, (const uint8_t *)value + k, 1))
      return -1;
  return 0;
}
