/*
 * Clocks; see clock.h.
 */
#include "daemon/base/clock.h"

#include <time.h>

static int64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t apsp_clock_utc_ms(void)
{
	return clock_ns(CLOCK_REALTIME) / 1000000;
}

/* Write `number` at `out` with n_digits digits. Returns the end of the text. */
static char *digits_write(char *out, int64_t number, int n_digits)
{
	for (int i = n_digits - 1; i >= 0; i--) {
		out[i] = (char)('0' + number % 10);
		number /= 10;
	}
	return out + n_digits;
}

/*
 * Write the date as "2026-11-22" and return the end of the text. In this
 * function a year begins in March, so that a leap day is the last day of a
 * year. 400 years have 146,097 days. Method: Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms", civil_from_days.
 */
static char *date_write(char *out, int64_t days_since_1970)
{
	/* days since 1 March of year 0 */
	int64_t days = days_since_1970 + 719468;
	/* first the number of the day within its period of 400 years; the
	   subtraction below makes it the number of the day within its year */
	int64_t day = days % 146097;
	int64_t year_of_400 =
		(day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t month, year;

	day -= 365 * year_of_400 + year_of_400 / 4 - year_of_400 / 100;
	month = (5 * day + 2) / 153; /* March is month 0 */
	year = days / 146097 * 400 + year_of_400 + (month >= 10);
	out = digits_write(out, year, 4);
	*out++ = '-';
	out = digits_write(out, month < 10 ? month + 3 : month - 9, 2);
	*out++ = '-';
	return digits_write(out, day - (153 * month + 2) / 5 + 1, 2);
}

void apsp_clock_utc_write(int64_t ms, char out[APSP_CLOCK_UTC_SIZE])
{
	int64_t second = ms / 1000 % 86400;

	out = date_write(out, ms / 86400000);
	*out++ = 'T';
	out = digits_write(out, second / 3600, 2);
	*out++ = ':';
	out = digits_write(out, second / 60 % 60, 2);
	*out++ = ':';
	out = digits_write(out, second % 60, 2);
	*out++ = '.';
	out = digits_write(out, ms % 1000, 3);
	*out++ = 'Z';
	*out = '\0';
}

double apsp_clock_s(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) * 1e-9;
}

int64_t apsp_clock_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

int64_t apsp_clock_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t apsp_clock_thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

double apsp_clock_process_s(void)
{
	return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}
