/* test_spares.c: tests that spare memory is large enough, of the right class, and given out
 * once. */
#include <stdio.h>

#include "check.h"
#include "lcu_spares.h"

static void rounds_up_a_little (void) {
  for (size_t n = 1; n <= LCU_SPARE_SIZE; n += n < 5000 ? 1 : 997) {
    size_t most = lcu_spare_round(n);
    CHECK(most >= n && (most <= 512 || most <= n + n / 8 + 1));
    CHECK(lcu_spare_round(most) == most);
  }
}

static void gives_back_what_fits (void) {
  static lcu_spares s;
  lcu_spares_init(&s);
  CHECK(lcu_spares_take(&s, 100) == 0);
  CHECK(lcu_spares_keep(&s, 0x1000, 4096) && lcu_spares_keep(&s, 0x2000, 4000) &&
        lcu_spares_keep(&s, 0x3000, 4608));
  CHECK(lcu_spares_take(&s, 4608) == 0x3000);
  cu_deviceptr a = lcu_spares_take(&s, lcu_spare_round(4000)), b = lcu_spares_take(&s, 4096);
  CHECK(a != b && (a == 0x1000 || a == 0x2000) && (b == 0x1000 || b == 0x2000));
  CHECK(lcu_spares_take(&s, 4096) == 0 && s.bytes == 0);
}

static void has_limits (void) {
  static lcu_spares s;
  unsigned kept = 0, dropped = 0;
  lcu_spares_init(&s);
  while (lcu_spares_keep(&s, kept + 1, 512)) kept++;
  CHECK(kept == LCU_SPARES);
  while (lcu_spares_drop(&s) != 0) dropped++;
  CHECK(dropped == kept && s.bytes == 0);
  for (kept = 0; lcu_spares_keep(&s, kept + 1, LCU_SPARE_SIZE); kept++) continue;
  CHECK(kept == LCU_SPARE_BYTES / LCU_SPARE_SIZE);
}

int main (void) {
  rounds_up_a_little();
  gives_back_what_fits();
  has_limits();
  return check_result();
}
