/*
 * The limits of uploads as the store sets them by default, for tests to change.
 */
#ifndef APSP_TESTS_UPLOAD_LIMITS_H
#define APSP_TESTS_UPLOAD_LIMITS_H

#include "daemon/base/budget.h"
#include "daemon/base/limits.h"

static inline struct apsp_budget_limits upload_limits(void)
{
	const struct apsp_limits *limits = &apsp_default_limits;

	return (struct apsp_budget_limits){
		.who = "upload",
		.max_shares = limits->max_uploads,
		.max_memory_bytes = limits->max_uploads_memory_bytes,
		.max_one_memory_bytes =
			limits->max_uploads_memory_bytes / 4 * 3,
		.spare_disk_bytes = 64 << 20,
	};
}

#endif
