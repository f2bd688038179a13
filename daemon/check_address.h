/*
 * apspd --check: whether we could listen on an address, and who does.
 */
#ifndef APSP_DAEMON_CHECK_ADDRESS_H
#define APSP_DAEMON_CHECK_ADDRESS_H

#include <stdbool.h>

#include "daemon/check_directories.h"
#include "daemon/check_report.h"

/*
 * Print a line for one --listen. Where somebody listens there, he is asked for
 * /v1/info, and use->serves is set if that is the apspd that has our
 * directories. Nobody is listened to: the address is bound for a moment only.
 * Blocks for 2 s at most.
 */
void apsp_check_address(const char *spec, const char *socket_group,
	bool any_address, struct apsp_check_use *use,
	struct apsp_check_report *report);

#endif
