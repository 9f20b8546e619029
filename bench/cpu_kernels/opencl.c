/* opencl.c: runs a kernel of kernels.cu on the first OpenCL device (runner.h has the command line).
 * LUACUDA_BENCH_SOURCE: the path of kernels.cu. Exit status 77: no device, or no such
 * kernel. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "runner.h"

enum { NOT_HERE = 77, MAX_SOURCE = 1 << 16 };

static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffers[MAX_ARGUMENTS];

#define CHECK(call) check(call, #call)
static void check (cl_int error, const char *what) {
  char code[16];
  snprintf(code, sizeof code, "%d", error);
  if (error != CL_SUCCESS) fail(what, code);
}

static cl_device_id find_device (void) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    exit(NOT_HERE);
  return device;
}

static void build (const work *w, cl_context context, cl_device_id device) {
  static char text[MAX_SOURCE], log[MAX_SOURCE];
  const char *path = getenv("LUACUDA_BENCH_SOURCE"), *source = text;
  cl_int error;
  FILE *file = path != NULL ? fopen(path, "r") : NULL;
  if (file == NULL) fail("cannot read", "LUACUDA_BENCH_SOURCE");
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  CHECK(error);
  if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) {
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail("kernels.cu", log);
  }
  kernel = clCreateKernel(program, w->kernel, &error);
  if (error == CL_INVALID_KERNEL_NAME) exit(NOT_HERE);
  CHECK(error);
}

static void set_argument (cl_context context, const argument *a, cl_uint i) {
  cl_int error;
  if (a->kind != 'b') {
    CHECK(clSetKernelArg(kernel, i, 4, a->kind == 'f' ? (const void *)&a->f : (const void *)&a->i));
    return;
  }
  buffers[i] =
    clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a->size, a->bytes, &error);
  CHECK(error);
  CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
}

static void run (const work *w) {
  size_t threads[2] = { w->grid[0] * w->block[0], w->grid[1] * w->block[1] };
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, threads, w->block, 0, NULL, NULL));
  CHECK(clFinish(queue));
}

int main (int argc, char **argv) {
  static work w;
  cl_int error;
  cl_device_id device = find_device();
  read_work(&w, argc, argv);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  CHECK(error);
  queue = clCreateCommandQueue(context, device, 0, &error);
  CHECK(error);
  build(&w, context, device);
  for (int i = 0; i < w.num; i++) set_argument(context, &w.args[i], (cl_uint)i);
  if (w.rounds == 0) {
    run_launches(&w, run);
    return 0;
  }
  run(&w);
  const argument *a = &w.args[w.result];
  cl_mem from = buffers[w.result];
  CHECK(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, a->size, a->bytes, 0, NULL, NULL));
  write_result(&w, a->bytes);
  measure(&w, run);
  return 0;
}
