/*
 * Errors: a code and one sentence in fixed memory, so that even APSP_ENOMEM can
 * be reported.
 *
 * A function that can fail returns 0 or a negative enum apsp_code and takes
 * `struct apsp_err *err` last; err may be NULL. err is written only on failure.
 * The lowest function that knows the facts writes the message.
 */
#ifndef APSP_DAEMON_BASE_ERR_H
#define APSP_DAEMON_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

enum {
	APSP_MESSAGE_SIZE = 512,
};

/*
 * err.c gives each code the name that records and problem types have; one table
 * in api/encode gives it its HTTP status. To add one: daemon/base/README.md.
 */
enum apsp_code {
	/* the request */
	APSP_EMALFORMED = -1,	 /* a request or option we do not understand */
	APSP_EUNAUTHORIZED = -2, /* no token, or an unknown one */
	APSP_EFORBIDDEN = -3,	 /* the token does not allow this */
	APSP_ENOROUTE = -4,	 /* no such resource */
	APSP_ENOGRAPH = -5,	 /* no such graph */
	APSP_ENOPROFILE = -6,	 /* no such profile */
	APSP_ENOJOB = -7,	 /* no such job */
	APSP_ENOVERTEX = -8,	 /* no such vertex, named in the URL */
	APSP_EBADVERTEX = -9,	 /* no such vertex, named in a body */
	APSP_EMETHOD = -10,	 /* the resource does not know the method */
	APSP_ENOTACCEPTABLE = -11, /* no representation the client takes */
	APSP_EPRECONDITION = -12,  /* If-Match or If-None-Match does not hold */
	APSP_ETOOLARGE = -13,	   /* body past its limit */
	APSP_EMEDIATYPE = -14,	   /* body in a format we do not read */
	APSP_EMISDIRECTED = -15,   /* a Host that is not ours */
	APSP_EDATA = -16,	   /* data that cannot be used */
	APSP_ETIMEOUT = -17,	   /* the request took too long */
	APSP_EHEAD = -18,	   /* a request line or headers past a limit */
	APSP_ERANGE = -50,	   /* a Range behind the end of the answer */
	APSP_ETRANSFORM = -19, /* weights of which nobody says what they mean */
	/* what the daemon can do at the moment */
	APSP_ETABLES = -20,    /* the tables failed or were cancelled */
	APSP_ENOTREADY = -21,  /* the first tables are being computed */
	APSP_EQUEUEFULL = -22, /* too many jobs are waiting */
	APSP_EBUSY = -23,     /* a limit on connections or waiters is reached */
	APSP_ESTOPPING = -24, /* the daemon is on its way down */
	APSP_ENOSPACE = -25,  /* disk full */
	APSP_ENOMEM = -26,    /* memory full */
	APSP_ESEARCH = -27,   /* a search past its limit of work */
	/* the end of a job */
	APSP_ENEGCYCLE = -30, /* the lengths have a negative cycle */
	APSP_EOVERFLOW = -31, /* distances past 2^53 units */
	APSP_ELIMIT = -32,    /* does not fit the device */
	APSP_EDEVICE = -33,   /* the OpenCL runtime failed, or no such device */
	APSP_ECANCELLED = -34, /* someone asked for the end */
	APSP_EPROOF = -35,     /* the tables do not prove themselves */
	APSP_ESOLVER = -36,    /* the solver process died */
	APSP_ESTALLED = -37,   /* it told nothing for too long */
	/* inside the daemon */
	APSP_EDAMAGED = -40,  /* a table file does not hold what was written */
	APSP_EIO = -41,	      /* a system call failed */
	APSP_EDB = -42,	      /* SQLite failed */
	APSP_EBUG = -43,      /* a defect of ours */
	APSP_EROW = -44,      /* a row of the database cannot be read */
	APSP_EUNUSABLE = -45, /* a directory or database that we must not use */
};

struct apsp_err {
	int code;	 /* enum apsp_code; 0 while nothing failed */
	uint64_t line;	 /* in the uploaded data, from 1; 0: does not apply */
	uint64_t column; /* in that line, from 1, in bytes; 0: does not apply */
	char message[APSP_MESSAGE_SIZE];
};

/*
 * Set *err and return code, for `return apsp_fail(err, APSP_EDB, "…", …)`. In
 * the message '?' replaces control characters and bytes that are not UTF-8. A
 * message that is too long is cut between characters, and "…" marks the cut.
 */
__attribute__((format(printf, 3, 4))) int apsp_fail(
	struct apsp_err *err, enum apsp_code code, const char *format, ...);

/* The same for an error in uploaded data; line and column count from 1. */
__attribute__((format(printf, 5, 6))) int apsp_fail_at(struct apsp_err *err,
	enum apsp_code code, uint64_t line, uint64_t column, const char *format,
	...);

/*
 * The same for a system call that failed; the message is "<what>: <strerror>".
 * The code is APSP_ENOSPACE for ENOSPC, EDQUOT and EFBIG, APSP_ENOMEM for
 * ENOMEM, APSP_EBUSY for EMFILE and ENFILE, which pass, else APSP_EIO.
 */
__attribute__((format(printf, 3, 4))) int apsp_fail_errno(
	struct apsp_err *err, int errno_value, const char *format, ...);

/* "negative-cycle" for APSP_ENEGCYCLE; "bug" for a number that is no code. */
const char *apsp_code_name(int code);

/* The code of this name; APSP_EBUG if no code has it. */
int apsp_code_from_name(const char *name);

#endif
