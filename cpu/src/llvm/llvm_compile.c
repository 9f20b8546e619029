/* llvm_compile.c: drives libLLVM. */
#include "llvm_compile.h"

#include <stdio.h>

#include "llvm_library.h"

/* LLVM's enumerations, by the numbers of its C interface. */
enum { RETURN_STATUS = 2, LEVEL_DEFAULT = 2, RELOC_PIC = 2, MODEL_SMALL = 3, OBJECT_FILE = 1 };

/* The object is the same on every system, because ptx_jit_object.c loads it. */
#if defined(__x86_64__)
static const char triple[] = "x86_64-unknown-linux-gnu", features[] = "";
#elif defined(__APPLE__)
static const char triple[] = "aarch64-unknown-linux-gnu", features[] = "+reserve-x18";
#else
static const char triple[] = "aarch64-unknown-linux-gnu", features[] = "";
#endif

typedef struct job {
  const llvm_source *source;
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

/* A bad module must be found here: LLVM's later stages end the process. */
static bool parse (job *j) {
  char *message = NULL;
  j->context = llvm.LLVMContextCreate();
  void *buffer =
    llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(j->source->text, j->source->len, "kernel");
  if (llvm.LLVMParseIRInContext(j->context, buffer, &j->module, &message))
    return fail_message(j, "parse", message);
  if (llvm.LLVMVerifyModule(j->module, RETURN_STATUS, &message))
    return fail_message(j, "verify", message);
  if (message != NULL) llvm.LLVMDisposeMessage(message);
  return true;
}

/* The code and its constants are loaded side by side, so the small code model is enough. */
static bool make_machine (job *j) {
  void *target = NULL;
  char *message = NULL;
  if (llvm.LLVMGetTargetFromTriple(triple, &target, &message) != 0)
    return fail_message(j, "target", message);
  j->machine = llvm.LLVMCreateTargetMachine(target, triple, j->source->cpu, features, LEVEL_DEFAULT,
                                            RELOC_PIC, MODEL_SMALL);
  return j->machine != NULL || fail(j, "target machine", NULL);
}

/* mem2reg comes first because sroa needs ten times as long for the same variables. For the rest,
 * sroa still runs.
 *
 * Since version 18, an instcombine named in a pipeline text ends the process if one round does not
 * reach a fixpoint, unless this option is given. Earlier versions do not have the option. */
static const char *passes (void) {
  static const char all[] = "function(mem2reg,sroa,early-cse,simplifycfg,instcombine%s,"
                            "loop-mssa(loop-rotate,licm),gvn,dse,instcombine%s,simplifycfg,adce)";
  static char text[sizeof all + 64];
  const char *option = llvm.version[0] >= 18 ? "<no-verify-fixpoint>" : "";
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

lcu_status llvm_compile (const llvm_source *source, lcu_buf *out) {
  job j = { .source = source, .out = out };
  return run(&j) ? LCU_OK : lcu_fail(j.status, "%s", j.message);
}

bool llvm_compile_probe (void) {
  static const char text[] = "define void @f(ptr %x) {\n  %v = load <8 x i32>, ptr %x\n"
                             "  %w = mul <8 x i32> %v, %v\n  store <8 x i32> %w, ptr %x\n"
                             "  ret void\n}\n";
  const llvm_source source = { text, sizeof text - 1, "generic" };
  lcu_buf object = { 0 };
  bool ok = llvm_compile(&source, &object) == LCU_OK;
  lcu_buf_free(&object);
  return ok;
}
