/*
 * apspd --check: find out whether apspd could listen on an address, or which
 * program already listens on it.
 */
#ifndef APSP_DAEMON_CHECK_ADDRESS_H
#define APSP_DAEMON_CHECK_ADDRESS_H

#include <stdbool.h>

#include "daemon/check_report.h"

/* What is known about an apspd that is running already. */
struct apsp_check_use {
	bool in_use; /* a running apspd has locked one of our directories */
	bool serves; /* an apspd that has locked one of our directories also
			listens on one of our addresses */
};

/*
 * Check the address `spec`, which one --listen option gives, and print a line
 * about it. If a program listens there already, it is asked for /v1/info;
 * use->serves is set to true if that program is the apspd that uses our
 * directories. The address is bound for a moment only, and no connection is
 * accepted. Blocks for at most 2 s.
 */
void apsp_check_address(const char *spec, const char *socket_group,
	bool any_address, struct apsp_check_use *use,
	struct apsp_check_report *report);

#endif
