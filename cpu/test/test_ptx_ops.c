/* test_ptx_ops.c: every operation against the expectations of ptx_op_cases.def, in full and partly
 * masked warps, on every instruction set of this processor (the program runs itself again for the
 * lower ones, and the results must be identical). Every handler must be reached by a case here or
 * be listed as tested elsewhere. */
#include <sys/wait.h>
#include <unistd.h>

#include "ptx_code.h"
#include "ptx_fixture.h"
#include "ptx_ids.h"
#include "ptx_match.h"
#include "ptx_module.h"
#include "ptx_select.h"

enum { ROUNDS = 48 };
#include "ptx_op_table.h"

static ptx_module *load_cases (fixture *x) {
  char *text = NULL;
  size_t len = 0;
  ptx_module *m = NULL;
  FILE *t = open_memstream(&text, &len);
  if (t == NULL) return NULL;
  write_cases(t, 90, true);
  fclose(t);
  lcu_status s = ptx_module_load(text, len, &x->host, &m);
  CHECK(s == LCU_OK, "%s", lcu_failure_get()->message);
  free(text);
  return m;
}

/* ---- running ---- */

static uint64_t checksum;

static void check_results (int number, const arrays *v) {
  const op_case *k = &cases[number];
  CHECK(wrong_results(number, v, stdout) == 0, "%s", k->text);
  for (int n = 0; n < VALUES; n++) {
    uint64_t full = v->out[2 * n];
    if (k->operands[0] != 'f' || !isnan(as_f(full)))
      checksum = (checksum ^ full) * UINT64_C(0x100000001b3);
  }
}

static void run_case (fixture *x, ptx_module *m, int number, const arrays *v) {
  char name[16];
  ptx_fault fault;
  const op_case *k = &cases[number];
  snprintf(name, sizeof name, "k%d", number);
  make_inputs(number, v);
  memset(v->out, 0xee, 2 * VALUES * sizeof *v->out);
  ptx_launch l = fix_launch(x, m, name, ROUNDS, LANES);
  lcu_status s =
    fix_run(&l, &fault, 5, ARG(v->in[0]), ARG(v->in[1]), ARG(v->in[2]), ARG(v->in[3]), ARG(v->out));
  CHECK(s == LCU_OK, "%s: %s %s", k->text, lcu_failure_get()->message, fault.message);
  if (s == LCU_OK) check_results(number, v);
}

/* ---- every handler, every row ---- */

static bool met[PTX_ID_COUNT];

static void note_handlers (ptx_module *m) {
  for (uint32_t i = 0; i < m->num_kernels; i++) {
    const ptx_code *code = m->kernels[i].function->code;
    for (uint32_t n = 0; code != NULL && n < code->num_uops; n++) met[code->uops[n].id] = true;
  }
}

/* Executed by the executor or by memory access, and tested there. */
static bool tested_elsewhere (const char *name) {
  static const char *const prefixes[] = {
    "bar_",         "shfl_",      "vote_",     "match_",         "redux_",  "elect",  "call",
    "ret",          "exit",       "trap",      "nanosleep",      "ld_",     "st_",    "atom",
    "cp_async",     "mbarrier_",  "fence",     "guard",          "jump",    "bra",    "nop",
    "activemask",   "mov_local",  "sreg_b64",  "place_word_b64", "tex",     "tld4",   "txq",
    "cluster_",     "cp_bulk",    "cp_tensor", "suld",           "sust",    "mma_",   "wmma_",
    "ldmatrix",     "stmatrix",   "movmatrix", "sured",          "istypep", "alloca", "stacksave",
    "stackrestore", "try_cancel", "wgmma",     "async_group"
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static void check_coverage (void) {
  for (int id = 1; id < PTX_ID_COUNT; id++)
    if (!tested_elsewhere(ptx_id_names[id]))
      CHECK(met[id], "no case meets handler %s", ptx_id_names[id]);
}

/* ---- the program, once per instruction set ---- */

static void run_all (void) {
  static fixture x;
  arrays v;
  fix_open(&x, 1);
  ptx_module *m = load_cases(&x);
  for (int i = 0; i < 4; i++) v.in[i] = fix_add(&x, VALUES * 8, false);
  v.out = fix_add(&x, VALUES * 16, false);
  for (int i = 0; m != NULL && i < NUM_CASES; i++) run_case(&x, m, i, &v);
  if (m != NULL) {
    note_handlers(m);
    check_coverage();
    ptx_module_free(m);
  }
  fix_close(&x);
}

/* The same program with a lower instruction set; its last line contains the checksum. */
static void compare_with (const char *self, const char *isa) {
  char command[600], line[256], want[64];
  bool equal = false;
  snprintf(command, sizeof command, "LUACUDA_CPU_ISA=%s '%s' child", isa, self);
  snprintf(want, sizeof want, "checksum %016llx 0 failed\n", (unsigned long long)checksum);
  FILE *p = popen(command, "r");
  CHECK(p != NULL, "cannot run %s", command);
  if (p == NULL) return;
  while (fgets(line, sizeof line, p) != NULL) {
    equal = strcmp(line, want) == 0;
    if (strncmp(line, "checksum", 8) != 0) printf("%s: %s", isa, line);
  }
  CHECK(pclose(p) == 0 && equal, "%s does not give what %s gives", isa, ptx_isa_name());
}

int main (int argc, char **argv) {
  run_all();
  if (argc > 1 && strcmp(argv[1], "child") == 0) {
    printf("checksum %016llx %d failed\n", (unsigned long long)checksum, failed);
    return failed != 0;
  }
  const char *prefix = LCU_ISA_PREFIX;
  for (uint32_t i = 1; ptx_isa_at(i) != NULL; i++)
    compare_with(argv[0], ptx_isa_at(i)->name + strlen(prefix));
  return check_result();
}
