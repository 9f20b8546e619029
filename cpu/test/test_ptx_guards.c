/* test_ptx_guards.c: what the decoder refuses. Each row of ptx_guards.def is one instruction in its
 * own kernel; a refusal names the instruction and the reason. With the path of NVIDIA's ptxas as
 * its argument, the test also compares with that program. */
#include "ptx_front.h"

typedef enum verdict { ACCEPT, REFUSE, LACK } verdict;
typedef struct row {
  verdict verdict;
  const char *text, *why;
} row;

static const row rows[] = {
#define ACCEPTED(text) { ACCEPT, text, NULL },
#define REFUSED(text, why) { REFUSE, text, why },
#define LACKING(text, why) { LACK, text, why },
#include "ptx_guards.def"
};

static void write_module (lcu_buf *b, const char *text) {
  lcu_buf_addf(b,
               ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 16 .b8 "
               "table[64];\n.const .align 16 .b8 fixed[64]; "
               ".func (.reg .b32 q) inc (.reg .b32 v) { add.s32 q, v, 1; ret; }\n"
               ".visible .entry k (.param .u64 p0)\n{\n.reg .b8 %%b<4>; .reg .b16 %%h<8>; .reg "
               ".b32 %%r<8>; .reg .b64 %%l<8>; .reg .b128 %%w<2>;\n"
               ".reg .f32 %%f<8>; .reg .f64 %%d<8>; .reg .pred %%p<8>; .shared .align 16 .b8 "
               "sm[64]; .local .align 16 .b8 loc[64];\n%s\nret;\n}\n",
               text);
}

static lcu_status prepare (const char *text, size_t len) {
  ptx_module *m = NULL;
  lcu_status s = ptx_module_load(text, len, &front_host, &m);
  if (s != LCU_OK) return s;
  s = ptx_kernel_prepare(ptx_module_kernel(m, "k"));
  ptx_module_free(m);
  return s;
}

/* The message quotes the instruction in ``; refusals of the parser have the line instead. */
static bool is_named (const row *r, const char *message) {
  char name[200];
  const char *at = strchr(message, '`');
  if (at == NULL) return strncmp(message, "line 10: ", 9) == 0;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "`"), at + 1);
  return strstr(r->text, name) != NULL;
}

static void check_row (const row *r) {
  lcu_buf b = { 0 };
  write_module(&b, r->text);
  lcu_status s = prepare(b.data, b.len);
  const char *message = lcu_failure_get()->message;
  if (r->verdict == ACCEPT) CHECK(s == LCU_OK, "%s: %s", r->text, message);
  else {
    CHECK(s == LCU_E_UNSUPPORTED || s == LCU_E_SYNTAX, "%s: is taken, or fails otherwise: %d",
          r->text, s);
    CHECK(s == LCU_OK || (strstr(message, r->why) != NULL && is_named(r, message)), "%s: %s",
          r->text, message);
  }
  lcu_buf_free(&b);
}

/* What sm_90 has and older targets lack. */
static void check_target (void) {
  static const char *const texts[] = { "atom.global.cas.b128 %w0, [%l0], %w1, %w1;",
                                       "atom.exch.b128 %w0, [%l0], %w1;" };
  for (size_t i = 0; i < lcu_arraylen(texts); i++) {
    lcu_buf b = { 0 };
    write_module(&b, texts[i]);
    memcpy(strstr(b.data, "sm_90"), "sm_80", 5);
    CHECK(prepare(b.data, b.len) == LCU_E_UNSUPPORTED &&
            strstr(lcu_failure_get()->message, "need .target sm_90 or later") != NULL,
          "%s: %s", texts[i], lcu_failure_get()->message);
    lcu_buf_free(&b);
  }
}

/* Does ptxas accept the ACCEPTED and LACKING rows, and no others? */
static void ask (const char *ptxas, const row *r) {
  char command[600];
  lcu_buf b = { 0 };
  write_module(&b, r->text);
  snprintf(command, sizeof command, "%s -arch=sm_90 -o /dev/null - >/dev/null 2>&1", ptxas);
  FILE *pipe = popen(command, "w");
  if (pipe != NULL) fwrite(b.data, 1, b.len, pipe);
  int status = pipe != NULL ? pclose(pipe) : -1;
  CHECK((status == 0) == (r->verdict != REFUSE), "%s: ptxas ends with %d", r->text, status);
  lcu_buf_free(&b);
}

int main (int argc, char **argv) {
  long before = lcu_mem_live();
  for (size_t i = 0; i < lcu_arraylen(rows); i++) check_row(&rows[i]);
  check_target();
  for (size_t i = 0; i < lcu_arraylen(rows) && argc > 1; i++) ask(argv[1], &rows[i]);
  CHECK(lcu_mem_live() == before, "%ld pieces of memory left", lcu_mem_live() - before);
  return check_result();
}
