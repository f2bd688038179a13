/*
 * Where a job's time went: the seconds of each stage, from the last byte of an
 * upload to the moment from which its tables answer questions. The stages of a
 * job that has ended add up to that time, because each stage begins when the
 * previous one ends.
 *
 *	daemon   store │ queued │ graph_file │ open …        │ seal │ publish
 *	solver         │        │            │ read … write  │      │
 */
#ifndef APSP_DAEMON_BASE_JOB_STAGES_H
#define APSP_DAEMON_BASE_JOB_STAGES_H

#include <stddef.h>

enum apsp_stage {
	APSP_STAGE_STORE, /* storing the upload in the database */
	/* waiting in the queue, without the time of earlier tries
	   (APSP_STAGE_TRIED) */
	APSP_STAGE_QUEUED,
	APSP_STAGE_TRIED,      /* earlier tries of this job */
	APSP_STAGE_GRAPH_FILE, /* writing the solver's input */
	/*
	 * Starting and ending the solver's process and opening the device,
	 * without the time of the stages that the solver measures. If no device
	 * is known yet, the search for devices counts, too; it comes before
	 * APSP_STAGE_GRAPH_FILE.
	 */
	APSP_STAGE_OPEN,
	/* The next ten stages are measured by the solver
	   (compute/progress.h). */
	APSP_STAGE_READ,      /* reading the graph file */
	APSP_STAGE_LENGTHS,   /* turning arcs into lengths and integers */
	APSP_STAGE_CLOSURE,   /* computing components, order and closure */
	APSP_STAGE_SELF_TEST, /* testing the device and compiling kernels */
	/* copying arcs and panels to the device, also for the closure */
	APSP_STAGE_UPLOAD,
	APSP_STAGE_DISTANCE,	/* running the algorithm */
	APSP_STAGE_PREDECESSOR, /* finding and proving predecessors */
	/* copying rows to the host, also of the closure */
	APSP_STAGE_DOWNLOAD,
	APSP_STAGE_WRITE,   /* writing rows into the table file */
	APSP_STAGE_MEASURE, /* computing betweenness */
	/* The last two stages are measured by the daemon. */
	APSP_STAGE_SEAL,    /* handing the table file to the daemon */
	APSP_STAGE_PUBLISH, /* recording the job's end */
	APSP_N_STAGES,
};

enum {
	/* size of the text of all stages, with its NUL */
	APSP_JOB_STAGES_TEXT_SIZE = 512,
};

struct apsp_job_stages {
	double seconds[APSP_N_STAGES]; /* 0: the stage was not entered */
	/* apsp_clock_s() when the last stage ended; 0: no time is measured */
	double since_s;
};

/* The stage's name as clients see it: "store", "queued", … */
const char *apsp_stage_name(enum apsp_stage stage);

/*
 * The phase of a stage. Clients see the solver's progress in phases. A phase is
 * a group of stages, and the stage that does its main work stands for it.
 */
enum apsp_stage apsp_stage_phase(enum apsp_stage stage);

/* The name of a phase: "read", "distance", …; APSP_STAGE_MEASURE's phase is
   "betweenness". */
const char *apsp_stage_phase_name(enum apsp_stage phase);

/* End a stage: add to its seconds the time since the end of the stage before
   it. */
void apsp_job_stages_end(struct apsp_job_stages *stages, enum apsp_stage stage);

/* Divide the time since the end of the last stage among the stages that the
   solver has measured. The rest belongs to APSP_STAGE_OPEN. */
void apsp_job_stages_solved(
	struct apsp_job_stages *stages, const struct apsp_job_stages *solver);

/* Write the seconds of the stages that were entered as fields
   (daemon/base/fields.h): "store 0.012345 queued 0.000120 …". */
void apsp_job_stages_format(const struct apsp_job_stages *stages,
	char out[APSP_JOB_STAGES_TEXT_SIZE]);

/* Parse the fields that apsp_job_stages_format() writes. Other fields are
   ignored, and so are values that are negative or no number. out->since_s
   becomes 0. */
void apsp_job_stages_parse(const char *text, struct apsp_job_stages *out);

#endif
