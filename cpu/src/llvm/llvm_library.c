/* llvm_library.c: finds and opens libLLVM. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#elif defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif
#include "llvm_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm_compile.h"

enum { MAJOR_MIN = 15 };

llvm_library llvm;

static const struct {
  const char *name;
  bool required;
  size_t offset;
} entries[] = {
#define LLVM(need, result, name, params) { #name, #need[0] == 'R', offsetof(llvm_library, name) },
#include "llvm.def"
#undef LLVM
};

/* Version 18 changed its name from libLLVM-18.so.1 to libLLVM.so.18.1. */
static const char *const sonames[] = {
  "libLLVM.so.21.1", "libLLVM.so.20.1", "libLLVM.so.19.1",
  "libLLVM.so.18.1", "libLLVM-18.so.1", "libLLVM-17.so.1",
  "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-15.so",
  "libLLVM.so",      "libLLVM.dylib",   "/opt/homebrew/opt/llvm/lib/libLLVM.dylib"
};

static lcu_status too_old (const char *path) {
  return lcu_fail(LCU_E_UNSUPPORTED, "%s: version %d or later is needed", path, MAJOR_MIN);
}

static lcu_status fill_table (void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(handle, entries[i].name);
    if (fn == NULL && entries[i].required)
      return lcu_fail(LCU_E_UNSUPPORTED, "%s: it lacks the function %s", path, entries[i].name);
    memcpy((char *)&llvm + entries[i].offset, &fn, sizeof fn);
  }
  return LCU_OK;
}

static void initialize_target (void) {
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
}

static void find_file (void *handle) {
  Dl_info info;
  if (dladdr(dlsym(handle, "LLVMContextCreate"), &info) != 0)
    snprintf(llvm.file, sizeof llvm.file, "%s", info.dli_fname);
}

/* Versions 14 and 15 have no function that returns the version. 14 does not know `ptr`. */
static lcu_status adopt (void *handle, const char *path) {
  unsigned *v = llvm.version;
  LCU_TRY(fill_table(handle, path));
  v[0] = MAJOR_MIN;
  if (llvm.LLVMGetVersion != NULL) llvm.LLVMGetVersion(&v[0], &v[1], &v[2]);
  if (v[0] < MAJOR_MIN) return too_old(path);
  initialize_target();
  find_file(handle);
  return llvm_compile_probe() ? LCU_OK : too_old(path);
}

/* The library stays open in any case. */
static lcu_status try_library (const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return lcu_fail(LCU_E_NOT_FOUND, "%s cannot be opened", path);
  return adopt(handle, path);
}

static lcu_status open_given (const char *path) {
  lcu_status s = try_library(path);
  if (s == LCU_E_NOT_FOUND)
    return lcu_fail(s, "LUACUDA_LLVM names %s, which cannot be opened", path);
  if (s != LCU_OK)
    return lcu_fail(s, "LUACUDA_LLVM names a file that cannot be used, %s",
                    lcu_failure_get()->message);
  return LCU_OK;
}

/* A library that was found but cannot be used gives a better reason than a missing one. */
static lcu_status search (void) {
  lcu_failure found = { .code = LCU_OK };
  for (size_t i = 0; i < lcu_arraylen(sonames); i++) {
    lcu_status s = try_library(sonames[i]);
    if (s == LCU_OK) return LCU_OK;
    if (s != LCU_E_NOT_FOUND && found.code == LCU_OK) found = *lcu_failure_get();
  }
  if (found.code != LCU_OK) return lcu_fail_again(&found);
  return lcu_fail(LCU_E_NOT_FOUND,
                  "libLLVM was not found; install LLVM %d or later, or set "
                  "LUACUDA_LLVM to the file",
                  MAJOR_MIN);
}

lcu_status llvm_library_open (void) {
  const char *given = getenv("LUACUDA_LLVM");
  return given != NULL && given[0] != '\0' ? open_given(given) : search();
}
