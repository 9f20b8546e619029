/* ptx_check_group.c: with all checks on, what the four warps of a warp group must do alike. Each
 * product is one of the whole group: its n-th wgmma must be the same instruction in all four warps,
 * with the same descriptors, and at the end of the block all four must have issued equally many.
 * Warps are compared as long as none is KEPT products ahead. The same holds for setmaxnreg, and the
 * block must have as many registers as its warps have asked for. */
#include <string.h>

#include "ptx_check.h"
#include "ptx_fault.h"
#include "ptx_wgmma.h"

enum { GROUPS = PTX_MAX_WARPS / PTX_GROUP_WARPS, KEPT = 64, DESCRIPTORS = 2 };
enum { REGISTERS = 65536, MOST_REGISTERS = 256 }; /* of a multiprocessor, and of a thread */

/* A product: of which warp, and where it reads matrices. */
typedef struct issue {
  const ptx_uop *I;
  uint64_t descriptors[DESCRIPTORS];
  uint32_t warp;
} issue;

/* When the group had read the matrices of its product n. */
typedef struct reading {
  uint32_t product, time; /* n + 1 */
} reading;

/* What a warp has executed: how often, and where it was. */
typedef struct tally {
  uint32_t num;
  const ptx_uop *latest;
  const ptx_code *code;
} tally;
enum { PRODUCTS, ASKS, TALLIES };

struct ptx_groups {
  uint32_t run;
  tally of[TALLIES][PTX_MAX_WARPS];
  uint32_t registers[PTX_MAX_WARPS]; /* that setmaxnreg asked for at last, per thread; 0: none */
  uint32_t most[GROUPS];             /* products of the warp that is ahead */
  issue kept[GROUPS][KEPT];
  reading readings[GROUPS][KEPT];
};

static struct ptx_groups *groups_of (ptx_cta *c) {
  if (c->groups == NULL) c->groups = lcu_calloc(1, sizeof *c->groups);
  if (c->groups != NULL && c->groups->run != c->run) {
    memset(c->groups, 0, sizeof *c->groups);
    c->groups->run = c->run;
  }
  return c->groups;
}

/* How often it had before. */
static uint32_t count (struct ptx_groups *g, int kind, uint32_t warp, const ptx_uop *I,
                       const ptx_frame *f) {
  tally *t = &g->of[kind][warp];
  t->latest = I;
  t->code = f->code;
  return t->num++;
}

/* ---- products */

static issue issue_of (const ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  const ptx_products *all = ptx_products_of(I);
  issue p = { .I = I, .warp = x->w.warpid };
  uint32_t n = 0;
  for (uint32_t k = 0; k < all->num_kept && n < DESCRIPTORS; k++)
    if (all->bytes[k] == sizeof(uint64_t) * PTX_LANES)
      memcpy(&p.descriptors[n++], rf + I->extra->slots[k], sizeof(uint64_t));
  return p;
}

static bool fail_issue (ptx_xwarp *x, const issue *before, const char *text) {
  ptx_fault_set(x, 0, PTX_FAULT_BARRIER, "%s warp %u of the warp group,", text,
                before->warp % PTX_GROUP_WARPS);
  x->w.fault.other = (ptx_meeting){ .access = "product",
                                    .cta = x->cta->linear,
                                    .thread = before->warp * PTX_LANES,
                                    .loc = before->I->loc };
  return false;
}

static bool check_issue (ptx_xwarp *x, const issue *p, const issue *before) {
  if (p->I != before->I)
    return fail_issue(x, before,
                      "product of the tensor cores (wgmma), a different one than that "
                      "of");
  if (memcmp(p->descriptors, before->descriptors, sizeof p->descriptors) != 0)
    return fail_issue(x, before,
                      "product of the tensor cores (wgmma) with another matrix "
                      "descriptor than that of");
  return true;
}

static bool check_product (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  uint32_t warp = x->w.warpid, group = warp / PTX_GROUP_WARPS;
  struct ptx_groups *g = groups_of(x->cta);
  if (g == NULL) return true;
  uint32_t n = count(g, PRODUCTS, warp, I, f);
  issue p = issue_of(x, I, f->rf), *at = &g->kept[group][n % KEPT];
  if (n < g->most[group]) return n + KEPT < g->most[group] || check_issue(x, &p, at);
  *at = p;
  g->most[group] = n + 1;
  return true;
}

uint32_t ptx_group_read_time (ptx_xwarp *x, uint32_t from_end) {
  struct ptx_groups *g = groups_of(x->cta);
  if (g == NULL) return 0;
  uint32_t warp = x->w.warpid, n = g->of[PRODUCTS][warp].num - from_end + 1;
  reading *r = &g->readings[warp / PTX_GROUP_WARPS][n % KEPT];
  if (r->product != n) *r = (reading){ .product = n, .time = x->cta->clock };
  return r->time;
}

/* ---- registers */

/* Diverged lanes count once: setmaxnreg is one of the warp. */
static void note_ask (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  struct ptx_groups *g = groups_of(x->cta);
  if (g == NULL || (x->w.mask >> ptx_first_lane(x->w.alive) & 1) == 0) return;
  count(g, ASKS, x->w.warpid, I, f);
  g->registers[x->w.warpid] = (uint32_t)I->imm;
}

bool ptx_check_groups (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  if (I->id == PTX_ID_nop && I->imm > 0) note_ask(x, I, f);
  return I->id != PTX_ID_wgmma || x->w.mask != UINT32_MAX || check_product(x, I, f);
}

/* ---- the end of the block */

static bool report_end (ptx_xwarp *x, const tally *t) {
  ptx_frame frame = { .code = t->code };
  x->w.at = t->latest;
  ptx_fault_report(x, &frame);
  return false;
}

/* The warps of a group, from `first` on, that there are. */
static bool end_group (ptx_cta *c, const tally *of, uint32_t first, const char *what) {
  uint32_t most = first, least = first, end = first + PTX_GROUP_WARPS;
  if (end > c->num_warps) end = c->num_warps;
  for (uint32_t k = first + 1; k < end; k++) {
    if (of[k].num > of[most].num) most = k;
    if (of[k].num < of[least].num) least = k;
  }
  if (of[most].num == of[least].num) return true;
  ptx_fault_set(&c->warps[most], 0, PTX_FAULT_BARRIER,
                "the block has ended, and the warps of a warp group have executed %s different "
                "numbers of times: warp %u %u, warp %u %u,",
                what, most % PTX_GROUP_WARPS, of[most].num, least % PTX_GROUP_WARPS, of[least].num);
  return report_end(&c->warps[most], &of[most]);
}

/* Each warp begins with as many registers, and what all have is what they can share. Warps that
 * have not asked keep theirs, so the others must make do with what these began with. */
static bool end_registers (ptx_cta *c, const struct ptx_groups *g) {
  uint32_t asked = 0, warps = 0, most = 0, own = REGISTERS / (c->num_warps * PTX_LANES) & ~7u;
  if (own > MOST_REGISTERS) own = MOST_REGISTERS;
  for (uint32_t k = 0; k < c->num_warps; k++) {
    asked += g->registers[k];
    warps += g->registers[k] != 0;
    if (g->registers[k] > g->registers[most]) most = k;
  }
  if (asked <= warps * own) return true;
  ptx_fault_set(&c->warps[most], 0, PTX_FAULT_BARRIER,
                "setmaxnreg asks for %u registers in all, and the %u warps that ask have at most "
                "%u: a block of %u threads begins with at most %u in each,",
                asked * PTX_LANES, warps, warps * own * PTX_LANES, c->num_threads, own);
  return report_end(&c->warps[most], &g->of[ASKS][most]);
}

bool ptx_check_end (ptx_cta *c) {
  const struct ptx_groups *g = c->groups;
  if (g == NULL || g->run != c->run) return true;
  for (uint32_t first = 0; first < c->num_warps; first += PTX_GROUP_WARPS)
    if (!end_group(c, g->of[PRODUCTS], first, "products of the tensor cores (wgmma)") ||
        !end_group(c, g->of[ASKS], first, "setmaxnreg"))
      return false;
  return end_registers(c, g);
}
