/* broken_llvm.c: a libLLVM that fails on request, for compiler_process_spec.lua. It is linked with
 * a real libLLVM, whose functions it calls.
 *
 * BROKEN_LLVM="FUNCTION HOW NUMBER [FILE]": call NUMBER of FUNCTION fails in the way HOW, in each
 * process. With FILE it fails only once, until that file is removed. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*fatal)(const char *reason);

/* ---- ways to fail */

static volatile int zero;

static int deeper (volatile char *from) {
  volatile char room[4096];
  room[zero] = from[zero];
  return deeper(room) + room[0];
}

static void overflow (void) {
  volatile char first[1] = { 0 };
  (void)deeper(first);
}

static void hang (void) {
  for (;;) pause();
}

static void crash (void) { *(volatile int *)(size_t)zero = 1; }

/* As LLVM does: it ends the process if the handler returns. */
static void report (void) {
  if (fatal != NULL) fatal("a reason of its own");
  abort();
}

static void kill_self (void) { (void)raise(SIGKILL); }

static void leave (void) { exit(1); }

static const struct {
  const char *name;
  void (*fn)(void);
} ways[] = { { "fatal", report },      { "abort", abort },    { "crash", crash },
             { "overflow", overflow }, { "kill", kill_self }, { "exit", leave },
             { "hang", hang } };

/* ---- when */

static int is_first (const char *file) {
  FILE *f = fopen(file, "wx");
  if (f != NULL) fclose(f);
  return f != NULL;
}

static void maybe_fail (const char *function, int count) {
  char name[64], how[32], file[512] = "";
  int number;
  const char *wanted = getenv("BROKEN_LLVM");
  if (wanted == NULL || sscanf(wanted, "%63s %31s %d %511s", name, how, &number, file) < 3) return;
  if (strcmp(name, function) != 0 || count != number) return;
  if (file[0] != '\0' && !is_first(file)) return;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    if (strcmp(ways[i].name, how) == 0) ways[i].fn();
}

/* ---- functions of LLVM's C interface */

#define WRAP(result, name, params, args) \
  result name params; \
  result name params { \
    static int count; \
    result(*real) params; \
    void *found = dlsym(RTLD_NEXT, #name); \
    memcpy(&real, &found, sizeof real); \
    maybe_fail(#name, ++count); \
    return real args; \
  }

WRAP(void *, LLVMContextCreate, (void), ())
WRAP(int, LLVMParseIRInContext, (void *context, void *buffer, void **module, char **message),
     (context, buffer, module, message))
WRAP(int, LLVMVerifyModule, (void *module, int action, char **message), (module, action, message))
WRAP(void *, LLVMRunPasses, (void *module, const char *passes, void *machine, void *options),
     (module, passes, machine, options))
WRAP(int, LLVMTargetMachineEmitToMemoryBuffer,
     (void *machine, void *module, int kind, char **message, void **buffer),
     (machine, module, kind, message, buffer))

void LLVMInstallFatalErrorHandler (void (*handler)(const char *reason));
void LLVMInstallFatalErrorHandler (void (*handler)(const char *reason)) { fatal = handler; }
