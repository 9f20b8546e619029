/* test_ptx_front.c: reading PTX: stored modules, every form of the language, errors, layout,
 * initial values, positions. */
#include "ptx_front.h"


/* Stored modules: read, print, read again; every kernel is prepared or refused with a reason. */

static void check_round_trip (const char *path, const char *text, size_t len) {
  struct ptx_module_ast a, b;
  lcu_buf once = { 0 }, twice = { 0 };
  lcu_status status = ptx_parse(text, len, &a);
  CHECK(status == LCU_OK, "%s: %s", path, lcu_failure_get()->message);
  if (status != LCU_OK) return;
  ptx_dump_module(&a, &once);
  status = ptx_parse(once.data, once.len, &b);
  CHECK(status == LCU_OK, "%s, printed: %s", path, lcu_failure_get()->message);
  if (status == LCU_OK) {
    ptx_dump_module(&b, &twice);
    CHECK(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0,
          "%s reads back differently", path);
    lcu_arena_free(&b.arena);
  }
  lcu_buf_free(&once);
  lcu_buf_free(&twice);
  lcu_arena_free(&a.arena);
}

static void check_prepares (const char *path, const char *text, size_t len) {
  ptx_module *m;
  if (ptx_module_load(text, len, &front_host, &m) != LCU_OK) {
    CHECK(false, "%s: %s", path, lcu_failure_get()->message);
    return;
  }
  bool odd = strstr(path, "syntax.ptx") != NULL; /* contains unknown instructions on purpose */
  for (size_t k = 0; ptx_module_kernel_at(m, k) != NULL; k++) {
    ptx_kernel *kernel = ptx_module_kernel_at(m, k);
    lcu_status status = ptx_kernel_prepare(kernel);
    CHECK(status == LCU_OK || (odd && status == LCU_E_UNSUPPORTED), "%s: %s", path,
          lcu_failure_get()->message);
    CHECK(status != LCU_OK || (kernel->function->code != NULL), "%s: no code", path);
    CHECK(ptx_kernel_prepare(kernel) == status, "%s: a second answer", path);
  }
  ptx_module_free(m);
}

static void check_file (const char *path, const char *text, size_t len) {
  long before = lcu_mem_live();
  check_round_trip(path, text, len);
  check_prepares(path, text, len);
  CHECK(lcu_mem_live() == before, "%s: %ld allocations left", path, lcu_mem_live() - before);
}


/* syntax.ptx in detail. */

static ptx_module *load_syntax (void) {
  size_t len = 0;
  char *text = front_read("cpu/test/ptx/front/syntax.ptx", &len);
  ptx_module *m = NULL;
  CHECK(text != NULL && ptx_module_load(text, len, &front_host, &m) == LCU_OK, "%s",
        lcu_failure_get()->message);
  free(text);
  return m;
}

static const ptx_inst *nth (const ptx_function *f, const char *opcode, int n) {
  for (const ptx_inst *i = f->body; i != NULL; i = i->next)
    if (strcmp(i->parts[0], opcode) == 0 && n-- == 0) return i;
  return NULL;
}

static void check_text (const ptx_function *f, const char *opcode, int n, const char *want) {
  lcu_buf b = { 0 };
  const ptx_inst *inst = nth(f, opcode, n);
  if (inst != NULL) ptx_dump_inst(inst, &b);
  CHECK(b.data != NULL && strcmp(b.data, want) == 0, "got %s", b.data != NULL ? b.data : "nothing");
  lcu_buf_free(&b);
}

static void check_operands (const ptx_function *f) {
  check_text(f, "mov", 0, "mov.u32 %r1, %tid.x;");
  check_text(f, "mov", 2, "mov.u32 %r3, 32;");
  check_text(f, "mov", 5, "mov.u32 t, -8;");
  check_text(f, "mov", 8, "mov.b32 t, 15;");
  check_text(f, "mov", 9, "mov.b32 t, 1;");
  check_text(f, "mov", 10, "mov.f32 %f1, 0f7F800001;");
  check_text(f, "mov", 12, "mov.f32 %f1, 0dBFF8000000000000;");
  check_text(f, "mov", 13, "mov.u64 %rd0, depot+8;");
  check_text(f, "mov", 16, "mov.b64 {%r1, _}, %rd0;");
  check_text(f, "ld", 0, "ld.global.nc.L1::evict_last.L2::128B.v4.f32 {v, v, v, v}, [%rd0+-16];");
  check_text(f, "ld", 3, "ld.volatile.shared.b32 t, [64];");
  check_text(f, "st", 1, "st.shared.b8 [left+4], t;");
  check_text(f, "setp", 0, "setp.lt.and.s32 p|q, %r1, %r2, !%p1;");
  check_text(f, "shfl", 0, "shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, -1;");
  check_text(f, "add", 1, "@!p add.s32 t, t, 1;");
  check_text(f, "vadd", 0, "vadd.u32.u32.u32 t, %r1.b0, -%r2.h1, t;");
  check_text(f, "tex", 0, "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd0, {%f1, %f1}];");
  check_text(f, "never", 0,
             "never.heard.of.it.a.b.c.d.e.f.g.h.i.j %r1, {%r1, %r2}, [%rd0], 1, 2, 3, 4, 5, 6, "
             "7;");
  const ptx_inst *load = nth(f, "ld", 4), *mov = nth(f, "mov", 10), *wide = nth(f, "mov", 7);
  CHECK(load->used_bytes == 7 && mov->used_bytes == 0, "pragma used_bytes_mask");
  CHECK(mov->operands[1].single && mov->operands[1].i == 0x7f800001, "bits of a signalling NaN");
  CHECK(wide->operands[1].i == 5, "binary number");
  CHECK(f->num_regs < 40, "only %u registers are named", f->num_regs);
}

static void check_formals (ptx_module *m) {
  const ptx_kernel_info *i = ptx_kernel_get_info(ptx_module_kernel(m, "operands"));
  static const struct {
    uint32_t offset, size, align;
  } want[] = { { 0, 1, 1 }, { 8, 8, 8 }, { 16, 20, 16 }, { 40, 8, 8 }, { 48, 8, 8 } };
  CHECK(i->num_params == 5 && i->param_bytes == 56, "%u parameters, %u bytes", i->num_params,
        i->param_bytes);
  for (size_t k = 0; k < 5; k++)
    CHECK(i->params[k].offset == want[k].offset && i->params[k].size == want[k].size &&
            i->params[k].align == want[k].align,
          "parameter %zu at %u", k, i->params[k].offset);
  CHECK(i->max_threads == 256 && i->req_block[0] == 0 && i->local_bytes == 24, "limits");
  i = ptx_kernel_get_info(ptx_module_kernel(m, "alone"));
  CHECK(i->max_threads == 32 && i->req_block[0] == 32 && i->req_block[1] == 1 && i->num_params == 0,
        ".reqntid");
}

static void check_flow (const ptx_function *f) {
  const ptx_inst *first = nth(f, "call", 0), *second = nth(f, "call", 1),
                 *third = nth(f, "call", 2), *quit = nth(f, "call", 3);
  CHECK(first->operands[1].function->has_body && first->operands[2].num_items == 1 &&
          first->num_operands == 3,
        "direct call");
  CHECK(first->operands[2].items[0].variable->offset == 0 &&
          first->operands[0].items[0].variable->offset == 4,
        "arguments in the area");
  CHECK(second->operands[1].kind == PTX_O_REG && second->operands[3].proto->params->size == 12,
        "indirect call");
  CHECK(second->operands[2].items[0].variable->offset == 0 && f->area_bytes == 16,
        "area is used again: %u", f->area_bytes);
  CHECK(third->operands[3].proto->num_targets == 2 &&
          third->operands[3].proto->targets[0] == third->operands[3].proto->targets[1],
        "alias");
  CHECK(quit->operands[1].function->noreturn && quit->operands[0].num_items == 0 &&
          quit->operands[2].num_items == 0,
        "call of quit");
  const ptx_inst *outer = nth(f, "bra", 1), *inner = nth(f, "bra", 0), *brx = nth(f, "brx", 0);
  CHECK(strcmp(outer->operands[0].name, "end") == 0 && outer->operands[0].label->at == NULL,
        "label at the end");
  CHECK(inner->operands[0].label != brx->operands[1].items[1].label &&
          strcmp(inner->operands[0].name, "L") == 0,
        "labels have scopes");
  CHECK(brx->operands[1].num_items == 3 && brx->operands[1].items[2].label->at == nth(f, "atom", 0),
        "branch table");
}

static void check_syntax (void) {
  ptx_module *m = load_syntax();
  if (m == NULL) return;
  CHECK(ptx_module_target(m) == 90 && m->ast.version == 87, "target");
  check_operands(front_function(m, "operands"));
  check_formals(m);
  check_flow(front_function(m, "flow"));
  CHECK(strcmp(m->ast.files[1], "kernel.cu") == 0, "file");
  CHECK(front_function(m, "twice")->address_taken && !front_function(m, "quit")->address_taken,
        "address taken");
  uint64_t twice = (uint64_t)(uintptr_t)front_function(m, "twice");
  CHECK(ptx_refs_function_at(m, twice) == front_function(m, "twice") &&
          ptx_refs_function_at(m, twice + 8) == NULL,
        "code addresses");
  ptx_module_free(m);
}


/* Initial values. */

static const void *place (ptx_module *m, const char *name, uint64_t want_size) {
  uint64_t address = 0, size = 0;
  lcu_status status = ptx_module_variable(m, name, &address, &size);
  CHECK(status == LCU_OK && size == want_size && address % 4 == 0, "%s: %s, %llu bytes", name,
        lcu_failure_get()->message, (unsigned long long)size);
  return (const void *)(uintptr_t)address;
}

static void check_values (void) {
  static const uint8_t bytes[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
  static const uint32_t grid[6] = { 1, 2, 0, 4, 5, 6 };
  static const float vec[8] = { 1, 2.5f, -15, 0, 1 };
  static const int16_t small[4] = { -1, -32768, -1, 1 };
  ptx_module *m = load_syntax();
  if (m == NULL) return;
  long before = lcu_mem_live();
  CHECK(memcmp(place(m, "bytes", 10), bytes, 10) == 0, "bytes");
  CHECK(lcu_mem_live() <= before + 2, "one variable is placed, not all");
  CHECK(memcmp(place(m, "vec", 32), vec, 32) == 0, "vec");
  CHECK(memcmp(place(m, "small", 8), small, 8) == 0, "small");
  CHECK(*(const double *)place(m, "third", 8) > 0.333 &&
          *(const uint64_t *)place(m, "quiet", 8) == 0,
        "third");
  CHECK(*(const uint32_t *)place(m, "nan", 4) == 0x7f800001u, "nan");
  const uint64_t *pointers = place(m, "pointers", 40);
  const uint8_t *split = place(m, "split", 9), *g = place(m, "grid", 24);
  uint64_t joined, at = (uint64_t)(uintptr_t)g;
  memcpy(&joined, split + 1, 8);
  CHECK(memcmp(g, grid, 24) == 0 && split[0] == 7 && joined == at, "an address byte by byte");
  CHECK(pointers[0] == at && pointers[1] == at + 4 && pointers[2] == at + 8, "addresses");
  CHECK(pointers[3] == (uint64_t)(uintptr_t)front_function(m, "twice"), "address of a function");
  CHECK(pointers[4] == (uint64_t)(uintptr_t)place(m, "bytes", 10), "placed once");
  uint64_t address, size;
  CHECK(ptx_module_variable(m, "nothing", &address, &size) == LCU_E_NOT_FOUND, "unknown name");
  CHECK(ptx_module_variable(m, "elsewhere", &address, &size) == LCU_E_NOT_FOUND, "extern variable");
  ptx_module_free(m);
}


/* Shared memory: a kernel counts only the variables it can reach, and a variable has one offset. */

static void check_shared (void) {
  ptx_module *m = load_syntax();
  if (m == NULL) return;
  const ptx_function *operands = front_function(m, "operands"), *flow = front_function(m, "flow"),
                     *alone = front_function(m, "alone");
  const ptx_variable *both = NULL, *left = NULL, *right = NULL;
  for (const ptx_variable *v = m->ast.variables; v != NULL; v = v->next) {
    if (strcmp(v->name, "both") == 0) both = v;
    if (strcmp(v->name, "left") == 0) left = v;
    if (strcmp(v->name, "right") == 0) right = v;
  }
  CHECK(both->offset + 48 <= left->offset || left->offset + 40 <= both->offset,
        "both and left meet in one kernel");
  CHECK(both->offset + 48 <= right->offset || right->offset + 100 <= both->offset,
        "both and right too");
  CHECK(left->offset + 40 <= right->offset || right->offset + 100 <= left->offset,
        "left and right too");
  CHECK(alone->shared_bytes ==
          (left->offset + 40 > right->offset + 100 ? left->offset + 40 : right->offset + 100),
        "alone: %u", alone->shared_bytes);
  CHECK(operands->shared_bytes % 32 == 0 && operands->shared_bytes >= 88 &&
          flow->shared_bytes % 32 == 0,
        "dynamic memory is aligned");
  ptx_shared_place_dynamic(flow);
  CHECK(ptx_module_kernel(m, "flow")->info.shared_bytes == flow->shared_bytes, "info");
  ptx_module_free(m);
}

static void check_shared_pays_own (void) {
  ptx_module *m = front_load(
    FRONT_HEAD ".shared .b8 a[1000]; .shared .b8 b[2000]; .shared .b8 c[50];\n.extern .shared "
               ".align 16 .b8 dyn[];\n"
               ".func f () { .reg .b32 r; st.shared.b32 [c], r; st.shared.b32 [dyn], r; }\n"
               ".entry ka () { .reg .b32 r; st.shared.b32 [a], r; }\n"
               ".entry kb () { .reg .b32 r; st.shared.b32 [b], r; call f; }\n"
               ".entry kc () { call f; }\n");
  if (m == NULL) return;
  CHECK(front_function(m, "ka")->shared_bytes == 1000, "ka");
  CHECK(front_function(m, "kb")->shared_bytes == 2064, "kb: %u",
        front_function(m, "kb")->shared_bytes);
  CHECK(front_function(m, "kc")->shared_bytes == 2064, "a dynamic array in a shared function: %u",
        front_function(m, "kc")->shared_bytes);
  ptx_module_free(m);
}


/* Errors: the line and what was expected. */

static const struct {
  const char *text, *message;
} errors[] = {
  { "", "line 1: no .version: this is not PTX" },
  { "int main (void) {}", "line 1: expected a directive near 'int'" },
  { ".version 8.0\n.address_size 64\n", "no .target" },
  { FRONT_HEAD ".address_size 32\n", "line 4: only .address_size 64" },
  { FRONT_HEAD ".entry k () { ret }", "line 4: expected an operand near '}'" },
  { FRONT_HEAD ".entry k () {\n  .reg .b32 r;\n  mov.u32 r, 1\n  ret;\n}",
    "line 7: expected ';' near 'ret'" },
  { FRONT_HEAD ".entry k () {\n  mov.u32 %r1, 1;\n}", "line 5: '%r1' is not declared" },
  { FRONT_HEAD ".entry k () {\n bra nowhere;\n}", "line 5: 'nowhere' is not declared" },
  { FRONT_HEAD ".entry k () {\n { in: }\n bra in;\n}", "'in' is not declared" },
  { FRONT_HEAD ".entry k () {\n .reg .b32 %r<3>;\n mov.u32 %r3, 1;\n}",
    "line 6: '%r3' is not declared" },
  { FRONT_HEAD ".entry k () {\n .reg .b32 a;\n .reg .f32 a;\n}", "line 6: 'a' is declared twice" },
  { FRONT_HEAD ".entry k () {\n .reg .b32 p;\n @p ret;\n}",
    "line 6: expected a predicate register" },
  { FRONT_HEAD ".entry k () {\n ret;\n", "line 4: '{' without '}'" },
  { FRONT_HEAD ".entry k () {} .entry k () {}", "'k' has two bodies" },
  { FRONT_HEAD ".global .u32 x[2] = {1, 2, 3};", "too many initial values for 'x'" },
  { FRONT_HEAD ".global .u32 x = 1/0;", "division by zero" },
  { FRONT_HEAD ".global .u32 x = unknown;", "'unknown' is not a variable or function" },
  { FRONT_HEAD ".global .u32 x = 0f123;", "0f needs 8 hexadecimal digits" },
  { FRONT_HEAD ".global .u64 x = 99999999999999999999;", "does not fit in 64 bits" },
  { FRONT_HEAD ".global .u32 x[99999999999][99999999999];", "array is too large" },
  { FRONT_HEAD ".global .align 3 .u32 x;", "alignment must be a power of two" },
  { FRONT_HEAD ".entry f (.reg .u32 a) {}", "parameters of a kernel must be .param" },
  { FRONT_HEAD ".func f (.reg .v8 .b32 a) {}", "larger than 16 bytes" },
  { FRONT_HEAD ".entry k () { .reg .b32 r; call r2, (r); }", "'r2' is not declared" },
  { FRONT_HEAD "/* open", "unterminated comment" },
  { FRONT_HEAD ".pragma \"open\n;", "unterminated string" },
  { FRONT_HEAD "\x01", "unexpected character near '?'" },
};

static void check_errors (void) {
  for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
    ptx_module *m = NULL;
    lcu_status status = ptx_module_load(errors[k].text, strlen(errors[k].text), &front_host, &m);
    CHECK(status == LCU_E_SYNTAX && strstr(lcu_failure_get()->message, errors[k].message) != NULL,
          "case %zu wants '%s', got '%s'", k, errors[k].message, lcu_failure_get()->message);
    ptx_module_free(m);
  }
}

/* Modules in one text: names with linkage are shared, the others belong to their module. */
static void check_linked (void) {
  ptx_module *m = front_load(
    FRONT_HEAD
    ".global .u32 own = 1;\n.extern .global .u32 shared[];\n.weak .global .u32 soft = 5;\n"
    ".extern .func (.param .b32 r) f (.param .b32 a);\n"
    ".weak .func g () { ret; }\n"
    ".visible .entry k () { .reg .b32 r; ld.global.u32 r, [own];\n"
    " ld.global.u32 r, [shared+4]; call g; ret; }\n" FRONT_HEAD
    ".global .u32 own = 2;\n.visible .global .u32 shared[2] = {7, 8};\n"
    ".weak .global .u32 soft = 6;\n"
    ".visible .func (.param .b32 r) f (.param .b32 a) { ret; }\n"
    ".visible .func g () { trap; ret; }\n"
    ".visible .entry l () { .reg .b32 r; ld.global.u32 r, [own]; ret; }\n");
  if (m == NULL) return;
  const ptx_function *f = front_function(m, "f"), *g = front_function(m, "g"),
                     *k = front_function(m, "k"), *l = front_function(m, "l");
  CHECK(f->has_body && !f->is_extern, "f is defined");
  CHECK(strcmp(g->body->parts[0], "trap") == 0, "the weak g gives way");
  const ptx_variable *in_k = k->body->operands[1].variable, *in_l = l->body->operands[1].variable;
  CHECK(in_k != in_l && strcmp(in_k->name, in_l->name) == 0, "each module has its own 'own'");
  const ptx_variable *shared = k->body->next->operands[1].variable;
  CHECK(!shared->is_extern && shared->size == 8 && shared->init != NULL, "shared is defined");
  ptx_module_free(m);
}

static void check_linked_errors (void) {
  ptx_module *m = NULL;
  static const char twice[] =
    FRONT_HEAD ".visible .func f () { ret; }\n" FRONT_HEAD ".visible .func f () { ret; }\n";
  CHECK(ptx_module_load(twice, sizeof twice - 1, &front_host, &m) == LCU_E_SYNTAX &&
          strstr(lcu_failure_get()->message, "'f' has two bodies") != NULL,
        "two bodies");
  ptx_module_free(m);
  static const char hidden[] = FRONT_HEAD ".global .u32 own;\n" FRONT_HEAD
                                          ".entry k () { .reg .b32 r; ld.global.u32 r, [own]; }\n";
  CHECK(ptx_module_load(hidden, sizeof hidden - 1, &front_host, &m) == LCU_E_SYNTAX,
        "a name of another module");
  ptx_module_free(m);
}

static void check_unsupported (void) {
  ptx_module *m = front_load(FRONT_HEAD ".func bad () { .reg .b32 r;\n frobnicate.b32 r; }\n.entry "
                                        "good () { ret; }\n.entry worse () { call bad; }\n");
  if (m == NULL) return;
  CHECK(ptx_kernel_prepare(ptx_module_kernel(m, "good")) == LCU_OK, "%s",
        lcu_failure_get()->message);
  CHECK(ptx_kernel_prepare(ptx_module_kernel(m, "worse")) == LCU_E_UNSUPPORTED,
        "unknown instruction");
  CHECK(strcmp(lcu_failure_get()->message,
               "kernel 'worse': in function 'bad': PTX `frobnicate.b32` is "
               "not supported, line 5 of the PTX") == 0,
        "%s", lcu_failure_get()->message);
  ptx_module_free(m);
}


/* Source positions. */

static void check_positions (void) {
  ptx_module *m =
    front_load(FRONT_HEAD ".entry k () {\n .reg .b32 r;\n"
                          " mov.b32 r, 1;\n .loc 1 10 3\n mov.b32 r, 2;\n"
                          " .loc 2 77 1, function_name $a, inlined_at 1 10 3\n mov.b32 r, 3;\n"
                          " .loc 1 5 1, function_name $b, inlined_at 2 77 1\n mov.b32 r, 4;\n"
                          " .loc 1 0 0\n mov.b32 r, 5;\n ret;\n}\n"
                          ".file 1 \"user.cu\"\n.file 2 \"include/deep.h\"\n"
                          ".section .debug_str {\n$a:\n.b8 102\n.b8 0\n$b: .b8 103,104,0\n}\n");
  static const uint32_t lines[] = { 10, 10, 10, 5, 5 };
  if (m == NULL) return;
  const ptx_inst *i = front_function(m, "k")->body;
  for (size_t k = 0; k < 5; k++, i = i->next) {
    const char *file = "";
    uint32_t line = 0;
    CHECK(ptx_loc_user(&m->ast, i->loc, &file, &line) && line == lines[k] &&
            strcmp(file, "user.cu") == 0,
          "%zu: %s:%u", k, file, line);
  }
  const ptx_loc *deep = &m->ast.locs[nth(front_function(m, "k"), "mov", 3)->loc];
  CHECK(strcmp(deep->function, "gh") == 0 &&
          strcmp(m->ast.locs[deep->inlined_at].function, "f") == 0,
        "names of the chain");
  ptx_module_free(m);
}

/* Text added around the user's, in the file "luacuda", is shown only if there is no other
 * position. */
static void check_generated_positions (void) {
  ptx_module *m = front_load(
    FRONT_HEAD ".entry k () {\n .reg .b32 r;\n .loc 1 20 3\n mov.b32 r, 1;\n"
               " .loc 2 7 1, function_name $a, inlined_at 1 20 3\n mov.b32 r, 2;\n"
               " .loc 1 4 1, function_name $b, inlined_at 2 7 1\n mov.b32 r, 3;\n ret;\n}\n"
               ".file 1 \"/home/luacuda\"\n.file 2 \"body.cu\"\n"
               ".section .debug_str {\n$a:\n.b8 102\n.b8 0\n$b: .b8 103,104,0\n}\n");
  static const uint32_t lines[] = { 20, 7, 7 };
  static const char *const files[] = { "/home/luacuda", "body.cu", "body.cu" };
  if (m == NULL) return;
  const ptx_inst *i = front_function(m, "k")->body;
  for (size_t k = 0; k < 3; k++, i = i->next) {
    const char *file = "";
    uint32_t line = 0;
    CHECK(ptx_loc_user(&m->ast, i->loc, &file, &line) && line == lines[k] &&
            strcmp(file, files[k]) == 0,
          "%zu: %s:%u", k, file, line);
  }
  ptx_module_free(m);
}

/* Texts of a script, such as Lua functions, are shown themselves, in whatever they are inlined. */
static void check_script_positions (void) {
  ptx_module *m = front_load(
    FRONT_HEAD ".entry k () {\n .reg .b32 r;\n .loc 1 20 3\n mov.b32 r, 1;\n"
               " .loc 2 7 1, function_name $a, inlined_at 1 20 3\n mov.b32 r, 2;\n"
               " .loc 3 4 1, function_name $b, inlined_at 2 7 1\n mov.b32 r, 3;\n ret;\n}\n"
               ".file 1 \"/luacuda/0123456789abcdef.cu\"\n"
               ".file 2 \"/luacuda/fedcba9876543210.cu\"\n.file 3 \"/luacuda/include/a.cu\"\n"
               ".section .debug_str {\n$a:\n.b8 102\n.b8 0\n$b: .b8 103,104,0\n}\n");
  static const uint32_t lines[] = { 20, 7, 7 }, callers[] = { 0, 20, 20 };
  if (m == NULL) return;
  const ptx_inst *i = front_function(m, "k")->body;
  for (size_t k = 0; k < 3; k++, i = i->next) {
    const char *file = "";
    uint32_t line = 0, caller = ptx_loc_caller(&m->ast, i->loc);
    CHECK(ptx_loc_user(&m->ast, i->loc, &file, &line) && line == lines[k] &&
            strcmp(file, m->ast.files[k == 0 ? 1 : 2]) == 0,
          "%zu: %s:%u", k, file, line);
    CHECK(m->ast.locs[caller].line == callers[k], "%zu: the caller", k);
  }
  ptx_module_free(m);
}


/* Every allocation may fail. */

static void check_out_of_memory (void) {
  size_t len = 0;
  char *text = front_read("cpu/test/ptx/front/front_80_lineinfo.ptx", &len);
  lcu_status status = LCU_E_NOMEM;
  long n = 0, before = lcu_mem_live();
  while (text != NULL && status == LCU_E_NOMEM && n < 100000) {
    ptx_module *m = NULL;
    lcu_mem_fail_at(++n);
    status = ptx_module_load(text, len, &front_host, &m);
    for (size_t k = 0; status == LCU_OK && ptx_module_kernel_at(m, k) != NULL; k++)
      status = ptx_kernel_prepare(ptx_module_kernel_at(m, k));
    lcu_mem_fail_at(0);
    for (size_t k = 0; m != NULL && ptx_module_kernel_at(m, k) != NULL; k++) {
      lcu_status again = ptx_kernel_prepare(ptx_module_kernel_at(m, k));
      if (again != LCU_OK) CHECK(false, "after failure %ld: %s", n, lcu_failure_get()->message);
    }
    ptx_module_free(m);
  }
  CHECK(status == LCU_OK && n > 20, "%ld allocations: %s", n, lcu_failure_get()->message);
  CHECK(lcu_mem_live() == before, "%ld allocations left", lcu_mem_live() - before);
  free(text);
}

/* A module with thousands of unused constants and one long function. */
static void check_large (void) {
  lcu_buf b = { 0 };
  ptx_module *m = NULL;
  lcu_buf_adds(&b, FRONT_HEAD);
  for (int k = 0; k < 20000; k++)
    lcu_buf_addf(&b, ".global .align 1 .b8 _ZN4cuda3std3__45%dE[8] = {1, 2, 3, 4};\n", k);
  lcu_buf_adds(&b, ".entry k () {\n .reg .b32 %r<20001>;\n mov.u32 %r0, 1;\n");
  for (int k = 1; k <= 20000; k++)
    lcu_buf_addf(&b, "$L%d:\n add.u32 %%r%d, %%r%d, %%r%d;\n", k, k, k - 1, k > 9 ? k - 9 : 0);
  lcu_buf_adds(&b, "}\n");
  double start = lcu_now_ms();
  CHECK(ptx_module_load(b.data, b.len, &front_host, &m) == LCU_OK, "%s",
        lcu_failure_get()->message);
  if (m != NULL) {
    ptx_kernel *k = ptx_module_kernel_at(m, 0);
    CHECK(ptx_kernel_prepare(k) == LCU_OK && k->info.registers == 10, "%u registers",
          k->info.registers);
    CHECK(m->num_placed == 0, "nothing is placed");
  }
  double took = lcu_now_ms() - start;
  CHECK(took < 5000, "%.0f ms for %zu bytes", took, b.len);
  ptx_module_free(m);
  lcu_buf_free(&b);
}

int main (void) {
  CHECK(front_each(check_file) >= 6, "run this in the root of the source tree");
  check_syntax();
  check_values();
  check_shared();
  check_shared_pays_own();
  check_errors();
  check_unsupported();
  check_linked();
  check_linked_errors();
  check_positions();
  check_generated_positions();
  check_script_positions();
  check_out_of_memory();
  check_large();
  return check_result();
}
