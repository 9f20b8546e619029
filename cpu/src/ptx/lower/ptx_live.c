/* ptx_live.c: live segments of registers, by backward data flow. Liveness is per thread: lanes
 * never share a register. */
#include <string.h>

#include "ptx_cfg.h"
#include "ptx_operands.h"
#include "ptx_regs.h"

typedef struct slot_bits {
  uint64_t *in, *gen, *kill;
} slot_bits;

typedef struct live {
  const ptx_function *f;
  lcu_arena *scratch;
  /* per register: its index in the bit sets; -1: used in a single block only */
  int32_t *wide;
  int32_t *home; /* per register: the block that names it; -1: none yet */
  uint32_t num_wide, words;
  slot_bits *blocks;
  uint64_t *out; /* of the current block */
  ptx_segment **segments;
  uint32_t start, at; /* first position of the block; position of the instruction */
  int32_t block;
  bool failed;
  const ptx_inst **products; /* wgmma */
  uint32_t num_products;
} live;

static const ptx_inst *block_end (const ptx_basic_block *b) { return b->last->next; }

/* Most registers are used in one block only; the others need data flow. */

static void note_home (void *ud, ptx_reg *reg, int role) {
  live *v = ud;
  bool read_first = v->home[reg->id] < 0 && (role & PTX_READ) != 0;
  if (read_first || (v->home[reg->id] >= 0 && v->home[reg->id] != v->block)) v->wide[reg->id] = 0;
  v->home[reg->id] = v->block;
}

/* Reads of one instruction come before its writes. */
typedef struct half {
  live *v;
  int want;
  ptx_reg_visit each;
} half;

static void visit_half (void *ud, ptx_reg *reg, int role) {
  half *h = ud;
  if ((role & h->want) != 0) h->each(h->v, reg, h->want);
}

/* Products of wgmma read and write their registers when they are waited for: here, or in a function
 * that is called. */
static bool waits_for_products (const ptx_inst *inst) {
  return strcmp(inst->match.op->opcode, "wgmma.wait_group") == 0 ||
         (inst->match.flags & PTX_F_CALL) != 0;
}

static void visit_products (half *h) {
  for (uint32_t i = 0; i < h->v->num_products; i++)
    for (int k = 0; k < 2; k++)
      ptx_operand_visit_regs(&h->v->products[i]->operands[k], PTX_READ, visit_half, h);
}

static void visit_role (live *v, const ptx_inst *inst, int want, ptx_reg_visit each) {
  half h = { v, want, each };
  ptx_inst_visit_regs(inst, visit_half, &h);
  if (v->num_products != 0 && want == PTX_READ && waits_for_products(inst)) visit_products(&h);
}

static bool is_product (const ptx_inst *inst) {
  return strncmp(inst->match.op->opcode, "wgmma.mma", 9) == 0;
}

static bool find_products (live *v) {
  for (int pass = 0; pass < 2; pass++) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < v->f->num_bbs; b++)
      for (const ptx_inst *inst = v->f->bbs[b].first; inst != block_end(&v->f->bbs[b]);
           inst = inst->next)
        if (is_product(inst) && n++ < v->num_products) v->products[n - 1] = inst;
    if (n == 0) return true;
    if (pass == 0) v->products = lcu_arena_alloc(v->scratch, n * sizeof *v->products);
    if (v->products == NULL) return false;
    v->num_products = n;
  }
  return true;
}

static void find_wide (live *v) {
  for (uint32_t k = 0; k < v->f->num_regs; k++) v->wide[k] = v->home[k] = -1;
  for (uint32_t b = 0; b < v->f->num_bbs; b++) {
    v->block = (int32_t)b;
    for (const ptx_inst *inst = v->f->bbs[b].first; inst != block_end(&v->f->bbs[b]);
         inst = inst->next) {
      visit_role(v, inst, PTX_READ, note_home);
      visit_role(v, inst, PTX_WRITE, note_home);
    }
  }
  for (uint32_t k = 0; k < v->f->num_regs; k++)
    if (v->wide[k] == 0) v->wide[k] = (int32_t)v->num_wide++;
  v->words = (v->num_wide + 63) / 64;
}

static bool bit_at (const uint64_t *set, int32_t k) { return (set[k / 64] >> (k % 64) & 1) != 0; }
static void set_bit (uint64_t *set, int32_t k) { set[k / 64] |= (uint64_t)1 << (k % 64); }

static void note_read (void *ud, ptx_reg *reg, int role) {
  live *v = ud;
  int32_t k = v->wide[reg->id];
  (void)role;
  if (k >= 0 && !bit_at(v->blocks[v->block].kill, k)) set_bit(v->blocks[v->block].gen, k);
}

static void note_write (void *ud, ptx_reg *reg, int role) {
  live *v = ud;
  int32_t k = v->wide[reg->id];
  (void)role;
  if (k >= 0) set_bit(v->blocks[v->block].kill, k);
}

static bool make_sets (live *v) {
  size_t n = v->f->num_bbs, words = v->words + 1u;
  uint64_t *pool = lcu_arena_alloc(v->scratch, 3 * n * words * sizeof *pool);
  v->blocks = lcu_arena_alloc(v->scratch, n * sizeof *v->blocks);
  v->out = lcu_arena_alloc(v->scratch, words * sizeof *v->out);
  if (pool == NULL || v->blocks == NULL || v->out == NULL) return false;
  for (size_t b = 0; b < n; b++) {
    v->blocks[b] = (slot_bits){ pool, pool + words, pool + 2 * words };
    pool += 3 * words;
    v->block = (int32_t)b;
    for (const ptx_inst *inst = v->f->bbs[b].first; inst != block_end(&v->f->bbs[b]);
         inst = inst->next) {
      visit_role(v, inst, PTX_READ, note_read);
      visit_role(v, inst, PTX_WRITE, note_write);
    }
  }
  return true;
}

static void gather_out (live *v, const ptx_basic_block *b) {
  memset(v->out, 0, v->words * sizeof *v->out);
  int32_t s;
  for (uint32_t k = 0; (s = ptx_basic_block_successor(b, k)) >= 0; k++)
    for (uint32_t w = 0; w < v->words; w++) v->out[w] |= v->blocks[s].in[w];
}

static void solve_live (live *v) {
  bool changed = v->words != 0;
  while (changed) {
    changed = false;
    for (uint32_t b = v->f->num_bbs; b-- > 0;) {
      const slot_bits *s = &v->blocks[b];
      gather_out(v, &v->f->bbs[b]);
      for (uint32_t w = 0; w < v->words; w++) {
        uint64_t in = s->gen[w] | (v->out[w] & ~s->kill[w]);
        changed = changed || in != s->in[w];
        s->in[w] = in;
      }
    }
  }
}


/* Segments grow from the last position to the first, so new ones always come first. */

static void add_segment (live *v, uint32_t id, uint32_t start, uint32_t end) {
  ptx_segment *s = v->segments[id];
  if (s != NULL && end + 1 >= s->start) {
    if (start < s->start) s->start = start;
    return;
  }
  s = lcu_arena_alloc(v->scratch, sizeof *s);
  if (s == NULL) {
    v->failed = true;
    return;
  }
  *s = (ptx_segment){ v->segments[id], start, end };
  v->segments[id] = s;
}

static void end_at_write (void *ud, ptx_reg *reg, int role) {
  live *v = ud;
  ptx_segment *s = v->segments[reg->id];
  (void)role;
  if (s != NULL && s->start <= v->at && v->at <= s->end) s->start = v->at;
  else add_segment(v, reg->id, v->at, v->at);
}

static void begin_at_read (void *ud, ptx_reg *reg, int role) {
  live *v = ud;
  (void)role;
  add_segment(v, reg->id, v->start, v->at);
}

static void add_live_out (live *v, const ptx_basic_block *b, uint32_t start, uint32_t end) {
  gather_out(v, b);
  for (uint32_t id = 0; id < v->f->num_regs; id++)
    if (v->wide[id] >= 0 && bit_at(v->out, v->wide[id])) add_segment(v, id, start, end);
}

/* Instructions are linked forwards only: `row` lists them for the way back. */
static void segments_of_block (live *v, const ptx_basic_block *b, const ptx_inst **row,
                               uint32_t num) {
  uint32_t k = 0;
  for (const ptx_inst *inst = b->first; inst != block_end(b); inst = inst->next) row[k++] = inst;
  if (v->words != 0) add_live_out(v, b, v->start, v->start + num - 1);
  for (k = num; k-- > 0;) {
    v->at = v->start + k;
    visit_role(v, row[k], PTX_WRITE, end_at_write);
    visit_role(v, row[k], PTX_READ, begin_at_read);
  }
}

static uint32_t block_length (const ptx_basic_block *b) {
  uint32_t n = 0;
  for (const ptx_inst *inst = b->first; inst != block_end(b); inst = inst->next) n++;
  return n;
}

static bool build_segments (live *v, uint32_t *num_positions) {
  uint32_t total = 0;
  for (uint32_t b = 0; b < v->f->num_bbs; b++) total += block_length(&v->f->bbs[b]);
  const ptx_inst **row = lcu_arena_alloc(v->scratch, (total + 1u) * sizeof *row);
  if (row == NULL) return false;
  *num_positions = v->start = total;
  for (uint32_t b = v->f->num_bbs; b-- > 0;) {
    uint32_t num = block_length(&v->f->bbs[b]);
    v->start -= num;
    segments_of_block(v, &v->f->bbs[b], row, num);
  }
  return !v->failed;
}

ptx_segment **ptx_live_segments (const ptx_function *f, lcu_arena *scratch,
                                 uint32_t *num_positions) {
  live v = { .f = f, .scratch = scratch };
  size_t n = f->num_regs + 1u;
  v.wide = lcu_arena_alloc(scratch, n * sizeof *v.wide);
  v.home = lcu_arena_alloc(scratch, n * sizeof *v.home);
  v.segments = lcu_arena_alloc(scratch, n * sizeof *v.segments);
  if (v.wide == NULL || v.home == NULL || v.segments == NULL) return NULL;
  if (!find_products(&v)) return NULL;
  find_wide(&v);
  if (!make_sets(&v)) return NULL;
  solve_live(&v);
  return build_segments(&v, num_positions) ? v.segments : NULL;
}
