/* cpu_driver.c: the CPU device's table of entry points. */
#include "cpu_driver.h"

const lcu_driver lcu_cpu_driver = {
  .kind = "cpu",
#define LCU_DRV(need, since, name, symbol, params, args) .name = cpu_##name,
#include "driver.def"
#undef LCU_DRV
};
