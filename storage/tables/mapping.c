/*
 * Registered mappings and the process's one handler of SIGBUS; see mapping.h.
 *
 * The handler can interrupt any thread at any instruction. So the registry is
 * an array of atomics, which the handler reads without a lock. While a slot
 * changes, its sequence number is odd, and the handler skips the slot. The
 * handler never needs such a slot: the thread that faulted has the mapping
 * open, so the slot of this mapping is not changing.
 */
#include "storage/tables/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct slot {
	atomic_uint sequence;
	atomic_uintptr_t begin; /* 0: the slot is free */
	atomic_uintptr_t end;
	atomic_bool damaged;
};

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
		       ATOMIC_BOOL_LOCK_FREE == 2,
	"the handler takes no locks");

/* These variables are global because a process has only one handler of
   SIGBUS. */
static struct slot slots[APSP_MAPPINGS_MAX];
static atomic_size_t n_slots; /* only the first n_slots slots were ever used */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t handler_once = PTHREAD_ONCE_INIT;
static struct sigaction previous;
static uintptr_t page_size;

static bool slot_holds(struct slot *slot, uintptr_t address)
{
	unsigned int before, after;
	uintptr_t begin, end;

	before = atomic_load(&slot->sequence);
	begin = atomic_load(&slot->begin);
	end = atomic_load(&slot->end);
	after = atomic_load(&slot->sequence);
	return before == after && before % 2 == 0 && address >= begin &&
	       address < end;
}

static void slot_set(struct slot *slot, uintptr_t begin, uintptr_t end)
{
	atomic_fetch_add(&slot->sequence, 1);
	atomic_store(&slot->begin, begin);
	atomic_store(&slot->end, end);
	atomic_store(&slot->damaged, false);
	atomic_fetch_add(&slot->sequence, 1);
}

/*
 * If the address is inside a registered mapping, mark the mapping as damaged
 * and map a page of zeros at the address. The mapping is marked first, because
 * another thread may read the zeros as soon as they are mapped.
 */
static bool mend(uintptr_t address)
{
	size_t n = atomic_load(&n_slots);

	for (size_t i = 0; i < n; i++) {
		void *page;

		if (!slot_holds(&slots[i], address))
			continue;
		atomic_store(&slots[i].damaged, true);
		page = (void *)(address / page_size * page_size);
		return mmap(page, page_size, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			       0) == page;
	}
	return false;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};

	if (previous.sa_flags & SA_SIGINFO) {
		previous.sa_sigaction(number, info, context);
		return;
	}
	if (previous.sa_handler == SIG_IGN && info->si_code <= 0)
		/* A process has sent this signal, and SIGBUS was ignored before
		   this handler was installed. So ignore the signal. A SIGBUS
		   that is caused by a fault cannot be ignored. */
		return;
	if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
		previous.sa_handler(number);
		return;
	}
	sigaction(number, &by_default, NULL);
	raise(number); /* the signal is delivered when this handler returns */
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	/* with these codes, si_addr is the address of the read that faulted */
	bool is_fault =
		info->si_code == BUS_ADRERR || info->si_code == BUS_MCEERR_AR;

	if (!is_fault || !mend((uintptr_t)info->si_addr))
		pass_on(number, info, context);
	errno = saved;
}

static void install_handler(void)
{
	struct sigaction action = {
		.sa_sigaction = on_sigbus,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	/* fill `previous` first, because the handler reads it */
	sigaction(SIGBUS, NULL, &previous);
	sigaction(SIGBUS, &action, NULL);
}

/* Find a free slot and store [begin, end) there. Returns the slot's index, or
   -1 if no slot is free. */
static ssize_t registry_add(uintptr_t begin, uintptr_t end)
{
	ssize_t found = -1;

	pthread_mutex_lock(&registry_lock);
	for (size_t i = 0; i < APSP_MAPPINGS_MAX && found < 0; i++)
		if (atomic_load(&slots[i].begin) == 0)
			found = (ssize_t)i;
	if (found >= 0) {
		slot_set(&slots[found], begin, end);
		if ((size_t)found >= atomic_load(&n_slots))
			atomic_store(&n_slots, (size_t)found + 1);
	}
	pthread_mutex_unlock(&registry_lock);
	return found;
}

int apsp_mapping_open(
	int fd, size_t size, struct apsp_mapping *out, struct apsp_err *err)
{
	ssize_t slot;
	void *map;

	pthread_once(&handler_once, install_handler);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return apsp_fail_errno(err, errno, "map %zu bytes", size);
	/* Let the kernel read only the page that is missing, not the pages
	   around it. On a disk that reads ahead by megabytes, a page with its
	   surroundings took 4 ms, and a block of 64 KiB (apsp_mapping_fetch())
	   took 0.1 ms. */
	(void)madvise(map, size, MADV_RANDOM);
	slot = registry_add((uintptr_t)map, (uintptr_t)map + size);
	if (slot < 0) {
		munmap(map, size);
		return apsp_fail(err, APSP_ENOMEM,
			"%d table files are mapped already",
			(int)APSP_MAPPINGS_MAX);
	}
	*out = (struct apsp_mapping){
		.data = map,
		.size = size,
		.damaged = &slots[slot].damaged,
		.slot = (size_t)slot,
	};
	return 0;
}

void apsp_mapping_fetch(
	const struct apsp_mapping *mapping, size_t at, size_t size)
{
	uintptr_t begin = (uintptr_t)mapping->data + at;
	uintptr_t page = begin / page_size * page_size;

	(void)madvise((void *)page, begin - page + size, MADV_WILLNEED);
}

void apsp_mapping_close(struct apsp_mapping *mapping)
{
	if (!mapping->data)
		return;
	/* free the slot before munmap(), because after munmap() another mapping
	   can get these addresses */
	pthread_mutex_lock(&registry_lock);
	slot_set(&slots[mapping->slot], 0, 0);
	pthread_mutex_unlock(&registry_lock);
	munmap((void *)(uintptr_t)mapping->data, mapping->size);
	memset(mapping, 0, sizeof(*mapping));
}
