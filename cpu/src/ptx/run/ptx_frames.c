/* ptx_frames.c: the active calls of a warp. Frames form a tree. Lanes that make the same call from
 * the same frame share the new frame, even when they arrive one after another, so that they can
 * meet again inside it. */
#include "ptx_warp_run.h"

#include <string.h>

#include "ptx_fault.h"
#include "ptx_refs.h"
#include "ptx_runtime.h"
#include "ptx_wgmma.h"

enum {
  /* the limit for runaway recursion without local variables ... */
  MAX_DEPTH = 20000,
  /* ... unless the stack ends before: every call takes that much for address and saved registers */
  CALL_BYTES = 16
};
static const uint64_t MAX_FRAME_MEMORY = (uint64_t)256 << 20; /* of one warp */

/* ---- making and dropping frames */

static void set_code (ptx_frame *f, const ptx_code *code) {
  f->code = code;
  if (code->constants_bytes != 0)
    memcpy(f->rf + code->constants_at, code->constants, code->constants_bytes);
}

/* A free frame for the code, preferably one that ran it before: its constants are in place. */
static ptx_frame *take_spare (ptx_xwarp *x, const ptx_code *code) {
  ptx_frame **best = NULL;
  for (ptx_frame **p = &x->spare; *p != NULL; p = &(*p)->sibling) {
    if ((*p)->rf_bytes < code->frame_bytes) continue;
    best = p;
    if ((*p)->code == code) break;
  }
  if (best == NULL) return NULL;
  ptx_frame *f = *best;
  *best = f->sibling;
  if (f->code != code) set_code(f, code);
  return f;
}

static ptx_frame *new_frame (ptx_xwarp *x, const ptx_code *code) {
  size_t head = (sizeof(ptx_frame) + 63) & ~(size_t)63, bytes = head + code->frame_bytes;
  if (x->frame_memory + bytes > MAX_FRAME_MEMORY) return NULL;
  ptx_frame *f = lcu_alloc_aligned(bytes, 64);
  if (f == NULL) return NULL;
  memset(f, 0, bytes);
  f->rf = (uint8_t *)f + head;
  f->rf_bytes = code->frame_bytes;
  x->frame_memory += bytes;
  set_code(f, code);
  return f;
}

static void drop (ptx_xwarp *x, ptx_frame *f) {
  if (lcu_unlikely(x->w.in_groups[PTX_GROUP_PRODUCT].first != NULL))
    ptx_products_leave(&x->w, f->rf);
  ptx_frame **p = &f->parent->child;
  while (*p != f) p = &(*p)->sibling;
  *p = f->sibling;
  f->sibling = x->spare;
  x->spare = f;
}

static ptx_frame *find_child (ptx_frame *parent, const ptx_uop *site, const ptx_code *code) {
  for (ptx_frame *f = parent->child; f != NULL; f = f->sibling)
    if (f->site == site && f->code == code) return f;
  return NULL;
}

void ptx_frame_root (ptx_xwarp *x, const ptx_code *code, uint8_t *rf) {
  x->root = (ptx_frame){ .rf = rf, .rf_bytes = code->frame_bytes };
  memset(rf, 0, code->frame_bytes);
  set_code(&x->root, code);
}

void ptx_frames_free (ptx_xwarp *x) {
  ptx_frames_reset(x);
  while (x->spare != NULL) {
    ptx_frame *f = x->spare;
    x->spare = f->sibling;
    lcu_free(f);
  }
  x->frame_memory = 0;
  lcu_free(x->wraps);
  lcu_free(x->defined);
  x->wraps = NULL;
  x->defined = NULL;
}

/* Children first, without recursion. */
void ptx_frames_reset (ptx_xwarp *x) {
  ptx_frame *f = &x->root;
  for (;;) {
    while (f->child != NULL) f = f->child;
    if (f == &x->root) return;
    ptx_frame *parent = f->parent;
    drop(x, f);
    f = parent;
  }
}

/* ---- call and return */

/* The target of a call. It may differ between the lanes of an indirect call: those with another
 * target call it later. */
static const ptx_function *target_of (ptx_xwarp *x, uint32_t i) {
  const ptx_fragment *f = &x->frags[i];
  const struct ptx_uop_extra *extra = f->pc->extra;
  if (extra->p != NULL) return extra->p;
  const uint8_t *slot = f->frame->rf + extra->slots[0];
  uint32_t first = ptx_first_lane(f->mask), same = 0;
  uint64_t value, other;
  memcpy(&value, slot + (size_t)first * 8, 8);
  for (uint32_t m = f->mask; m != 0; m &= m - 1) {
    memcpy(&other, slot + (size_t)ptx_first_lane(m) * 8, 8);
    if (other == value) same |= m & -m;
  }
  if (same != f->mask) ptx_fragment_split(x, i, same);
  const ptx_function *target = ptx_refs_function_at(f->frame->code->function->module, value);
  if (target != NULL) return target;
  if (value == 0) ptx_fault_set(x, first, PTX_FAULT_TRAP, "call of a null function pointer");
  else
    ptx_fault_set(x, first, PTX_FAULT_TRAP,
                  "call of 0x%llx, which is not a function of this module",
                  (unsigned long long)value);
  return NULL;
}

static bool stack_overflow (ptx_xwarp *x, uint32_t lane, const ptx_frame *caller) {
  return ptx_fault_set(x, lane, PTX_FAULT_STACK_OVERFLOW,
                       "the stack of %u bytes per thread is full after %u nested calls",
                       x->w.local_bytes, caller->depth);
}

static ptx_frame *enter_child (ptx_xwarp *x, const ptx_fragment *f, const ptx_code *code) {
  ptx_frame *parent = f->frame, *child = find_child(parent, f->pc, code);
  if (child != NULL) return child;
  uint32_t base =
    parent->local_base + ((parent->code->function->local_bytes + 15) & ~15u) + CALL_BYTES;
  if (parent->depth + 1 > MAX_DEPTH ||
      (uint64_t)base + code->function->local_bytes > x->w.stack_low)
    return NULL;
  child = take_spare(x, code);
  if (child == NULL) child = new_frame(x, code);
  if (child == NULL) return NULL;
  child->parent = parent;
  child->child = NULL;
  child->sibling = parent->child;
  parent->child = child;
  child->site = f->pc;
  child->local_base = base;
  child->depth = parent->depth + 1;
  child->lanes = 0;
  return child;
}

/* What a function takes from the stack is given back when it returns. */
static void keep_stack (ptx_xwarp *x, ptx_frame *f, uint32_t mask) {
  if (!f->code->allocates) return;
  for (uint32_t m = mask; m != 0; m &= m - 1)
    f->stack[ptx_first_lane(m)] = x->w.stack[ptx_first_lane(m)];
}
static void give_stack_back (ptx_xwarp *x, const ptx_frame *f, uint32_t mask) {
  if (!f->code->allocates) return;
  for (uint32_t m = mask; m != 0; m &= m - 1)
    x->w.stack[ptx_first_lane(m)] = f->stack[ptx_first_lane(m)];
  ptx_stack_measure(&x->w);
}

/* Recursion without loops also gives others a turn. */
static bool out_of_fuel (ptx_xwarp *x) {
  if (x->fuel > 1) x->fuel--;
  return x->fuel == 1;
}

bool ptx_frame_call (ptx_xwarp *x, uint32_t i) {
  const ptx_function *target = target_of(x, i);
  if (target == NULL) return false;
  ptx_fragment f = x->frags[i];
  uint32_t lane = ptx_first_lane(f.mask);
  if (!target->has_body) return ptx_runtime_call(x, i, target);
  if (target->code == NULL)
    return ptx_fault_set(x, lane, PTX_FAULT_UNSUPPORTED, "function `%s` cannot run: %s",
                         target->name,
                         target->unsupported != NULL ? target->unsupported : "it was not prepared");
  ptx_frame *child = enter_child(x, &f, target->code);
  if (child == NULL) return stack_overflow(x, lane, f.frame);
  child->lanes |= f.mask;
  keep_stack(x, child, f.mask);
  ptx_arguments_pass(f.frame, child, f.pc->extra->inst, f.mask);
  ptx_fragment_remove(x, i);
  ptx_fragment_add(x, f.mask, target->code->bb_first[0], child, out_of_fuel(x));
  return true;
}

void ptx_frame_leave (ptx_xwarp *x, ptx_frame *frame, uint32_t mask) {
  for (ptx_frame *parent; frame != &x->root; frame = parent) {
    parent = frame->parent;
    frame->lanes &= ~mask;
    if (frame->lanes == 0) drop(x, frame);
  }
}

bool ptx_frame_return (ptx_xwarp *x, uint32_t i) {
  if (x->frags[i].frame == &x->root) return false;
  ptx_fragment f = x->frags[i];
  ptx_frame *parent = f.frame->parent;
  const ptx_uop *site = f.frame->site;
  ptx_results_give(f.frame, parent, site->extra->inst, f.mask);
  give_stack_back(x, f.frame, f.mask);
  f.frame->lanes &= ~f.mask;
  if (f.frame->lanes == 0) drop(x, f.frame);
  ptx_fragment_remove(x, i);
  ptx_fragment_add(x, f.mask, site + 1, parent, false);
  return true;
}
