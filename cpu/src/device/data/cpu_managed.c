/* cpu_managed.c: entry points for managed memory. Host and device are one here: advice, prefetching
 * and attachment are checked and change nothing. */
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_map.h"
#include "cpu_queue.h"

static cu_result check_managed (const char *call, cu_deviceptr p, size_t n) {
  cpu_facts f;
  cu_result r = cpu_enter();
  if (r == 0) r = cpu_check_range(call, p, n);
  if (r != 0) return r;
  return cpu_block_facts(p, &f) && f.kind == CPU_MEM_MANAGED ? 0 : CU_ERR_INVALID_VALUE;
}

static cu_result check_device (cu_device dev) {
  return dev == 0 || dev == CU_DEVICE_HOST ? 0 : CU_ERR_INVALID_DEVICE;
}

cu_result cpu_cuMemAdvise (cu_deviceptr p, size_t n, int advice, cu_device dev) {
  cu_result r = check_managed("cuMemAdvise", p, n);
  if (r != 0) return r;
  if (n == 0 || advice < CU_ADVISE_READ_MOSTLY || advice > CU_ADVISE_UNSET_ACCESSED_BY)
    return CU_ERR_INVALID_VALUE;
  return check_device(dev);
}

cu_result cpu_cuMemPrefetchAsync (cu_deviceptr p, size_t n, cu_device dev, cu_stream s) {
  cu_result r = check_managed("cuMemPrefetchAsync", p, n);
  if (r == 0 && n == 0) r = CU_ERR_INVALID_VALUE;
  if (r == 0) r = check_device(dev);
  return r == 0 && cpu_stream_of(s) == NULL ? CU_ERR_INVALID_HANDLE : r;
}

/* Memory of one stream needs a stream of its own, not the null stream. */
cu_result cpu_cuStreamAttachMemAsync (cu_stream s, cu_deviceptr p, size_t n, unsigned flags) {
  cpu_facts f;
  cu_result r = check_managed("cuStreamAttachMemAsync", p, n);
  if (r != 0) return r;
  if (cpu_stream_of(s) == NULL) return CU_ERR_INVALID_HANDLE;
  if (flags != CU_MEM_ATTACH_GLOBAL_ && flags != CU_MEM_ATTACH_HOST_ &&
      flags != CU_MEM_ATTACH_SINGLE_)
    return CU_ERR_INVALID_VALUE;
  if (flags == CU_MEM_ATTACH_SINGLE_ && s == NULL) return CU_ERR_INVALID_VALUE;
  bool whole = cpu_block_facts(p, &f) && p == f.base && (n == 0 || n == f.size);
  return whole ? 0 : CU_ERR_INVALID_VALUE;
}
