/* test_cpu_driver.c: tests the CPU device through its driver table, called as a user of libcuda
 * would call it. The parts are in cpu_driver_*.h. Run it from the source folder: it reads
 * cpu/test/ptx/driver.ptx and texture.ptx. With LUACUDA_TEST_DRIVER=gpu the calls go to libcuda,
 * whose results are the reference. */
#include "cpu_driver_check.h"

#include "cpu_driver_memory.h"
#include "cpu_driver_stream.h"
#include "cpu_driver_launch.h"
#include "cpu_driver_context.h"
#include "cpu_driver_graph.h"
#include "cpu_driver_graph_change.h"
#include "cpu_driver_graph_memory.h"
#include "cpu_driver_surface.h"
#include "cpu_driver_graph_cond.h"
#include "cpu_driver_fault.h"
#include "cpu_driver_interrupt.h"
#include "cpu_driver_more.h"
#include "cpu_driver_gemm.h"
#include "cpu_driver_collective.h"
#include "cpu_driver_process.h"

int main (void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  choose_driver();
  if (on_cpu) test_before_init();
  if (on_cpu) test_settings();
  start(NULL, NULL);
  test_device();
  test_contexts();
  test_memory_parts();
  test_stream_parts();
  test_launch_parts();
  test_context_parts();
  test_graph_parts();
  test_graph_change_parts();
  test_graph_memory_parts();
  test_texture_parts();
  test_surface_parts();
  if (on_cpu) test_graph_cond_parts();
  if (on_cpu) {
    test_fault_parts();
    test_interrupt_parts();
    test_more_parts();
    stop();
    test_gemm_parts();
    test_collective_parts();
    test_process_parts();
  }
  return check_result();
}
