/* test_ptx_jit_cache.c: compiled code on the disk and in memory: damaged objects and files are
 * refused, a file serves only its key; a kernel that takes long is compiled in the background, and
 * its module may go meanwhile. Without libLLVM there is nothing to test. */
#include "ptx_jit_fixture.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptx_jit_cache.h"
#include "ptx_jit_key.h"
#include "ptx_jit_object.h"

enum { BLOCKS = 200, THREADS = 64, ROUNDS = 4000 };

/* A loop of integers, and a switch that becomes a jump table. */
static const char ir[] =
  "define i32 @ptx_masked(i32 %n) nounwind {\n"
  "  switch i32 %n, label %d [ i32 0, label %a i32 1, label %b i32 2, label %c i32 3, label %e "
  "i32 4, label %f ]\n"
  "a:\n  ret i32 17\nb:\n  %b1 = mul i32 %n, 100\n  ret i32 %b1\nc:\n  %c1 = call float "
  "@fmodf(float 7.5, float 2.0)\n  %c2 = fptosi float %c1 to i32\n  ret i32 %c2\n"
  "e:\n  %e1 = sub i32 0, %n\n  ret i32 %e1\nf:\n  %f1 = shl i32 %n, %n\n  ret i32 %f1\n"
  "d:\n  ret i32 -1\n}\n"
  "define i32 @ptx_full(i32 %n) nounwind {\n  %r = call i32 @ptx_masked(i32 %n)\n"
  "  %s = add i32 %r, 1\n  ret i32 %s\n}\n"
  "declare float @fmodf(float, float)\n";
static const int want[6] = { 17, 100, 1, -3, 64, -1 };

static lcu_buf compile (const char *source) {
  lcu_buf text = { 0 }, object = { 0 };
  lcu_buf_adds(&text, source);
  CHECK(ptx_jit_llvm_compile(&text, &object) == LCU_OK, "%s", lcu_failure_get()->message);
  lcu_buf_free(&text);
  return object;
}

/* ---- the process that compiles */

/* LLVM takes long for a text of many values that all live until its end. */
static void slow_modules_are_given_up (void) {
  enum { VALUES = 20000 };
  lcu_buf text = { 0 }, object = { 0 };
  double most_ms = ptx_jit_llvm_most_ms, began = lcu_now_ms();
  lcu_buf_adds(&text, "define void @ptx_full(ptr %p) {\n");
  for (int k = 0; k < VALUES; k++)
    lcu_buf_addf(&text,
                 "  %%p%d = getelementptr i32, ptr %%p, i32 %d\n  %%v%d = load i32, ptr %%p%d\n", k,
                 k, k, k);
  for (int k = 0; k < VALUES; k++)
    lcu_buf_addf(&text, "  %%w%d = mul i32 %%v%d, %%v%d\n  store volatile i32 %%w%d, ptr %%p%d\n",
                 k, k, (k * 7919 + 1) % VALUES, k, k);
  lcu_buf_adds(&text, "  ret void\n}\n");
  ptx_jit_llvm_most_ms = 100;
  CHECK(ptx_jit_llvm_compile(&text, &object) == LCU_E_STATE && object.len == 0);
  CHECK(lcu_now_ms() - began < 20000, "it took %.0f ms", lcu_now_ms() - began);
  ptx_jit_llvm_most_ms = most_ms;
  lcu_buf_free(&text);
  object = compile(ir);
  CHECK(object.len > 0, "none is compiled after that");
  lcu_buf_free(&object);
}

static void bad_modules_are_refused (void) {
  static const char *const texts[] = {
    "", "no module", "define i32 @f() {\n  ret i64 1\n}\n",
    "define void @f() {\n  br label %x\nx:\n  br label %y\n}\n"
  };
  for (size_t k = 0; k < lcu_arraylen(texts); k++) {
    lcu_buf text = { 0 }, object = { 0 };
    lcu_buf_adds(&text, texts[k]);
    lcu_status s = ptx_jit_llvm_compile(&text, &object);
    CHECK(k == 0 || (s == LCU_E_STATE && object.len == 0), "module %zu", k);
    lcu_buf_free(&text);
    lcu_buf_free(&object);
  }
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static uint64_t addresses_in_use (void) {
  unsigned long long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f != NULL && fscanf(f, "%llu", &pages) == 1);
  if (f != NULL) fclose(f);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its compiler inherits the limit. */
static int with_little_memory (unsigned mib) {
  struct rlimit tight = { addresses_in_use() + ((uint64_t)mib << 20), RLIM_INFINITY };
  lcu_buf text = { 0 }, object = { 0 };
  lcu_buf_adds(&text, ir);
  CHECK(setrlimit(RLIMIT_AS, &tight) == 0);
  lcu_status s = ptx_jit_llvm_compile(&text, &object);
  CHECK((s == LCU_OK) == (object.len > 0));
  return check_result();
}

/* LLVM ends its process when it gets no memory. To be called before this process starts LLVM's. */
static void little_memory_is_survived (void) {
  for (unsigned mib = 30; mib < 400; mib += 37) {
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) _exit(with_little_memory(mib));
    CHECK(waitpid(pid, &status, 0) == pid && status == 0, "%u MiB: %#x", mib, status);
  }
}
#else
static void little_memory_is_survived (void) {}
#endif

/* ---- objects */

static void objects_run (const lcu_buf *object) {
  static const char *const names[2] = { "ptx_masked", "ptx_full" };
  ptx_jit_code code;
  int (*fn)(int);
  for (int k = 0; k < 2; k++) {
    CHECK(ptx_jit_object_load(object->data, object->len, names[k], &code) == LCU_OK);
    memcpy(&fn, &code.entry, sizeof fn);
    for (int n = 0; n < 6; n++) CHECK(fn(n) == want[n] + k, "%s(%d)", names[k], n);
    ptx_jit_object_free(&code);
  }
  CHECK(ptx_jit_object_load(object->data, object->len, "ptx_other", &code) == LCU_E_SYNTAX);
}

static void unknown_functions_are_refused (void) {
  static const char other[] =
    "declare void @system(ptr)\ndefine void @ptx_masked(ptr %p) {\n  call void @system(ptr %p)\n"
    "  ret void\n}\ndefine void @ptx_full() {\n  ret void\n}\n";
  ptx_jit_code code;
  lcu_buf object = compile(other);
  CHECK(ptx_jit_object_load(object.data, object.len, "ptx_full", &code) == LCU_E_SYNTAX);
  CHECK(code.memory == NULL);
  lcu_buf_free(&object);
}

/* Every prefix is refused; no change of a byte may touch memory outside (AddressSanitizer sees it).
 * The code is not run. */
static void damage_is_survived (const lcu_buf *object) {
  ptx_jit_code code;
  uint32_t state = 7;
  char *copy = malloc(object->len);
  for (size_t len = 0; len < object->len; len += 1 + len / 16) {
    memcpy(copy, object->data, object->len);
    lcu_status s = ptx_jit_object_load(copy, len, "ptx_full", &code);
    CHECK(s != LCU_OK, "%zu of %zu bytes", len, object->len);
  }
  for (int k = 0; k < 3000; k++) {
    memcpy(copy, object->data, object->len);
    for (int n = 0; n < 3; n++) {
      state = state * 1664525u + 1013904223u;
      size_t at = k % 2 ? state % object->len : object->len - 1 - state % (object->len / 2);
      copy[at] = (char)(state >> 24);
    }
    if (ptx_jit_object_load(copy, object->len, "ptx_full", &code) == LCU_OK)
      ptx_jit_object_free(&code);
  }
  free(copy);
}

/* ---- files */

/* The path of an object in the folder, or "". */
static const char *any_file (void) {
  (void)count_objects(false);
  return found.path;
}

static void files_serve_one_key (const lcu_buf *object) {
  uint8_t key[2][PTX_JIT_KEY_BYTES];
  lcu_buf text = { 0 }, back = { 0 }, bytes = { 0 };
  for (int k = 0; k < 2; k++) {
    lcu_buf_addf(&text, "text %d", k);
    CHECK(ptx_jit_cache_key(&folder, &text, false, key[k]));
  }
  CHECK(memcmp(key[0], key[1], PTX_JIT_KEY_BYTES) != 0);
  CHECK(!ptx_jit_cache_read(&folder, key[0], &back) && back.len == 0);
  ptx_jit_cache_write(&folder, key[0], object);
  CHECK(ptx_jit_cache_read(&folder, key[0], &back));
  CHECK(back.len == object->len && memcmp(back.data, object->data, back.len) == 0);
  CHECK(!ptx_jit_cache_read(&folder, key[1], &back));
  char path[sizeof found];
  snprintf(path, sizeof path, "%s", any_file());
  CHECK(lcu_file_read(path, LCU_FILE_OWN, &bytes) == LCU_OK);
  for (size_t at = 0; at < bytes.len; at += 1 + bytes.len / 40) {
    bytes.data[at] ^= 4;
    CHECK(lcu_file_replace(path, bytes.data, bytes.len) == LCU_OK);
    CHECK(!ptx_jit_cache_read(&folder, key[0], &back), "byte %zu was changed", at);
    CHECK(any_file()[0] == '\0', "a damaged file stays");
    bytes.data[at] ^= 4;
  }
  CHECK(lcu_file_replace(path, bytes.data, bytes.len) == LCU_OK);
  CHECK(ptx_jit_cache_read(&folder, key[0], &back));
  CHECK(lcu_file_remove(path) == LCU_OK);
  lcu_buf_free(&text);
  lcu_buf_free(&back);
  lcu_buf_free(&bytes);
}

/* ---- in the background */

static const char kernel[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n"
  ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
  "  .reg .pred %p<2>;\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<4>;\n"
  "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [n];\n  mov.u32 %r2, %tid.x;\n"
  "  mov.u32 %r3, %ctaid.x;\n  mov.u32 %r4, %ntid.x;\n  mad.lo.s32 %r5, %r3, %r4, %r2;\n"
  "  mov.u32 %r6, %r5;\n"
  "AGAIN:\n  mad.lo.s32 %r6, %r6, 1664525, 1013904223;\n  sub.s32 %r1, %r1, 1;\n"
  "  setp.ne.s32 %p1, %r1, 0;\n  @%p1 bra AGAIN;\n"
  "  mul.wide.u32 %rd2, %r5, 4;\n  add.s64 %rd3, %rd1, %rd2;\n  st.global.u32 [%rd3], %r6;\n"
  "  ret;\n}\n";

static uint32_t expected (uint32_t i) {
  for (int k = 0; k < ROUNDS; k++) i = i * 1664525u + 1013904223u;
  return i;
}

static ptx_jit_slot *launch (ptx_module *m, uint32_t *out) {
  ptx_fault fault = { 0 };
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, THREADS);
  l.compile = PTX_JIT_ON;
  l.folder = &folder;
  memset(out, 0, sizeof *out * BLOCKS * THREADS);
  lcu_status s = fix_run(&l, &fault, 2, (uint64_t)(uintptr_t)out, (uint64_t)ROUNDS);
  CHECK(s == LCU_OK, "%s", lcu_failure_get()->message);
  for (uint32_t i = 0; i < BLOCKS * THREADS; i += 97) CHECK(out[i] == expected(i), "thread %u", i);
  return &l.kernel->function->code->jit[ptx_block_class_of(l.block)];
}

/* Launches it until the state is at least this. Returns the number of launches. */
static int launch_until (ptx_module *m, uint32_t *out, ptx_jit_state state) {
  double latest = lcu_now_ms() + 60000;
  int n = 1;
  while (atomic_load(&launch(m, out)->state[PTX_JIT_FULL]) < (int)state && lcu_now_ms() < latest)
    n++;
  CHECK(lcu_now_ms() < latest, "it was not compiled in a minute");
  return n;
}

static void kernels_are_compiled_and_kept (void) {
  uint32_t *out = fix_add(&x, sizeof *out * BLOCKS * THREADS, false);
  ptx_module *m = load_text(kernel);
  launch_until(m, out, PTX_JIT_KEPT);
  CHECK(atomic_load(&launch(m, out)->code) != NULL);
  ptx_module_free(m);
  CHECK(any_file()[0] != '\0', "the object was not written");
  m = load_text(kernel);
  ptx_jit_slot *slot = launch(m, out);
  CHECK(atomic_load(&slot->code) != NULL, "the object was not loaded at the first launch");
  CHECK(atomic_load(&slot->found) && atomic_load(&slot->text_bytes[PTX_JIT_FULL]) == 0);
  CHECK(atomic_load(&slot->trial[0].turns) == 0, "blocks were interpreted");
  launch_until(m, out, PTX_JIT_KEPT);
  CHECK(atomic_load(&slot->trial[0].turns) != 0, "it was kept without a trial");
  ptx_module_free(m);
}

/* The next process interprets as well, unless it is told not to. */
static void refusals_are_kept (void) {
  uint32_t *out = fix_add(&x, sizeof *out * BLOCKS * THREADS, false);
  ptx_module *m = load_text(kernel);
  ptx_fault fault = { 0 };
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, THREADS);
  int blocks = ptx_jit_form_of(ptx_block_class_of(l.block), false);
  ptx_jit_slot *slot = launch(m, out);
  ptx_jit_refuse(l.kernel->function->code, blocks, PTX_JIT_FULL, &folder);
  ptx_module_free(m);
  m = load_text(kernel);
  slot = launch(m, out);
  CHECK(atomic_load(&slot->state[PTX_JIT_FULL]) == PTX_JIT_REFUSED);
  CHECK(atomic_load(&slot->code) == NULL);
  ptx_module_free(m);
  m = load_text(kernel);
  l = fix_launch(&x, m, "k", BLOCKS, THREADS);
  l.compile = PTX_JIT_FORCE;
  l.folder = &folder;
  CHECK(fix_run(&l, &fault, 2, (uint64_t)(uintptr_t)out, (uint64_t)ROUNDS) == LCU_OK);
  CHECK(ptx_jit_of(l.kernel->function->code, blocks) != NULL);
  ptx_module_free(m);
}

/* Objects of different forms and halves have different names. */
static void forms_have_objects_of_their_own (void) {
  uint32_t *out = fix_add(&x, sizeof *out * BLOCKS * THREADS, false);
  ptx_module *m = load_text(kernel);
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, THREADS);
  (void)launch(m, out);
  enum { ALL = PTX_JIT_FORMS * PTX_JIT_HALVES };
  lcu_buf what[ALL] = { { 0 } };
  for (int k = 0; k < ALL; k++) {
    const ptx_code *code = l.kernel->function->code;
    CHECK(ptx_jit_describe(code, k / PTX_JIT_HALVES, k % PTX_JIT_HALVES, &what[k]));
    for (int j = 0; j < k; j++)
      CHECK(what[j].len != what[k].len || memcmp(what[j].data, what[k].data, what[k].len) != 0,
            "forms %d and %d", j / PTX_JIT_HALVES, k / PTX_JIT_HALVES);
  }
  for (int k = 0; k < ALL; k++) lcu_buf_free(&what[k]);
  ptx_module_free(m);
}

/* Two modules of one text have a variable each, and one code. */
static void variables_have_their_addresses (void) {
  static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 sum;\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .b32 %r<4>;\n  .reg .b64 %rd<2>;\n"
    "  ld.param.u32 %r1, [n];\n  mov.u64 %rd1, sum;\n"
    "  atom.global.add.u32 %r2, [%rd1], %r1;\n  ret;\n}\n";
  ptx_module *m[2];
  uint64_t address[2], size;
  for (int k = 0; k < 2; k++) {
    ptx_fault fault = { 0 };
    m[k] = load_text(text);
    ptx_launch l = fix_launch(&x, m[k], "k", 1, PTX_LANES);
    l.compile = k == 0 ? PTX_JIT_FORCE : PTX_JIT_ON;
    l.folder = &folder;
    CHECK(fix_run(&l, &fault, 2, (uint64_t)0, (uint64_t)(k + 3)) == LCU_OK, "%s", fault.message);
    CHECK(ptx_module_variable(m[k], "sum", &address[k], &size) == LCU_OK);
    const ptx_jit_slot *slot = &l.kernel->function->code->jit[ptx_block_class_of(l.block)];
    CHECK(atomic_load(&slot->code) != NULL && atomic_load(&slot->found) == (k == 1));
  }
  CHECK(address[0] != address[1]);
  for (int k = 0; k < 2; k++) {
    uint32_t sum = *(const uint32_t *)(uintptr_t)address[k];
    CHECK(sum == PTX_LANES * (uint32_t)(k + 3), "module %d: %u", k, (unsigned)sum);
    ptx_module_free(m[k]);
  }
}

/* More rounds than a warp may take at a time: the only one of its block goes on. */
static void long_loops_go_on (void) {
  enum { LONG = 200000 };
  uint32_t *out = fix_add(&x, sizeof *out * THREADS, false), sum = 31;
  ptx_module *m = load_text(kernel);
  ptx_fault fault = { 0 };
  ptx_launch l = fix_launch(&x, m, "k", 1, PTX_LANES);
  l.compile = PTX_JIT_FORCE;
  lcu_status s = fix_run(&l, &fault, 2, (uint64_t)(uintptr_t)out, (uint64_t)LONG);
  CHECK(s == LCU_OK, "%s", fault.message);
  CHECK(ptx_jit_of(l.kernel->function->code, ptx_jit_form_of(ptx_block_class_of(l.block), false)) !=
        NULL);
  for (int k = 0; k < LONG; k++) sum = sum * 1664525u + 1013904223u;
  CHECK(out[31] == sum, "%#x, not %#x", out[31], sum);
  ptx_module_free(m);
}

/* The module goes while its kernel is being compiled. */
static void modules_may_go (void) {
  uint32_t *out = fix_add(&x, sizeof *out * BLOCKS * THREADS, false);
  for (int k = 0; k < 3; k++) {
    ptx_module *m = load_text(kernel);
    (void)lcu_file_remove(any_file());
    for (int n = 0; n < 1 + 8 * k; n++) launch(m, out);
    ptx_module_free(m);
  }
  ptx_jit_rest();
}

/* Does a process that ends soon leave the object that it began? */
static bool is_finished (uint32_t *out) {
  (void)lcu_file_remove(any_file());
  ptx_module *m = load_text(kernel);
  launch_until(m, out, PTX_JIT_COMPILING);
  ptx_module_free(m);
  ptx_jit_rest();
  return any_file()[0] != '\0';
}

/* On a busy machine it may take longer than the thread has; then the next job lets it go on. */
static void objects_are_finished (void) {
  uint32_t *out = fix_add(&x, sizeof *out * BLOCKS * THREADS, false);
  int tries = 1;
  for (; !is_finished(out) && tries < 5; tries++) {
    ptx_module *m = load_text(kernel);
    launch_until(m, out, PTX_JIT_KEPT);
    ptx_module_free(m);
  }
  CHECK(tries < 5, "an object that was begun was not written");
}

/* Many values are live across many accesses that may fail. LLVM would need minutes. */
static void long_texts_are_interpreted (void) {
  enum { VALUES = 400 };
  uint32_t *out = fix_add(&x, sizeof *out * PTX_LANES * VALUES, false);
  lcu_buf text = { 0 };
  lcu_buf_adds(&text, ".version 8.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry k (.param .u64 out, .param .u64 n) {\n"
                      "  .reg .b32 t, v<400>;\n  .reg .b64 p, q;\n  ld.param.u64 p, [out];\n"
                      "  mov.u32 t, %tid.x;\n  mad.wide.u32 p, t, 1600, p;\n");
  for (int k = 0; k < VALUES; k++) lcu_buf_addf(&text, "  ld.global.u32 v%d, [p+%d];\n", k, 4 * k);
  for (int k = 0; k < VALUES; k++)
    lcu_buf_addf(&text,
                 "  and.b32 t, v%d, 0;\n  mad.wide.u32 q, t, 4, p;\n"
                 "  add.u32 t, v%d, %d;\n  st.global.u32 [q+%d], t;\n",
                 (k + 7) % VALUES, k, k, 4 * k);
  lcu_buf_adds(&text, "  ret;\n}\n");
  ptx_module *m = load_text(text.data);
  ptx_fault fault = { 0 };
  ptx_launch l = fix_launch(&x, m, "k", 1, PTX_LANES);
  l.compile = PTX_JIT_FORCE;
  CHECK(fix_run(&l, &fault, 2, (uint64_t)(uintptr_t)out, (uint64_t)0) == LCU_OK, "%s",
        fault.message);
  CHECK(ptx_jit_of(l.kernel->function->code, ptx_jit_form_of(ptx_block_class_of(l.block), false)) ==
        NULL);
  for (uint32_t k = 0; k < PTX_LANES * VALUES; k++) CHECK(out[k] == k % VALUES);
  ptx_module_free(m);
  lcu_buf_free(&text);
}

#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a fork */
/* Is the kernel interpreted where it was to be compiled? */
static bool is_interpreted (void) {
  uint32_t *out = fix_add(&x, sizeof *out * THREADS, false);
  ptx_module *m = load_text(kernel);
  ptx_fault fault = { 0 };
  ptx_launch l = fix_launch(&x, m, "k", 1, THREADS);
  l.compile = PTX_JIT_FORCE;
  lcu_status s = fix_run(&l, &fault, 2, (uint64_t)(uintptr_t)out, (uint64_t)ROUNDS);
  bool ok = s == LCU_OK && out[5] == expected(5) &&
            ptx_jit_of(l.kernel->function->code,
                       ptx_jit_form_of(ptx_block_class_of(l.block), false)) == NULL;
  ptx_module_free(m);
  ptx_jit_rest();
  return ok;
}

/* The thread is missing there, whatever it was doing. */
static void children_do_not_wait (void) {
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) {
    alarm(60);
    _exit(is_interpreted() ? 0 : 1);
  }
  CHECK(waitpid(pid, &status, 0) == pid && status == 0, "the child ended with %#x", status);
}
#endif

int main (void) {
  little_memory_is_survived();
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  CHECK(lcu_folder_make(folder.path) == LCU_OK);
  fix_open(&x, 2);
  lcu_buf object = compile(ir);
  slow_modules_are_given_up();
  bad_modules_are_refused();
  objects_run(&object);
  unknown_functions_are_refused();
  damage_is_survived(&object);
  files_serve_one_key(&object);
  kernels_are_compiled_and_kept();
  refusals_are_kept();
  forms_have_objects_of_their_own();
  variables_have_their_addresses();
  long_loops_go_on();
  long_texts_are_interpreted();
  modules_may_go();
  objects_are_finished();
#ifndef __SANITIZE_THREAD__
  children_do_not_wait();
#endif
  lcu_buf_free(&object);
  fix_close(&x);
  lcu_folder_remove(folder.path);
  return check_result();
}
