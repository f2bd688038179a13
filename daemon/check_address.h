/*
 * apspd --check: find out whether we could listen on an address, and which
 * program listens on it already.
 */
#ifndef APSP_DAEMON_CHECK_ADDRESS_H
#define APSP_DAEMON_CHECK_ADDRESS_H

#include <stdbool.h>

#include "daemon/check_report.h"

/* An apspd that is running already. */
struct apsp_check_use {
	bool in_use; /* it has locked one of our directories */
	bool serves; /* it listens on one of our addresses */
};

/*
 * Print a line for the address of one --listen. A program that listens there is
 * asked for /v1/info, and use->serves is set if it is the apspd that uses our
 * directories. The address is bound for a moment only, and no connection is
 * accepted. Blocks for at most 2 s.
 */
void apsp_check_address(const char *spec, const char *socket_group,
	bool any_address, struct apsp_check_use *use,
	struct apsp_check_report *report);

#endif
