/* lcul_argument.h: class Argument: cuda.raw, cuda.input, cuda.output, cuda.inout. */
#ifndef LCUL_ARGUMENT_H
#define LCUL_ARGUMENT_H

#include <lua.h>

/* User value 1: the wrapped value. */
typedef enum lcul_wrap { LCUL_RAW, LCUL_INPUT, LCUL_OUTPUT, LCUL_INOUT } lcul_wrap;

typedef struct lcul_argument {
  lcul_wrap kind;
} lcul_argument;

const char *lcul_wrap_name (lcul_wrap w);
/* Pushes cuda.raw of the array at idx. */
void lcul_argument_raw (lua_State *L, int idx);

#endif
