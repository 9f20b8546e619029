/* cu_names.c: names and texts of statuses, and names of device attributes, from the tables. */
#include "cu_driver.h"

#include <limits.h>
#include <string.h>

typedef struct code_row {
  int code;
  const char *name, *text;
} code_row;

#define UNKNOWN_TEXT "an error unknown to this version"

static const code_row driver_codes[] = {
  { 0, "CUDA_SUCCESS", "no error" },
#define LCU_CUERR(code, name, text) { code, "CUDA_ERROR_" #name, text },
#include "cu_errors.def"
#undef LCU_CUERR
};

static const code_row nvrtc_codes[] = {
  { 0, "NVRTC_SUCCESS", "no error" },
#define LCU_RTCERR(code, name, text) { code, "NVRTC_ERROR_" #name, text },
#include "nvrtc_errors.def"
#undef LCU_RTCERR
};

static const code_row cublas_codes[] = {
  { 0, "CUBLAS_STATUS_SUCCESS", "no error" },
#define LCU_BLASERR(code, name, text) { code, "CUBLAS_STATUS_" #name, text },
#include "cublas_errors.def"
#undef LCU_BLASERR
};

/* The tables of foreign codes, by their first number. */
static const struct {
  int first;
  const code_row *rows;
  size_t n;
  code_row unknown;
} foreign[] = {
  { LCU_CUBLAS,
    cublas_codes,
    lcu_arraylen(cublas_codes),
    { 0, "CUBLAS_STATUS_UNKNOWN", UNKNOWN_TEXT } },
  { LCU_NVRTC, nvrtc_codes, lcu_arraylen(nvrtc_codes), { 0, "NVRTC_ERROR_UNKNOWN", UNKNOWN_TEXT } },
  { INT_MIN, driver_codes, lcu_arraylen(driver_codes), { 0, "CUDA_ERROR_UNKNOWN", UNKNOWN_TEXT } },
};

static const code_row *row_find (const code_row *rows, size_t n, int code) {
  for (size_t i = 0; i < n; i++)
    if (rows[i].code == code) return &rows[i];
  return NULL;
}

static const code_row *foreign_row (lcu_status code) {
  size_t i = 0;
  while (code < foreign[i].first) i++;
  int base = foreign[i].first == INT_MIN ? 0 : foreign[i].first;
  const code_row *r = row_find(foreign[i].rows, foreign[i].n, code - base);
  return r != NULL ? r : &foreign[i].unknown;
}

const char *lcu_status_name (lcu_status code) {
  const char *own = lcu_status_own_name(code);
  return own != NULL ? own : foreign_row(code)->name;
}

const char *lcu_status_text (lcu_status code) {
  const char *own = lcu_status_own_text(code);
  return own != NULL ? own : foreign_row(code)->text;
}

bool lcu_status_is_fatal (lcu_status code) {
  switch (code) {
    case CU_ERR_ECC_UNCORRECTABLE:
    case CU_ERR_NVLINK_UNCORRECTABLE:
    case CU_ERR_CONTAINED:
    case CU_ERR_ILLEGAL_ADDRESS:
    case CU_ERR_LAUNCH_TIMEOUT:
    case CU_ERR_ASSERT:
    case CU_ERR_HARDWARE_STACK_ERROR:
    case CU_ERR_ILLEGAL_INSTRUCTION:
    case CU_ERR_MISALIGNED_ADDRESS:
    case CU_ERR_INVALID_ADDRESS_SPACE:
    case CU_ERR_INVALID_PC:
    case CU_ERR_LAUNCH_FAILED:
    case CU_ERR_TENSOR_MEMORY_LEAK:
    case CU_ERR_CONTEXT_IS_DESTROYED:
    case CU_ERR_EXTERNAL_DEVICE:
    case CU_ERR_MPS_CLIENT_TERMINATED: return true;
    default: return false;
  }
}


/* Device attributes. */

typedef struct attr_row {
  int number;
  const char *name;
} attr_row;

static const attr_row attrs[] = {
#define LCU_ATTR(number, name) { number, #name },
#define LCU_ATTR_ALIAS(number, name)
#include "cu_attrs.def"
#undef LCU_ATTR
#undef LCU_ATTR_ALIAS
};

static const attr_row aliases[] = {
#define LCU_ATTR(number, name)
#define LCU_ATTR_ALIAS(number, name) { number, #name },
#include "cu_attrs.def"
#undef LCU_ATTR
#undef LCU_ATTR_ALIAS
};

static int attr_number (const attr_row *rows, size_t n, const char *name, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (strncmp(rows[i].name, name, len) == 0 && rows[i].name[len] == '\0') return rows[i].number;
  return 0;
}

int lcu_attr_find (const char *name, size_t len) {
  if (len == 0 || memchr(name, '\0', len) != NULL) return 0;
  int number = attr_number(attrs, lcu_arraylen(attrs), name, len);
  return number != 0 ? number : attr_number(aliases, lcu_arraylen(aliases), name, len);
}

const char *lcu_attr_at (size_t i, int *number) {
  if (i >= lcu_arraylen(attrs)) return NULL;
  *number = attrs[i].number;
  return attrs[i].name;
}
