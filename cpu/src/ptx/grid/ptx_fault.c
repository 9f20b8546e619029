/* ptx_fault.c: reporting faults: what went wrong, and where. */
#include "ptx_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lcu_text.h"
#include "ptx_ids.h"
#include "ptx_module.h"
#include "ptx_window.h"

/* ---- places */

typedef struct place {
  const char *file;
  uint32_t line, loc;
  const ptx_frame *frame;
} place;

/* Code that the compiler moved has line 0: the nearest instruction with a line is used. */
static bool nearest_line (const struct ptx_module_ast *ast, const ptx_code *code, size_t at,
                          place *out) {
  for (size_t i = at + 1; i > 0; i--)
    if (ptx_loc_user(ast, out->loc = code->uops[i - 1].loc, &out->file, &out->line)) return true;
  for (size_t i = at + 1; i < code->num_uops; i++)
    if (ptx_loc_user(ast, out->loc = code->uops[i].loc, &out->file, &out->line)) return true;
  return false;
}

/* NVRTC prepends the working directory to relative names. */
static const char *relative (const char *file) {
  char cwd[1024];
  if (file[0] != '/' || getcwd(cwd, sizeof cwd) == NULL) return file;
  size_t n = strlen(cwd);
  return strncmp(file, cwd, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

static bool locate_in (const ptx_function *f, const ptx_uop *at, place *out) {
  return nearest_line(&f->module->ast, f->code, (size_t)(at - f->code->uops), out);
}

static bool in_header (const place *p) { return strstr(p->file, "include/") != NULL; }

/* In debug code, functions of the toolkit's headers are calls: the line that called them is
 * shown. */
static bool locate (const ptx_frame *frame, const ptx_uop *at, place *out) {
  bool found = locate_in(frame->code->function, at, out);
  out->frame = frame;
  while (frame->site != NULL && (!found || in_header(out))) {
    place caller;
    at = frame->site;
    frame = frame->parent;
    if (!locate_in(frame->code->function, at, &caller)) continue;
    *out = caller;
    out->frame = frame;
    found = true;
  }
  return found;
}

/* The call that led to the place: inlined, or of the frame. */
static bool to_caller (place *p) {
  const struct ptx_module_ast *ast = &p->frame->code->function->module->ast;
  p->loc = ptx_loc_caller(ast, p->loc);
  if (p->loc != 0) return ptx_loc_user(ast, p->loc, &p->file, &p->line);
  const ptx_uop *site = p->frame->site;
  p->frame = p->frame->parent;
  return site != NULL && locate_in(p->frame->code->function, site, p);
}

void ptx_fault_locate (const ptx_frame *frame, const ptx_uop *at, char *file, size_t size,
                       int *line) {
  place p;
  file[0] = '\0';
  *line = 0;
  if (frame == NULL || at == NULL || !locate(frame, at, &p)) return;
  snprintf(file, size, "%s", relative(p.file));
  *line = (int)p.line;
}

static void find_callers (ptx_caller *c, const ptx_frame *frame, const ptx_uop *at) {
  place p;
  if (frame == NULL || at == NULL || !locate(frame, at, &p)) return;
  for (int n = 0; n < PTX_CALLERS && to_caller(&p);) {
    /* in debug code generated text calls the user's */
    if (in_header(&p) || ptx_file_generated(p.file)) continue;
    snprintf(c[n].file, sizeof c[n].file, "%s", relative(p.file));
    c[n++].line = (int)p.line;
  }
}

void ptx_fault_place (const ptx_frame *frame, const ptx_uop *at, char *out, size_t size) {
  char file[256];
  int line;
  ptx_caller callers[PTX_CALLERS] = { 0 };
  lcu_text t = lcu_text_in(out, size);
  ptx_fault_locate(frame, at, file, sizeof file, &line);
  if (line == 0) lcu_text_add(&t, "an unknown line");
  else lcu_text_add(&t, "%s:%d", file, line);
  find_callers(callers, frame, at);
  ptx_words_callers(&t, callers, ", called from ");
}

/* ---- traps */

bool ptx_fault_set (ptx_xwarp *x, uint32_t lane, ptx_fault_kind kind, const char *fmt, ...) {
  ptx_warp_fault *t = &x->w.fault;
  va_list args;
  memset(t, 0, sizeof *t);
  t->kind = kind;
  t->lane = lane;
  va_start(args, fmt);
  vsnprintf(t->detail, sizeof t->detail, fmt, args);
  va_end(args);
  return false;
}

static const char *space_name (uint8_t space) {
  static const char *const names[] = {
    [PTX_GENERIC] = "global", [PTX_REG] = "",        [PTX_PARAM] = "param", [PTX_GLOBAL] = "global",
    [PTX_SHARED] = "shared",  [PTX_LOCAL] = "local", [PTX_CONST] = "const", [PTX_CLUSTER] = "shared"
  };
  return space < lcu_arraylen(names) ? names[space] : "";
}

/* No system maps the first pages: an address there is an element of a null pointer. */
static bool is_null (const ptx_fault *f) {
  bool wild = f->kind == PTX_FAULT_OUT_OF_BOUNDS || f->kind == PTX_FAULT_MISALIGNED;
  return wild && ptx_words_global(f) && f->bytes != 0 && f->address < PTX_NULL_BYTES;
}

/* ---- reporting */

/* Cooperative groups trap when there is no workspace to synchronize a grid through. */
static void explain_trap (const ptx_grid *g, const ptx_uop *at, const ptx_function *f,
                          ptx_warp_fault *trap) {
  if (g->launch->cooperative || !g->launch->kernel->reads_workspace) return;
  const char *file = ptx_loc_file(&f->module->ast, at->loc);
  if (file == NULL || strstr(file, "cooperative_groups") != NULL)
    snprintf(trap->detail, sizeof trap->detail,
             "grid.sync() needs a launch with cooperative = true,");
}

static void fill_other (ptx_fault *f, const ptx_xwarp *x) {
  const ptx_meeting *m = &x->w.fault.other;
  const ptx_trace *prior = m->prior;
  const uint32_t *n = prior != NULL ? prior->block : x->w.place->ntid;
  const char *file;
  uint32_t line;
  if (m->access == NULL) return;
  f->other = (ptx_other){
    .between = m->between,
    .before = prior != NULL,
    .thread = { m->thread % n[0], m->thread / n[0] % n[1], m->thread / n[0] / n[1] },
  };
  if (prior != NULL) ptx_block_index(prior->grid, prior->cluster, m->cta, f->other.block);
  else ptx_cta_index(x->cta->grid, m->cta, f->other.block);
  snprintf(f->other.access, sizeof f->other.access, "%s", m->access);
  if (!ptx_loc_user(&x->cta->grid->function->module->ast, m->loc, &file, &line)) return;
  snprintf(f->other.file, sizeof f->other.file, "%s", relative(file));
  f->other.line = (int)line;
}

/* The space of the address in the instruction, which may be a smaller one than that of the
 * access. */
static bool is_constant (const ptx_frame *frame, const ptx_uop *at) {
  if (frame == NULL || at == NULL) return false;
  const ptx_inst *inst = frame->code->insts[at - frame->code->uops];
  return inst != NULL && inst->match.space == PTX_CONST;
}

static void fill_access (ptx_fault *f, const ptx_warp_fault *trap, const ptx_frame *frame,
                         const ptx_uop *at) {
  f->address = trap->address;
  f->bytes = trap->bytes;
  f->write = trap->write;
  f->atomic = trap->write && at != NULL && ptx_id_access[at->id] == PTX_ACCESS_ATOMIC;
  if (f->address == 0 && f->bytes == 0) return;
  bool constant = trap->space == PTX_GLOBAL && is_constant(frame, at);
  snprintf(f->space, sizeof f->space, "%s", constant ? "const" : space_name(trap->space));
  if (is_null(f)) f->kind = PTX_FAULT_NULL_POINTER;
  if (trap->variable != NULL) ptx_variable_name(trap->variable, f->variable, sizeof f->variable);
}

static void fill (ptx_fault *f, const ptx_xwarp *x, const ptx_frame *frame) {
  const ptx_warp *w = &x->w;
  const ptx_warp_fault *trap = &w->fault;
  uint32_t lane = trap->lane % PTX_LANES;
  memset(f, 0, sizeof *f);
  f->kind = trap->kind;
  snprintf(f->kernel, sizeof f->kernel, "%s", x->cta->grid->function->name);
  ptx_fault_locate(frame, w->at, f->file, sizeof f->file, &f->line);
  for (int k = 0; k < 3; k++) {
    f->block[k] = w->place->ctaid[k];
    f->thread[k] = w->tid[k][lane];
  }
  find_callers(f->callers, frame, w->at);
  fill_other(f, x);
  fill_access(f, trap, frame, w->at);
  ptx_nearest_find(x, frame, f);
}

/* An assertion names its own file and line: "file\nline\nfunction\nexpression". */
static void take_assert_place (ptx_fault *f, ptx_warp_fault *trap) {
  char *line = strchr(trap->detail, '\n'), *rest = line != NULL ? strchr(line + 1, '\n') : NULL;
  if (rest == NULL) return;
  f->line = 0;
  for (const char *p = line + 1; p < rest; p++) f->line = f->line * 10 + (*p - '0');
  *line = '\0';
  snprintf(f->file, sizeof f->file, "%.*s", (int)sizeof f->file - 1, relative(trap->detail));
  memmove(trap->detail, rest + 1, strlen(rest + 1) + 1);
}

void ptx_fault_report (ptx_xwarp *x, const ptx_frame *frame) {
  ptx_fault f;
  fill(&f, x, frame);
  if (f.kind == PTX_FAULT_ASSERT) take_assert_place(&f, &x->w.fault);
  if (f.kind == PTX_FAULT_TRAP)
    explain_trap(x->cta->grid, x->w.at, frame->code->function, &x->w.fault);
  ptx_words_write(&f, x->w.fault.detail, x->w.fault.told);
  ptx_grid_fault(x->cta->grid, x->cta->linear, &f);
}

void ptx_fault_start_hang (ptx_fault *f, const ptx_cta *c, ptx_fault_kind kind, const ptx_uop *at,
                           const ptx_frame *frame) {
  memset(f, 0, sizeof *f);
  f->kind = kind;
  snprintf(f->kernel, sizeof f->kernel, "%s", c->grid->function->name);
  ptx_fault_locate(frame, at, f->file, sizeof f->file, &f->line);
  memcpy(f->block, c->warps[0].w.place->ctaid, sizeof f->block);
}
