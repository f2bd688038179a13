/*
 * A date is made once a second, for each thread.
 */
#include "api/connection/http_date.h"

#include <time.h>

const char *apsp_http_date(void)
{
	static _Thread_local char date[48];
	static _Thread_local time_t when;
	time_t now = time(NULL);
	struct tm tm;

	if (now == when || !gmtime_r(&now, &tm))
		return date;
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	when = now;
	return date;
}
