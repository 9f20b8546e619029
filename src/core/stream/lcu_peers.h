/* lcu_peers.h: which devices may use the memory of which. */
#ifndef LCU_PEERS_H
#define LCU_PEERS_H

#include "lcu_device.h"

/* Sets whether `d` may use the memory of `peer`, as the program requests. */
lcu_status lcu_device_enable_peer (lcu_device *d, lcu_device *peer, bool enable);
/* May `d` use the memory of `peer`? The first call enables it where possible, unless the program
 * has disabled it. */
bool lcu_device_reaches (lcu_device *d, lcu_device *peer);
lcu_status lcu_device_can_access (lcu_device *d, lcu_device *peer, bool *can);
/* Forgets all access of and to the device, which ends with its context. */
void lcu_peers_forget (lcu_device *d);

#endif
