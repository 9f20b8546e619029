/* test_ptx_jit_end.c: the process ends while a kernel is compiled: by exit(), or with its last
 * thread. Without libLLVM there is little to test. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* usleep */
#endif
#include "ptx_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptx_jit.h"
#include "ptx_module.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) /* TSan starts no threads after a fork */

#ifdef __SANITIZE_ADDRESS__
/* Memory that is still allocated when the process ends this way is not a leak. ASAN_OPTIONS
 * overrides __asan_default_options, but not this. */
__attribute__((visibility("default"))) int __lsan_is_turned_off (void);
int __lsan_is_turned_off (void) { return 1; }
#endif

enum { THREADS = 64, STEPS = 400, MOST_S = 60 };

static const char head[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out)\n{\n"
                           "  .reg .b32 %r<3>;\n  .reg .b64 %rd<3>;\n"
                           "  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %rd2, %r1, 4;\n  add.s64 %rd1, %rd1, %rd2;\n",
                  tail[] = "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";

static fixture x;
static ptx_module *module;
static ptx_launch launch;
static uint32_t *out;

/* LLVM needs some tenths of a second for this kernel. */
static void load_module (void) {
  lcu_buf text = { 0 };
  lcu_buf_adds(&text, head);
  for (int k = 0; k < STEPS; k++)
    lcu_buf_adds(&text, "  mul.hi.u32 %r2, %r1, 1664525;\n  mad.lo.s32 %r1, %r1, %r2, 77;\n");
  lcu_buf_adds(&text, tail);
  CHECK(!text.failed && ptx_module_load(text.data, text.len, &x.host, &module) == LCU_OK);
  lcu_buf_free(&text);
}

static uint32_t expected (uint32_t v) {
  for (int k = 0; k < STEPS; k++) v = v * (uint32_t)((uint64_t)v * 1664525u >> 32) + 77;
  return v;
}

static void prepare (void) {
  fix_open(&x, 2);
  out = fix_add(&x, sizeof *out * THREADS, false);
  load_module();
  launch = fix_launch(&x, module, "k", 1, THREADS);
  launch.compile = PTX_JIT_FORCE;
  CHECK(ptx_kernel_prepare(launch.kernel) == LCU_OK);
}

/* Its status; a child in which threads wait forever is killed. */
static int wait_for (pid_t pid) {
  double latest = lcu_now_ms() + 1000 * MOST_S;
  int status = -1;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (lcu_now_ms() > latest) (void)kill(pid, SIGKILL);
    usleep(1000);
  }
  return status;
}

static void run_in_child (void (*fn)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    prepare();
    fn();
    _exit(1);
  }
  int status = wait_for(pid);
  CHECK(status == 0, "the child ended with %#x", status);
}

/* ---- exit() in the main thread: launches of others do not wait for compiled code */

static pthread_t launching;

static void *launching_thread (void *unused) {
  ptx_fault fault = { 0 };
  CHECK(fix_run(&launch, &fault, 1, (uint64_t)(uintptr_t)out) == LCU_OK, "%s", fault.message);
  for (uint32_t i = 0; i < THREADS; i++) CHECK(out[i] == expected(i), "thread %u", i);
  return unused;
}

/* As a program that closes its Lua state then, which waits for its kernels. */
static void join_launching (void) {
  pthread_join(launching, NULL);
  _exit(check_result() == 0 ? 0 : 1);
}

static void exit_while_launching (void) {
  int blocks = ptx_jit_form_of(ptx_block_class_of(launch.block), false);
  const atomic_int *state = &launch.kernel->function->code->jit[blocks].state[PTX_JIT_FULL];
  (void)atexit(join_launching);
  if (pthread_create(&launching, NULL, launching_thread, NULL) != 0) _exit(1);
  while (atomic_load(state) < PTX_JIT_COMPILING) usleep(100);
  exit(2);
}

/* ---- pthread_exit() in the main thread: the last thread shuts the device down */

static void *last_thread (void *unused) {
  enum { UNTIL_MAIN_IS_GONE_US = 100000 };
  usleep(UNTIL_MAIN_IS_GONE_US);
  ptx_module_free(module);
  ptx_jit_rest();
  fix_close(&x);
  if (check_result() != 0) _exit(1);
  return unused;
}

static void main_thread_ends (void) {
  pthread_t thread;
  ptx_jit_ask(launch.kernel->function->code,
              ptx_jit_form_of(ptx_block_class_of(launch.block), false), PTX_JIT_FULL, NULL);
  if (pthread_create(&thread, NULL, last_thread, NULL) == 0) pthread_exit(NULL);
}

int main (void) {
  run_in_child(exit_while_launching);
  run_in_child(main_thread_ends);
  return check_result();
}
#else
int main (void) { return 0; }
#endif
