/*
 * A group of one process; see group.h.
 */
#include "compute/group/group.h"

#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"

static uint32_t next_ticket;

int apsp_group_start(struct apsp_err *err)
{
	const char *size = getenv("OMPI_COMM_WORLD_SIZE"); /* Open MPI */

	if (!size)
		size = getenv("PMI_SIZE"); /* MPICH; srun with PMI 2 */
	/* Fail if a launcher has started several processes: this program cannot
	   form a group, so each process would do the whole job, in the same
	   directory. */
	if (size && strcmp(size, "1") != 0)
		return apsp_fail(err, APSP_ESOLVER,
			"a launcher has started %.20s processes; only "
			"apsp-solve-mpi can solve a job with several",
			size);
	return 0;
}

void apsp_group_end(void)
{
}

uint32_t apsp_group_size(void)
{
	return 1;
}

uint32_t apsp_group_rank(void)
{
	return 0;
}

struct apsp_group_host apsp_group_host(void)
{
	return (struct apsp_group_host){
		.size = 1, .processors = apsp_parallel_processors(), .sets = 1};
}

void apsp_group_share(
	uint32_t from, void *data, size_t size, unsigned int threads)
{
	(void)from;
	(void)data;
	(void)size;
	(void)threads;
}

void apsp_group_unite(uint8_t *marks, size_t size)
{
	(void)marks;
	(void)size;
}

uint64_t apsp_group_least(uint64_t value)
{
	return value;
}

uint32_t apsp_group_alike(uint64_t value, uint32_t *out_different)
{
	(void)value;
	*out_different = 1;
	return 1;
}

int apsp_group_agree(int result, struct apsp_err *err)
{
	(void)err;
	return result;
}

void apsp_group_tickets_begin(void)
{
	next_ticket = 0;
}

uint32_t apsp_group_ticket(void)
{
	return next_ticket++;
}

void apsp_group_tickets_end(bool failed)
{
	if (failed)
		next_ticket = APSP_GROUP_LAST_TICKET;
}

void apsp_group_progress_begin(struct apsp_progress *progress)
{
	(void)progress;
}

void apsp_group_progress_end(void)
{
}

void apsp_group_send(const struct apsp_message *message)
{
	(void)message;
}

void apsp_group_receive(uint32_t rank, struct apsp_message *out)
{
	(void)rank;
	*out = (struct apsp_message){.failed = true};
}

void apsp_group_processors(bool all)
{
	(void)all;
}

void apsp_group_abort(void)
{
}
