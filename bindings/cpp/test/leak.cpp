// Leaks a hundred texts of the library's, so that the suite sees that leaks are seen.
#include "tn_compactor.h"

int main() {
  for (int i = 0; i < 100; i++) {
    tn_compactor *compactor = nullptr;
    char *error = nullptr;
    if (tn_compactor_new("{}", TN_NUL_TERMINATED, &compactor, &error) != TN_ERR_OPTIONS || !error) return 0;
  }
}
