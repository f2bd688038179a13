/*
 * To be written.
 */
#include "storage/store.h"
