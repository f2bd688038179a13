#include "api/server.h"
int main(void)
{
	return 1;
}
