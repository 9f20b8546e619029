/* ptx_check_access.c: what the checks of accesses have in common. */
#include "ptx_check.h"
#include "ptx_fault.h"
#include "ptx_match.h"

const char *ptx_access_name (ptx_access kind) {
  return kind == PTX_ACCESS_LOAD ? "read" : kind == PTX_ACCESS_STORE ? "write" : "atomic";
}

bool ptx_check_uses (const ptx_uop *I, uint32_t byte) {
  return ptx_id_access[I->id] == PTX_ACCESS_ATOMIC || I->used_bytes == 0 || byte >= 32 ||
         ((I->used_bytes >> byte) & 1) != 0;
}

bool ptx_check_reads (const ptx_lane_access *a) {
  bool exchanges = (a->I->used_bytes & 0xff) == PTX_MODE_exch;
  return a->kind == PTX_ACCESS_LOAD || (a->kind == PTX_ACCESS_ATOMIC && !exchanges);
}

const char ptx_no_proxy_fence[] =
  "through the async proxy, without a proxy fence (fence.proxy.async) after the write through the "
  "generic proxy";

bool ptx_check_proxied (const ptx_cta *c, uint32_t since) {
  for (uint32_t k = 0; k < c->num_warps; k++)
    for (uint32_t l = 0; l < PTX_LANES; l++)
      if (c->warps[k].proxied[l] >= since) return true;
  return false;
}

void ptx_check_set (const ptx_lane_access *a, ptx_fault_kind kind, const char *detail) {
  ptx_fault_set(a->x, a->lane, kind, "%s", detail);
  ptx_warp_fault *f = &a->x->w.fault;
  f->address = a->address;
  f->bytes = a->bytes;
  f->space = PTX_GLOBAL;
  f->write = a->kind != PTX_ACCESS_LOAD;
}
