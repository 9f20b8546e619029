/* ptx_jit_self.c: which build of LuaCUDA this is. Compiled code relies on its structures and on
 * what it writes for LLVM, so code of another build must not run. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dl_iterate_phdr */
#elif defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE /* dladdr */
#endif
#include "ptx_jit_key.h"

#include <dlfcn.h>
#include <limits.h>
#ifdef __linux__
#include <link.h>
#endif
#include <stdio.h>
#include <string.h>

#include "lcu_file.h"

static char self[PATH_MAX + 64]; /* "": not known */

#ifdef __linux__
/* ---- the linker's digest of the file, in a note of it */

enum { MOST_ID = 64 };

static bool contains (const struct dl_phdr_info *file, uintptr_t address) {
  for (int k = 0; k < file->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &file->dlpi_phdr[k];
    if (p->p_type == PT_LOAD && address - file->dlpi_addr - p->p_vaddr < p->p_memsz) return true;
  }
  return false;
}

static size_t padded (size_t n) { return (n + 3) & ~(size_t)3; }

static void read_notes (const char *at, const char *end) {
  while (end - at > (ptrdiff_t)sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    memcpy(&head, at, sizeof head);
    const char *name = at + sizeof head, *id = name + padded(head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
      for (size_t k = 0; k < head.n_descsz && k < MOST_ID; k++)
        snprintf(self + 2 * k, 3, "%02x", (unsigned char)id[k]);
    at = id + padded(head.n_descsz);
  }
}

static int read_file (struct dl_phdr_info *file, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!contains(file, (uintptr_t)self)) return 0;
  for (int k = 0; k < file->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &file->dlpi_phdr[k];
    const char *at = (const char *)((uintptr_t)file->dlpi_addr + p->p_vaddr);
    if (p->p_type == PT_NOTE && p->p_align <= 4) read_notes(at, at + p->p_memsz);
  }
  return 1;
}

static void find_build (void) { (void)dl_iterate_phdr(read_file, NULL); }
#else
static void find_build (void) {}
#endif

/* ---- else the file, its size and time */

static void find_file (void) {
  Dl_info info;
  lcu_file_info file;
  if (dladdr(self, &info) != 0 && lcu_file_stat(info.dli_fname, &file) == LCU_OK)
    snprintf(self, sizeof self, "%s %llu %.9f", info.dli_fname, (unsigned long long)file.size,
             file.modified);
}

/* When the code is loaded, because the file's path may be relative to the folder that is current
 * then. */
__attribute__((constructor)) static void find (void) {
  find_build();
  if (self[0] == '\0') find_file();
}

const char *ptx_jit_self (void) { return self; }
