/*
 * Where a job's time went: the seconds of each stage, from the last byte of an
 * upload to tables that answer. The stages of a job that has ended add up to
 * that time, because each begins where the one before it ends.
 *
 *	daemon   store │ queued │ graph_file │ open …        │ seal │ publish
 *	solver         │        │            │ read … write  │      │
 */
#ifndef APSP_DAEMON_BASE_JOB_STAGES_H
#define APSP_DAEMON_BASE_JOB_STAGES_H

#include <stddef.h>

enum apsp_job_stage {
	APSP_JOB_STAGE_STORE,	   /* the upload, into the database */
	APSP_JOB_STAGE_QUEUED,	   /* until this try was claimed … */
	APSP_JOB_STAGE_TRIED,	   /* … without what earlier tries took */
	APSP_JOB_STAGE_GRAPH_FILE, /* written for the solver */
	/* The solver's process begins and ends, and its device opens: what the
	   host's own steps do not hide. Before APSP_JOB_STAGE_GRAPH_FILE, too:
	   devices are looked for if none was found so far. */
	APSP_JOB_STAGE_OPEN,
	/* As told by the solver (compute/stage_clock.h). */
	APSP_JOB_STAGE_READ,
	APSP_JOB_STAGE_CLOSURE,
	APSP_JOB_STAGE_SELF_TEST,
	APSP_JOB_STAGE_UPLOAD,
	APSP_JOB_STAGE_DISTANCE,
	APSP_JOB_STAGE_PREDECESSOR,
	APSP_JOB_STAGE_DOWNLOAD,
	APSP_JOB_STAGE_WRITE,
	APSP_JOB_STAGE_MEASURE,
	/* The daemon's again. */
	APSP_JOB_STAGE_SEAL,	/* the table file becomes the daemon's */
	APSP_JOB_STAGE_PUBLISH, /* the job's end is recorded */
	APSP_N_JOB_STAGES,
};

enum {
	APSP_JOB_STAGES_TEXT_SIZE = 512, /* all of them as text, with its NUL */
};

struct apsp_job_stages {
	double seconds[APSP_N_JOB_STAGES]; /* 0: the stage was not entered */
	/* apsp_clock_s() when the last stage ended; 0: nobody measures */
	double since_s;
};

/* "store", "queued", …, as clients see them. */
const char *apsp_job_stage_name(enum apsp_job_stage stage);

/* The time since the last stage ended was this one's. */
void apsp_job_stages_end(
	struct apsp_job_stages *stages, enum apsp_job_stage stage);

/*
 * The time since the last stage ended was the solver's, which has told its own
 * stages. What they leave is APSP_JOB_STAGE_OPEN's.
 */
void apsp_job_stages_solved(
	struct apsp_job_stages *stages, const struct apsp_job_stages *told);

/* The stages that were entered: "store 0.012345 queued 0.000120 …". */
void apsp_job_stages_format(const struct apsp_job_stages *stages,
	char out[APSP_JOB_STAGES_TEXT_SIZE]);

/*
 * Read such a text up to what is no stage with its seconds; names that are not
 * known are skipped. out->since_s is 0.
 */
void apsp_job_stages_parse(const char *text, struct apsp_job_stages *out);

#endif
