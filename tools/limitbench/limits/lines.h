/* The body that the HTTP programs exchange: one mutation a line, its id at a fixed place. */
#ifndef LINES_H
#define LINES_H

#include <stdio.h>

enum { ID_PLACE = 7, ID_LENGTH = 36, LINE_LIMIT = 512 };

/* Writes one line and gives its length. */
static inline int write_line(char *line, const char *id) {
  return snprintf(line, LINE_LIMIT,
                  "{\"id\":\"%s\",\"op\":\"create\",\"title\":\"Alert number\",\"body\":\"Door sensor at the north gate reports"
                  " open for more than five minutes\",\"severity\":2,\"createdAt\":1700000000000,\"baseVersion\":0,"
                  "\"clientId\":\"c0ffee00-0000-4000-8000-000000000001\"}\n",
                  id);
}

#endif
