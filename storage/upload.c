/*
 * To be written.
 */
#include "storage/upload.h"
