/* test_ptx_jit.c: random kernels (ptx_jit_program.h), interpreted and compiled, must store the same
 * bits, or report the same fault; with all checks on, too, and then with words that nothing has
 * written, or with one line left out, which may be a barrier or an initialization.
 *
 * test_ptx_jit [NUMBER [SEED]]: so many programs, from this seed on; with PTX_SHOW set it prints
 * them. Without libLLVM there is nothing to test. */
#include "ptx_fixture.h"
#include "ptx_jit.h"
#include "ptx_jit_cases.h"
#include "ptx_jit_llvm.h"
#include "ptx_jit_program.h"
#include "ptx_module.h"

enum { OUT = MOST_THREADS * BLOCKS * WORDS };

static fixture x;
static ptx_check checks = PTX_CHECK_DEFAULT;
static struct {
  uint32_t compiled, faults;
} count;

/* Device memory, and what was written of it (only looked at with all checks on). */
typedef struct words {
  int *data;
  uint8_t *written;
  uint32_t num, known; /* known: words that were written before the kernel runs */
} words;

static words words_of (uint32_t num, uint32_t known) {
  words m = { .data = fix_add(&x, (uint64_t)num * 4, false), .num = num, .known = known };
  m.written = fix_record(&x);
  return m;
}

static void fill (generator g, int *p) {
  for (int i = 0; i < INTS; i++) p[i] = (int)(pick(&g, 1 << 20) << (i % 12)) - 500;
}

/* What a run leaves. */
typedef struct outcome {
  lcu_status status;
  ptx_fault fault;
  int out[OUT], in[INTS];
  uint8_t out_written[4 * OUT];
} outcome;

/* Loops that wait for atomics have no text; LLVM takes every text. */
static void check_taken (const generator *g, const ptx_jit_slot *slot) {
  for (int half = 0; half < PTX_JIT_HALVES; half++)
    CHECK(slot->state[half] != PTX_JIT_REFUSED || slot->text_bytes[half] == 0,
          "LLVM refused half %d of\n%s", half, g->text.data);
}

/* What the kernel finds written: all that it may read, but for a hole. */
static void forget (const generator *g, const words *m) {
  memset(m->written, 0, 4 * (size_t)m->num);
  memset(m->written, 1, 4 * (size_t)m->known);
  for (uint32_t k = 0; k < g->hole_words; k++)
    memset(m->written + 4 * ((g->hole + k) % m->known), 0, 4);
}

/* Both runs start with the same memory: programs change `in`, too. */
static bool run (const generator *g, bool compile, const words *in, const words *out, outcome *o) {
  ptx_module *m = NULL;
  lcu_status s = ptx_module_load(g->text.data, g->text.len, &x.host, &m);
  CHECK(s == LCU_OK, "%s\n%s", lcu_failure_get()->message, g->text.data);
  if (s != LCU_OK) return false;
  ptx_launch l = fix_launch(&x, m, "k", g->faults ? 1 : BLOCKS, g->threads);
  memcpy(l.block, g->block, sizeof l.block);
  l.livelock_ms = 5000;
  l.compile = compile;
  l.check = checks;
  fill(*g, in->data);
  memset(out->data, 0, sizeof o->out);
  forget(g, in);
  forget(g, out);
  o->status = fix_run(&l, &o->fault, 3, (uint64_t)(uintptr_t)in->data,
                      (uint64_t)(uintptr_t)out->data, (uint64_t)5);
  memcpy(o->out, out->data, sizeof o->out);
  memcpy(o->in, in->data, sizeof o->in);
  memcpy(o->out_written, out->written, sizeof o->out_written);
  const ptx_code *code = l.kernel->function->code;
  int form = ptx_jit_form_of(ptx_block_class_of(l.block), checks == PTX_CHECK_ALL);
  bool compiled = code != NULL && ptx_jit_of(code, form) != NULL;
  CHECK(compile || !compiled);
  if (code != NULL) check_taken(g, &code->jit[form]);
  count.compiled += compiled;
  ptx_module_free(m);
  return true;
}

static void compare_faults (uint32_t seed, const ptx_fault *got, const ptx_fault *want) {
  CHECK(strcmp(got->message, want->message) == 0, "seed %u: %s\ninterpreted: %s", seed,
        got->message, want->message);
  CHECK(got->kind == want->kind && got->line == want->line && got->address == want->address &&
          got->bytes == want->bytes && got->write == want->write &&
          memcmp(got->thread, want->thread, sizeof want->thread) == 0,
        "seed %u: the fault is another one", seed);
}

static void compare (uint32_t seed, const outcome *got, const outcome *want) {
  int at = 0;
  bool same = got->status == want->status;
  CHECK(same, "seed %u: status %d, interpreted %d: %s", seed, (int)got->status, (int)want->status,
        got->status != LCU_OK ? got->fault.message : want->fault.message);
  if (same && got->status != LCU_OK) compare_faults(seed, &got->fault, &want->fault);
  if (checks == PTX_CHECK_ALL && want->status != LCU_OK) return;
  while (same && at < OUT && got->out[at] == want->out[at]) at++;
  CHECK(!same || at == OUT, "seed %u: result %d is %#x, interpreted %#x", seed, at,
        at < OUT ? (unsigned)got->out[at] : 0, at < OUT ? (unsigned)want->out[at] : 0);
  CHECK(!same || memcmp(got->in, want->in, sizeof want->in) == 0, "seed %u: the input differs",
        seed);
  CHECK(!same || memcmp(got->out_written, want->out_written, sizeof want->out_written) == 0,
        "seed %u: the record of what was written differs", seed);
}

/* A fault stops other warps at any place: programs that may have one run in one warp. */
enum { SHAPES = 12, THREE_WARPS = 0, PARTIAL_WARP = 3, WHOLE_WARPS = 4, LONG = 6 };
static void try (uint32_t seed, void (*write)(generator *g)) {
  static const uint32_t shapes[SHAPES][2] = { { 80, 1 }, { 16, 5 }, { 32, 3 }, { 24, 3 },
                                              { 64, 1 }, { 16, 4 }, { 12, 1 }, { 32, 5 },
                                              { 32, 1 }, { 32, 1 }, { 16, 2 }, { 27, 1 } };
  static outcome interpreted, compiled;
  uint32_t shape = seed % SHAPES;
  if (getenv("PTX_SEEDS") != NULL)
    printf("%s %u\n", checks == PTX_CHECK_ALL ? "all" : "default", seed);
  generator g = { .state = seed, .block = { 0, 0, 1 }, .faults = shape >= 9 };
  memcpy(g.block, shapes[shape], sizeof shapes[0]);
  g.threads = g.block[0] * g.block[1];
  write(&g);
  words in = words_of(INTS, INTS), out = words_of(OUT, MOST_THREADS * BLOCKS * 4);
  if (getenv("PTX_SHOW") != NULL) printf("%s", g.text.data);
  if (run(&g, false, &in, &out, &interpreted) && run(&g, true, &in, &out, &compiled))
    compare(seed, &compiled, &interpreted);
  count.faults += interpreted.status != LCU_OK;
  lcu_buf_free(&g.text);
}

/* ---- with all checks on */

/* Calls are interpreted then. */
static void checked_program (generator *g) {
  do {
    lcu_buf_free(&g->text);
    g->labels = g->loops = g->lines = 0;
    g->fresh = 0;
    program(g);
  } while (strstr(g->text.data, "call (z)") != NULL);
}

/* Leaves out one line of those that may matter, of the body. */
static void leave_one_out (generator *g) {
  static const char *const marks[] = { "bar.sync", "st.shared" };
  const char *mark = ONE_OF(g, marks);
  uint32_t all = 0, wanted;
  char *body = strstr(g->text.data, "ld.param.u64 %rd10"), *at = body;
  while ((at = strstr(at, mark)) != NULL) all++, at++;
  if (all == 0) return;
  wanted = pick(g, all);
  for (at = strstr(body, mark); wanted > 0; wanted--) at = strstr(at + 1, mark);
  while (at[-1] != '\n') at--;
  while (*at != '\n') *at++ = ' ';
}

static void wrong_program (generator *g) {
  checked_program(g);
  if (pick(g, 3) == 0) {
    g->hole = pick(g, MOST_THREADS * BLOCKS);
    g->hole_words = 1 + pick(g, 40);
  } else leave_one_out(g);
}

static size_t next_case;
static void written (generator *g) { lcu_buf_adds(&g->text, jit_cases[next_case]); }

static void try_checks (uint32_t seed, void (*write)(generator *g)) {
  for (int all = 0; all < 2; all++) {
    checks = all ? PTX_CHECK_ALL : PTX_CHECK_DEFAULT;
    fix_open(&x, 1);
    try(seed, write);
    fix_close(&x);
  }
  checks = PTX_CHECK_DEFAULT;
}

int main (int argc, char **argv) {
  uint32_t number = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 12;
  uint32_t seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  fix_open(&x, 1);
  try(PARTIAL_WARP, atomics);
  fix_close(&x);
  try_checks(THREE_WARPS, ends_one_by_one);
  for (; next_case < lcu_arraylen(jit_cases); next_case++) {
    fix_open(&x, 1);
    try(WHOLE_WARPS, written);
    fix_close(&x);
  }
  for (uint32_t k = 0; k < LONG; k++) {
    fix_open(&x, 1);
    try(seed * SHAPES + k, one_long_block);
    fix_close(&x);
  }
  for (uint32_t k = 0; k < 3 * number; k++) {
    checks = k < number ? PTX_CHECK_DEFAULT : PTX_CHECK_ALL;
    fix_open(&x, 1);
    try(seed + k % number, k < number ? program : k < 2 * number ? checked_program : wrong_program);
    fix_close(&x);
  }
  printf("%u programs, %u of them compiled, %u with a fault\n", number, count.compiled,
         count.faults);
  CHECK(count.compiled > 0);
  CHECK(number < 20 || count.compiled > 3 * number - 3 * number / 5);
  return check_result();
}
