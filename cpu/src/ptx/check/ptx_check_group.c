/* ptx_check_group.c: with all checks on, what the four warps of a warp group must do alike. Each
 * product is one of the whole group: its n-th wgmma must be the same instruction in all four warps,
 * with the same descriptors, and at the end of the block all four must have issued equally many.
 * Warps are compared as long as none is KEPT products ahead. */
#include <string.h>

#include "ptx_check.h"
#include "ptx_fault.h"
#include "ptx_wgmma.h"

enum { PER_GROUP = 4, GROUPS = PTX_MAX_WARPS / PER_GROUP, KEPT = 64, DESCRIPTORS = 2 };

/* A product: of which warp, and where it reads matrices. */
typedef struct issue {
  const ptx_uop *I;
  uint64_t descriptors[DESCRIPTORS];
  uint32_t warp;
} issue;

/* Of each warp: how many products it has issued, and the latest. */
struct ptx_groups {
  uint32_t run;
  uint32_t num[PTX_MAX_WARPS];
  const ptx_uop *latest[PTX_MAX_WARPS];
  const ptx_code *code[PTX_MAX_WARPS];
  uint32_t most[GROUPS]; /* of the four warps */
  issue kept[GROUPS][KEPT];
};

static struct ptx_groups *groups_of (ptx_cta *c) {
  if (c->groups == NULL) c->groups = lcu_calloc(1, sizeof *c->groups);
  if (c->groups != NULL && c->groups->run != c->run) {
    memset(c->groups, 0, sizeof *c->groups);
    c->groups->run = c->run;
  }
  return c->groups;
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
                before->warp % PER_GROUP);
  x->w.fault.other = (ptx_meeting){ .access = "product",
                                    .cta = x->cta->linear,
                                    .thread = before->warp * PTX_LANES,
                                    .loc = before->I->loc };
  return false;
}

static bool check_issue (ptx_xwarp *x, const issue *p, const issue *before) {
  if (p->I != before->I)
    return fail_issue(x, before, "product of the tensor cores (wgmma), a different one than that "
                                 "of");
  if (memcmp(p->descriptors, before->descriptors, sizeof p->descriptors) != 0)
    return fail_issue(x, before, "product of the tensor cores (wgmma) with another matrix "
                                 "descriptor than that of");
  return true;
}

bool ptx_check_groups (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  uint32_t warp = x->w.warpid, group = warp / PER_GROUP;
  if (I->id != PTX_ID_wgmma || x->w.mask != UINT32_MAX) return true;
  struct ptx_groups *g = groups_of(x->cta);
  if (g == NULL) return true;
  issue p = issue_of(x, I, f->rf), *at = &g->kept[group][g->num[warp] % KEPT];
  uint32_t n = g->num[warp]++;
  g->latest[warp] = I;
  g->code[warp] = f->code;
  if (n < g->most[group]) return n + KEPT < g->most[group] || check_issue(x, &p, at);
  *at = p;
  g->most[group] = n + 1;
  return true;
}

/* ---- the end of the block */

static bool report_at (ptx_xwarp *x, const ptx_uop *I, const ptx_code *code) {
  ptx_frame frame = { .code = code };
  x->w.at = I;
  ptx_fault_report(x, &frame);
  return false;
}

/* The block has as many warps. */
static bool end_group (ptx_cta *c, const struct ptx_groups *g, uint32_t first) {
  uint32_t most = first, least = first;
  for (uint32_t k = first + 1; k < first + PER_GROUP; k++) {
    if (g->num[k] > g->num[most]) most = k;
    if (g->num[k] < g->num[least]) least = k;
  }
  if (g->num[most] == g->num[least]) return true;
  ptx_xwarp *x = &c->warps[most];
  ptx_fault_set(x, 0, PTX_FAULT_BARRIER,
                "the block has ended, and of a warp group, warp %u has issued %u products of the "
                "tensor cores (wgmma), warp %u only %u,",
                most - first, g->num[most], least - first, g->num[least]);
  return report_at(x, g->latest[most], g->code[most]);
}

bool ptx_check_end (ptx_cta *c) {
  const struct ptx_groups *g = c->groups;
  if (g == NULL || g->run != c->run) return true;
  for (uint32_t first = 0; first + PER_GROUP <= c->num_warps; first += PER_GROUP)
    if (!end_group(c, g, first)) return false;
  return true;
}
