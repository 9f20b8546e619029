/* lcul_comm.h: class Communicator, and its operations for lua/luacuda/nccl. */
#ifndef LCUL_COMM_H
#define LCUL_COMM_H

#include <lua.h>

void lcul_open_comm (lua_State *L);

#endif
