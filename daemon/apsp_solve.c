#include "compute/solve.h"
int main(void)
{
	return 1;
}
