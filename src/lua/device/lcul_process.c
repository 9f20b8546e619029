/* lcul_process.c: the libraries that the process has found. */
#include <string.h>

#include "lcu_module.h"
#include "lcu_process_open.h"
#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_failure.h"
#include "lcul_set.h"

/* available() -> true, or false and the reason why no GPU is available */
static int core_available (lua_State *L) {
  lcul_check_most(L, 0);
  size_t n;
  lcu_status st = lcu_process_devices(&n);
  lua_pushboolean(L, st == LCU_OK && lcu_process_gpu_count() > 0);
  if (lua_toboolean(L, -1)) return 1;
  if (st == LCU_OK) lua_pushstring(L, lcu_process_gpu_reason(NULL));
  else lcul_push_failure_text(L);
  return 2;
}

static void set_version (lua_State *L, const char *name, int major, int minor) {
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, major);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, minor);
  lua_rawseti(L, -2, 2);
  lua_setfield(L, -2, name);
}

/* "luacuda 0.1.0, driver 13.0, nvrtc 13.0" */
static int versions_tostring (lua_State *L) {
  static const char *const names[] = { "driver", "nvrtc", "cublas", "nccl", "mpi" };
  luaL_Buffer b;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "luacuda " LCU_VERSION_TEXT);
  for (size_t i = 0; i < lcu_arraylen(names); i++) {
    if (lua_getfield(L, 1, names[i]) != LUA_TTABLE) {
      lua_pop(L, 1);
      continue;
    }
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    lua_pushfstring(L, ", %s %I.%I", names[i], (LUAI_UACINT)lua_tointeger(L, -2),
                    (LUAI_UACINT)lua_tointeger(L, -1));
    lua_replace(L, -4);
    lua_pop(L, 2);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return 1;
}

/* versions() -> { luacuda = "0.1.0", driver = { 13, 0 }, nvrtc = { 13, 0 }, cublas = { 13, 1 },
 * nccl = { 2, 28 }, mpi = { 4, 1 } }; libraries that were not found are missing */
static int core_versions (lua_State *L) {
  lcul_check_most(L, 0);
  const lcu_nvrtc *rtc;
  const lcu_cublas *blas;
  const lcu_nccl *nccl;
  const lcu_mpi *mpi;
  size_t devices;
  (void)lcu_process_devices(&devices);
  int driver = lcu_process_driver_version();
  lua_createtable(L, 0, 6);
  lcul_set_tostring(L, versions_tostring);
  lcul_set_string(L, "luacuda", LCU_VERSION_TEXT);
  if (driver != 0) set_version(L, "driver", driver / 1000, driver % 1000 / 10);
  if (lcu_process_nvrtc(&rtc) == LCU_OK) set_version(L, "nvrtc", rtc->major, rtc->minor);
  if (lcu_process_cublas(&blas) == LCU_OK)
    set_version(L, "cublas", blas->version[0], blas->version[1]);
  if (lcu_process_nccl(&nccl) == LCU_OK) set_version(L, "nccl", nccl->version[0], nccl->version[1]);
  if (lcu_process_mpi(&mpi) == LCU_OK) set_version(L, "mpi", mpi->version[0], mpi->version[1]);
  return 1;
}

/* blas() -> the file of the BLAS that the CPU device uses, or nil: none was found */
static int core_blas (lua_State *L) {
  const lcu_hostblas *blas;
  if (lcu_process_hostblas(&blas) == LCU_OK) lua_pushstring(L, blas->path);
  else lua_pushnil(L);
  return 1;
}

/* mpi() -> "Open MPI 4.1.4", or nil: none was found */
static int core_mpi (lua_State *L) {
  const lcu_mpi *mpi;
  if (lcu_process_mpi(&mpi) == LCU_OK) lua_pushstring(L, mpi->name);
  else lua_pushnil(L);
  return 1;
}

/* llvm() -> the version and the file of libLLVM, or nil and why the CPU device has none */
static int core_llvm (lua_State *L) {
  cux_compiler found = { 0 };
  const lcu_device *cpu = lcu_process_cpu();
  if (cpu == NULL) {
    lua_pushnil(L);
    lua_pushstring(L, lcu_process_cpu_reason());
    return 2;
  }
  lcu_status s = lcu_compiler_find(cpu->drv, &found);
  bool used = s == LCU_OK && found.on;
  if (used) lua_pushstring(L, found.version);
  else lua_pushnil(L);
  if (used) lua_pushstring(L, found.file);
  else if (s == LCU_OK) lua_pushliteral(L, "LUACUDA_CPU_JIT is off");
  else lcul_push_failure_text(L);
  return 2;
}

/* forked() -> is this a child of the process that initialized CUDA? */
static int core_forked (lua_State *L) {
  lua_pushboolean(L, lcu_process_forked());
  return 1;
}

/* report() -> the paths tried for the driver, the compiler, cuBLAS, BLAS, NCCL and MPI, one line
 * each */
static int core_report (lua_State *L) {
  const lcu_nvrtc *rtc;
  const lcu_cublas *blas;
  const lcu_hostblas *host_blas;
  const lcu_nccl *nccl;
  const lcu_mpi *mpi;
  lcu_buf b = { 0 };
  size_t devices;
  if (!lcu_process_forked()) {
    (void)lcu_process_devices(&devices);
    (void)lcu_process_nvrtc(&rtc); /* for their lines */
    (void)lcu_process_cublas(&blas);
    (void)lcu_process_hostblas(&host_blas);
    (void)lcu_process_nccl(&nccl);
    (void)lcu_process_mpi(&mpi);
  }
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  lcu_process_report(&b);
  char *p = luaL_prepbuffsize(&out, b.len + 1);
  if (b.data != NULL) memcpy(p, b.data, b.len);
  luaL_addsize(&out, b.len);
  lcu_buf_free(&b);
  luaL_pushresult(&out);
  return 1;
}

void lcul_open_process (lua_State *L) {
  static const luaL_Reg functions[] = {
    { "available", core_available }, { "versions", core_versions },
    { "blas", core_blas },           { "mpi", core_mpi },
    { "llvm", core_llvm },           { "report", core_report },
    { "forked", core_forked },       { NULL, NULL }
  };
  lcul_setfuncs(L, functions);
}
