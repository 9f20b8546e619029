/* test_ptx_flow.c: block order, loops, waiting loops, register allocation; on stored modules and on
 * random flow graphs. */
#include "ptx_front.h"


/* Any function after ptx_kernel_prepare. */

static bool in_loop (const ptx_function *f, int32_t block, int32_t head) {
  for (int32_t l = f->bbs[block].loop; l >= 0; l = f->bbs[l].outer_loop)
    if (l == head) return true;
  return false;
}

/* A loop is one run of blocks that begins with its head. */
static bool loops_are_runs (const ptx_function *f) {
  for (uint32_t h = 0; h < f->num_bbs; h++) {
    if (!f->bbs[h].loop_head) continue;
    bool inside = true;
    for (uint32_t b = 0; b < f->num_bbs; b++) {
      bool member = in_loop(f, (int32_t)b, (int32_t)h);
      if (b <= h && member != (b == h)) return false;
      if (b > h && member && !inside) return false;
      if (b > h) inside = member;
    }
  }
  return true;
}

/* Back edges lead to the head of a loop around their source: true for every reducible graph. */
static bool back_edges_are_loops (const ptx_function *f) {
  for (uint32_t b = 0; b < f->num_bbs; b++)
    for (uint32_t k = 0; ptx_basic_block_successor(&f->bbs[b], k) >= 0; k++) {
      int32_t to = ptx_basic_block_successor(&f->bbs[b], k);
      if (to <= (int32_t)b && (!f->bbs[to].loop_head || !in_loop(f, (int32_t)b, to))) return false;
    }
  return true;
}

static bool blocks_are_whole (const ptx_function *f) {
  if (f->bbs[0].first != f->body) return false;
  for (uint32_t b = 0; b < f->num_bbs; b++) {
    const ptx_basic_block *k = &f->bbs[b];
    for (const ptx_inst *i = k->first; i != k->last->next; i = i->next) {
      if (i->bb != (int32_t)b || (i != k->last && ptx_inst_ends_block(i))) return false;
      if (i->guarded && (i->match.flags & PTX_F_CONTROL) != 0 && strcmp(i->parts[0], "bra") != 0)
        return false;
    }
    if (k->next < 0 && !ptx_inst_ends_block(k->last)) return false;
  }
  return true;
}


/* Registers, checked the slow way: the result of an instruction must not overlap any other value
 * that is live after it, nor its operands. */

typedef struct flow {
  const ptx_function *f;
  const ptx_inst **insts;
  uint32_t num;
  uint8_t *live; /* a row per instruction: the registers live before it */
  bool changed, clash;
} flow;

static uint8_t *live_at (const flow *w, uint32_t i) { return w->live + (size_t)i * w->f->num_regs; }
static uint32_t first_of (const flow *w, int32_t block) {
  uint32_t i = 0;
  while (w->insts[i] != w->f->bbs[block].first) i++;
  return i;
}

static void list_insts (flow *w) {
  for (uint32_t b = 0; b < w->f->num_bbs; b++)
    for (const ptx_inst *i = w->f->bbs[b].first; i != w->f->bbs[b].last->next; i = i->next)
      w->insts[w->num++] = i;
}

static uint8_t after[1 << 16]; /* the registers live after the current instruction */

static void gather_after (const flow *w, uint32_t i) {
  const ptx_basic_block *b = &w->f->bbs[w->insts[i]->bb];
  memset(after, 0, w->f->num_regs);
  if (w->insts[i] != b->last) memcpy(after, live_at(w, i + 1), w->f->num_regs);
  else
    for (uint32_t k = 0; ptx_basic_block_successor(b, k) >= 0; k++) {
      const uint8_t *in = live_at(w, first_of(w, ptx_basic_block_successor(b, k)));
      for (uint32_t r = 0; r < w->f->num_regs; r++) after[r] |= in[r];
    }
}

static void kill_written (void *ud, ptx_reg *reg, int role) {
  (void)ud;
  if ((role & PTX_WRITE) != 0) after[reg->id] = 0;
}
static void add_read (void *ud, ptx_reg *reg, int role) {
  (void)ud;
  if ((role & PTX_READ) != 0) after[reg->id] = 1;
}

static void solve (flow *w) {
  do {
    w->changed = false;
    for (uint32_t i = w->num; i-- > 0;) {
      gather_after(w, i);
      ptx_inst_visit_regs(w->insts[i], kill_written, w);
      ptx_inst_visit_regs(w->insts[i], add_read, w);
      if (memcmp(after, live_at(w, i), w->f->num_regs) == 0) continue;
      memcpy(live_at(w, i), after, w->f->num_regs);
      w->changed = true;
    }
  } while (w->changed);
}

static bool overlap (const ptx_reg *a, const ptx_reg *b) {
  return a->slot < b->slot + (int32_t)ptx_type_slot_bytes(b->type) &&
         b->slot < a->slot + (int32_t)ptx_type_slot_bytes(a->type);
}

static void check_written (void *ud, ptx_reg *reg, int role) {
  flow *w = ud;
  if (reg->slot < 0 || reg->slot % 64 != 0 ||
      (uint32_t)reg->slot + ptx_type_slot_bytes(reg->type) > w->f->regs_bytes)
    w->clash = true;
  if ((role & PTX_WRITE) == 0) return;
  for (uint32_t r = 0; r < w->f->num_regs; r++)
    if (after[r] && w->f->regs[r] != reg && overlap(reg, w->f->regs[r])) w->clash = true;
}

static bool places_are_right (const ptx_function *f) {
  flow w = { .f = f };
  if (f->num_regs == 0) return f->regs_bytes == 0;
  if (f->num_regs > sizeof after) return false;
  w.insts = malloc(f->num_insts * sizeof *w.insts);
  w.live = calloc(f->num_insts, f->num_regs);
  list_insts(&w);
  solve(&w);
  for (uint32_t i = 0; i < w.num && !w.clash; i++) {
    gather_after(&w, i);
    ptx_inst_visit_regs(w.insts[i], add_read, &w);
    ptx_inst_visit_regs(w.insts[i], check_written, &w);
  }
  free(w.insts);
  free(w.live);
  return !w.clash;
}

static void check_function (const char *path, const ptx_function *f, bool reducible) {
  CHECK(blocks_are_whole(f), "%s: %s", path, f->name);
  CHECK(loops_are_runs(f), "%s: %s", path, f->name);
  CHECK(!reducible || back_edges_are_loops(f), "%s: %s", path, f->name);
  CHECK(places_are_right(f), "%s: %s", path, f->name);
}

static void check_file (const char *path, const char *text, size_t len) {
  ptx_module *m = NULL;
  CHECK(ptx_module_load(text, len, &front_host, &m) == LCU_OK, "%s: %s", path,
        lcu_failure_get()->message);
  if (m == NULL) return;
  for (size_t k = 0; ptx_module_kernel_at(m, k) != NULL; k++)
    ptx_kernel_prepare(ptx_module_kernel_at(m, k));
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next)
    if (f->code != NULL) check_function(path, f, strcmp(f->name, "jumps") != 0);
  ptx_module_free(m);
}


/* Random graphs, structured or not. */

static uint32_t seed = 12345;
static uint32_t random_below (uint32_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % n;
}

static void random_operation (lcu_buf *b, uint32_t regs) {
  static const char *const forms[] = {
    "add.s32 %%r%u, %%r%u, %%r%u",       "mul.wide.s32 %%d%u, %%r%u, %%r%u",
    "add.s64 %%d%u, %%d%u, %%d%u",       "setp.lt.s32 %%p%u, %%r%u, %%r%u",
    "mad.lo.s32 %%r%u, %%r%u, %%r%u, 5", "cvt.u32.u64 %%r%u, %%d%u; // %u"
  };
  uint32_t form = random_below(6);
  char text[128];
  snprintf(text, sizeof text, forms[form], random_below(regs), random_below(regs),
           random_below(regs));
  if (random_below(5) == 0) lcu_buf_addf(b, " @%%p%u", random_below(regs));
  lcu_buf_addf(b, " %s;\n", text);
}

static void random_function (lcu_buf *b, uint32_t blocks, uint32_t regs) {
  lcu_buf_addf(
    b, FRONT_HEAD ".entry k () {\n .reg .b32 %%r<%u>; .reg .b64 %%d<%u>; .reg .pred %%p<%u>;\n",
    regs, regs, regs);
  for (uint32_t k = 0; k < blocks; k++) {
    lcu_buf_addf(b, "L%u:\n", k);
    for (uint32_t n = random_below(5); n > 0; n--) random_operation(b, regs);
    switch (random_below(6)) {
      case 0: lcu_buf_addf(b, " bra L%u;\n", random_below(blocks)); break;
      case 1: lcu_buf_addf(b, " @%%p%u ret;\n", random_below(regs)); break;
      case 2: break;
      case 3:
        lcu_buf_addf(b, " { t: .branchtargets L%u, L%u, L%u;", random_below(blocks),
                     random_below(blocks), random_below(blocks));
        lcu_buf_adds(b, " brx.idx %r0, t; }\n");
        break;
      default:
        lcu_buf_addf(b, " @!%%p%u bra L%u;\n", random_below(regs), random_below(blocks));
        break;
    }
  }
  lcu_buf_adds(b, "}\n");
}

static void check_random (void) {
  for (int n = 0; n < 300; n++) {
    lcu_buf b = { 0 };
    random_function(&b, 2 + random_below(20), 2 + random_below(12));
    ptx_module *m = front_load(b.data);
    if (m != NULL) {
      ptx_function *f = front_function(m, "k");
      lcu_status status = ptx_kernel_prepare(ptx_module_kernel_at(m, 0));
      CHECK(status == LCU_OK || status == LCU_E_UNSUPPORTED, "%s", lcu_failure_get()->message);
      if (f->stage >= PTX_STAGE_REGS) check_function("random", f, false);
    }
    ptx_module_free(m);
    lcu_buf_free(&b);
  }
}


/* Order of blocks: text order does not matter, loops stay together, and the blocks after a loop are
 * numbered after it. */

static int32_t block_of (const ptx_function *f, const char *label) {
  for (const ptx_label *l = f->labels; l != NULL; l = l->next)
    if (strcmp(l->name, label) == 0) return l->bb;
  return -2;
}

static void check_order (void) {
  ptx_module *m = front_load(FRONT_HEAD ".entry k () { .reg .pred p, q, r;\n bra start;\n"
                                        "after: ret;\n"
                                        "error: bra after;\n"
                                        "latch: @q bra head;\n bra after;\n"
                                        "start:\n"
                                        "head: @p bra body;\n bra error;\n"
                                        "body: @r bra error;\n"
                                        "inner: @p bra inner;\n @r bra after;\n bra latch;\n"
                                        "dead: bra dead;\n}\n");
  if (m == NULL) return;
  const ptx_function *f = front_function(m, "k");
  CHECK(ptx_kernel_prepare(ptx_module_kernel_at(m, 0)) == LCU_OK, "%s", lcu_failure_get()->message);
  int32_t head = block_of(f, "head"), body = block_of(f, "body"), inner = block_of(f, "inner"),
          latch = block_of(f, "latch");
  int32_t error = block_of(f, "error"), last = block_of(f, "after");
  CHECK(head < body && body < inner && inner < latch && latch < error && error < last,
        "%d %d %d %d %d %d", head, body, inner, latch, error, last);
  CHECK(last == (int32_t)f->num_bbs - 1 && block_of(f, "dead") == -1,
        "unreachable code is dropped");
  CHECK(f->bbs[head].loop == head && f->bbs[latch].loop == head && f->bbs[inner].loop == inner,
        "loops");
  CHECK(f->bbs[inner].outer_loop == head && f->bbs[head].outer_loop == -1 &&
          f->bbs[error].loop == -1,
        "nesting");
  ptx_module_free(m);
}

/* Two entries into one loop. */
static void check_irreducible (void) {
  ptx_module *m = front_load(FRONT_HEAD ".entry k () { .reg .pred p, q;\n @p bra two;\n"
                                        "one: @q bra two;\n ret;\n"
                                        "two: @p bra one;\n ret;\n}\n");
  if (m == NULL) return;
  const ptx_function *f = front_function(m, "k");
  CHECK(ptx_kernel_prepare(ptx_module_kernel_at(m, 0)) == LCU_OK, "%s", lcu_failure_get()->message);
  int32_t one = block_of(f, "one"), two = block_of(f, "two");
  CHECK(f->bbs[one].loop >= 0 && f->bbs[one].loop == f->bbs[two].loop, "one loop: %d %d",
        f->bbs[one].loop, f->bbs[two].loop);
  CHECK(loops_are_runs(f), "irreducible loop");
  ptx_module_free(m);
}

/* "@p ret", and a body that runs off its end. */
static void check_guarded (void) {
  ptx_module *m = front_load(FRONT_HEAD ".entry k () { .reg .pred p;\n L: @!p ret;\n @p bar.sync "
                                        "0;\n @p bra L;\n}\n.entry empty () {}\n");
  if (m == NULL) return;
  const ptx_function *f = front_function(m, "k"), *e = front_function(m, "empty");
  for (size_t k = 0; k < 2; k++)
    CHECK(ptx_kernel_prepare(ptx_module_kernel_at(m, k)) == LCU_OK, "%s",
          lcu_failure_get()->message);
  const ptx_inst *bra = f->body;
  CHECK(strcmp(bra->parts[0], "bra") == 0 && bra->guarded && !bra->guard_negate &&
          block_of(f, "L") == 0,
        "inverted branch");
  CHECK(strcmp(bra->next->parts[0], "ret") == 0 && !bra->next->guarded, "plain ret");
  CHECK(blocks_are_whole(f) && f->num_bbs == 6, "%u blocks", f->num_bbs);
  CHECK(e->num_bbs == 1 && strcmp(e->bbs[0].first->parts[0], "ret") == 0, "empty body returns");
  ptx_module_free(m);
}


/* Loops that may wait for another thread. */

static const struct {
  const char *what, *body;
  bool spin;
} loops[] = {
  { "spin lock", "L: atom.global.cas.b32 r1, [d1], 0, 1; setp.ne.s32 p, r1, 0; @p bra L;", true },
  { "lock after a branch",
    "L: atom.global.cas.b32 r1, [d1], 0, 1; setp.ne.s32 q, r1, 0; @q bra M; mov.u32 r2, 1; M: "
    "setp.eq.s32 p, r2, 0; @p bra L;",
    true },
  { "volatile flag",
    "L: ld.volatile.global.u32 r1, [d1]; add.s32 r2, r1, 5; setp.ne.s32 p, r2, 0; @p bra L;",
    true },
  { "counting into bins",
    "L: atom.shared.add.u32 r1, [r2], 1; add.s32 r2, r2, 1; setp.lt.s32 p, r2, r3; @p bra L;",
    false },
  { "list from a counter",
    "L: atom.global.add.u32 r1, [d1], 1; st.global.u32 [d2], r2; add.s32 r2, r2, 1; setp.lt.s32 p, "
    "r2, r3; @p bra L;",
    false },
  { "result through memory",
    "L: atom.global.add.u32 r1, [d1], 1; st.local.u32 [d2], r1; ld.local.u32 r2, [d2]; setp.lt.s32 "
    "p, r2, r3; @p bra L;",
    true },
  { "sleeping", "L: nanosleep.u32 20; ld.global.u32 r1, [d1]; setp.eq.s32 p, r1, 0; @p bra L;",
    true },
  { "plain load", "L: ld.global.u32 r1, [d1]; setp.eq.s32 p, r1, 0; @p bra L;", false },
  { "call that waits", "L: call waits; setp.eq.s32 p, r1, 0; @p bra L;", true },
  { "call that does not", "L: call works; setp.eq.s32 p, r1, 0; @p bra L;", false },
};

static void check_spin (void) {
  for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
    lcu_buf b = { 0 };
    lcu_buf_adds(&b,
                 FRONT_HEAD ".func waits () { nanosleep.u32 1; ret; }\n.func works () { ret; }\n"
                            ".entry k () { .reg .pred p, q; .reg .b32 r<4>; .reg .b64 d<3>;\n");
    lcu_buf_addf(&b, "%s ret; }\n", loops[k].body);
    ptx_module *m = front_load(b.data);
    if (m != NULL) {
      CHECK(ptx_kernel_prepare(ptx_module_kernel_at(m, 0)) == LCU_OK, "%s: %s", loops[k].what,
            lcu_failure_get()->message);
      const ptx_function *f = front_function(m, "k");
      bool spin = false;
      for (uint32_t n = 0; n < f->num_bbs; n++) spin |= f->bbs[n].spin;
      CHECK(spin == loops[k].spin, "%s", loops[k].what);
    }
    ptx_module_free(m);
    lcu_buf_free(&b);
  }
}

/* The outer loop waits, the inner one only counts. */
static void check_spin_nested (void) {
  ptx_module *m = front_load(
    FRONT_HEAD
    ".entry k () { .reg .pred p, q; .reg .b32 r<4>; .reg .b64 d;\n"
    "outer: mov.u32 r1, 0;\ninner: add.s32 r1, r1, 1; setp.lt.s32 p, r1, 9; @p bra inner;\n"
    "atom.global.cas.b32 r2, [d], 0, 1; setp.ne.s32 q, r2, 0; @q bra outer; ret; }\n");
  if (m == NULL) return;
  CHECK(ptx_kernel_prepare(ptx_module_kernel_at(m, 0)) == LCU_OK, "%s", lcu_failure_get()->message);
  const ptx_function *f = front_function(m, "k");
  CHECK(f->bbs[block_of(f, "outer")].spin && !f->bbs[block_of(f, "inner")].spin,
        "each loop for itself");
  ptx_module_free(m);
}

int main (void) {
  CHECK(front_each(check_file) >= 6, "run this in the root of the source tree");
  check_random();
  check_order();
  check_irreducible();
  check_guarded();
  check_spin();
  check_spin_nested();
  return check_result();
}
