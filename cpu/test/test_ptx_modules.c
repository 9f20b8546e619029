/* test_ptx_modules.c: which modules are loaded and which refused, before any kernel is asked for.
 * With the path of NVIDIA's ptxas as its argument, the test also compares with that program. */
#include "ptx_front.h"

#define KERNEL(directives, body) \
  ".visible .entry k (.param .u64 p) " directives "\n{\n.reg .b32 %r<8>; .reg .b64 %l<8>; .reg " \
  ".b16 %h<8>;\n.reg .f32 %f<8>; .reg .f64 %d<8>; .reg .pred %p<8>;\n" body "\nret;\n}\n"
#define K ".visible .entry k () { ret; }\n"

typedef struct row {
  const char *version, *target, *text, *why; /* why NULL: is loaded */
} row;

static const row rows[] = {
#define LOADED(version, target, text) { version, target, text, NULL },
#define REFUSED(version, target, text, why) { version, target, text, why },
#include "ptx_modules.def"
};

static void write_module (lcu_buf *b, const row *r) {
  bool has_size = strcmp(r->version, "2.3") >= 0; /* .address_size */
  lcu_buf_addf(b, ".version %s\n.target %s\n%s\n%s", r->version, r->target,
               has_size ? ".address_size 64" : "", r->text);
}

static lcu_status load (const lcu_buf *b) {
  ptx_module *m = NULL;
  lcu_status s = ptx_module_load(b->data, b->len, &front_host, &m);
  if (s != LCU_OK) return s;
  s = ptx_module_check(m);
  ptx_module_free(m);
  return s;
}

static void check_row (const row *r) {
  lcu_buf b = { 0 };
  write_module(&b, r);
  lcu_status s = load(&b);
  const char *message = lcu_failure_get()->message;
  if (r->why == NULL) CHECK(s == LCU_OK, "%s %s %s: %s", r->version, r->target, r->text, message);
  else {
    bool by_version = strncmp(r->why, "unknown .version", 16) == 0;
    CHECK(s == (by_version ? LCU_E_UNSUPPORTED : LCU_E_SYNTAX), "%s %s %s: %d %s", r->version,
          r->target, r->text, s, message);
    CHECK(s == LCU_OK || strstr(message, r->why) != NULL, "%s: %s", r->text, message);
  }
  lcu_buf_free(&b);
}

/* What this machine lacks, and what a later version of PTX may have, concerns its kernel alone. */
static void check_lacking (const char *version, const char *inst) {
  lcu_buf b = { 0 };
  ptx_module *m = NULL;
  lcu_buf_addf(&b,
               ".version %s\n.target sm_80\n.visible .entry good () { ret; }\n"
               ".visible .entry bad () { .reg .b32 %%r<8>; .reg .b64 %%l<8>; %s ret; }\n",
               version, inst);
  CHECK(ptx_module_load(b.data, b.len, &front_host, &m) == LCU_OK, "%s",
        lcu_failure_get()->message);
  CHECK(ptx_module_check(m) == LCU_OK, "%s: %s", inst, lcu_failure_get()->message);
  CHECK(ptx_kernel_prepare(ptx_module_kernel(m, "good")) == LCU_OK);
  CHECK(ptx_kernel_prepare(ptx_module_kernel(m, "bad")) == LCU_E_UNSUPPORTED);
  ptx_module_free(m);
  lcu_buf_free(&b);
}

/* Does ptxas accept the loaded rows, and no others? */
static void ask (const char *ptxas, const row *r) {
  char command[600];
  lcu_buf b = { 0 };
  unsigned number = 80;
  char variant[2] = "";
  write_module(&b, r);
  sscanf(r->target, "sm_%u%1[af]", &number, variant);
  snprintf(command, sizeof command, "%s -arch=sm_%u%s -o /dev/null - >/dev/null 2>&1", ptxas,
           number < 75 || number == 81 ? 80 : number, number >= 90 ? variant : "");
  FILE *pipe = popen(command, "w");
  if (pipe != NULL) fwrite(b.data, 1, b.len, pipe);
  int status = pipe != NULL ? pclose(pipe) : -1;
  CHECK((status == 0) == (r->why == NULL), "%s %s %s: ptxas ends with %d", r->version, r->target,
        r->text, status);
  lcu_buf_free(&b);
}

int main (int argc, char **argv) {
  long before = lcu_mem_live();
  for (size_t i = 0; i < lcu_arraylen(rows); i++) check_row(&rows[i]);
  check_lacking("8.0", "multimem.red.relaxed.gpu.global.add.u32 [%l0], %r0;");
  check_lacking("8.6", "tcgen05.fence::before_thread_sync;");
  check_lacking("9.5", "frob.s32 %r0, %r1;");
  check_lacking("9.5", "add.s32 %r0, %l1, %r2;");
  for (size_t i = 0; i < lcu_arraylen(rows) && argc > 1; i++) ask(argv[1], &rows[i]);
  CHECK(lcu_mem_live() == before, "%ld pieces of memory left", lcu_mem_live() - before);
  return check_result();
}
