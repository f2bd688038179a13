/*
 * The time that each stage of a job took. A job's time begins when the last
 * byte of the upload has arrived. The time ends when the daemon begins to
 * answer requests from the new tables. The stages divide this time: each stage
 * begins when the previous one ends. When a job has ended, the seconds of its
 * stages add up to its time.
 *
 *	daemon   store │ queued │ graph_file │ open …        │ seal │ publish
 *	solver         │        │            │ read … write  │      │
 */
#ifndef APSP_DAEMON_JOB_JOB_STAGES_H
#define APSP_DAEMON_JOB_JOB_STAGES_H

enum apsp_stage {
	APSP_STAGE_STORE, /* storing the upload in the database */
	/* waiting in the queue, without the time of earlier tries
	   (APSP_STAGE_TRIED) */
	APSP_STAGE_QUEUED,
	APSP_STAGE_TRIED,      /* the whole time of earlier tries of this job */
	APSP_STAGE_GRAPH_FILE, /* writing the solver's input */
	/*
	 * Starting and ending the solver's process, and opening the device. The
	 * stages that the solver measures are not part of this stage. If no
	 * device is known yet, this stage also includes the search for devices,
	 * which takes place before the graph file is written.
	 */
	APSP_STAGE_OPEN,
	/* The solver measures the ten stages from APSP_STAGE_READ to
	   APSP_STAGE_MEASURE (compute/progress.h). */
	APSP_STAGE_READ, /* reading the graph file */
	/* computing lengths of arcs, and turning lengths into integers */
	APSP_STAGE_LENGTHS,
	/* computing strong components, their order, and the closure */
	APSP_STAGE_CLOSURE,
	APSP_STAGE_SELF_TEST, /* testing the device and compiling kernels */
	/* copying the algorithm's input to the device, including the input for
	   the closure */
	APSP_STAGE_UPLOAD,
	APSP_STAGE_DISTANCE,	/* running the algorithm */
	APSP_STAGE_PREDECESSOR, /* finding and proving predecessors */
	/* copying rows of the tables and of the closure to the host */
	APSP_STAGE_DOWNLOAD,
	APSP_STAGE_WRITE,   /* writing rows into the table file */
	APSP_STAGE_MEASURE, /* computing betweenness */
	/* The daemon measures the last two stages. */
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
	/* Value of apsp_clock_s() when the latest stage ended. 0: no stage has
	   ended yet. In this case, the next stage that ends gets no seconds,
	   because its beginning is unknown. */
	double since_s;
};

/* The names of the stages, as clients see them: "store", "queued", …. */
extern const char *const apsp_stage_names[APSP_N_STAGES];

/*
 * Return the phase to which a stage belongs. A phase is a group of stages.
 * Clients see the solver's present phase. There is no enum of phases: the stage
 * that does the main work of a phase also stands for the phase.
 */
enum apsp_stage apsp_stage_phase(enum apsp_stage stage);

/* Return the name of a phase: "read", "distance", …. The phase of
   APSP_STAGE_MEASURE has the name "betweenness". */
const char *apsp_stage_phase_name(enum apsp_stage phase);

/* End a stage: add the time since the end of the previous stage to the seconds
   of this stage. */
void apsp_job_stages_end(struct apsp_job_stages *stages, enum apsp_stage stage);

/*
 * End all stages of the solver. Each of these stages gets the seconds that the
 * solver has measured. APSP_STAGE_OPEN gets the rest of the time since the end
 * of the previous stage.
 */
void apsp_job_stages_solved(
	struct apsp_job_stages *stages, const struct apsp_job_stages *solver);

/* Write fields (daemon/base/fields.h) with the seconds of each stage that was
   entered: "store 0.012345 queued 0.000120 …". */
void apsp_job_stages_format(const struct apsp_job_stages *stages,
	char out[APSP_JOB_STAGES_TEXT_SIZE]);

/* Parse the fields that apsp_job_stages_format() writes. Other fields, and
   values that are negative or no number, are ignored. out->since_s becomes
   0. */
void apsp_job_stages_parse(const char *text, struct apsp_job_stages *out);

#endif
