/*
 * Decides which fast forms are used; see kernel_form.h.
 */
#include "compute/device/kernel_form.h"

#include <stdio.h>
#include <string.h>

#include "compute/device/cache_file.h"
#include "compute/device/programs.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"

enum {
	PATH_SIZE = 4096,
};

void apsp_kernel_form_name(
	const char *source, const char *key, char out[APSP_FORM_NAME_SIZE])
{
	snprintf(out, APSP_FORM_NAME_SIZE, "%s-%016llx", source,
		(unsigned long long)apsp_checksum(key, strlen(key)));
}

static void mark_path(const struct apsp_device *device, const char *source,
	const char *key, char out[PATH_SIZE])
{
	char name[APSP_FORM_NAME_SIZE];

	apsp_kernel_form_name(source, key, name);
	snprintf(out, PATH_SIZE, "%s/%s.plain", device->kernel_dir, name);
}

static void mark_save(const struct apsp_device *device, const char *source,
	const char *key, const char *why)
{
	char path[PATH_SIZE];

	mark_path(device, source, key, path);
	apsp_cache_file_save(
		path, key, (const unsigned char *)why, strlen(why));
	/* "<4>" makes this line a warning in the daemon's log */
	fprintf(stderr,
		"<4>%s.cl: its fast form %s on '%s'; the plain form is used "
		"from now on, which is slower\n",
		source, why, device->info.name);
}

bool apsp_kernel_form_doubted(
	const struct apsp_device *device, const char *source, const char *key)
{
	const struct apsp_program *program =
		apsp_programs_find(device->programs, key);
	APSP_AUTO(apsp_free) unsigned char *why = NULL;
	char path[PATH_SIZE], name[APSP_FORM_NAME_SIZE];
	size_t size;

	apsp_kernel_form_name(source, key, name);
	if (device->forms && device->forms[0] &&
		strcmp(device->forms, "all") != 0 &&
		strcmp(device->forms, name) != 0)
		return true;
	if (program)
		return program->state >= APSP_PROGRAM_DOUBTED;
	mark_path(device, source, key, path);
	why = apsp_cache_file_load(path, key, &size);
	return why != NULL;
}

static void state_set(const struct apsp_device *device, const char *source,
	const char *key, enum apsp_program_state state)
{
	struct apsp_program *program =
		apsp_programs_add(device->programs, key, source, NULL, true);

	if (program)
		program->state = state;
}

void apsp_kernel_form_give_up(const struct apsp_device *device,
	const char *source, const char *key, const char *why)
{
	state_set(device, source, key, APSP_PROGRAM_GIVEN_UP);
	mark_save(device, source, key, why);
}

void apsp_kernel_form_leave(
	const struct apsp_device *device, const char *source, const char *key)
{
	state_set(device, source, key, APSP_PROGRAM_LEFT);
}

bool apsp_kernel_form_untested(const struct apsp_device *device)
{
	for (struct apsp_program *p = device->programs->first; p; p = p->next)
		if (p->fast && p->state == APSP_PROGRAM_USED)
			return true;
	return false;
}

bool apsp_kernel_form_doubt(const struct apsp_device *device, int which)
{
	bool found = false;
	int at = 0;

	for (struct apsp_program *p = device->programs->first; p; p = p->next) {
		if (!p->fast || !p->program ||
			(p->state != APSP_PROGRAM_USED &&
				p->state != APSP_PROGRAM_DOUBTED))
			continue;
		p->state = APSP_PROGRAM_USED;
		if (which == APSP_FORM_ALL || which == at++) {
			p->state = APSP_PROGRAM_DOUBTED;
			found = true;
		}
	}
	return found;
}

void apsp_kernel_form_trust(const struct apsp_device *device)
{
	for (struct apsp_program *p = device->programs->first; p; p = p->next) {
		if (p->state == APSP_PROGRAM_USED)
			p->state = APSP_PROGRAM_TRUSTED;
		if (p->state != APSP_PROGRAM_DOUBTED)
			continue;
		p->state = APSP_PROGRAM_GIVEN_UP;
		mark_save(device, p->source, p->key, "fails the self-test");
	}
}
