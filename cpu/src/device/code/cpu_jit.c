/* cpu_jit.c: options of the PTX compiler and its logs. */
#include "cpu_jit.h"

#include <stdio.h>
#include <string.h>

#include "cpu_config.h"
#include "cpu_enter.h"

cu_result cpu_jit_read (unsigned n, int *options, void **values, cpu_jit *out) {
  *out = (cpu_jit){ 0 };
  if (n > 0 && (options == NULL || values == NULL)) return CU_ERR_INVALID_VALUE;
  for (unsigned i = 0; i < n; i++) {
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER_: out->info.text = values[i]; break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES_: out->info.size = &values[i]; break;
      case CU_JIT_ERROR_LOG_BUFFER_: out->error.text = values[i]; break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_: out->error.size = &values[i]; break;
      case CU_JIT_WALL_TIME_: out->wall = &values[i]; break;
      default: break;
    }
  }
  return 0;
}

void cpu_jit_write (const cpu_jit_log *l, const char *text) {
  if (l->text == NULL || l->size == NULL) return;
  size_t room = (size_t)(uintptr_t)*l->size, n = strlen(text);
  if (room == 0) return;
  if (n > room - 1) n = room - 1;
  memcpy(l->text, text, n);
  l->text[n] = '\0';
  *l->size = (void *)(uintptr_t)(n > 0 ? n + 1 : 0);
}

void cpu_jit_time (const cpu_jit *j, double ms) {
  float value = (float)ms;
  if (j->wall != NULL) memcpy(j->wall, &value, sizeof value);
}

bool cpu_jit_is_binary (const void *image) {
  static const unsigned char elf[4] = { 0x7f, 'E', 'L', 'F' },
                             fatbin[4] = { 0x50, 0xed, 0x55, 0xba };
  const unsigned char *p = image;
  /* A short text must not be read past its end. */
  for (int i = 0; i < 4; i++) {
    if (p[i] != elf[i] && p[i] != fatbin[i]) return false;
    if (p[i] == 0) return false;
  }
  return memcmp(p, elf, 4) == 0 || memcmp(p, fatbin, 4) == 0;
}

cu_result cpu_jit_result (lcu_status status) {
  return status == LCU_E_UNSUPPORTED ? CU_ERR_UNSUPPORTED_PTX_VERSION : cpu_status_result(status);
}

static lcu_status check_variant (const ptx_module *m, int target, int cc) {
  char variant = ptx_module_variant(m);
  if (variant == 'a' && target != cc)
    return lcu_fail(LCU_E_SYNTAX,
                    ".target sm_%da is for compute capability %d.%d alone, and this device has "
                    "%d.%d",
                    target, target / 10, target % 10, cc / 10, cc % 10);
  if (variant == 'f' && target / 10 != cc / 10)
    return lcu_fail(LCU_E_SYNTAX,
                    ".target sm_%df is for compute capability %d.x alone, and this device has "
                    "%d.%d",
                    target, target / 10, cc / 10, cc % 10);
  return LCU_OK;
}

lcu_status cpu_jit_check_target (const ptx_module *m) {
  int target = ptx_module_target(m), cc = cpu_configuration.cc;
  if (target <= cc) return check_variant(m, target, cc);
  return lcu_fail(LCU_E_SYNTAX,
                  ".target sm_%d is newer than this device, which has compute capability %d.%d%s",
                  target, cc / 10, cc % 10,
                  target <= CPU_NEWEST_ARCH ? " (set LUACUDA_CPU_ARCH to change it)" : "");
}

static void append (char *text, size_t size, const char *more) {
  size_t at = strlen(text), n = strlen(more), room = size - 1 - at;
  if (n > room) n = room;
  memcpy(text + at, more, n);
  text[at + n] = '\0';
}

void cpu_jit_complain (char *text, size_t size, const char *input, const char *message) {
  unsigned line = 0;
  int after = 0;
  if (sscanf(message, "line %u: %n", &line, &after) == 1 && after > 0)
    snprintf(text, size, "%.200s, line %u; error   : ", input, line);
  else snprintf(text, size, "%.200s; error   : ", input);
  append(text, size, message + after);
}
