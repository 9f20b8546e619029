/* ptx_memory.c: addresses, the checks on them, and accesses lane by lane. */
#include "ptx_memory.h"

#include <stdio.h>
#include <string.h>

#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_peer.h"

/* ---- ranges ---- */

static bool in_any_window (uint64_t address) {
  return ptx_in_window(address, ptx_window_shared) || ptx_in_window(address, ptx_window_local) ||
         ptx_in_window(address, ptx_window_param);
}

/* With checks off: everything between the windows counts as one allocation, except null
 * pointers. */
static ptx_range unchecked (uint64_t address) {
  const uint64_t windows[] = { ptx_window_shared, ptx_window_local, ptx_window_param };
  uint64_t from = PTX_NULL_BYTES, to = UINT64_MAX;
  for (size_t i = 0; i < lcu_arraylen(windows); i++) {
    uint64_t end = windows[i] + PTX_WINDOW_SIZE;
    if (end <= address && end > from) from = end;
    if (windows[i] > address && windows[i] < to) to = windows[i];
  }
  return (ptx_range){ .base = from, .size = to - from, .live = !in_any_window(address) };
}

static bool may_change (const ptx_warp *w, const ptx_range *r) {
  const ptx_changes *c = w->changes;
  for (uint32_t k = 0; c != NULL && k < c->num; k++)
    if (c->bases[k] == r->base) return true;
  return c != NULL && c->all;
}

static bool find_range (const ptx_warp *w, uint64_t address, uint64_t bytes, ptx_range *r) {
  for (uint32_t k = 0; k < lcu_arraylen(w->last); k++) {
    if (!ptx_range_holds(&w->last[k], address, bytes)) continue;
    *r = w->last[k];
    return true;
  }
  if (w->check == PTX_CHECK_OFF) *r = unchecked(address);
  else if (!w->host->find(w->host->ud, address, r)) return false;
  r->compared = may_change(w, r);
  return r->live && ptx_range_holds(r, address, bytes);
}

bool ptx_memory_reachable (ptx_warp *w, uint32_t index, uint64_t address, uint64_t bytes) {
  ptx_range r;
  if (ptx_range_holds(&w->last[index], address, bytes)) return true;
  if (!find_range(w, address, bytes, &r)) return false;
  w->last[index] = r;
  return true;
}

/* ---- faults ---- */

typedef struct memory_access {
  uint64_t address;
  uint32_t lane, bytes;
  uint8_t space;
  bool write;
  bool word; /* PTX_F_WORD */
} memory_access;

/* How many of the bytes must be there. */
static uint32_t needed (const memory_access *x) { return x->word ? 1 : x->bytes; }

static void *fault (ptx_warp *w, const memory_access *x, ptx_fault_kind kind, const char *detail) {
  w->fault = (ptx_warp_fault){ .kind = kind,
                               .lane = x->lane,
                               .address = x->address,
                               .bytes = x->bytes,
                               .write = x->write,
                               .space = x->space };
  snprintf(w->fault.detail, sizeof w->fault.detail, "%s", detail);
  return NULL;
}

/* Of an address that belongs to another state space. */
static const char *stray_kind (uint64_t address) {
  if (ptx_in_window(address, ptx_window_shared)) return "an address of shared memory";
  if (ptx_in_window(address, ptx_window_local)) return "an address of a thread's local memory";
  return ptx_in_window(address, ptx_window_param) ? "an address of a parameter" : "";
}

static void *fault_global (ptx_warp *w, const memory_access *x) {
  ptx_range r;
  bool found = w->host->find(w->host->ud, x->address, &r);
  if (found && !r.live && x->address - r.base < r.size)
    return fault(w, x, PTX_FAULT_USE_AFTER_FREE, "");
  return fault(w, x, PTX_FAULT_OUT_OF_BOUNDS, stray_kind(x->address));
}

static void *fault_window (ptx_warp *w, const memory_access *x, uint64_t size) {
  char detail[96];
  snprintf(detail, sizeof detail, "which has %llu bytes,", (unsigned long long)size);
  return fault(w, x, PTX_FAULT_OUT_OF_BOUNDS, detail);
}

static void *fault_shared (ptx_warp *w, const memory_access *x) {
  char detail[128];
  snprintf(detail, sizeof detail, "the block has %u bytes from 0x%x on, %u of them dynamic,",
           w->total_shared, PTX_SHARED_RESERVED, w->dynamic_shared);
  if (x->address >= PTX_PEER_BYTES && x->address / PTX_PEER_BYTES <= w->num_peers)
    snprintf(detail, sizeof detail, "the address is in block %u of the cluster: shared::cluster",
             (unsigned)(x->address / PTX_PEER_BYTES - 1));
  return fault(w, x, PTX_FAULT_OUT_OF_BOUNDS, detail);
}

static void describe_no_peer (const ptx_warp *w, uint32_t rank, char *detail, size_t size) {
  if (rank == PTX_RANK_NOT_SHARED)
    snprintf(detail, size, "mapa got an address that is not in shared memory");
  else if (rank == PTX_RANK_NONE)
    snprintf(detail, size, "mapa got a rank that the cluster of %u blocks does not have",
             w->num_peers);
  else
    snprintf(detail, size, "the cluster has %u block%s, the address is in block %u", w->num_peers,
             w->num_peers == 1 ? "" : "s", rank);
}

static void *fault_peer (ptx_warp *w, const memory_access *x, uint32_t rank) {
  memory_access at = *x;
  char detail[128];
  at.address %= PTX_PEER_BYTES;
  if (rank >= w->num_peers) {
    describe_no_peer(w, rank, detail, sizeof detail);
  } else if (*w->peers[rank].alive == 0) {
    snprintf(detail, sizeof detail, "block %u of the cluster has ended", rank);
    return fault(w, &at, PTX_FAULT_USE_AFTER_FREE, detail);
  } else {
    snprintf(detail, sizeof detail, "block %u of the cluster has %u bytes from 0x%x on", rank,
             w->total_shared, PTX_SHARED_RESERVED);
  }
  return fault(w, &at, PTX_FAULT_OUT_OF_BOUNDS, detail);
}

/* ---- one lane ---- */

/* Turns a generic address into a state space and an address in it. */
static void resolve_access (memory_access *x) {
  if (x->space == PTX_CLUSTER && x->address < PTX_PEER_BYTES) x->space = PTX_SHARED;
  if (x->space != PTX_GENERIC) return;
  x->space = PTX_GLOBAL;
  if (ptx_in_window(x->address, ptx_window_shared)) {
    x->address -= ptx_window_shared;
    x->space = x->address < PTX_PEER_BYTES ? PTX_SHARED : PTX_CLUSTER;
  } else if (ptx_in_window(x->address, ptx_window_local)) {
    x->space = PTX_LOCAL;
    x->address -= ptx_window_local;
  } else if (ptx_in_window(x->address, ptx_window_param)) {
    x->space = PTX_PARAM;
    x->address -= ptx_window_param;
  }
}

static bool fits_window (uint64_t address, uint32_t bytes, uint64_t size) {
  return address < size && bytes <= size - address;
}

static uint8_t *locate_peer (ptx_warp *w, const memory_access *x) {
  uint8_t *p = x->address < PTX_WINDOW_SIZE ? ptx_peer_at(w, x->address, needed(x)) : NULL;
  uint64_t rank = x->address / PTX_PEER_BYTES - 1;
  return p != NULL ? p : fault_peer(w, x, rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX);
}

/* Storage of a resolved access; in local memory, of its first byte only. */
static uint8_t *locate_access (ptx_warp *w, const memory_access *x) {
  switch (x->space) {
    case PTX_SHARED: {
      uint8_t *p = x->address <= UINT32_MAX ? ptx_shared_at(w, x->address, needed(x)) : NULL;
      return p != NULL ? p : fault_shared(w, x);
    }
    case PTX_CLUSTER: return locate_peer(w, x);
    case PTX_LOCAL:
      return fits_window(x->address, x->bytes, w->local_bytes)
               ? ptx_local_word(w, x->lane, (uint32_t)x->address)
               : fault_window(w, x, w->local_bytes);
    case PTX_PARAM:
      if (x->write) return fault(w, x, PTX_FAULT_OUT_OF_BOUNDS, "kernel parameters are read-only");
      return fits_window(x->address, x->bytes, w->param_bytes)
               ? (uint8_t *)(uintptr_t)(w->params + x->address)
               : fault_window(w, x, w->param_bytes);
    default:
      return ptx_memory_reachable(w, PTX_SHAPES - 1, x->address, needed(x))
               ? (uint8_t *)(uintptr_t)x->address
               : fault_global(w, x);
  }
}

static bool aligned (ptx_warp *w, const memory_access *x, uint32_t to) {
  char detail[64];
  if (x->address % to == 0) return true;
  snprintf(detail, sizeof detail, "not a multiple of %u", to);
  fault(w, x, PTX_FAULT_MISALIGNED, detail);
  return false;
}

bool ptx_memory_aligned (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t to,
                         bool write) {
  memory_access x = { address, lane, to, space, write, false };
  resolve_access(&x);
  return aligned(w, &x, to);
}

bool ptx_memory_fault (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t bytes,
                       bool write, ptx_fault_kind kind, const char *detail) {
  memory_access x = { address, lane, bytes, space, write, false };
  resolve_access(&x);
  fault(w, &x, kind, detail);
  return false;
}

uint8_t *ptx_memory_block (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address,
                           uint32_t bytes, uint32_t align, bool write) {
  memory_access x = { address, lane, bytes, space, write, false };
  resolve_access(&x);
  return aligned(w, &x, align) ? locate_access(w, &x) : NULL;
}

uint8_t *ptx_memory_atomic (ptx_warp *w, const ptx_uop *I, uint32_t lane, uint64_t address) {
  memory_access x = { address, lane, I->size, I->space, true, (I->flags & PTX_F_WORD) != 0 };
  resolve_access(&x);
  return aligned(w, &x, I->size) ? locate_access(w, &x) : NULL;
}

uint8_t *ptx_memory_at (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t bytes,
                        bool write) {
  return ptx_memory_block(w, space, lane, address, bytes, bytes, write);
}

/* Copies bytes of one lane's local memory, word by word. */
static void local_copy (const ptx_warp *w, const memory_access *x, uint8_t *buffer) {
  for (uint32_t done = 0; done < x->bytes;) {
    uint32_t at = (uint32_t)x->address + done, n = 4 - at % 4;
    if (n > x->bytes - done) n = x->bytes - done;
    uint8_t *word = ptx_local_word(w, x->lane, at);
    if (x->write) memcpy(word, buffer + done, n);
    else memcpy(buffer + done, word, n);
    done += n;
  }
}

/* One access for the usual sizes, so that other threads never see half of a value. */
static void copy_whole (uint8_t *to, const uint8_t *from, uint32_t bytes) {
  switch (bytes) {
    case 1: *to = *from; break;
    case 2: *(S_u16_bits *)(void *)to = *(const S_u16_bits *)(const void *)from; break;
    case 4: *(S_u32 *)(void *)to = *(const S_u32 *)(const void *)from; break;
    case 8: *(S_u64 *)(void *)to = *(const S_u64 *)(const void *)from; break;
    default: memcpy(to, from, bytes); break;
  }
}

static bool transfer_access (ptx_warp *w, memory_access *x, void *buffer) {
  resolve_access(x);
  uint8_t *p = locate_access(w, x);
  if (p == NULL) return false;
  if (x->space == PTX_LOCAL) local_copy(w, x, buffer);
  else if (x->write) copy_whole(p, buffer, x->bytes);
  else copy_whole(buffer, p, x->bytes);
  return true;
}

bool ptx_memory_read (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, void *out,
                      uint32_t bytes) {
  memory_access x = { address, lane, bytes, space, false, false };
  resolve_access(&x);
  uint8_t *p = locate_access(w, &x);
  if (p == NULL) return false;
  if (x.space == PTX_LOCAL) local_copy(w, &x, out);
  else memcpy(out, p, bytes);
  return true;
}

bool ptx_memory_write (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, const void *in,
                       uint32_t bytes) {
  memory_access x = { address, lane, bytes, space, true, false };
  resolve_access(&x);
  uint8_t *p = locate_access(w, &x);
  if (p == NULL) return false;
  if (x.space == PTX_LOCAL) local_copy(w, &x, (uint8_t *)(uintptr_t)in);
  else memcpy(p, in, bytes);
  return true;
}

/* ---- loads and stores, any shape ---- */

uint64_t ptx_lane_address (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w, uint32_t lane) {
  if (I->flags & PTX_F_DIRECT)
    return (uint64_t)I->imm + (I->space == PTX_LOCAL ? w->local_base : 0);
  if (I->flags & PTX_F_ADDRESS32)
    return (uint32_t)(PTX_SLOT(u32, rf, I->a)[lane] + (uint32_t)I->imm);
  return PTX_SLOT(u64, rf, I->a)[lane] + (uint64_t)I->imm;
}

static int32_t element_slot (const ptx_uop *I, uint32_t e) {
  return I->vector == 1 ? I->d : I->extra->slots[e];
}

/* Bytes that the compiler does not use may be out of bounds. Everything that can be read is read,
 * because compilers use bytes that they did not name. The vector is aligned as a whole, so it is on
 * one page, and reading it is safe with checks off too. */
static bool element_used (const ptx_uop *I, uint32_t e) {
  return I->used_bytes == 0 || (I->used_bytes >> (e * I->size)) & ((1u << I->size) - 1u);
}

/* Registers of up to 4 bytes have 32-bit lanes, those of 8 bytes 64-bit lanes, those of 16 two of
 * these. */
static void lane_set (uint8_t *slot, uint32_t lane, const uint64_t v[2], uint32_t size) {
  if (size <= 4) {
    ((S_u32 *)(void *)slot)[lane] = (uint32_t)v[0];
    return;
  }
  ((S_u64 *)(void *)slot)[lane] = v[0];
  if (size == 16) ((S_u64 *)(void *)slot)[PTX_LANES + lane] = v[1];
}
static void lane_get (const uint8_t *slot, uint32_t lane, uint64_t v[2], uint32_t size) {
  v[0] = size <= 4 ? ((const S_u32 *)(const void *)slot)[lane]
                   : ((const S_u64 *)(const void *)slot)[lane];
  v[1] = size == 16 ? ((const S_u64 *)(const void *)slot)[PTX_LANES + lane] : 0;
}

static bool vector_aligned (const ptx_uop *I, ptx_warp *w, uint32_t lane, uint64_t address,
                            bool write) {
  memory_access x = { address, lane, (uint32_t)I->size * I->vector, I->space, write, false };
  resolve_access(&x);
  return aligned(w, &x, x.bytes);
}

/* A fault of one element is reported for the whole vector. */
static bool fault_vector (ptx_warp *w, const ptx_uop *I, uint32_t lane, uint64_t address) {
  memory_access x = { address, lane, (uint32_t)I->size * I->vector, I->space, false, false };
  resolve_access(&x);
  locate_access(w, &x);
  return false;
}

static bool load_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint32_t lane) {
  uint64_t address = ptx_lane_address(I, rf, w, lane), v[8][2] = { { 0 } };
  if (!vector_aligned(I, w, lane, address, false)) return false;
  for (uint32_t e = 0; e < I->vector; e++) {
    bool word = (I->flags & PTX_F_WORD) != 0;
    memory_access x = { address + (uint64_t)e * I->size, lane, I->size, I->space, false, word };
    if (!transfer_access(w, &x, v[e]) && element_used(I, e))
      return fault_vector(w, I, lane, address);
  }
  for (uint32_t e = 0; e < I->vector; e++)
    if (element_slot(I, e) >= 0) lane_set(rf + element_slot(I, e), lane, v[e], I->size);
  return true;
}

static bool store_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint32_t lane) {
  uint64_t address = ptx_lane_address(I, rf, w, lane), v[2];
  memory_access whole = { address, lane, (uint32_t)I->size * I->vector, I->space, true, false };
  if (!vector_aligned(I, w, lane, address, true)) return false;
  resolve_access(&whole);
  if (locate_access(w, &whole) == NULL) return false;
  for (uint32_t e = 0; e < I->vector; e++) {
    memory_access x = { address + (uint64_t)e * I->size, lane, I->size, I->space, true, false };
    lane_get(rf + element_slot(I, e), lane, v, I->size);
    if (!transfer_access(w, &x, v)) return false;
  }
  if (whole.space != PTX_LOCAL) w->stored = 1;
  return true;
}

/* ---- one address for all lanes, as that of a kernel's parameter usually is ---- */

static bool lanes_agree (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w) {
  if (I->flags & PTX_F_DIRECT) return true;
  if (I->flags & PTX_F_ADDRESS32)
    return ptx_lanes_equal(w, rf + I->a, PTX_SLOT(u32, rf, I->a)[ptx_first_lane(w->mask)]);
  const S_u64 *a = PTX_SLOT(u64, rf, I->a);
  uint64_t first = a[ptx_first_lane(w->mask)], differ = 0;
  PTX_EACH_LANE(l) differ |= (a[l] ^ first) & (uint64_t)(int64_t)w->lanes[l];
  return differ == 0;
}

/* Whether all active lanes load the same value. Local memory is that of each lane. */
static bool is_common (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w) {
  if (I->space == PTX_LOCAL || !lanes_agree(I, rf, w)) return false;
  return I->space != PTX_GENERIC ||
         !ptx_in_window(ptx_lane_address(I, rf, w, ptx_first_lane(w->mask)), ptx_window_local);
}

#define SPREAD(BITS) \
  static void spread_##BITS(const ptx_warp *w, uint8_t *slot, uint32_t from) { \
    S_u##BITS *d = PTX_SLOT(u##BITS, slot, 0), v = d[from]; \
    PTX_EACH_LANE(l) d[l] = w->lanes[l] ? v : d[l]; \
  }
SPREAD(32)
SPREAD(64)

static void spread (const ptx_uop *I, const ptx_warp *w, uint8_t *slot, uint32_t from) {
  if (I->size <= 4) spread_32(w, slot, from);
  else spread_64(w, slot, from);
  if (I->size == 16) spread_64(w, slot + 8 * PTX_LANES, from);
}

static const ptx_uop *load_common (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  uint32_t first = ptx_first_lane(w->mask);
  if (!load_lane(I, rf, w, first)) return ptx_leave(w, PTX_EV_FAULT, I);
  for (uint32_t e = 0; e < I->vector; e++)
    if (element_slot(I, e) >= 0) spread(I, w, rf + element_slot(I, e), first);
  return I + 1;
}

const ptx_uop *ptx_handle_ld_any (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  if (is_common(I, rf, w)) return load_common(I, rf, w);
  PTX_EACH_ACTIVE(l, w->mask)
  if (!load_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}

const ptx_uop *ptx_handle_st_any (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!store_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}

/* ---- bytes and halves in the function parameter area, which consists of 32-bit words of 32 lanes.
 * b is the slot of the word, imm the bit position in it, size the number of bytes. ---- */

const ptx_uop *ptx_handle_ld_area (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  const S_u32 *word = PTX_SLOT(u32, rf, I->b);
  S_u32 *d = PTX_SLOT(u32, rf, I->d);
  uint32_t keep = (1u << (I->size * 8)) - 1u;
  PTX_EACH_ACTIVE(l, w->mask) d[l] = (word[l] >> I->imm) & keep;
  return I + 1;
}

const ptx_uop *ptx_handle_st_area (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  S_u32 *word = PTX_SLOT(u32, rf, I->b);
  const S_u32 *a = PTX_SLOT(u32, rf, I->a);
  uint32_t keep = ((1u << (I->size * 8)) - 1u) << I->imm;
  PTX_EACH_ACTIVE(l, w->mask) word[l] = (word[l] & ~keep) | ((a[l] << I->imm) & keep);
  return I + 1;
}
