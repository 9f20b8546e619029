/* ptx_check_access.c: what the checks of accesses have in common. */
#include "ptx_check.h"
#include "ptx_fault.h"

const char *ptx_access_name (ptx_access kind) {
  return kind == PTX_ACCESS_LOAD ? "read" : kind == PTX_ACCESS_STORE ? "write" : "atomic";
}

bool ptx_check_uses (const ptx_uop *I, uint32_t byte) {
  return ptx_id_access[I->id] == PTX_ACCESS_ATOMIC || I->used_bytes == 0 || byte >= 32 ||
         ((I->used_bytes >> byte) & 1) != 0;
}

void ptx_check_set (const ptx_lane_access *a, ptx_fault_kind kind, const char *detail) {
  ptx_fault_set(a->x, a->lane, kind, "%s", detail);
  ptx_warp_fault *f = &a->x->w.fault;
  f->address = a->address;
  f->bytes = a->bytes;
  f->space = PTX_GLOBAL;
  f->write = a->kind != PTX_ACCESS_LOAD;
}
