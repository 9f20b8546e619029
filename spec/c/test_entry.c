/* test_entry.c: tests reading kernels and their parameters from PTX headers: a header as compilers
 * write it, damaged ones, and random ones with blanks, comments and strings everywhere, compared
 * with what they were made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lcu_entry.h"

static const char ptx[] =
  "//\n.version 9.0\n.target sm_80\n.address_size 64\n"
  "// .entry commented_out (\n"
  ".visible .entry _Z5saxpyfPKfPfi(\n"
  "\t.param .f32 _Z5saxpyfPKfPfi_param_0,\n"
  "\t.param .u64 .ptr .global .align 1 _Z5saxpyfPKfPfi_param_1,\n"
  "\t.param .u64 _Z5saxpyfPKfPfi_param_2, /* y */\n"
  "\t.param .u32 _Z5saxpyfPKfPfi_param_3\n)\n.maxntid 128, 1, 1\n{\n\tret;\n}\n"
  ".weak .entry plain()\n{ ret; }\n"
  ".entry wave ( .param .align 8 .b8 p0[24], .param .u8 p1 ) { ret; }\n"
  ".visible .entry naked { ret; }\n";

static void test_entries (void) {
  lcu_entries e;
  CHECK(lcu_entries_read(ptx, &e) == LCU_OK && e.num == 4);
  const lcu_entry *s = lcu_entries_find(&e, "_Z5saxpyfPKfPfi"), *w = lcu_entries_find(&e, "wave");
  CHECK(s != NULL && s->num_params == 4 && lcu_entries_find(&e, "commented_out") == NULL);
  CHECK(s != NULL && s->params[0].dtype->id == LCU_FLOAT32 && s->params[1].size == 8 &&
        s->params[1].align == 8 && s->params[3].size == 4);
  CHECK(w != NULL && w->num_params == 2 && w->params[0].dtype == NULL && w->params[0].size == 24 &&
        w->params[0].align == 8);
  CHECK(w != NULL && w->params[1].size == 1);
  CHECK(lcu_entries_find(&e, "plain")->num_params == 0 &&
        lcu_entries_find(&e, "naked")->num_params == 0);
  lcu_entries_free(&e);
}

/* If the parameters cannot be read, only the name is known. Comments and strings contain no
 * kernels. */
static void test_entry_damage (void) {
  static const char *const unreadable[] = {
    ".param .q9 x",
    ".param .b8 x[0]",
    ".param .b8 x[-1]",
    ".param .b64 x[536870913]",
    ".param .b8 x[99999999999999999999]",
    ".param .align 0 .b8 x[4]",
    ".param .align 3 .b8 x[4]",
    ".param .align .b8 x[4]",
    ".param .b8 .align 3 x[4]",
    ".param .align 4294967296 .b8 x[4]",
    ".param .b8 x[4",
    ".param .u32",
    ".param .u32 ,",
    ".param",
    ".param .u32 x .param .u32 y",
    "x",
  };
  static const char hidden[] =
    "/* .entry a() */ .entry b() // .entry c()\n.file 1 \".entry d()\\\".entry e()\" \".entry f()\n"
    ".entry g(.param .b8 x[0x10]) .entry";
  char text[128];
  lcu_entries e;
  for (size_t i = 0; i < lcu_arraylen(unreadable); i++) {
    snprintf(text, sizeof text, ".entry k(%s) {}", unreadable[i]);
    CHECK(lcu_entries_read(text, &e) == LCU_OK && e.num == 1 && lcu_entries_find(&e, "k") == NULL);
    CHECK(strcmp(e.list[0].name, "k") == 0 && e.list[0].num_params == 0);
    lcu_entries_free(&e);
  }
  static const char *const declared[] = { ".extern .entry k (.param .u64 p) ;", ".entry k;",
                                          ".entry k() .maxntid 32, 1, 1 /* { */ ;",
                                          ".entry k() .pragma \"{\"; ;" };
  for (size_t i = 0; i < lcu_arraylen(declared); i++) {
    CHECK(lcu_entries_read(declared[i], &e) == LCU_OK && e.num == 0, "%s", declared[i]);
    lcu_entries_free(&e);
  }
  CHECK(lcu_entries_read(".entry k() .pragma \"a\"; // ;\n{ }", &e) == LCU_OK && e.num == 1);
  lcu_entries_free(&e);
  static const char strings[] = ".pragma \"x\"; .entry a() { } .pragma \"xy\"; .entry b() { }\n"
                                ".pragma \"ends with its line\\\n.entry c() { } .pragma \"\\";
  CHECK(lcu_entries_read(strings, &e) == LCU_OK && e.num == 3);
  lcu_entries_free(&e);
  CHECK(lcu_entries_read(hidden, &e) == LCU_OK && e.num == 2);
  CHECK(lcu_entries_find(&e, "b") != NULL && lcu_entries_find(&e, "g") != NULL &&
        lcu_entries_find(&e, "g")->params[0].size == 16);
  lcu_entries_free(&e);
}


/* ---- random headers ---- */

enum { MAX_PARAMS = 6, MAX_ENTRIES = 4, MODULES = 4000 };

static uint32_t random_below (uint32_t n) {
  static uint32_t state = 2463534242u;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % n;
}

static bool one_in (uint32_t n) { return random_below(n) == 0; }

typedef struct made_entry {
  char name[32];
  bool defined; /* not only declared */
  size_t num_params;
  lcu_entry_param params[MAX_PARAMS];
} made_entry;

/* What looks like the parts of a kernel, for comments and strings. */
static const char *decoy (void) {
  static const char *const list[] = {
    ".entry decoy()", "{",   "}", ";", "(",  ")",       ",", ".param .u32 y",
    ".align 4",       "[8]", "/", "*", "**", ".pragma", " ", "x"
  };
  return list[random_below(lcu_arraylen(list))];
}

static void add_decoys (lcu_buf *b) {
  for (uint32_t n = random_below(4); n > 0; n--) {
    bool closes = b->len > 0 && b->data[b->len - 1] == '*';
    lcu_buf_adds(b, closes ? " " : "");
    lcu_buf_adds(b, decoy());
  }
}

/* A blank or a comment. */
static void add_blank (lcu_buf *b) {
  switch (random_below(6)) {
    case 0:
      lcu_buf_adds(b, one_in(2) ? "//" : "// /* \"");
      add_decoys(b);
      lcu_buf_adds(b, "\n");
      break;
    case 1:
      lcu_buf_adds(b, one_in(2) ? "/* " : "/* // \" ");
      add_decoys(b);
      lcu_buf_adds(b, one_in(2) ? " */" : "\n**/");
      break;
    case 2: lcu_buf_adds(b, one_in(4) ? "/**/" : "\n"); break;
    case 3: lcu_buf_adds(b, "\t"); break;
    default: lcu_buf_adds(b, " "); break;
  }
}

static void add_blanks (lcu_buf *b, uint32_t least) {
  for (uint32_t n = least + (one_in(2) ? random_below(3) : 0); n > 0; n--) add_blank(b);
}

/* Anywhere between two words. */
static void add_word (lcu_buf *b, const char *word) {
  lcu_buf_adds(b, word);
  add_blanks(b, 1);
}

/* Before or after a sign, where blanks may be missing. */
static void add_sign (lcu_buf *b, const char *sign) {
  lcu_buf_adds(b, sign);
  add_blanks(b, 0);
}

static void add_string (lcu_buf *b) {
  lcu_buf_adds(b, "\"");
  for (uint32_t n = random_below(3); n > 0; n--)
    lcu_buf_adds(b, one_in(3) ? "\\\"" : one_in(4) ? "// /* " : decoy());
  lcu_buf_adds(b, "\"");
}

static void add_number (lcu_buf *b, uint32_t n) {
  static const char *const formats[] = { "%u", "0x%x", "0X%X", "0%o" };
  char text[32];
  snprintf(text, sizeof text, formats[random_below(lcu_arraylen(formats))], n);
  lcu_buf_adds(b, text);
}

static void add_align (lcu_buf *b, uint32_t align) {
  add_word(b, ".align");
  add_number(b, align);
  add_blanks(b, 1);
}

static void make_name (char *out, size_t size, const char *start, size_t number) {
  static const char *const ends[] = { "", "_", "$x", "%1", "_param_0", "entry" };
  snprintf(out, size, "%s%zu%s", start, number, ends[random_below(lcu_arraylen(ends))]);
}

static const struct {
  const char *text;
  lcu_dtype_id id;
} param_types[] = {
  { ".u8", LCU_UINT8 },    { ".s8", LCU_INT8 },     { ".b8", LCU_UINT8 },    { ".u16", LCU_UINT16 },
  { ".s16", LCU_INT16 },   { ".b16", LCU_UINT16 },  { ".u32", LCU_UINT32 },  { ".s32", LCU_INT32 },
  { ".b32", LCU_UINT32 },  { ".u64", LCU_UINT64 },  { ".s64", LCU_INT64 },   { ".b64", LCU_UINT64 },
  { ".f16", LCU_FLOAT16 }, { ".f32", LCU_FLOAT32 }, { ".f64", LCU_FLOAT64 },
};

/* ".ptr", the space of its target, and the target's alignment, which is not the parameter's. */
static void add_target (lcu_buf *b) {
  static const char *const spaces[] = { ".global", ".shared", ".const", ".local" };
  add_word(b, ".ptr");
  if (one_in(2)) add_word(b, spaces[random_below(lcu_arraylen(spaces))]);
  if (one_in(2)) add_align(b, 1u << random_below(9));
}

static void make_param (lcu_buf *b, lcu_entry_param *p, size_t number) {
  char name[32];
  size_t type = random_below(lcu_arraylen(param_types));
  const lcu_dtype *element = &lcu_dtypes[param_types[type].id];
  uint32_t count = one_in(2) ? 1 + random_below(one_in(2) ? 8 : 4096 / element->size) : 0;
  uint32_t align = one_in(2) ? 1u << random_below(8) : 0;
  bool align_first = one_in(2);
  *p = (lcu_entry_param){ .pointer = element->size == 8 && one_in(2) };
  p->dtype = count == 0 ? element : NULL;
  p->size = element->size * (count == 0 ? 1 : count);
  p->align = align != 0 ? align : count == 0 ? element->size : 1;
  make_name(name, sizeof name, "p", number);
  add_word(b, ".param");
  if (align != 0 && align_first) add_align(b, align);
  add_word(b, param_types[type].text);
  if (align != 0 && !align_first) add_align(b, align);
  if (p->pointer) add_target(b);
  add_sign(b, name);
  if (count == 0) return;
  add_sign(b, "[");
  add_number(b, count);
  add_blanks(b, 0);
  add_sign(b, "]");
}

static void make_params (lcu_buf *b, made_entry *e) {
  e->num_params = random_below(MAX_PARAMS + 1);
  if (e->num_params == 0 && one_in(2)) return;
  add_sign(b, "(");
  for (size_t k = 0; k < e->num_params; k++) {
    make_param(b, &e->params[k], k);
    if (k + 1 < e->num_params) add_sign(b, ",");
  }
  add_sign(b, ")");
}

/* What may come between the parameters and the body. */
static void add_hints (lcu_buf *b) {
  static const char *const hints[] = { ".maxntid 128, 1, 1", ".minnctapersm 2", ".noreturn" };
  for (uint32_t n = random_below(3); n > 0; n--) {
    if (one_in(2)) add_word(b, hints[random_below(lcu_arraylen(hints))]);
    else {
      add_word(b, ".pragma");
      add_string(b);
      add_blanks(b, 0);
      add_sign(b, ";");
    }
  }
}

static void add_body (lcu_buf *b) {
  static const char *const statements[] = { "ret;", "mov.u32 %r1, 8/2;", ".reg .b32 %entry;",
                                            "{ }",  "call.entryx;",      ".entry_point: bra x;" };
  add_sign(b, "{");
  for (uint32_t n = random_below(4); n > 0; n--)
    add_word(b, statements[random_below(lcu_arraylen(statements))]);
  add_word(b, "}");
}

static void make_entry (lcu_buf *b, made_entry *e, size_t number) {
  static const char *const linkage[] = { ".visible", ".weak", ".extern" };
  if (one_in(2)) add_word(b, linkage[random_below(lcu_arraylen(linkage))]);
  add_word(b, ".entry");
  make_name(e->name, sizeof e->name, "k", number);
  lcu_buf_adds(b, e->name);
  add_blanks(b, 0);
  make_params(b, e);
  add_hints(b);
  e->defined = !one_in(4);
  if (e->defined) add_body(b);
  else add_word(b, ";");
}

/* Statements between kernels. */
static void add_others (lcu_buf *b) {
  add_blanks(b, 0);
  if (one_in(2)) {
    add_word(b, one_in(2) ? ".file 1" : ".pragma");
    add_string(b);
    add_word(b, ";");
  }
  if (one_in(3)) add_word(b, ".func f (.param .u64 .ptr x) { ret; }");
}

static bool same_param (const lcu_entry_param *a, const lcu_entry_param *b) {
  return a->dtype == b->dtype && a->size == b->size && a->align == b->align &&
         a->pointer == b->pointer;
}

static bool same_entry (const made_entry *want, const lcu_entry *got) {
  if (strcmp(want->name, got->name) != 0 || !got->readable || want->num_params != got->num_params)
    return false;
  for (size_t k = 0; k < want->num_params; k++)
    if (!same_param(&want->params[k], &got->params[k])) return false;
  return true;
}

static bool same_entries (const made_entry *want, size_t n, const lcu_entries *got) {
  size_t at = 0;
  for (size_t k = 0; k < n; k++)
    if (want[k].defined && (at == got->num || !same_entry(&want[k], &got->list[at++])))
      return false;
  return at == got->num;
}

static void test_random (void) {
  for (int i = 0; i < MODULES; i++) {
    made_entry made[MAX_ENTRIES] = { 0 };
    lcu_entries e = { 0 };
    lcu_buf b = { 0 };
    size_t n = random_below(MAX_ENTRIES + 1);
    add_word(&b, ".version 9.0");
    for (size_t k = 0; k < n; k++) {
      add_others(&b);
      make_entry(&b, &made[k], k);
    }
    add_others(&b);
    CHECK(lcu_entries_read(b.data, &e) == LCU_OK && same_entries(made, n, &e), "in:\n%s", b.data);
    lcu_entries_free(&e);
    lcu_buf_free(&b);
    if (failed > 0) return;
  }
}

/* Text that ends anywhere, also within a comment or a string: kernels before the end are read, and
 * the last one may be unreadable. */
static void test_ends (void) {
  lcu_entries whole, part;
  char text[sizeof ptx];
  CHECK(lcu_entries_read(ptx, &whole) == LCU_OK);
  for (size_t n = 0; n < sizeof ptx; n++) {
    memcpy(text, ptx, n);
    text[n] = '\0';
    CHECK(lcu_entries_read(text, &part) == LCU_OK && part.num <= whole.num);
    for (size_t k = 0; k + 1 < part.num; k++)
      CHECK(part.list[k].readable && strcmp(part.list[k].name, whole.list[k].name) == 0);
    lcu_entries_free(&part);
  }
  lcu_entries_free(&whole);
}

/* The largest arrays that are read. */
static void test_sizes (void) {
  static const struct {
    const char *type;
    uint32_t size;
  } rows[] = { { ".b8", 1 }, { ".u16", 2 }, { ".f32", 4 }, { ".b64", 8 } };
  char text[128];
  for (size_t i = 0; i < lcu_arraylen(rows); i++)
    for (uint32_t more = 0; more < 2; more++) {
      lcu_entries e;
      snprintf(text, sizeof text, ".entry k(.param .align 32768 %s x[%u]) {}", rows[i].type,
               32768 / rows[i].size + more);
      CHECK(lcu_entries_read(text, &e) == LCU_OK && e.num == 1);
      const lcu_entry *k = lcu_entries_find(&e, "k");
      CHECK((k != NULL) == (more == 0), "%s", text);
      CHECK(k == NULL || (k->params[0].size == 32768 && k->params[0].align == 32768));
      lcu_entries_free(&e);
    }
}

/* If any allocation fails, reading fails as a whole and frees what it allocated. */
static void test_out_of_memory (void) {
  long before = lcu_mem_live();
  lcu_status st = LCU_E_NOMEM;
  for (long n = 1; st != LCU_OK && n < 200; n++) {
    lcu_entries e;
    lcu_mem_fail_at(n);
    st = lcu_entries_read(ptx, &e);
    lcu_mem_fail_at(0);
    CHECK(st == LCU_OK || (st == LCU_E_NOMEM && e.num == 0 && lcu_mem_live() == before));
    if (st != LCU_OK) continue;
    CHECK(n > 1 && e.num == 4 && e.list[0].num_params == 4 && e.list[2].num_params == 2);
    lcu_entries_free(&e);
  }
  CHECK(st == LCU_OK && lcu_mem_live() == before);
}

int main (void) {
  test_entries();
  test_entry_damage();
  test_random();
  test_ends();
  test_sizes();
  test_out_of_memory();
  return check_result();
}
