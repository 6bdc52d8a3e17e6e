#include <fcntl.h>
#include <unistd.h>

/* Closes one descriptor once and another twice. tools/closes must report exactly one of these calls. */
int main(void) {
  int once = open("/dev/null", O_RDONLY);
  int twice = open("/dev/null", O_RDONLY);
  if (once < 0 || twice < 0) return 2;
  close(once);
  close(twice);
  close(twice);
  close(-1);
  return 0;
}
