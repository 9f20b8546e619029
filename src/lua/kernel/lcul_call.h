/* lcul_call.h: one launch: its kernel, arguments and buffers. */
#ifndef LCUL_CALL_H
#define LCUL_CALL_H

#include "lcul_kernel.h"
#include "lcul_uses.h"

/* One launch. */
typedef struct lcul_call {
  lua_State *L;
  /* stack indices: the kernel (where plan->asks), its first argument */
  int kernel, first;
  bool prepared;
  lcul_binding *binding;
  lcu_config config;
  unsigned char *buffer;
  void **params;
  lcul_uses uses;
  size_t num_globals; /* room for the module's variables after uses.max */
  /* stack index of the value that holds the stream while Lua code runs for the arguments; 0: none
   * ran */
  int held;
  /* stack index and number of pairs (cuda.output object, array) to copy back afterwards */
  int pairs, staged;
} lcul_call;

/* Sets the members that later steps do not set; the others are left uninitialized. */
static inline void lcul_call_init (lcul_call *c, lua_State *L, int kernel, int first,
                                   bool prepared) {
  c->L = L;
  c->kernel = kernel;
  c->first = first;
  c->prepared = prepared;
  c->held = c->staged = 0;
}

/* "kernel: argument 1 'x'" */
const char *lcul_arg_label (const lcul_call *c, size_t i, char *buf, size_t size);

/* Raises the label, then the message. */
int lcul_arg_error (lcul_call *c, size_t i, const char *fmt, ...) LCU_PRINTF(3, 4);

/* The parameter's type as the user wrote it. */
const char *lcul_arg_type_name (const lcul_conv *v);

#endif
