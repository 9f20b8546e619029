/* cpu_driver.c: the CPU device's table of entry points. */
#include "cpu_driver.h"

#define CPU_ENTRY_CPU(name) .name = cpu_##name,
#define CPU_ENTRY_NOCPU(name) .name = NULL,

const lcu_driver lcu_cpu_driver = {
  .kind = "cpu",
#define LCU_DRV(need, cpu, since, name, symbol, params, args) CPU_ENTRY_##cpu(name)
#include "driver.def"
#undef LCU_DRV
};
