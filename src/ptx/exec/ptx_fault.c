/* ptx_fault.c: faults as messages: what went wrong, and where. */
#include "ptx_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lcu_text.h"
#include "ptx_module.h"
#include "ptx_window.h"

enum { NEAR_BYTES = 1 << 20 };

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

static void place_of (const ptx_frame *frame, const ptx_uop *at, char *file, size_t size,
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
    if (in_header(&p)) continue;
    snprintf(c[n].file, sizeof c[n].file, "%s", relative(p.file));
    c[n++].line = (int)p.line;
  }
}

/* "called from k.cu:12, from k.cu:20": the calls of device functions that lead to a place */
static void add_callers (lcu_text *t, const ptx_caller *c, const char *before) {
  for (int n = 0; n < PTX_CALLERS && c[n].line != 0; n++)
    lcu_text_add(t, "%s%s:%d", n == 0 ? before : ", from ", c[n].file, c[n].line);
}

void ptx_fault_place (const ptx_frame *frame, const ptx_uop *at, char *out, size_t size) {
  char file[256];
  int line;
  ptx_caller callers[PTX_CALLERS] = { 0 };
  lcu_text t = lcu_text_in(out, size);
  place_of(frame, at, file, sizeof file, &line);
  if (line == 0) lcu_text_add(&t, "an unknown line");
  else lcu_text_add(&t, "%s:%d", file, line);
  find_callers(callers, frame, at);
  add_callers(&t, callers, ", called from ");
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

static bool is_global (const ptx_fault *f) { return strcmp(f->space, "global") == 0; }

/* No system maps the first pages: an address there is an element of a null pointer. */
static bool is_null (const ptx_fault *f) {
  return is_global(f) && f->bytes != 0 && f->address < PTX_NULL_BYTES;
}

/* ---- words */

const char *ptx_fault_kind_name (ptx_fault_kind kind) {
  static const char *const names[PTX_FAULT_KIND_COUNT] = {
#define PTX_FAULT(id, name) [PTX_FAULT_##id] = name,
#include "ptx_faults.def"
#undef PTX_FAULT
  };
  return names[kind];
}

/* ", 12 bytes past the end of the allocation of 400 bytes at 0x7f0000001000" */
static void add_nearest (lcu_text *t, const ptx_fault *f) {
  const ptx_range *r = &f->nearest;
  unsigned long long size = (unsigned long long)r->size, base = (unsigned long long)r->base;
  if (r->size == 0) {
    if (is_global(f) && f->kind == PTX_FAULT_OUT_OF_BOUNDS)
      lcu_text_add(t, ", far from any allocation");
    return;
  }
  const char *what = r->live ? "allocation" : "freed allocation";
  if (f->address < r->base)
    lcu_text_add(t, ", %llu bytes before the %s of %llu bytes at 0x%llx",
                 (unsigned long long)(r->base - f->address), what, size, base);
  else if (f->address == r->base + r->size)
    lcu_text_add(t, ", just past the end of the %s of %llu bytes at 0x%llx", what, size, base);
  else if (f->address > r->base + r->size)
    lcu_text_add(t, ", %llu bytes past the end of the %s of %llu bytes at 0x%llx",
                 (unsigned long long)(f->address - r->base - r->size), what, size, base);
  else
    lcu_text_add(t, ", %llu bytes into the %s of %llu bytes at 0x%llx",
                 (unsigned long long)(f->address - r->base), what, size, base);
}

static void add_access (lcu_text *t, const ptx_fault *f, const char *detail) {
  bool null = is_null(f);
  lcu_text_add(t, "%s: %s of %u byte%s at 0x%llx",
               null ? "null pointer" : ptx_fault_kind_name(f->kind), f->write ? "write" : "read",
               f->bytes, f->bytes == 1 ? "" : "s", (unsigned long long)f->address);
  if (f->space[0] != '\0' && !null) lcu_text_add(t, " in %s memory", f->space);
  if (f->kind != PTX_FAULT_MISALIGNED && !null) add_nearest(t, f);
  if (detail[0] != '\0') lcu_text_add(t, ", %s", detail);
}

static const char *words_between (const ptx_fault *f) {
  bool global = f->bytes != 0;
  if (strcmp(f->other.access, "copy") == 0) return "without a wait (cp.async.wait_group) for the";
  if (f->kind == PTX_FAULT_RACE)
    return global ? "which nothing orders after the" : "which no barrier orders after the";
  return f->write ? "which the kernel reads as constant (const __restrict__, __ldg, __constant__):"
                  : "read as constant (const __restrict__, __ldg, __constant__), after the";
}

/* ", computed with a product at k.cu:7 that wrapped around," */
static void add_wrapped (lcu_text *t, const ptx_other *o) {
  lcu_text_add(t, ", computed with a %s", o->access);
  if (o->line != 0) lcu_text_add(t, " at %s:%d", o->file, o->line);
  lcu_text_add(t, " that wrapped around,");
}

/* The other access: ", which nothing orders after the write at k.cu:7 by thread (1,0,0)" */
static void add_other (lcu_text *t, const ptx_fault *f) {
  const ptx_other *o = &f->other;
  if (o->access[0] == '\0') return;
  if (f->kind == PTX_FAULT_OVERFLOW) {
    add_wrapped(t, o);
    return;
  }
  lcu_text_add(t, ", %s %s", words_between(f), o->access);
  if (o->line != 0) lcu_text_add(t, " at %s:%d", o->file, o->line);
  lcu_text_add(t, " by thread (%u,%u,%u) of ", o->thread[0], o->thread[1], o->thread[2]);
  if (memcmp(o->block, f->block, sizeof o->block) == 0) lcu_text_add(t, "the same block,");
  else lcu_text_add(t, "block (%u,%u,%u),", o->block[0], o->block[1], o->block[2]);
}

static void add_place (lcu_text *t, const ptx_fault *f) {
  if (f->line != 0) lcu_text_add(t, " at %s:%d", f->file, f->line);
  add_callers(t, f->callers, " (called from ");
  if (f->callers[0].line != 0) lcu_text_add(t, ")");
  lcu_text_add(t, " in kernel `%s`, block (%u,%u,%u), thread (%u,%u,%u)", f->kernel, f->block[0],
               f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
}

/* An assertion has its own text and place, in the form that CUDA prints. */
static void add_assert (lcu_text *t, const ptx_fault *f, const char *detail) {
  lcu_text_add(t, "%s:%d: ", f->file, f->line);
  const char *split = strchr(detail, '\n');
  if (split == NULL) split = detail + strlen(detail);
  lcu_text_add(t, "%.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
               (int)(split - detail), detail, f->block[0], f->block[1], f->block[2], f->thread[0],
               f->thread[1], f->thread[2], *split != '\0' ? split + 1 : "");
}

/* Sets the place off from an address or an allocation before it. */
static void end_clause (lcu_text *t) {
  if (t->at[-1] != ',') lcu_text_add(t, ",");
}

static void write_message (ptx_fault *f, const ptx_warp_fault *trap) {
  lcu_text t = lcu_text_in(f->message, sizeof f->message);
  bool access = f->bytes != 0 && f->kind != PTX_FAULT_PRINTF;
  if (f->kind == PTX_FAULT_ASSERT) {
    add_assert(&t, f, trap->detail);
    return;
  }
  if (access) {
    add_access(&t, f, trap->detail);
  } else {
    lcu_text_add(&t, "%s%s%s", ptx_fault_kind_name(f->kind), trap->detail[0] != '\0' ? ": " : "",
                 trap->detail);
    if (f->address != 0) add_nearest(&t, f);
  }
  add_other(&t, f);
  if (access || f->address != 0) end_clause(&t);
  add_place(&t, f);
}

void ptx_fault_describe (ptx_fault *f, const char *detail) {
  ptx_warp_fault trap = { 0 };
  snprintf(trap.detail, sizeof trap.detail, "%s", detail);
  write_message(f, &trap);
}

/* ---- reporting */

static uint64_t distance (const ptx_range *r, uint64_t address) {
  return address < r->base             ? r->base - address
         : address - r->base < r->size ? 0
                                       : address - r->base - r->size;
}

/* An allocation that is farther away than its own size, or NEAR_BYTES, is probably unrelated. */
static void find_nearest (const ptx_grid *g, ptx_fault *f) {
  if (!is_global(f) || is_null(f) || g->host->find == NULL ||
      !g->host->find(g->host->ud, f->address, &f->nearest))
    return;
  uint64_t far = f->nearest.size > NEAR_BYTES ? f->nearest.size : NEAR_BYTES;
  if (distance(&f->nearest, f->address) > far) f->nearest = (ptx_range){ 0 };
}

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
  const uint32_t *n = x->w.place->ntid;
  const char *file;
  uint32_t line;
  if (m->access == NULL) return;
  f->other = (ptx_other){
    .thread = { m->thread % n[0], m->thread / n[0] % n[1], m->thread / n[0] / n[1] },
  };
  ptx_cta_index(x->cta->grid, m->cta, f->other.block);
  snprintf(f->other.access, sizeof f->other.access, "%s", m->access);
  if (!ptx_loc_user(&x->cta->grid->function->module->ast, m->loc, &file, &line)) return;
  snprintf(f->other.file, sizeof f->other.file, "%s", relative(file));
  f->other.line = (int)line;
}

static void fill (ptx_fault *f, const ptx_xwarp *x, const ptx_frame *frame) {
  const ptx_warp *w = &x->w;
  const ptx_warp_fault *trap = &w->fault;
  uint32_t lane = trap->lane % PTX_LANES;
  memset(f, 0, sizeof *f);
  f->kind = trap->kind;
  snprintf(f->kernel, sizeof f->kernel, "%s", x->cta->grid->function->name);
  place_of(frame, w->at, f->file, sizeof f->file, &f->line);
  for (int k = 0; k < 3; k++) {
    f->block[k] = w->place->ctaid[k];
    f->thread[k] = w->tid[k][lane];
  }
  find_callers(f->callers, frame, w->at);
  fill_other(f, x);
  f->address = trap->address;
  f->bytes = trap->bytes;
  f->write = trap->write;
  if (f->address != 0 || f->bytes != 0)
    snprintf(f->space, sizeof f->space, "%s", space_name(trap->space));
  find_nearest(x->cta->grid, f);
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
  write_message(&f, &x->w.fault);
  ptx_grid_fault(x->cta->grid, x->cta->linear, &f);
}

void ptx_fault_hang (ptx_cta *c, ptx_fault_kind kind, const ptx_uop *at, const ptx_frame *frame,
                     const char *account) {
  ptx_fault f;
  memset(&f, 0, sizeof f);
  f.kind = kind;
  snprintf(f.kernel, sizeof f.kernel, "%s", c->grid->function->name);
  place_of(frame, at, f.file, sizeof f.file, &f.line);
  memcpy(f.block, c->warps[0].w.place->ctaid, sizeof f.block);
  snprintf(f.message, sizeof f.message, "%s in kernel `%s`: %s", ptx_fault_kind_name(kind),
           f.kernel, account);
  ptx_grid_fault(c->grid, c->linear, &f);
}
