/* ptx_dump.c: the tree as PTX text. Scopes are flattened; names that occur more than once in a
 * function get a number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_ast.h"
#include "ptx_sreg.h"

typedef struct dumper {
  lcu_buf *out;
  const ptx_function *f; /* NULL: names are printed without numbers */
  const char **twice;
  size_t num_twice;
} dumper;


/* Names. */

static int by_pointer (const void *a, const void *b) {
  uintptr_t x = (uintptr_t)*(const char *const *)a, y = (uintptr_t)*(const char *const *)b;
  return x < y ? -1 : x > y;
}

static void keep_repeated (dumper *d, lcu_buf *names) {
  const char **list = (const char **)(void *)names->data;
  size_t n = names->len / sizeof *list, kept = 0;
  if (n != 0) qsort(list, n, sizeof *list, by_pointer);
  for (size_t k = 1; k < n; k++)
    if (list[k] == list[k - 1] && (kept == 0 || list[kept - 1] != list[k])) list[kept++] = list[k];
  d->twice = list;
  d->num_twice = kept;
}

static void find_repeated (dumper *d, lcu_buf *names) {
  for (uint32_t k = 0; k < d->f->num_regs; k++)
    lcu_buf_add(names, &d->f->regs[k]->name, sizeof(char *));
  for (const ptx_variable *v = d->f->locals; v != NULL; v = v->next)
    lcu_buf_add(names, &v->name, sizeof(char *));
  for (const ptx_label *l = d->f->labels; l != NULL; l = l->next)
    lcu_buf_add(names, &l->name, sizeof(char *));
  if (!names->failed) keep_repeated(d, names);
}

static bool is_repeated (const dumper *d, const char *name) {
  return d->num_twice != 0 &&
         bsearch(&name, d->twice, d->num_twice, sizeof name, by_pointer) != NULL;
}

static void put_reg (const dumper *d, const ptx_reg *r) {
  lcu_buf_adds(d->out, r->name);
  if (is_repeated(d, r->name)) lcu_buf_addf(d->out, "$%u", (unsigned)r->id);
}

static void put_variable (const dumper *d, const ptx_variable *v) {
  unsigned n = 0;
  lcu_buf_adds(d->out, v->name);
  if (!is_repeated(d, v->name) || v->is_formal || v->function != d->f) return;
  for (const ptx_variable *k = d->f->locals; k != NULL && k != v; k = k->next) n++;
  lcu_buf_addf(d->out, "$%u", n);
}

static void put_label (const dumper *d, const ptx_label *l) {
  unsigned n = 0;
  lcu_buf_adds(d->out, l->name[0] != '\0' ? l->name : "$after");
  if (d->f == NULL || (l->name[0] != '\0' && !is_repeated(d, l->name))) return;
  for (const ptx_label *k = d->f->labels; k != NULL && k != l; k = k->next) n++;
  lcu_buf_addf(d->out, "$%u", n);
}


/* Operands. */

static void put_operand (const dumper *d, const ptx_operand *o);

static void put_items (const dumper *d, const ptx_operand *o, const char *open, const char *close) {
  lcu_buf_adds(d->out, open);
  for (uint32_t k = 0; k < o->num_items; k++) {
    if (k > 0) lcu_buf_adds(d->out, ", ");
    put_operand(d, &o->items[k]);
  }
  lcu_buf_adds(d->out, close);
}

static void put_offset (const dumper *d, int64_t offset) {
  if (offset != 0) lcu_buf_addf(d->out, "+%" PRId64, offset);
}

static void put_address (const dumper *d, const ptx_operand *o) {
  lcu_buf_adds(d->out, "[");
  if (o->reg != NULL) put_reg(d, o->reg);
  else if (o->variable != NULL) put_variable(d, o->variable);
  if (o->reg != NULL || o->variable != NULL) put_offset(d, o->i);
  else lcu_buf_addf(d->out, "%" PRId64, o->i);
  if (o->num_items != 0) put_items(d, o, ", {", "}");
  lcu_buf_adds(d->out, "]");
}

static void put_float (const dumper *d, const ptx_operand *o) {
  if (o->single) lcu_buf_addf(d->out, "0f%08" PRIX32, (uint32_t)o->i);
  else lcu_buf_addf(d->out, "0d%016" PRIX64, (uint64_t)o->i);
}

static void put_operand (const dumper *d, const ptx_operand *o) {
  if (o->negate) lcu_buf_adds(d->out, o->kind == PTX_O_REG && o->reg->type == PTX_PRED ? "!" : "-");
  switch (o->kind) {
    case PTX_O_REG:
      put_reg(d, o->reg);
      if (o->name != NULL) lcu_buf_addf(d->out, ".%s", o->name);
      break;
    case PTX_O_INT: lcu_buf_addf(d->out, "%" PRId64, o->i); break;
    case PTX_O_FLOAT: put_float(d, o); break;
    case PTX_O_VARIABLE:
      put_variable(d, o->variable);
      put_offset(d, o->i);
      break;
    case PTX_O_SREG: lcu_buf_addf(d->out, "%%%s", ptx_sregs[o->sreg].name); break;
    case PTX_O_LABEL: put_label(d, o->label); break;
    case PTX_O_FUNCTION: lcu_buf_adds(d->out, o->function->name); break;
    case PTX_O_PROTO: lcu_buf_adds(d->out, o->name); break;
    case PTX_O_VECTOR: put_items(d, o, "{", "}"); break;
    case PTX_O_LIST: put_items(d, o, "(", ")"); break;
    case PTX_O_ADDRESS: put_address(d, o); break;
    case PTX_O_SINK: lcu_buf_adds(d->out, "_"); break;
    case PTX_O_NONE: break;
  }
}


/* Instructions. */

static void put_call (const dumper *d, const ptx_inst *inst) {
  const ptx_operand *o = inst->operands;
  if (o[0].num_items != 0) {
    put_operand(d, &o[0]);
    lcu_buf_adds(d->out, ", ");
  }
  put_operand(d, &o[1]);
  lcu_buf_adds(d->out, ", ");
  put_operand(d, &o[2]);
  if (inst->num_operands < 4) return;
  lcu_buf_adds(d->out, ", ");
  put_operand(d, &o[3]);
}

static void put_operands (const dumper *d, const ptx_inst *inst) {
  if (inst->num_operands == 2 && inst->operands[1].kind == PTX_O_LIST) {
    put_operand(d, &inst->operands[0]);
    lcu_buf_adds(d->out, ", $table");
    return;
  }
  for (uint32_t k = 0; k < inst->num_operands; k++) {
    if (k > 0) lcu_buf_adds(d->out, k == 1 && inst->pair ? "|" : ", ");
    put_operand(d, &inst->operands[k]);
  }
}

static void put_inst (const dumper *d, const ptx_inst *inst) {
  if (inst->guarded) {
    lcu_buf_adds(d->out, inst->guard_negate ? "@!" : "@");
    put_reg(d, inst->guard);
    lcu_buf_adds(d->out, " ");
  }
  for (uint32_t k = 0; k < inst->num_parts; k++)
    lcu_buf_addf(d->out, k > 0 ? ".%s" : "%s", inst->parts[k]);
  if (inst->num_operands != 0) lcu_buf_adds(d->out, " ");
  if (strcmp(inst->parts[0], "call") == 0) put_call(d, inst);
  else put_operands(d, inst);
  lcu_buf_adds(d->out, ";");
}

void ptx_dump_inst (const ptx_inst *inst, lcu_buf *out) {
  dumper d = { .out = out };
  put_inst(&d, inst);
}


/* Declarations. */

static void put_type (const dumper *d, const ptx_variable *v) {
  static const char *const spaces[] = { "", "reg", "param", "global", "shared", "local", "const" };
  uint32_t bytes = ptx_type_bytes(v->type);
  lcu_buf_addf(d->out, ".%s ", spaces[v->space]);
  if (v->managed) lcu_buf_adds(d->out, ".attribute(.managed) ");
  lcu_buf_addf(d->out, ".align %u .%s ", (unsigned)v->align,
               v->type != PTX_NOTYPE ? ptx_type_name(v->type) : "texref");
  put_variable(d, v);
  if (v->size == 0) lcu_buf_adds(d->out, "[]");
  else if (bytes != 0 && v->size != bytes) lcu_buf_addf(d->out, "[%" PRIu64 "]", v->size / bytes);
}

static const ptx_init *address_at (const ptx_variable *v, uint64_t offset) {
  const ptx_init *i = v->init;
  while (i != NULL && (i->kind == PTX_INIT_BITS || i->offset != offset)) i = i->next;
  return i;
}

static void put_address_value (const dumper *d, const ptx_init *i) {
  bool masked = i->size < 8;
  if (masked)
    lcu_buf_addf(d->out, "0x%" PRIx64 "(", (~(uint64_t)0 >> (64 - 8 * i->size)) << i->shift);
  lcu_buf_addf(d->out, i->generic ? "generic(%s)" : "%s", i->symbol);
  put_offset(d, (int64_t)i->bits);
  if (masked) lcu_buf_adds(d->out, ")");
}

/* The value of one element: its bits. */
static void put_element (const dumper *d, const ptx_variable *v, uint64_t offset, uint32_t size) {
  const ptx_init *image = v->init;
  uint64_t bits = 0;
  for (uint32_t k = 0; k < size && k < 8 && offset + k < image->size; k++)
    bits |= (uint64_t)image->data[offset + k] << (8 * k);
  if (v->type == PTX_F32) lcu_buf_addf(d->out, "0f%08" PRIX64, bits);
  else if (v->type == PTX_F64) lcu_buf_addf(d->out, "0d%016" PRIX64, bits);
  else lcu_buf_addf(d->out, "%" PRIu64, bits);
}

static void put_values (const dumper *d, const ptx_variable *v) {
  uint32_t size = ptx_type_bytes(v->type);
  bool list = v->size != size;
  if (v->init == NULL || size == 0) return;
  lcu_buf_adds(d->out, list ? " = {" : " = ");
  for (uint64_t at = 0; at < v->size; at += size) {
    const ptx_init *address = v->init->next != NULL ? address_at(v, at) : NULL;
    if (at > 0) lcu_buf_adds(d->out, ", ");
    if (address != NULL) put_address_value(d, address);
    else put_element(d, v, at, size);
  }
  if (list) lcu_buf_adds(d->out, "}");
}

static const char *linkage (bool is_extern, bool is_weak, bool is_visible) {
  return is_extern ? ".extern " : is_weak ? ".weak " : is_visible ? ".visible " : "";
}

static void put_declaration (const dumper *d, const ptx_variable *v) {
  lcu_buf_adds(d->out, linkage(v->is_extern, v->is_weak, v->is_visible));
  put_type(d, v);
  put_values(d, v);
  lcu_buf_adds(d->out, ";\n");
}

static void put_formals (const dumper *d, const ptx_variable *v) {
  lcu_buf_adds(d->out, "(");
  for (; v != NULL; v = v->next) {
    put_type(d, v);
    if (v->next != NULL) lcu_buf_adds(d->out, ", ");
  }
  lcu_buf_adds(d->out, ")");
}

static void put_extent (const dumper *d, const char *name, const uint32_t extent[3]) {
  if (extent[0] != 0)
    lcu_buf_addf(d->out, "\n.%s %u, %u, %u", name, (unsigned)extent[0], (unsigned)extent[1],
                 (unsigned)extent[2]);
}

static void put_head (const dumper *d, const ptx_function *f) {
  lcu_buf_adds(d->out, linkage(f->is_extern, f->is_weak, f->is_visible));
  lcu_buf_adds(d->out, f->is_entry ? ".entry " : ".func ");
  if (f->returns != NULL) put_formals(d, f->returns);
  lcu_buf_addf(d->out, " %s", f->name);
  put_formals(d, f->params);
  put_extent(d, "maxntid", f->maxntid);
  put_extent(d, "reqntid", f->reqntid);
  if (f->explicit_cluster) lcu_buf_adds(d->out, "\n.explicitcluster");
  put_extent(d, "reqnctapercluster", f->reqcluster);
  if (f->noreturn) lcu_buf_adds(d->out, "\n.noreturn");
}

static void put_labels (const dumper *d, const ptx_inst *at) {
  for (const ptx_label *l = d->f->labels; l != NULL; l = l->next) {
    if (l->at != at) continue;
    put_label(d, l);
    lcu_buf_adds(d->out, ":\n");
  }
}

static void put_block_note (const dumper *d, const ptx_inst *inst) {
  if (d->f->num_bbs == 0 || !inst->leader) return;
  if (inst->bb < 0) {
    lcu_buf_adds(d->out, "// unreachable\n");
    return;
  }
  const ptx_basic_block *b = &d->f->bbs[inst->bb];
  lcu_buf_addf(d->out, "// block %d next %d target %d loop %d%s%s\n", (int)inst->bb, (int)b->next,
               (int)b->target, (int)b->loop, b->loop_head ? " head" : "", b->spin ? " spin" : "");
}

static void put_proto (const dumper *d, const ptx_proto *p) {
  lcu_buf_addf(d->out, "%s: ", p->name);
  if (p->num_targets != 0) {
    for (uint32_t k = 0; k < p->num_targets; k++)
      lcu_buf_addf(d->out, k == 0 ? ".calltargets %s" : ", %s", p->targets[k]->name);
  } else {
    lcu_buf_adds(d->out, ".callprototype ");
    if (p->returns != NULL) put_formals(d, p->returns);
    lcu_buf_adds(d->out, " _ ");
    put_formals(d, p->params);
  }
  lcu_buf_adds(d->out, "; ");
}

/* Call prototypes and branch tables are declared right before their use, in a separate scope. */
static void put_statement (const dumper *d, const ptx_inst *inst) {
  const ptx_proto *proto = inst->num_operands == 4 && inst->operands[3].kind == PTX_O_PROTO
                             ? inst->operands[3].proto
                             : NULL;
  bool table = inst->num_operands == 2 && inst->operands[1].kind == PTX_O_LIST;
  lcu_buf_adds(d->out, proto != NULL || table ? "  { " : "  ");
  if (proto != NULL) put_proto(d, proto);
  if (table) put_items(d, &inst->operands[1], "$table: .branchtargets ", "; ");
  put_inst(d, inst);
  lcu_buf_adds(d->out, proto != NULL || table ? " }\n" : "\n");
}

static void put_body (const dumper *d) {
  const ptx_function *f = d->f;
  for (uint32_t k = 0; k < f->num_regs; k++) {
    lcu_buf_addf(d->out, "  .reg .%s ", ptx_type_name(f->regs[k]->type));
    put_reg(d, f->regs[k]);
    lcu_buf_adds(d->out, ";\n");
  }
  for (const ptx_variable *v = f->locals; v != NULL; v = v->next) {
    lcu_buf_adds(d->out, "  ");
    put_declaration(d, v);
  }
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next) {
    put_block_note(d, inst);
    put_labels(d, inst);
    if (inst->used_bytes != 0)
      lcu_buf_addf(d->out, "  .pragma \"used_bytes_mask %u\";\n", (unsigned)inst->used_bytes);
    put_statement(d, inst);
  }
  put_labels(d, NULL);
}

void ptx_dump_function (const ptx_function *f, lcu_buf *out) {
  dumper d = { .out = out, .f = f };
  lcu_buf names = { 0 };
  find_repeated(&d, &names);
  put_head(&d, f);
  if (!f->has_body) lcu_buf_adds(out, ";\n");
  else {
    lcu_buf_adds(out, "\n{\n");
    put_body(&d);
    lcu_buf_adds(out, "}\n");
  }
  lcu_buf_free(&names);
}

void ptx_dump_module (const struct ptx_module_ast *ast, lcu_buf *out) {
  dumper d = { .out = out };
  lcu_buf_addf(out, ".version %d.%d\n.target sm_%d\n.address_size 64\n", ast->version / 10,
               ast->version % 10, ast->target);
  /* first, since variables may hold their addresses */
  for (const ptx_function *f = ast->functions; f != NULL; f = f->next) {
    if (f->is_entry) continue;
    put_head(&d, f);
    lcu_buf_adds(out, ";\n");
  }
  for (const ptx_variable *v = ast->variables; v != NULL; v = v->next) put_declaration(&d, v);
  for (int entries = 0; entries < 2; entries++)
    for (const ptx_function *f = ast->functions; f != NULL; f = f->next)
      if (f->has_body && f->is_entry == (entries != 0)) ptx_dump_function(f, out);
}
