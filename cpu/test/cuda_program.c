/* cuda_program.c: a program for CUDA's driver API, as any other: it includes cuda.h, is linked with
 * -lcuda, and knows nothing of LuaCUDA. Prints "ok" and the number of devices, or what went wrong.
 * The argument is the path of a file to write. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

static const char ptx[] =
  ".version 7.0\n.target sm_52\n.address_size 64\n"
  ".visible .global .u32 calls;\n"
  ".visible .entry add (.param .u64 x, .param .f32 by, .param .u32 n) {\n"
  "  .reg .b32 %r<6>; .reg .b64 %d<5>; .reg .pred %p; .reg .f32 %f<4>;\n"
  "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
  "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
  "  ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p bra END;\n"
  "  ld.param.u64 %d1, [x]; cvta.to.global.u64 %d1, %d1;\n"
  "  mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;\n"
  "  ld.global.f32 %f1, [%d3]; ld.param.f32 %f2, [by]; add.f32 %f3, %f1, %f2;\n"
  "  st.global.f32 [%d3], %f3; red.global.add.u32 [calls], 1;\n"
  "END: ret;\n}\n";

#define OK(call) check((call), CUDA_SUCCESS, #call, __LINE__)
#define FAILS(code, call) check((call), code, #call, __LINE__)

static void check (CUresult got, CUresult expected, const char *call, int line) {
  const char *name = NULL;
  if (got == expected) return;
  cuGetErrorName(got, &name);
  printf("line %d: %s: %s\n", line, call, name != NULL ? name : "a code without a name");
  exit(1);
}

static void expect (int truth, const char *what, int line) {
  if (truth) return;
  printf("line %d: not true: %s\n", line, what);
  exit(1);
}
#define EXPECT(truth) expect((truth), #truth, __LINE__)

static void names (void) {
  const char *text = NULL;
  OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
  OK(cuGetErrorString(CUDA_SUCCESS, &text));
  EXPECT(text[0] != '\0');
  FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)4321, &text));
  EXPECT(text == NULL);
}

/* A context that is not the primary one, which nothing has used yet. */
static void own_context (CUdevice dev) {
  CUcontext ctx;
  size_t heap = 0;
#if CUDA_VERSION >= 13000
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
#else
  OK(cuCtxCreate(&ctx, 0, dev));
#endif
  OK(cuCtxGetLimit(&heap, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT(heap >= 1 << 20);
  OK(cuCtxDestroy(ctx));
}

static CUmodule load_file (const char *path) {
  CUmodule m;
  FILE *f = fopen(path, "w");
  EXPECT(f != NULL && fputs(ptx, f) >= 0 && fclose(f) == 0);
  FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/nowhere/kernels.ptx"));
  OK(cuModuleLoad(&m, path));
  return m;
}

static void launches (CUmodule m) {
  CUfunction add;
  CUstream s;
  CUevent began, ended;
  CUdeviceptr x, base, calls;
  size_t bytes;
  float host[N], by = 2.5f, ms = -1;
  unsigned n = N, counted = 0;
  void *args[] = { &x, &by, &n };
  for (int i = 0; i < N; i++) host[i] = (float)i;
  OK(cuModuleGetFunction(&add, m, "add"));
  FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&add, m, "subtract"));
  OK(cuMemAlloc(&x, sizeof host));
  OK(cuMemGetAddressRange(&base, &bytes, x + 100));
  EXPECT(base == x && bytes == sizeof host);
  OK(cuMemcpyHtoD(x, host, sizeof host));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&began, CU_EVENT_DEFAULT));
  OK(cuEventCreate(&ended, CU_EVENT_DEFAULT));
  OK(cuEventRecord(began, s));
  OK(cuLaunchKernel(add, (N + 127) / 128, 1, 1, 128, 1, 1, 0, s, args, NULL));
  OK(cuEventRecord(ended, s));
  OK(cuStreamSynchronize(s));
  OK(cuEventElapsedTime(&ms, began, ended));
  EXPECT(ms >= 0);
  memset(host, 0, sizeof host);
  OK(cuMemcpyDtoH(host, x, sizeof host));
  for (int i = 0; i < N; i++) EXPECT(host[i] == (float)i + 2.5f);
  OK(cuModuleGetGlobal(&calls, &bytes, m, "calls"));
  OK(cuMemcpyDtoH(&counted, calls, sizeof counted));
  EXPECT(bytes == 4 && counted == N);
  OK(cuMemsetD32(x, 7, N));
  OK(cuMemcpyDtoH(host, x, sizeof host));
  memcpy(&n, &host[N - 1], sizeof n);
  EXPECT(n == 7);
  OK(cuEventDestroy(began));
  OK(cuEventDestroy(ended));
  OK(cuStreamDestroy(s));
  OK(cuMemFree(x));
}

static void streams (void) {
  const unsigned kinds[] = { CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING };
  unsigned flags = 9, word = 0;
  for (int i = 0; i < 2; i++) {
    CUstream s;
    CUdeviceptr x;
    OK(cuStreamCreate(&s, kinds[i]));
    OK(cuStreamGetFlags(s, &flags));
    EXPECT(flags == kinds[i]);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(s, NULL));
    OK(cuMemAllocAsync(&x, 4000, s));
    OK(cuMemsetD32Async(x, 5, 1000, s));
    OK(cuMemcpyDtoHAsync(&word, x + 3996, 4, s));
    OK(cuMemFreeAsync(x, s));
    OK(cuStreamSynchronize(s));
    EXPECT(word == 5);
    OK(cuStreamDestroy(s));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamGetFlags(s, &flags));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemAllocAsync(&x, 4000, s));
  }
  OK(cuStreamGetFlags(NULL, &flags));
  EXPECT(flags == CU_STREAM_DEFAULT);
}

/* Rows start where each element is aligned, and have all of their bytes. */
static void rows (void) {
  CUdeviceptr x;
  size_t pitch = 0, size = 0;
  for (size_t width = 1; width < 3000; width = width * 3 + 1) {
    OK(cuMemAllocPitch(&x, &pitch, width, 7, 16));
    EXPECT(x % 16 == 0 && pitch >= width && pitch % 16 == 0 && pitch < width + 512);
    OK(cuMemGetAddressRange(NULL, &size, x));
    EXPECT(size >= 6 * pitch + width);
    OK(cuMemFree(x));
  }
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&x, &pitch, 10, 7, 5));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&x, &pitch, 10, 0, 4));
  FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&x, &pitch, (size_t)-1, 7, 4));
}

/* An address that no memory has ends the kernel, and the next call that waits says so. */
static void faults (CUmodule m) {
  CUfunction add;
  CUdeviceptr x = 64;
  float by = 1;
  unsigned n = 1;
  void *args[] = { &x, &by, &n };
  OK(cuModuleGetFunction(&add, m, "add"));
  OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
  FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

/* A kernel of the first device that uses memory of the second one. */
static CUresult launch_across (CUmodule m, CUdeviceptr x) {
  CUfunction add;
  float by = 1;
  unsigned n = 1;
  void *args[] = { &x, &by, &n };
  OK(cuModuleGetFunction(&add, m, "add"));
  CUresult r = cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
  OK(cuCtxSynchronize());
  return r;
}

/* Two devices have contexts, memory and names of their own, and kernels of one use the memory of
 * the other once access is enabled. */
static void two_devices (CUcontext here, CUmodule m) {
  CUdevice dev, current;
  CUcontext there, top;
  CUdeviceptr x;
  CUuuid uuids[2];
  int ordinal = -1, can = 0;
  char ids[2][20];
  OK(cuDeviceGet(&dev, 1));
  for (int i = 0; i < 2; i++) OK(cuDeviceGetUuid(&uuids[i], i));
  for (int i = 0; i < 2; i++) OK(cuDeviceGetPCIBusId(ids[i], (int)sizeof ids[i], i));
  EXPECT(memcmp(&uuids[0], &uuids[1], sizeof uuids[0]) != 0 && strcmp(ids[0], ids[1]) != 0);
  OK(cuDeviceGetByPCIBusId(&current, ids[1]));
  EXPECT(current == dev);
  OK(cuDevicePrimaryCtxRetain(&there, dev));
  EXPECT(there != here);
  OK(cuCtxPushCurrent(there));
  OK(cuCtxGetDevice(&current));
  EXPECT(current == dev);
  OK(cuMemAlloc(&x, 4));
  OK(cuMemsetD32(x, 0, 1));
  OK(cuCtxPopCurrent(&top));
  EXPECT(top == there);
  OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, x));
  OK(cuDeviceCanAccessPeer(&can, 0, dev));
  EXPECT(ordinal == dev && can);
  FAILS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, launch_across(m, x));
  OK(cuCtxEnablePeerAccess(there, 0));
  FAILS(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(there, 0));
  OK(launch_across(m, x));
  OK(cuCtxDisablePeerAccess(there));
  FAILS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, launch_across(m, x));
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(there));
  OK(cuDevicePrimaryCtxRelease(dev));
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(dev));
}

int main (int argc, char **argv) {
  CUdevice dev, current;
  CUcontext ctx;
  CUmodule from_file, from_text;
  int n = 0;
  char name[100] = "";
  EXPECT(argc == 2);
  names();
  OK(cuInit(0));
  OK(cuDeviceGetCount(&n));
  EXPECT(n >= 1);
  OK(cuDeviceGet(&dev, 0));
  OK(cuDeviceGetName(name, (int)sizeof name, dev));
  EXPECT(name[0] != '\0');
  FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&current));
  own_context(dev);
  OK(cuDevicePrimaryCtxRetain(&ctx, dev));
  OK(cuCtxSetCurrent(ctx));
  OK(cuCtxGetDevice(&current));
  EXPECT(current == dev);
  from_file = load_file(argv[1]);
  launches(from_file);
  OK(cuModuleUnload(from_file));
  OK(cuModuleLoadData(&from_text, ptx));
  launches(from_text);
  streams();
  rows();
  faults(from_text);
  if (n > 1) two_devices(ctx, from_text);
  FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&dev, n));
  printf("ok, %d\n", n);
  return 0;
}
