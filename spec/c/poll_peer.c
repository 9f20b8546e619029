/* poll_peer.c: a Lua module with poll(2) and read(2), as a program's event loop uses them;
 * event_fd_spec.lua builds it. */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

/* poll(milliseconds, fd...) -> the descriptors that are readable */
static int wait_readable (lua_State *L) {
  struct pollfd p[8];
  int n = lua_gettop(L) - 1, k = 0;
  luaL_argcheck(L, n <= 8, 2, "at most 8");
  for (int i = 0; i < n; i++)
    p[i] = (struct pollfd){ .fd = (int)luaL_checkinteger(L, i + 2), .events = POLLIN };
  while (poll(p, (nfds_t)n, (int)luaL_checkinteger(L, 1)) < 0 && errno == EINTR) continue;
  for (int i = 0; i < n; i++)
    if ((p[i].revents & POLLIN) != 0) lua_pushinteger(L, p[i].fd), k++;
  return k;
}

/* drain(fd) -> did it hold anything? */
static int drain (lua_State *L) {
  uint64_t count;
  lua_pushboolean(L, read((int)luaL_checkinteger(L, 1), &count, sizeof count) > 0);
  return 1;
}

/* flags(fd) -> close on exec, nonblocking; nothing if it is closed */
static int flags (lua_State *L) {
  int fd = (int)luaL_checkinteger(L, 1), of_fd = fcntl(fd, F_GETFD);
  if (of_fd < 0) return 0;
  lua_pushboolean(L, of_fd & FD_CLOEXEC);
  lua_pushboolean(L, fcntl(fd, F_GETFL) & O_NONBLOCK);
  return 2;
}

int luaopen_poll_peer (lua_State *L) {
  static const luaL_Reg functions[] = {
    { "poll", wait_readable }, { "drain", drain }, { "flags", flags }, { NULL, NULL }
  };
  luaL_newlib(L, functions);
  return 1;
}
