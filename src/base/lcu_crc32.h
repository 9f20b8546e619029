/* lcu_crc32.h: the CRC-32 of ISO 3309 and ITU-T V.42, which zip archives carry. */
#ifndef LCU_CRC32_H
#define LCU_CRC32_H

#include "lcu_base.h"

/* The sum of what `crc` stands for (0: nothing) followed by these bytes. */
uint32_t lcu_crc32 (uint32_t crc, const void *data, size_t len);

#endif
