/* cu_abi_vmm.h: virtual memory management of the driver. Included by cu_abi.h. */
#ifndef CU_ABI_VMM_H
#define CU_ABI_VMM_H

typedef unsigned long long cu_mem_handle; /* CUmemGenericAllocationHandle */

typedef struct cu_mem_prop { /* CUmemAllocationProp */
  int type;                  /* 1: pinned (the only kind) */
  int handle_types;          /* 0: none */
  cu_mem_location location;
  void *win32_metadata;
  struct {
    unsigned char compression, rdma_capable;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
} cu_mem_prop;

enum { CU_MEM_PINNED = 1, CU_LOCATION_DEVICE = 1 };
enum { CU_GRANULARITY_MINIMUM = 0 };

#endif
