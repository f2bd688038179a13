/*
 * The settings of apspd, as plain data that every directory of the source may
 * use.
 *
 * The list below is the only list of daemon options. The struct, the command
 * line, the environment variables and --help follow from this list.
 * daemon/command_line.h says which value counts if both the command line and
 * the environment give one. Each part (server, worker, store) borrows the
 * struct.
 */
#ifndef APSP_DAEMON_BASE_SETTINGS_H
#define APSP_DAEMON_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/log.h"

enum {
	APSP_LISTENERS_MAX = 16,
	APSP_ALLOWED_HOSTS_MAX = 64,
	APSP_THREADS_MAX = 256,
};

struct apsp_texts {
	char **items;
	size_t n;
};

/* The kinds of settings. Each macro is the type of a struct member that holds a
   setting of that kind. */
#define APSP_SETTING_TEXT char *
/* a list of texts: the option may be repeated */
#define APSP_SETTING_TEXTS struct apsp_texts
#define APSP_SETTING_BYTES uint64_t /* such as "16G" */
#define APSP_SETTING_COUNT unsigned int
/* The argument is one of several words, which are listed in `value`
   (APSP_SETTINGS). The setting is stored as the number of the word. The first
   word has the number `least`. */
#define APSP_SETTING_CHOICE int

/* clang-format off */
/*
 * The list of all settings. Each row describes one setting:
 *
 *	X(kind, member, option, value, initial, least, most, help)
 *
 * `value` describes the argument of --option in --help. The environment
 * variable of the option --some-name is APSPD_SOME_NAME. If an option is not
 * given, the text `initial` is parsed as the value of the option. If `initial`
 * is NULL, daemon/command_line.c computes the value, or the member stays empty.
 * `least` and `most` are the smallest and the largest value of a number. For
 * APSP_SETTING_TEXTS, `most` is the largest number of texts. --help shows
 * `help`, and then `initial` in parentheses.
 */
#define APSP_SETTINGS(X) \
X(TEXTS, listen, "listen", "ADDR:PORT|unix:PATH", \
	"127.0.0.1:8080", 1, APSP_LISTENERS_MAX, \
	"where to serve; may be repeated; port 0 takes a free\none") \
X(TEXT, state_dir, "state-dir", "DIR", \
	NULL, 0, 0, \
	"the graphs: the database and uploads under way") \
X(TEXT, cache_dir, "cache-dir", "DIR", \
	NULL, 0, 0, \
	"the tables and compiled kernels: can be computed again") \
X(BYTES, cache_limit, "cache-limit", "BYTES[K|M|G|T]", \
	NULL, 1, UINT64_MAX, \
	"the disk that tables may use (the size of existing tables\n" \
	"plus four fifths of the free disk at the start)") \
X(BYTES, row_cache, "row-cache", "BYTES[K|M|G|T]", \
	NULL, 1, UINT64_MAX, \
	"the memory that rows of graphs without tables may use (an\neighth of the machine's)") \
X(BYTES, arc_memory, "arc-memory", "BYTES[K|M|G|T]", \
	NULL, 1, UINT64_MAX, \
	"the memory for the arcs that searches use (an eighth of\nthe machine's)") \
X(BYTES, answer_memory, "answer-memory", "BYTES[K|M|G|T]", \
	NULL, 1, UINT64_MAX, \
	"the memory for unread answers and their searches (a\nsixteenth of the machine's)") \
X(TEXT, device, "device", "auto|cpu|gpu|SUBSTRING", \
	"auto", 0, 0, \
	"the OpenCL device, by type or part of its name") \
X(BYTES, device_memory, "device-memory", "BYTES[K|M|G|T]", \
	NULL, 1, UINT64_MAX, \
	"the memory of the device that may be used (all)") \
X(COUNT, solver_idle, "solver-idle", "SECONDS", \
	"300", 0, 86400, \
	"how long the solver stays for another job, with the device\nopen; 0: not at all") \
X(TEXT, solver_command, "solver-command", "COMMAND", \
	NULL, 0, 0, \
	"what starts a job's solver, such as\n\"mpirun --bind-to none -n 4 apsp-solve-mpi\" (apsp-solve)") \
X(TEXTS, allowed_hosts, "allowed-host", "HOST", \
	NULL, 0, APSP_ALLOWED_HOSTS_MAX, \
	"a Host to answer to besides loopback; may be repeated") \
X(TEXTS, allowed_origins, "allowed-origin", "ORIGIN", \
	NULL, 0, APSP_ALLOWED_HOSTS_MAX, \
	"an origin whose pages may use this daemon, such as\nhttp://dashboard:3000; may be repeated") \
X(TEXT, tokens, "tokens", "FILE", \
	NULL, 0, 0, \
	"the file of tokens: requests for data need one of them,\nand --listen accepts any address") \
X(TEXT, follow, "follow", "URL", \
	NULL, 0, 0, \
	"serve the graphs of the apspd at this address, and refuse\nchanges") \
X(TEXT, follow_token, "follow-token", "FILE", \
	NULL, 0, 0, \
	"the file with the token of scope read for --follow") \
X(TEXT, base_path, "base-path", "/PATH", \
	NULL, 0, 0, \
	"the prefix under which a proxy serves this daemon") \
X(TEXT, socket_group, "socket-group", "GROUP", \
	NULL, 0, 0, \
	"the group that may connect to unix sockets (apspd's)") \
X(COUNT, n_threads, "threads", "N", \
	NULL, 1, APSP_THREADS_MAX, \
	"threads that answer requests (one per CPU, 8 at most)") \
X(CHOICE, access_log, "access-log", "off|on", \
	"off", 0, 1, \
	"a line in the log for each request") \
X(CHOICE, log_level, "log-level", "error|warning|notice|info|debug", \
	"info", APSP_LOG_ERROR, APSP_LOG_DEBUG, \
	"the least urgent lines that are logged")
/* clang-format on */

/* The values of all settings. The struct owns its texts. The paths state_dir
   and cache_dir are absolute. */
struct apsp_settings {
#define APSP_SETTING_MEMBER(kind, member, ...) APSP_SETTING_##kind member;
	APSP_SETTINGS(APSP_SETTING_MEMBER)
#undef APSP_SETTING_MEMBER
};

enum {
#define APSP_SETTING_ID(kind, member, ...) APSP_SETTING_ID_##member,
	APSP_SETTINGS(APSP_SETTING_ID)
#undef APSP_SETTING_ID
		APSP_N_SETTINGS,
};

enum apsp_setting_kind {
	APSP_SETTING_IS_TEXT,
	APSP_SETTING_IS_TEXTS,
	APSP_SETTING_IS_BYTES,
	APSP_SETTING_IS_COUNT,
	APSP_SETTING_IS_CHOICE,
};

/* One row of the list APSP_SETTINGS, which describes one setting. */
struct apsp_setting {
	enum apsp_setting_kind kind;
	size_t at; /* offset of the member in struct apsp_settings */
	const char *option;
	const char *value;
	const char *initial;
	uint64_t least;
	uint64_t most;
	const char *help;
};

/* The APSP_N_SETTINGS rows of APSP_SETTINGS, in the order of the list. */
extern const struct apsp_setting apsp_settings_list[];

/*
 * Parse `text` as the value of the setting `which`, and store the value in the
 * setting's member of *settings. If the member is a list of texts, append
 * `text` to the list. given_as is the option's name as the user gave it:
 * "--threads" or "APSPD_THREADS". APSP_EMALFORMED: the message is a whole
 * sentence for the user. APSP_ENOMEM.
 */
int apsp_settings_set(struct apsp_settings *settings,
	const struct apsp_setting *which, const char *given_as,
	const char *text, struct apsp_err *err);

/*
 * For each setting that the user did not give, set the member to the initial
 * value in the list, if the list has one. given[i] says whether the user gave
 * setting i; if `given` is NULL, the user gave no setting. APSP_ENOMEM.
 */
int apsp_settings_complete(struct apsp_settings *settings, const bool *given,
	struct apsp_err *err);

/* Free the texts of *settings. */
void apsp_settings_done(struct apsp_settings *settings);

#endif
