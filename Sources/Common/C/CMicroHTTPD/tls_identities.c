#include "tls_identities.h"

#include <arpa/inet.h>
#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { longest_chain = 16 };

/* Never freed, since a handshake may be using it: one for each time that an operator renews a certificate. */
typedef struct identity {
  gnutls_pcert_st chain[longest_chain];
  unsigned int length;
  gnutls_privkey_t key;
} identity;

typedef struct listener {
  uint16_t port;
  const identity *current;
  struct listener *next;
} listener;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static listener *listeners;

static gnutls_datum_t datum(const char *text) {
  return (gnutls_datum_t){.data = (unsigned char *)text, .size = (unsigned int)strlen(text)};
}

static bool belong_together(const char *certificate, const char *key) {
  gnutls_certificate_credentials_t credentials;
  if (gnutls_certificate_allocate_credentials(&credentials) < 0) return false;
  gnutls_datum_t chain = datum(certificate), secret = datum(key);
  bool are_right = gnutls_certificate_set_x509_key_mem(credentials, &chain, &secret, GNUTLS_X509_FMT_PEM) >= 0;
  gnutls_certificate_free_credentials(credentials);
  return are_right;
}

static void free_identity(identity *made) {
  for (unsigned int index = 0; index < made->length; index++) gnutls_pcert_deinit(&made->chain[index]);
  if (made->key) gnutls_privkey_deinit(made->key);
  free(made);
}

static identity *make_identity(const char *certificate, const char *key) {
  if (!belong_together(certificate, key)) return NULL;
  identity *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  gnutls_datum_t chain = datum(certificate), secret = datum(key);
  made->length = longest_chain;
  if (gnutls_pcert_list_import_x509_raw(made->chain, &made->length, &chain, GNUTLS_X509_FMT_PEM,
                                       GNUTLS_X509_CRT_LIST_SORT) < 0) {
    free(made);
    return NULL;
  }
  if (gnutls_privkey_init(&made->key) >= 0 &&
      gnutls_privkey_import_x509_raw(made->key, &secret, GNUTLS_X509_FMT_PEM, NULL, 0) >= 0)
    return made;
  free_identity(made);
  return NULL;
}

bool lifesignal_tls_can_use(const char *certificate, const char *key) {
  identity *made = make_identity(certificate, key);
  if (made) free_identity(made);
  return made;
}

bool lifesignal_tls_read(const char *text, const char *host, lifesignal_tls_certificate *read) {
  gnutls_x509_crt_t *chain = NULL;
  unsigned int length = 0;
  gnutls_datum_t encoded = datum(text);
  if (gnutls_x509_crt_list_import2(&chain, &length, &encoded, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT) < 0)
    return false;
  if (length > 0) {
    read->valid_from = gnutls_x509_crt_get_activation_time(chain[0]);
    read->valid_until = gnutls_x509_crt_get_expiration_time(chain[0]);
    read->names_host = host && gnutls_x509_crt_check_hostname(chain[0], host) != 0;
  }
  for (unsigned int index = 0; index < length; index++) gnutls_x509_crt_deinit(chain[index]);
  gnutls_free(chain);
  return length > 0;
}

bool lifesignal_tls_is_key(const char *text) {
  gnutls_privkey_t key;
  gnutls_datum_t encoded = datum(text);
  if (gnutls_privkey_init(&key) < 0) return false;
  bool is_key = gnutls_privkey_import_x509_raw(key, &encoded, GNUTLS_X509_FMT_PEM, NULL, 0) >= 0;
  gnutls_privkey_deinit(key);
  return is_key;
}

bool lifesignal_tls_use(uint16_t port, const char *certificate, const char *key) {
  identity *new_identity = make_identity(certificate, key);
  listener *added = calloc(1, sizeof *added);
  if (!new_identity || !added) {
    if (new_identity) free_identity(new_identity);
    free(added);
    return false;
  }
  pthread_mutex_lock(&lock);
  listener *known = listeners;
  while (known && known->port != port) known = known->next;
  if (known) {
    known->current = new_identity;
  } else {
    *added = (listener){.port = port, .current = new_identity, .next = listeners};
    listeners = added;
    added = NULL;
  }
  pthread_mutex_unlock(&lock);
  free(added);
  return true;
}

void lifesignal_tls_forget(uint16_t port) {
  pthread_mutex_lock(&lock);
  listener **place = &listeners;
  while (*place && (*place)->port != port) place = &(*place)->next;
  listener *found = *place;
  if (found) *place = found->next;
  pthread_mutex_unlock(&lock);
  free(found);
}

/* Both kinds of address have their port at the same place. */
static uint16_t port_of(int descriptor) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return 0;
  return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static const identity *identity_at(uint16_t port) {
  pthread_mutex_lock(&lock);
  const listener *known = listeners;
  while (known && known->port != port) known = known->next;
  const identity *current = known ? known->current : NULL;
  pthread_mutex_unlock(&lock);
  return current;
}

static int retrieve(
    gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **chain, unsigned int *length,
    gnutls_privkey_t *key) {
  (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count;
  const identity *current = identity_at(port_of(gnutls_transport_get_int(session)));
  if (!current) return -1;
  *chain = (gnutls_pcert_st *)current->chain;
  *length = current->length;
  *key = current->key;
  return 0;
}

void *lifesignal_tls_callback(void) { return (void *)retrieve; }
