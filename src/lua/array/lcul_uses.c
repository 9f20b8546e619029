/* lcul_uses.c: the addresses that a launch passes, and the blocks it uses. */
#include "lcul_uses.h"

#include "lcul_array.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_struct.h"

static void record_use (lua_State *L, lcul_uses *uses, lcu_block *b, bool write, const char *what) {
  if (uses->n == uses->max) lcul_misuse(L, "%s: too many arrays in one launch", what);
  uses->uses[uses->n].block = b;
  uses->uses[uses->n++].write = write;
}

bool lcul_uses_reach (lua_State *L, lcu_block *b, lcu_device *d, cu_deviceptr *base) {
  lcu_status s = lcu_block_address(b, d, base);
  if (s == LCU_E_ARGUMENT) return false;
  lcul_status(L, s);
  return true;
}

uint64_t lcul_uses_address (lua_State *L, lcul_array *a, lcul_uses *uses, bool write, bool raw,
                            const char *what) {
  lcu_block *b = a->block;
  cu_deviceptr base;
  if (b == NULL) lcul_misuse(L, "%s: attempt to use a closed Array", what);
  if (!a->contiguous && !raw)
    lcul_misuse(L,
                "%s: the array is not contiguous; pass its :contiguous() copy, or cuda.raw(array) "
                "to pass its memory unchanged",
                what);
  if (lcu_likely(b->device == uses->device)) base = b->address;
  else if (!lcul_uses_reach(L, b, uses->device, &base))
    lcul_misuse(L, "%s: %s memory on %s cannot be reached from %s; copy it with :to()", what,
                lcu_memory_name(b->memory), b->device->label, uses->device->label);
  if (lcu_unlikely(write && b->readonly))
    lcul_misuse(L, "%s: the array is read-only, and the parameter is no pointer to const", what);
  record_use(L, uses, b, write, what);
  return b->size ? base + (uint64_t)a->offset : 0;
}

uint64_t lcul_array_field_address (lua_State *L, int idx, const lcul_field *f, lcul_uses *uses,
                                   const char *what) {
  lcul_array *a = lcul_toobject(L, idx);
  if (a->block != NULL && f->pointee != NULL && a->dtype != f->pointee && !lcul_array_is_untyped(a))
    lcul_misuse(L, "%s: expected %s array, got %s array", what, f->pointee->name, a->dtype->name);
  return lcul_uses_address(L, a, uses, !f->to_const, false, what);
}
