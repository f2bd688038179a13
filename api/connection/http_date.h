/*
 * The Date of answers that libmicrohttpd does not send.
 */
#ifndef APSP_API_CONNECTION_HTTP_DATE_H
#define APSP_API_CONNECTION_HTTP_DATE_H

/*
 * "Sun, 06 Nov 1994 08:49:37 GMT" of now (RFC 9110, section 5.6.7). The calling
 * thread's own, until its next call.
 */
const char *apsp_http_date(void);

#endif
