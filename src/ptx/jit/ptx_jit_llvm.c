/* ptx_jit_llvm.c: finds and opens libLLVM, and drives it. The library stays open. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#elif defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif
#include "ptx_jit_llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_room.h"
#include "ptx.h"
#include "ptx_jit_exit.h"

enum { MAJOR_MIN = 15 };

/* LLVM's enumerations, by the numbers of its C interface. */
enum { RETURN_STATUS = 2, LEVEL_DEFAULT = 2, RELOC_PIC = 2, MODEL_SMALL = 3, OBJECT_FILE = 1 };

typedef struct library {
#define LLVM(need, result, name, params) result(*name) params;
#include "ptx_jit_llvm.def"
#undef LLVM
} library;

static library llvm;
static char why_not[256]; /* empty: it is open */
static char file[1024];   /* what was opened; "": unknown */
static unsigned major = MAJOR_MIN;
static lcu_status open_status;
static atomic_bool missing;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;

static const struct {
  const char *name;
  bool required;
  size_t offset;
} entries[] = {
#define LLVM(need, result, name, params) { #name, #need[0] == 'R', offsetof(library, name) },
#include "ptx_jit_llvm.def"
#undef LLVM
};

/* Newer ones changed their name from libLLVM-18.so.1 to libLLVM.so.18.1. */
static const char *const sonames[] = {
  "libLLVM.so.21.1", "libLLVM.so.20.1", "libLLVM.so.19.1",
  "libLLVM.so.18.1", "libLLVM-18.so.1", "libLLVM-17.so.1",
  "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-15.so",
  "libLLVM.so",      "libLLVM.dylib",   "/opt/homebrew/opt/llvm/lib/libLLVM.dylib"
};

/* ---- opening ---- */

static bool refuse (lcu_status status, const char *path, const char *why) {
  open_status = status;
  snprintf(why_not, sizeof why_not, "%s: %s", path, why);
  return false;
}

static bool compiles_probe (void);
static const char OLD[] = "version 15 or later is needed";

static bool fill_table (void *handle, const char *path) {
  char words[96];
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(handle, entries[i].name);
    snprintf(words, sizeof words, "it has no %s", entries[i].name);
    if (fn == NULL && entries[i].required) return refuse(LCU_E_UNSUPPORTED, path, words);
    memcpy((char *)&llvm + entries[i].offset, &fn, sizeof fn);
  }
  return true;
}

static bool adopt (void *handle, const char *path) {
  unsigned minor = 0, patch = 0;
  ptx_jit_exit_guard(); /* the library has registered its destructors */
  if (!fill_table(handle, path)) return false;
  if (llvm.LLVMGetVersion != NULL) llvm.LLVMGetVersion(&major, &minor, &patch);
  if (major < MAJOR_MIN) return refuse(LCU_E_UNSUPPORTED, path, OLD);
#if defined(__x86_64__)
  llvm.LLVMInitializeX86TargetInfo();
  llvm.LLVMInitializeX86Target();
  llvm.LLVMInitializeX86TargetMC();
  llvm.LLVMInitializeX86AsmPrinter();
#elif defined(__aarch64__)
  llvm.LLVMInitializeAArch64TargetInfo();
  llvm.LLVMInitializeAArch64Target();
  llvm.LLVMInitializeAArch64TargetMC();
  llvm.LLVMInitializeAArch64AsmPrinter();
#endif
  Dl_info info;
  if (dladdr(dlsym(handle, "LLVMContextCreate"), &info) != 0)
    snprintf(file, sizeof file, "%s", info.dli_fname);
  if (!compiles_probe()) return refuse(LCU_E_UNSUPPORTED, path, OLD);
  open_status = LCU_OK;
  return true;
}

static bool try_library (const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return false;
  if (adopt(handle, path)) return true;
  dlclose(handle);
  return false;
}

static void open_library (void) {
  const char *given = getenv("LUACUDA_LLVM");
  refuse(LCU_E_NOT_FOUND, "libLLVM",
         "not found; install LLVM 15 or later, or set LUACUDA_LLVM to the file");
  if (given != NULL && given[0] != '\0') {
    refuse(LCU_E_NOT_FOUND, given, "LUACUDA_LLVM names it, and it cannot be opened");
    (void)try_library(given);
    return;
  }
  for (size_t i = 0; i < lcu_arraylen(sonames); i++)
    if (try_library(sonames[i])) return;
}

static void open_or_miss (void) {
  ptx_jit_exit_during(open_library);
  atomic_store(&missing, open_status != LCU_OK);
}

/* LLVM ends the process when it gets no memory. Opening it and compiling one of the longest kernels
 * took 130 MiB, and 440 MiB of addresses. */
static lcu_status check_room (void) {
  const uint64_t bytes = (uint64_t)160 << 20, addresses = (uint64_t)1 << 30;
  return lcu_room_has(bytes, addresses) ? LCU_OK : lcu_no_memory("LLVM");
}

lcu_status ptx_jit_llvm_open (void) {
  LCU_TRY(check_room());
  pthread_once(&open_once, open_or_miss);
  return open_status == LCU_OK ? LCU_OK : lcu_fail(open_status, "%s", why_not);
}

bool ptx_jit_llvm_is_missing (void) { return atomic_load(&missing); }

const char *ptx_jit_llvm_file (void) { return file[0] != '\0' ? file : NULL; }

/* ---- compiling ---- */

/* The object is the same on every system: it is loaded by ptx_jit_object.c. */
#if defined(__x86_64__)
static const char triple[] = "x86_64-unknown-linux-gnu", features[] = "";
#elif defined(__APPLE__)
static const char triple[] = "aarch64-unknown-linux-gnu", features[] = "+reserve-x18";
#else
static const char triple[] = "aarch64-unknown-linux-gnu", features[] = "";
#endif

typedef struct job {
  const lcu_buf *text;
  void (*pause)(void);
  lcu_buf *out;
  void *context, *module, *machine;
  lcu_status status;
  char message[512];
} job;

static bool fail (job *j, const char *what, const char *why) {
  j->status = LCU_E_STATE;
  snprintf(j->message, sizeof j->message, "LLVM: %s: %s", what, why != NULL ? why : "failed");
  return false;
}

static bool fail_message (job *j, const char *what, char *message) {
  fail(j, what, message);
  if (message != NULL) llvm.LLVMDisposeMessage(message);
  return false;
}

static bool succeeded (job *j, const char *what, void *error) {
  if (error == NULL) return true;
  char *message = llvm.LLVMGetErrorMessage(error);
  fail(j, what, message);
  llvm.LLVMDisposeErrorMessage(message);
  return false;
}

static void yielded (void *context, void *ud) {
  const job *j = ud;
  (void)context;
  if (j->pause != NULL) j->pause();
}

/* A bad module must be found here: LLVM's later stages end the process. */
static bool parse (job *j) {
  char *message = NULL;
  j->context = llvm.LLVMContextCreate();
  llvm.LLVMContextSetYieldCallback(j->context, yielded, j);
  void *buffer =
    llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(j->text->data, j->text->len, "kernel");
  if (llvm.LLVMParseIRInContext(j->context, buffer, &j->module, &message))
    return fail_message(j, "parse", message);
  if (llvm.LLVMVerifyModule(j->module, RETURN_STATUS, &message))
    return fail_message(j, "verify", message);
  if (message != NULL) llvm.LLVMDisposeMessage(message);
  return true;
}

/* The instruction set is the one of the interpreter, so LUACUDA_CPU_ISA holds here too. The code
 * and its constants are loaded side by side, so the small code model is enough. */
static bool make_machine (job *j) {
  void *target = NULL;
  char *message = NULL;
  const char *cpu = strncmp(ptx_isa_name(), "x86-64", 6) == 0 ? ptx_isa_name() : "generic";
  if (llvm.LLVMGetTargetFromTriple(triple, &target, &message) != 0)
    return fail_message(j, "target", message);
  j->machine = llvm.LLVMCreateTargetMachine(target, triple, cpu, features, LEVEL_DEFAULT, RELOC_PIC,
                                            MODEL_SMALL);
  return j->machine != NULL || fail(j, "target machine", NULL);
}

/* Since version 18, an instcombine that is named in a text ends the process where one round does
 * not reach a fixpoint, unless told otherwise; earlier versions do not know the option. */
static const char *passes (void) {
  static const char all[] = "function(sroa,early-cse,simplifycfg,instcombine%s,"
                            "loop-mssa(loop-rotate,licm),gvn,dse,instcombine%s,simplifycfg,adce)";
  static char text[sizeof all + 64];
  const char *option = major >= 18 ? "<no-verify-fixpoint>" : "";
  snprintf(text, sizeof text, all, option, option);
  return text;
}

static bool optimize (job *j) {
  void *layout = llvm.LLVMCreateTargetDataLayout(j->machine);
  llvm.LLVMSetTarget(j->module, triple);
  llvm.LLVMSetModuleDataLayout(j->module, layout);
  llvm.LLVMDisposeTargetData(layout);
  void *options = llvm.LLVMCreatePassBuilderOptions();
  void *error = llvm.LLVMRunPasses(j->module, passes(), j->machine, options);
  llvm.LLVMDisposePassBuilderOptions(options);
  return succeeded(j, "optimize", error);
}

static bool emit (job *j) {
  void *buffer = NULL;
  char *message = NULL;
  if (llvm.LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->module, OBJECT_FILE, &message,
                                               &buffer))
    return fail_message(j, "code", message);
  lcu_buf_add(j->out, llvm.LLVMGetBufferStart(buffer), llvm.LLVMGetBufferSize(buffer));
  llvm.LLVMDisposeMemoryBuffer(buffer);
  return !j->out->failed || fail(j, "code", "out of memory");
}

static bool run (job *j) {
  bool ok = parse(j) && make_machine(j) && optimize(j) && emit(j);
  if (j->machine != NULL) llvm.LLVMDisposeTargetMachine(j->machine);
  if (j->module != NULL) llvm.LLVMDisposeModule(j->module);
  if (j->context != NULL) llvm.LLVMContextDispose(j->context);
  return ok;
}

/* Version 14 and older have no function that tells their version, and do not know `ptr`. Most of
 * LLVM's objects that have destructors are made here: see ptx_jit_exit_guard. */
static bool compiles_probe (void) {
  static char text[] = "define void @f(ptr %x, i32 %n) {\n  br label %l\n"
                       "l:\n  %i = phi i32 [ 0, %0 ], [ %j, %l ]\n"
                       "  %p = getelementptr <32 x i32>, ptr %x, i32 %i\n"
                       "  %v = load <32 x i32>, ptr %p\n  %w = mul <32 x i32> %v, %v\n"
                       "  store <32 x i32> %w, ptr %p\n  %j = add i32 %i, 1\n"
                       "  %c = icmp ult i32 %j, %n\n  br i1 %c, label %l, label %e\n"
                       "e:\n  ret void\n}\n";
  const lcu_buf source = { .data = text, .len = sizeof text - 1 };
  lcu_buf object = { 0 };
  job j = { .text = &source, .out = &object };
  bool ok = run(&j);
  lcu_buf_free(&object);
  return ok;
}

lcu_status ptx_jit_llvm_compile (const lcu_buf *text, void (*pause)(void), lcu_buf *out) {
  LCU_TRY(ptx_jit_llvm_open());
  job j = { .text = text, .pause = pause, .out = out };
  return run(&j) ? LCU_OK : lcu_fail(j.status, "%s", j.message);
}
