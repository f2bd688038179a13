/*
 * Estimates the seconds of each stage; see job_cost.h. If a group of processes
 * shares the rows, the seconds of work on rows are divided among them. The
 * constants *_ARC below are ratios: the seconds that some work takes for each
 * arc, divided by rates.read_arc_s, a rate that is measured on each machine.
 * The ratios were measured on two cores of an EPYC (tests/bench/estimates.py).
 */
#include "compute/plan/job_cost.h"

#include <math.h>

#include "compute/arc_search.h"
#include "compute/plan/footprint.h"
#include "compute/plan/measure_cost.h"

/* Seconds of the database transaction that stores a graph, without the time for
   its arcs (STORE_ARC). */
#define STORE_S 0.0015
/* Seconds to make a graph file, without the time for its arcs
   (GRAPH_FILE_ARC). */
#define GRAPH_FILE_S 0.001
/* Seconds to start and end the solver's process. */
#define PROCESS_S 0.005
/* Seconds of the stage `read`, in which the solver reads the graph file. */
#define READ_S 0.0007
/* Seconds in which the solver hands the finished table file to the daemon. */
#define SEAL_S 0.0002
/* Seconds to publish the tables: from then on, requests are answered from the
   tables. The tables are written to the disk durably only later. */
#define PUBLISH_S 0.0002
/* Seconds of the self-test in a new solver. A solver that has waited for the
   job has usually passed this test already. */
#define SMALL_TEST_S 0.0065

/*
 * The time that a stage takes for each arc, divided by rates.read_arc_s. The
 * comments behind the values have the ratios that were measured in jobs on two
 * processors (CPU) and on an H200, with graphs of 2.6e5 to 1.7e7 arcs.
 */
#define STORE_ARC 1.0	   /* measured: CPU 0.6 to 1.05, H200 0.7 to 1.3 */
#define GRAPH_FILE_ARC 0.2 /* measured: CPU 0.2 to 0.3, H200 0.2 to 0.5 */
#define LENGTHS_ARC 0.85   /* measured: CPU 0.65 to 1.1, H200 0.6 to 1.0 */
#define CLOSURE_ARC 0.03   /* measured: CPU 0.03, H200 0.01 */
#define UPLOAD_ARC 0.15	   /* measured: CPU 0.2 to 0.3, H200 0.1 to 0.3 */
/* The time of the search for essential arcs (the last arcs of shortest paths)
   for each arc of the graph, divided by rates.read_arc_s. */
#define PREDECESSOR_ARC 0.25
#define WRITE_ARC 0.5

/* The time that the search for useless arcs takes for each arc of the graph,
   divided by rates.read_arc_s. On two cores of an EPYC, the search takes 3.7e-9
   s for each arc. */
#define SEARCH_ARC 0.15
/* The time that the search for useless arcs takes for each path of two useful
   arcs, divided by rates.read_arc_s. On two cores of an EPYC, the search takes
   0.8e-9 s (sparse:4096:300) to 1.4e-9 s (sparse:12529:100) for each path. */
#define SEARCH_PATH 0.045

/* The stage `predecessor` takes this share of rates.tail_s, the seconds of the
   last stages for the smallest graph. */
#define PREDECESSOR_TAIL 0.3
/* The stage `download` takes this share of rates.tail_s, the seconds of the
   last stages for the smallest graph. The stage `write` takes the remaining
   share: 1 - PREDECESSOR_TAIL - DOWNLOAD_TAIL. */
#define DOWNLOAD_TAIL 0.2
/* The stage `download` takes this share of the result of tail_pairs_seconds().
   The stage `write` takes the remaining share. */
#define DOWNLOAD_PAIR 0.15

/*
 * Let b be the number of bytes of a value of V (the matrix of integer
 * distances) or of a distance in the table, whichever is larger. If b is 2, a
 * pair of vertices takes rates.pair_s seconds. Each byte above 2 adds this
 * share of rates.pair_s. If distances are path sums, only bytes above 4 add
 * time.
 */
#define WIDER_BYTE 0.15

/*
 * Path sums on the host take this share of rates.sum_s. rates.sum_s is measured
 * on random graphs, where sums take longer than in other graphs. Seconds for a
 * pair (PoCL 3.1, two cores): random 1e-08, larva 6.9e-09, rome99 4.9e-09.
 */
#define HOST_SUM 0.7

/* The time that the closure takes for each pair of vertices, divided by
   rates.pair_s. */
#define CLOSURE_PAIR 0.02

static double squared(const struct apsp_workload *work)
{
	return pow((double)work->n_vertices, 2);
}

/*
 * Return the seconds that all pairs take after the distance matrix V is
 * computed: the seconds for downloads, path sums and writing. rates.pair_s was
 * measured with values of 16 bits in V; wider values take longer. rates.sum_s
 * was measured with values of 32 bits, and includes the time to follow the
 * paths a second time.
 */
static double tail_pairs_seconds(const struct apsp_plan_facts *facts)
{
	const struct apsp_workload *work = &facts->work;
	const struct apsp_rates *rates = &facts->rates;
	bool sums = work->distance == APSP_ELEMENT_F32 ||
		    work->distance == APSP_ELEMENT_F64;
	double bytes = (double)apsp_element_size(
		apsp_element_wider(work->element, work->distance));
	double pairs = squared(work);
	double share = apsp_sums_on_device(work->distance, facts->device.tuning)
			       ? 1
			       : HOST_SUM;
	double near = fmin(pairs, APSP_RATE_NEAR_PAIRS);

	return near * rates->near_s + (pairs - near) * rates->pair_s +
	       pairs * rates->pair_s * WIDER_BYTE * (bytes - (sums ? 4 : 2)) +
	       (sums ? pairs * rates->sum_s * share : 0);
}

/* The device opens while the host reads the graph. Return the seconds to start
   the process, plus the seconds for which the host waits for the device after
   it has read the graph. 0: a solver with an open device waits for the job. */
static double open_seconds(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm, double read_s)
{
	if (facts->solver_waits)
		return 0;
	if (algorithm->start == APSP_START_HOST)
		return PROCESS_S;
	return PROCESS_S + fmax(facts->rates.start_s - read_s, 0);
}

/*
 * Return the seconds of the search for useless arcs, which begins when the
 * device is open. Only algorithms that compete need the search. First the
 * search compares each arc with the path by way of the root. Then it compares
 * each remaining arc with the paths that consist of two remaining arcs. The
 * number of these paths is estimated from the number of useful arcs, because
 * nearly all remaining arcs are useful (0.95 of them in sparse:4096:300, 0.99
 * in sparse:12529:100).
 */
static double search_seconds(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm)
{
	const struct apsp_workload *work = &facts->work;
	uint64_t n = work->n_vertices, useful = apsp_cost_useful(work);
	double paths = 0;

	if (!algorithm->competes ||
		!apsp_arc_search_pays(n, work->unit_lengths))
		return 0;
	if (useful < apsp_arc_search_most(n))
		paths = (double)useful * (double)useful / (double)n;
	return (SEARCH_ARC * (double)work->n_arcs + SEARCH_PATH * paths) *
	       facts->rates.read_arc_s;
}

/* The group of processes has `all` devices, or `all` sets of processors. Return
   how many of these compute rows: all of them, or 1 if one process computes all
   rows with this algorithm. */
static double parts(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm, uint32_t all)
{
	uint32_t n = facts->work.n_vertices;
	bool divides = algorithm->divides &&
		       apsp_plan_part_rows(n, facts->group.processes) < n;

	return (algorithm->lanes || divides) && all > 1 ? all : 1;
}

void apsp_job_cost_make(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm, double distance_s,
	struct apsp_job_cost *out)
{
	const struct apsp_workload *work = &facts->work;
	const struct apsp_rates *rates = &facts->rates;
	bool on_host = algorithm->start == APSP_START_HOST;
	double arcs_s = (double)work->n_arcs * rates->read_arc_s;
	double pairs_s = squared(work) * rates->pair_s;
	double tail_s = tail_pairs_seconds(facts) /
			parts(facts, algorithm, facts->group.hosts);
	double *s = out->seconds;

	*out = (struct apsp_job_cost){0};
	s[APSP_STAGE_STORE] = STORE_S + STORE_ARC * arcs_s;
	s[APSP_STAGE_GRAPH_FILE] = GRAPH_FILE_S + GRAPH_FILE_ARC * arcs_s;
	s[APSP_STAGE_READ] = READ_S;
	s[APSP_STAGE_LENGTHS] = LENGTHS_ARC * arcs_s;
	s[APSP_STAGE_OPEN] = open_seconds(
		facts, algorithm, s[APSP_STAGE_READ] + s[APSP_STAGE_LENGTHS]);
	s[APSP_STAGE_LENGTHS] += search_seconds(facts, algorithm);
	s[APSP_STAGE_CLOSURE] = CLOSURE_ARC * arcs_s + CLOSURE_PAIR * pairs_s;
	if (!on_host) {
		if (!facts->solver_waits)
			s[APSP_STAGE_SELF_TEST] = SMALL_TEST_S;
		s[APSP_STAGE_UPLOAD] = UPLOAD_ARC * arcs_s;
		s[APSP_STAGE_PREDECESSOR] =
			PREDECESSOR_TAIL * rates->tail_s +
			PREDECESSOR_ARC * arcs_s +
			(double)work->n_vertices *
				(double)apsp_cost_essential(work) *
				work->reachable * rates->arc_s /
				parts(facts, algorithm, facts->group.devices);
		s[APSP_STAGE_DOWNLOAD] =
			DOWNLOAD_TAIL * rates->tail_s + DOWNLOAD_PAIR * tail_s;
	}
	s[APSP_STAGE_DISTANCE] =
		distance_s / parts(facts, algorithm, facts->group.devices);
	s[APSP_STAGE_WRITE] =
		(1 - PREDECESSOR_TAIL - DOWNLOAD_TAIL) * rates->tail_s +
		WRITE_ARC * arcs_s + (1 - DOWNLOAD_PAIR) * tail_s;
	s[APSP_STAGE_MEASURE] =
		apsp_measure_seconds(work, (double)apsp_cost_essential(work));
	s[APSP_STAGE_SEAL] = SEAL_S;
	s[APSP_STAGE_PUBLISH] = PUBLISH_S;
}

double apsp_job_cost_sum(const struct apsp_job_cost *cost)
{
	double sum = 0;

	for (int s = 0; s < APSP_N_STAGES; s++)
		sum += cost->seconds[s];
	return sum;
}
