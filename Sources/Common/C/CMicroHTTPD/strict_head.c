#include "strict_head.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/*
 * Versions 0.9 read the head where it lies and put zeros in the place of the colon and of line ends, so that a line that ended with CR LF has
 * two behind it, and the next one begins there. Later versions refuse other line ends by themselves: see `lifesignal_mhd_start`.
 */
static bool keeps_lines_in_place(void) { return strncmp(MHD_get_version(), "0.9.", 4) == 0; }

typedef struct {
  lifesignal_head result;
  /* Where the next line has to begin; null where lines are not kept in place. */
  const char *next_line;
  bool has_host, has_length, has_encoding;
} head_check;

/* RFC 9110 §5.6.2. */
static bool is_token(const char *text, size_t length) {
  for (size_t index = 0; index < length; index++) {
    unsigned char byte = (unsigned char)text[index];
    if (byte <= 0x20 || byte >= 0x7F || strchr("\"(),/:;<=>?@[\\]{}", byte)) return false;
  }
  return length > 0;
}

/* Without control characters, of which a tab is none here. */
static bool is_value(const char *text, size_t length) {
  for (size_t index = 0; index < length; index++) {
    unsigned char byte = (unsigned char)text[index];
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) return false;
  }
  return true;
}

static bool is_second(const char *name, const char *wanted, bool *is_known) {
  if (strcasecmp(name, wanted) != 0) return false;
  bool was_known = *is_known;
  *is_known = true;
  return was_known;
}

static enum MHD_Result check_line(
    void *closure, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value,
    size_t value_length) {
  (void)kind;
  head_check *check = closure;
  bool is_in_place = !check->next_line || name == check->next_line;
  if (!is_in_place || !value || !is_token(name, name_length) || !is_value(value, value_length)) {
    check->result = lifesignal_head_malformed;
    return MHD_NO;
  }
  if (check->next_line) check->next_line = value + value_length + 2;
  if (is_second(name, MHD_HTTP_HEADER_HOST, &check->has_host) ||
      is_second(name, MHD_HTTP_HEADER_CONTENT_LENGTH, &check->has_length) ||
      is_second(name, MHD_HTTP_HEADER_TRANSFER_ENCODING, &check->has_encoding)) {
    check->result = lifesignal_head_ambiguous;
    return MHD_NO;
  }
  return MHD_YES;
}

/* The head ends with an empty line, behind which the library counts its bytes. */
static bool ends_there(struct MHD_Connection *connection, const char *method, const char *last_line_end) {
  const union MHD_ConnectionInfo *size = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return size && method + size->header_size == last_line_end + 2;
}

lifesignal_head lifesignal_mhd_check_head(struct MHD_Connection *connection, const char *method, const char *version) {
  head_check check = {.result = lifesignal_head_right};
  if (keeps_lines_in_place()) check.next_line = version + strlen(version) + 2;
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, check_line, &check);
  if (check.result != lifesignal_head_right || !check.next_line) return check.result;
  return ends_there(connection, method, check.next_line) ? lifesignal_head_right : lifesignal_head_malformed;
}
