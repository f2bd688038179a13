/*
 * apspd --check: find out whether apspd could listen on an address. If another
 * program already listens there, find out which program.
 */
#ifndef APSP_DAEMON_CHECK_ADDRESS_H
#define APSP_DAEMON_CHECK_ADDRESS_H

#include <stdbool.h>

#include "daemon/check_report.h"

/*
 * Check the address `spec`, the value of one --listen option, and print a line
 * about it. If `any_address` is false, only loopback addresses and unix sockets
 * are accepted. If a program already listens on the address, request /v1/info
 * from it. If an apspd answers and report->in_use is true, report->serves is
 * set to true. This function binds a socket to the address only for a moment,
 * and accepts no connection. Blocks for at most 2 s.
 */
void apsp_check_address(const char *spec, const char *socket_group,
	bool any_address, struct apsp_check_report *report);

#endif
