/*
 * apspd-follow: the program with which a daemon fetches the graphs of another
 * daemon, the writer. The daemon that fetches graphs starts this program as a
 * child process (daemon/follow/README.md). Descriptor 3 of the child is the
 * control socket (daemon/follow/fetch/local.h).
 *
 *	apspd-follow --writer URL [--token FILE]
 *
 * The exit status is 1 after a failure and 2 if the options are wrong.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/follow/fetch/fetch_main.h"

enum {
	STATUS_WRONG = 2,
};

static const char usage[] =
	"Usage: apspd-follow --writer URL [--token FILE]\n"
	"Fetches the graphs of the apspd at URL, and passes them to the apspd "
	"that has\nstarted it. It is not started by hand.\n\n"
	"  --writer URL\n"
	"        the apspd whose graphs are fetched\n"
	"  --token FILE\n"
	"        the file with the token for requests to it\n"
	"  --version\n"
	"  --help\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"writer", required_argument, NULL, 'w'},
		{"token", required_argument, NULL, 't'},
		{"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	char *url = NULL, *token_file = NULL;
	int letter;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (letter) {
		case 'w':
			url = optarg;
			break;
		case 't':
			token_file = optarg;
			break;
		case 'v':
			puts("apspd-follow " APSP_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			return STATUS_WRONG;
		}
	}
	if (!url || optind != argc) {
		fputs(usage, stderr);
		return STATUS_WRONG;
	}
	while (*url && url[strlen(url) - 1] == '/')
		url[strlen(url) - 1] = '\0';
	signal(SIGPIPE, SIG_IGN);
	return apsp_fetch_main(url, token_file);
}
