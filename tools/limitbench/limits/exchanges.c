/*
 * Clients that do nothing but ask: each sends a request, waits for the answer, and sends the next. One thread, so that the
 * server's time shows and not theirs.
 *
 *   exchanges PORT SECONDS FILE
 *
 * Each line of FILE is a client: the path, its credential or "-", its first cursor or "-", and the body of its requests, separated
 * by tabs. In a body @1 to @9 are ids that are new with each request, the same where the digit is the same; @c is the value of
 * "cursor" in the client's last answer, and @n ends a line. Prints the answers a second, what one takes, and fails where one is
 * not 200.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "limit.h"

enum { CLIENT_LIMIT = 1024, BODY_LIMIT = 8192, ANSWER_LIMIT = 65536, CURSOR_LIMIT = 256, SAMPLE_LIMIT = 4000000, EVENTS = 64 };

struct client {
  char path[256], credential[512], template[BODY_LIMIT], cursor[CURSOR_LIMIT];
  char answer[ANSWER_LIMIT];
  size_t answer_size;
  double started;
  int socket;
};

static struct client *clients[CLIENT_LIMIT];
static int client_count;
static double *samples;
static size_t sample_count;

/* MARK: The request */

/* An id of version 7, as devices make them: it begins with the time. */
static void make_time_id(char *id) {
  static unsigned long counter;
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  unsigned long milliseconds = time.tv_sec * 1000UL + time.tv_nsec / 1000000;
  if (!counter && getrandom(&counter, sizeof counter, 0) != sizeof counter) fail("exchanges", "there are no random numbers");
  counter += 0x9E3779B97F4A7C15UL;
  unsigned long mixed = (counter ^ counter >> 31) * 0xBF58476D1CE4E5B9UL;
  snprintf(id, ID_SIZE, "%08lx-%04lx-7%03lx-8%03lx-%012lx", milliseconds >> 16 & 0xffffffffUL,
           milliseconds & 0xffff, mixed & 0xfff, mixed >> 12 & 0xfff, counter >> 16 & 0xffffffffffffUL);
}

static size_t append(char *text, size_t size, const char *part) {
  size_t length = strlen(part);
  if (size + length >= BODY_LIMIT) fail("exchanges", "a body is too long");
  memcpy(text + size, part, length + 1);
  return size + length;
}

static size_t write_body(const struct client *client, char *body) {
  char ids[10][ID_SIZE] = {""};
  size_t size = 0;
  for (const char *place = client->template; *place; place++) {
    char digit = place[1], plain[2] = {*place, 0};
    if (*place == '@' && digit >= '1' && digit <= '9') {
      if (!*ids[digit - '0']) make_time_id(ids[digit - '0']);
      size = append(body, size, ids[digit - '0']);
      place++;
    } else if (*place == '@' && (digit == 'c' || digit == 'n')) {
      size = append(body, size, digit == 'c' ? client->cursor : "\n");
      place++;
    } else {
      size = append(body, size, plain);
    }
  }
  return size;
}

static void send_request(struct client *client) {
  char body[BODY_LIMIT], request[BODY_LIMIT + 1024], authorization[600] = "";
  size_t size = write_body(client, body);
  if (strcmp(client->credential, "-") != 0) {
    snprintf(authorization, sizeof authorization, "Authorization: Bearer %s\r\n", client->credential);
  }
  int length = snprintf(request, sizeof request,
                        "POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        client->path, authorization, size, body);
  client->answer_size = 0;
  client->started = seconds_now();
  if (send(client->socket, request, length, MSG_NOSIGNAL) != length) fail("exchanges", "a request could not be sent");
}

/* MARK: The answer */

/* True where the answer is whole. */
static int is_whole(const struct client *client) {
  const char *head_end = strstr(client->answer, "\r\n\r\n");
  if (!head_end) return 0;
  const char *length = strcasestr(client->answer, "\r\ncontent-length:");
  if (!length || length > head_end) fail("exchanges", "an answer has no length");
  return client->answer_size >= (size_t)(head_end + 4 - client->answer) + atol(length + 17);
}

static void keep_cursor(struct client *client) {
  const char *cursor = strstr(client->answer, "\"cursor\":\"");
  if (cursor && sscanf(cursor + 10, "%255[^\"]", client->cursor) != 1) fail("exchanges", "a cursor is empty");
}

/* True where an answer came. */
static int receive(struct client *client) {
  ssize_t size = recv(client->socket, client->answer + client->answer_size, ANSWER_LIMIT - 1 - client->answer_size, 0);
  if (size <= 0) fail("exchanges", "a connection ended");
  client->answer_size += size;
  client->answer[client->answer_size] = 0;
  if (!is_whole(client)) return 0;
  if (sample_count < SAMPLE_LIMIT) samples[sample_count++] = seconds_now() - client->started;
  if (strncmp(client->answer + 9, "200", 3) != 0) fail("an answer", client->answer);
  keep_cursor(client);
  return 1;
}

/* MARK: The run */

static int connect_to(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) fail("exchanges", "there is no server");
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return connection;
}

static void read_clients(const char *path, int port) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path, "it cannot be opened");
  struct client *client = allocate(1, sizeof *client);
  while (client_count < CLIENT_LIMIT &&
         fscanf(file, "%255[^\t]\t%511[^\t]\t%255[^\t]\t%8191[^\n]\n", client->path, client->credential, client->cursor,
                client->template) == 4) {
    client->socket = connect_to(port);
    clients[client_count++] = client;
    client = allocate(1, sizeof *client);
  }
  free(client);
  fclose(file);
}

static void run_clients(double seconds) {
  int poll = epoll_create1(EPOLL_CLOEXEC), open_count = client_count;
  double end = seconds_now() + seconds;
  for (int index = 0; index < client_count; index++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = clients[index]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[index]->socket, &event);
    send_request(clients[index]);
  }
  while (open_count) {
    struct epoll_event ready[EVENTS];
    int count = epoll_wait(poll, ready, EVENTS, 60000);
    if (count <= 0) fail("exchanges", "no answer came in a minute");
    for (int index = 0; index < count; index++) {
      struct client *client = ready[index].data.ptr;
      if (!receive(client)) continue;
      if (seconds_now() < end) {
        send_request(client);
      } else {
        open_count--;
      }
    }
  }
}

int main(int count, char **arguments) {
  if (count != 4) fail("usage", "exchanges PORT SECONDS FILE");
  samples = allocate(SAMPLE_LIMIT, sizeof *samples);
  read_clients(arguments[3], atoi(arguments[1]));
  double start = seconds_now();
  run_clients(atof(arguments[2]));
  printf("{\"clients\":%d,\"per_second\":%.0f,", client_count, sample_count / (seconds_now() - start));
  if (!sample_count) fail("exchanges", "no answer came");
  print_percentiles(samples, sample_count);
  printf("}\n");
  return 0;
}
