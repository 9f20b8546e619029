/* ptx_jit_llvm.c: finds and opens libLLVM, and drives it. The library stays open. */
#include "ptx_jit_llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx.h"

enum { MAJOR_MIN = 15, STACK_BYTES = 8 << 20 };

/* LLVM's enumerations, by the numbers of its C interface. */
enum { RETURN_STATUS = 2, LEVEL_DEFAULT = 2, RELOC_PIC = 2, MODEL_JIT = 1, OBJECT_FILE = 1 };

typedef struct library {
#define LLVM(need, result, name, params) result(*name) params;
#include "ptx_jit_llvm.def"
#undef LLVM
} library;

static library llvm;
static char why_not[256]; /* empty: it is open */
static lcu_status open_status;
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

/* Version 14 and older have no function that tells their version, and do not know `ptr`. */
static bool knows_pointers (void) {
  static const char text[] = "define ptr @f(ptr %x) {\n  ret ptr %x\n}\n";
  void *module = NULL, *context = llvm.LLVMContextCreate();
  char *message = NULL;
  void *buffer = llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "probe");
  int failed = llvm.LLVMParseIRInContext(context, buffer, &module, &message);
  if (message != NULL) llvm.LLVMDisposeMessage(message);
  if (!failed) llvm.LLVMDisposeModule(module);
  llvm.LLVMContextDispose(context);
  return !failed;
}

static bool adopt (void *handle, const char *path) {
  unsigned major = MAJOR_MIN, minor = 0, patch = 0;
  if (!fill_table(handle, path)) return false;
  if (llvm.LLVMGetVersion != NULL) llvm.LLVMGetVersion(&major, &minor, &patch);
  if (major < MAJOR_MIN || !knows_pointers())
    return refuse(LCU_E_UNSUPPORTED, path, "version 15 or later is needed");
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

lcu_status ptx_jit_llvm_open (void) {
  pthread_once(&open_once, open_library);
  return open_status == LCU_OK ? LCU_OK : lcu_fail(open_status, "%s", why_not);
}

/* ---- compiling ---- */

typedef struct job {
  const lcu_buf *text;
  const char *const *names;
  ptx_jit_code *out;
  void *context, *module, *machine;
  char *triple;
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

/* A bad module must be found here: LLVM's later stages end the process. */
static bool parse (job *j) {
  char *message = NULL;
  j->context = llvm.LLVMContextCreate();
  void *buffer =
    llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(j->text->data, j->text->len, "kernel");
  if (llvm.LLVMParseIRInContext(j->context, buffer, &j->module, &message))
    return fail_message(j, "parse", message);
  if (llvm.LLVMVerifyModule(j->module, RETURN_STATUS, &message))
    return fail_message(j, "verify", message);
  if (message != NULL) llvm.LLVMDisposeMessage(message);
  return true;
}

/* The instruction set is the one of the interpreter, so LUACUDA_CPU_ISA holds here too. */
static bool make_machine (job *j) {
  void *target = NULL;
  char *message = NULL, *host = llvm.LLVMGetHostCPUName();
  const char *cpu = strncmp(ptx_isa_name(), "x86-64", 6) == 0 ? ptx_isa_name() : host;
  j->triple = llvm.LLVMGetDefaultTargetTriple();
  bool ok = llvm.LLVMGetTargetFromTriple(j->triple, &target, &message) == 0 ||
            fail_message(j, "target", message);
  if (ok)
    j->machine =
      llvm.LLVMCreateTargetMachine(target, j->triple, cpu, "", LEVEL_DEFAULT, RELOC_PIC, MODEL_JIT);
  llvm.LLVMDisposeMessage(host);
  return ok && (j->machine != NULL || fail(j, "target machine", NULL));
}

static bool optimize (job *j) {
  void *layout = llvm.LLVMCreateTargetDataLayout(j->machine);
  llvm.LLVMSetTarget(j->module, j->triple);
  llvm.LLVMSetModuleDataLayout(j->module, layout);
  llvm.LLVMDisposeTargetData(layout);
  void *options = llvm.LLVMCreatePassBuilderOptions();
  const char *passes = "function(sroa,early-cse,simplifycfg,instcombine,"
                       "loop-mssa(loop-rotate,licm),gvn,dse,instcombine,simplifycfg,adce)";
  void *error = llvm.LLVMRunPasses(j->module, passes, j->machine, options);
  llvm.LLVMDisposePassBuilderOptions(options);
  return succeeded(j, "optimize", error);
}

static bool load (job *j) {
  void *buffer = NULL, *generator = NULL;
  char *message = NULL;
  if (llvm.LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->module, OBJECT_FILE, &message,
                                               &buffer))
    return fail_message(j, "code", message);
  if (!succeeded(j, "loader", llvm.LLVMOrcCreateLLJIT(&j->out->jit, NULL))) return false;
  void *dylib = llvm.LLVMOrcLLJITGetMainJITDylib(j->out->jit);
  char prefix = llvm.LLVMOrcLLJITGetGlobalPrefix(j->out->jit);
  if (!succeeded(
        j, "symbols",
        llvm.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&generator, prefix, NULL, NULL)))
    return false;
  llvm.LLVMOrcJITDylibAddGenerator(dylib, generator);
  if (!succeeded(j, "object", llvm.LLVMOrcLLJITAddObjectFile(j->out->jit, dylib, buffer)))
    return false;
  for (int i = 0; i < 2; i++) {
    uint64_t address = 0;
    if (!succeeded(j, "look-up", llvm.LLVMOrcLLJITLookup(j->out->jit, &address, j->names[i])))
      return false;
    j->out->entries[i] = (void *)(uintptr_t)address;
  }
  return true;
}

static void *work (void *ud) {
  job *j = ud;
  if (parse(j) && make_machine(j) && optimize(j)) (void)load(j);
  if (j->machine != NULL) llvm.LLVMDisposeTargetMachine(j->machine);
  if (j->triple != NULL) llvm.LLVMDisposeMessage(j->triple);
  if (j->module != NULL) llvm.LLVMDisposeModule(j->module);
  if (j->context != NULL) llvm.LLVMContextDispose(j->context);
  return NULL;
}

static bool run_on_own_stack (job *j) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
  bool started = pthread_create(&thread, &attributes, work, j) == 0;
  if (started) (void)pthread_join(thread, NULL);
  (void)pthread_attr_destroy(&attributes);
  return started;
}

lcu_status ptx_jit_llvm_compile (const lcu_buf *text, const char *const names[2],
                                 ptx_jit_code *out) {
  LCU_TRY(ptx_jit_llvm_open());
  *out = (ptx_jit_code){ 0 };
  job j = { .text = text, .names = names, .out = out };
  if (!run_on_own_stack(&j)) return lcu_fail(LCU_E_NOMEM, "no thread to compile a kernel in");
  if (j.status == LCU_OK) return LCU_OK;
  ptx_jit_llvm_free(out);
  return lcu_fail(j.status, "%s", j.message);
}

void ptx_jit_llvm_free (ptx_jit_code *code) {
  if (code->jit != NULL) {
    void *error = llvm.LLVMOrcDisposeLLJIT(code->jit);
    if (error != NULL) llvm.LLVMDisposeErrorMessage(llvm.LLVMGetErrorMessage(error));
  }
  *code = (ptx_jit_code){ 0 };
}
