/* lcu_peers.h: which devices may use the memory of which. */
#ifndef LCU_PEERS_H
#define LCU_PEERS_H

#include "lcu_device.h"

/* Lets `d` use the memory of `peer` (or no longer), as the program wants it. */
lcu_status lcu_device_enable_peer (lcu_device *d, lcu_device *peer, bool enable);
/* May `d` use the memory of `peer`? Asked for the first time it is enabled where it can be, unless
 * the program said no. */
bool lcu_device_reaches (lcu_device *d, lcu_device *peer);
lcu_status lcu_device_can_access (lcu_device *d, lcu_device *peer, bool *can);
/* With its context everything is gone that was set in it or for it. */
void lcu_peers_forget (lcu_device *d);

#endif
