/*
 * Times whole processes, from posix_spawn to the end of wait4, in turn: A, B, A, B, ...
 *
 *   spawn-timing RUNS COMMAND_A COMMAND_B [AFTER_B]
 *
 * Each command is one argument, split at spaces, its program a path; AFTER_B runs untimed after each B. Prints one JSON
 * object: the medians in microseconds, the ratio B / A, which is the median of the pairs' ratios, and the medians of peak memory in KiB.
 * A process inherits the peak of the one that starts it, so this one is small.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENT_LIMIT = 64 };

struct outcome {
  double microseconds, kibibytes;
};

static double microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void split(char *command, char **arguments) {
  int count = 0;
  for (char *word = strtok(command, " "); word && count < ARGUMENT_LIMIT - 1; word = strtok(NULL, " ")) {
    arguments[count++] = word;
  }
  arguments[count] = NULL;
}

static struct outcome run(char **arguments, posix_spawn_file_actions_t *quiet) {
  pid_t child;
  int status;
  struct rusage usage;
  double start = microseconds();
  int error = posix_spawn(&child, arguments[0], quiet, NULL, arguments, environ);
  if (error || wait4(child, &status, 0, &usage) != child) {
    fprintf(stderr, "spawn-timing: %s: %s\n", arguments[0], strerror(error ? error : errno));
    exit(1);
  }
  double elapsed = microseconds() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "spawn-timing: %s failed with status %d\n", arguments[0], status);
    exit(1);
  }
  return (struct outcome){elapsed, usage.ru_maxrss};
}

static int ascending(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return difference < 0 ? -1 : difference > 0;
}

static double median(double *values, int count) {
  qsort(values, count, sizeof *values, ascending);
  return values[count / 2];
}

int main(int count, char **argument) {
  if (count < 4 || atoi(argument[1]) < 1) {
    fprintf(stderr, "usage: spawn-timing RUNS COMMAND_A COMMAND_B [AFTER_B]\n");
    return 64;
  }
  int runs = atoi(argument[1]);
  char *a[ARGUMENT_LIMIT], *b[ARGUMENT_LIMIT], *after[ARGUMENT_LIMIT];
  split(argument[2], a);
  split(argument[3], b);
  if (count > 4) split(argument[4], after);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  double *times_a = calloc(runs, sizeof(double)), *times_b = calloc(runs, sizeof(double));
  double *memory_a = calloc(runs, sizeof(double)), *memory_b = calloc(runs, sizeof(double));
  double *ratios = calloc(runs, sizeof(double));
  for (int index = 0; index < runs; index++) {
    struct outcome of_a = run(a, &quiet), of_b = run(b, &quiet);
    times_a[index] = of_a.microseconds;
    times_b[index] = of_b.microseconds;
    memory_a[index] = of_a.kibibytes;
    memory_b[index] = of_b.kibibytes;
    ratios[index] = of_b.microseconds / of_a.microseconds;
    if (count > 4) run(after, &quiet);
  }
  printf("{\"runs\":%d,\"a_us\":%.0f,\"b_us\":%.0f,\"ratio\":%.2f,\"a_kib\":%.0f,\"b_kib\":%.0f}\n", runs, median(times_a, runs),
         median(times_b, runs), median(ratios, runs), median(memory_a, runs), median(memory_b, runs));
  return 0;
}
