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

enum apsp_stage {
	APSP_STAGE_STORE,      /* the upload, into the database */
	APSP_STAGE_QUEUED,     /* waiting for this try … */
	APSP_STAGE_TRIED,      /* … without the time of earlier tries */
	APSP_STAGE_GRAPH_FILE, /* written for the solver */
	/* Starting and ending the solver's process, and opening the device,
	   without the time in which the host does other steps. Also looking for
	   devices before APSP_STAGE_GRAPH_FILE, if none is known yet. */
	APSP_STAGE_OPEN,
	/* The next ten are measured by the solver (compute/progress.h). */
	APSP_STAGE_READ,	/* the graph file */
	APSP_STAGE_LENGTHS,	/* arcs become lengths and integers */
	APSP_STAGE_CLOSURE,	/* components, order, closure */
	APSP_STAGE_SELF_TEST,	/* with compiling the kernels */
	APSP_STAGE_UPLOAD,	/* arcs and panels, also for the closure */
	APSP_STAGE_DISTANCE,	/* the algorithm */
	APSP_STAGE_PREDECESSOR, /* their arcs, the search, the proof */
	APSP_STAGE_DOWNLOAD,	/* rows, also of the closure */
	APSP_STAGE_WRITE,	/* rows into the table file */
	APSP_STAGE_MEASURE,	/* betweenness */
	/* The last two are the daemon's again. */
	APSP_STAGE_SEAL,    /* handing the table file to the daemon */
	APSP_STAGE_PUBLISH, /* recording the job's end */
	APSP_N_STAGES,
};

enum {
	APSP_JOB_STAGES_TEXT_SIZE = 512, /* all of them as text, with its NUL */
};

struct apsp_job_stages {
	double seconds[APSP_N_STAGES]; /* 0: the stage was not entered */
	/* apsp_clock_s() when the last stage ended; 0: nobody measures */
	double since_s;
};

/* "store", "queued", …, as clients see them. */
const char *apsp_stage_name(enum apsp_stage stage);

/*
 * Clients see the progress of the solver by phases. A phase is a group of
 * stages, and is represented by the stage that does its main work.
 */
enum apsp_stage apsp_stage_phase(enum apsp_stage stage);

/* "read", "distance", …; the phase of APSP_STAGE_MEASURE is "betweenness". */
const char *apsp_stage_phase_name(enum apsp_stage phase);

/* Add the time since the last stage ended to this stage. */
void apsp_job_stages_end(struct apsp_job_stages *stages, enum apsp_stage stage);

/* Divide the time since the last stage ended among the stages that the solver
 * has measured. The rest belongs to APSP_STAGE_OPEN. */
void apsp_job_stages_solved(
	struct apsp_job_stages *stages, const struct apsp_job_stages *solver);

/* The stages that were entered, as fields (daemon/base/fields.h): "store
   0.012345 queued 0.000120 …". */
void apsp_job_stages_format(const struct apsp_job_stages *stages,
	char out[APSP_JOB_STAGES_TEXT_SIZE]);

/* Parse such fields. Other fields are ignored, and so are values that are
 * negative or no number. out->since_s is 0. */
void apsp_job_stages_parse(const char *text, struct apsp_job_stages *out);

#endif
