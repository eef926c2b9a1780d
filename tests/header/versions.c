/* What header and library say of their versions, one a line. */
#include "tn_compactor.h"

#include <stdio.h>

int main(void) {
    printf("header %d.%d.%d\n", TN_VERSION_MAJOR, TN_VERSION_MINOR, TN_VERSION_PATCH);
    printf("library %s\n", tn_version());
    printf("header-abi %u\n", (unsigned)TN_ABI_VERSION);
    printf("library-abi %u\n", (unsigned)tn_abi_version());
    return 0;
}
