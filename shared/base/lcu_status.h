/* lcu_status.h: the result of everything that can fail below the Lua layer.
 *
 * A status is a number: 0, a CUresult (1..999), an nvrtcResult + LCU_NVRTC, a cublasStatus_t +
 * LCU_CUBLAS, or one of LuaCUDA's own codes. What else is known about the failure is in a record,
 * one for each thread: lcu_fail* write it where the failure happens, the layers above add fields,
 * and lcu_failure_text (cu_failure.h) makes the sentence when it is shown. The record is valid
 * until the next failing call on the same thread. Nothing here prints or exits. */
#ifndef LCU_STATUS_H
#define LCU_STATUS_H

#include "lcu_base.h"
#include "lcu_fault.h"

typedef int lcu_status;

enum {
  LCU_OK = 0,
  LCU_NVRTC = 2000, /* nvrtcResult r is LCU_NVRTC + r */
  LCU_E_FIRST_ = 2999,
#define LCU_STATUS(ID, ...) LCU_E_##ID,
#include "lcu_status.def"
#undef LCU_STATUS
  LCU_E_END_,
  LCU_CUBLAS = 4000 /* cublasStatus_t r is LCU_CUBLAS + r */
};

#define LCU_MESSAGE_SIZE 2048

/* The configuration of a launch that was refused. */
typedef struct lcu_launch_shape {
  char kernel[256];
  uint32_t grid[3], block[3], shared;
  int static_shared, registers;
} lcu_launch_shape;

typedef struct lcu_failure {
  lcu_status code;
  const char *call; /* the foreign call that failed, static text: "cuMemAlloc"; or NULL */
  /* the driver's own name and text for a code that the tables lack, static; else NULL */
  const char *code_name, *code_text;
  char device[24]; /* "gpu0", "cpu", or "" */
  /* key of the pending note that keeps the failure until it is raised (lcu_pending.h), or 0 */
  uint64_t pending;
  bool late; /* it happened in an earlier call that could not report it */
  bool has_fault, has_launch;
  lcu_fault fault;
  lcu_launch_shape launch;
  /* the array that the fault hit or missed, "float32 {1000}"; "" where none is near */
  char array[96];
  uint64_t array_base, array_size;
  char running[1100]; /* kernels that may have been running on a device that died: "b, a" */
  const struct lcu_failure *cause; /* of LCU_E_DEAD: what the device died of */
  /* details beyond the code, for people, no trailing newline; "": none */
  char message[LCU_MESSAGE_SIZE];
} lcu_failure;

/* Records a failure and returns `code`, so that `return lcu_fail(...)` reads well. */
lcu_status lcu_fail (lcu_status code, const char *fmt, ...) LCU_PRINTF(2, 3);

/* The same for a foreign call of which nothing is known beyond the code. */
lcu_status lcu_fail_code (lcu_status code, const char *call);

/* The same with details. `call` must be static text. */
lcu_status lcu_fail_call (lcu_status code, const char *call, const char *fmt, ...) LCU_PRINTF(3, 4);

/* Records that the host has no memory left for something: lcu_no_memory("a stream") reads "not
 * enough host memory for a stream". Returns LCU_E_NOMEM. */
lcu_status lcu_no_memory (const char *what, ...) LCU_PRINTF(1, 2);

/* Adds the device's name to the record of this thread (after a failure). Returns `code`. */
lcu_status lcu_fail_device (lcu_status code, const char *device);

/* Makes a stored failure this thread's latest one. Returns its code. */
lcu_status lcu_fail_again (const lcu_failure *f);

/* This thread's latest failure (never NULL; code LCU_OK when there was none). */
lcu_failure *lcu_failure_get (void);

/* The name of one of LuaCUDA's own codes ("LUACUDA_ERROR_FORK"), its kind and its sentence, from
 * lcu_status.def; NULL for foreign ones. */
const char *lcu_status_own_name (lcu_status code);
const char *lcu_status_own_kind (lcu_status code);
const char *lcu_status_own_text (lcu_status code);

#define LCU_TRY(expr) \
  do { \
    lcu_status try_status_ = (expr); \
    if (lcu_unlikely(try_status_ != LCU_OK)) return try_status_; \
  } while (0)

#endif
