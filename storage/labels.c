/*
 * To be written.
 */
#include "storage/labels.h"
