#ifndef LIFESIGNAL_SCHEMA_H
#define LIFESIGNAL_SCHEMA_H

/**
 * A file of this folder, embedded at build time.
 *
 * `bytes` is static, UTF-8 and followed by a zero; `length` does not count the zero.
 */
typedef struct {
  const char *name;
  const char *bytes;
  long length;
} lifesignal_schema_file;

/** The `index`-th migration of the device's store, in order, or a file with a null name past the last. */
lifesignal_schema_file lifesignal_schema_client_migration(int index);

/** The `index`-th migration of the server's embedded store, in order, or a file with a null name past the last. */
lifesignal_schema_file lifesignal_schema_server_migration(int index);

/** The `index`-th migration of the server's store on PostgreSQL, in order, or a file with a null name past the last. */
lifesignal_schema_file lifesignal_schema_server_postgres_migration(int index);

/** The description of the wire, `openapi.yaml`. */
lifesignal_schema_file lifesignal_schema_openapi(void);

/** The style sheet of a responder's page. */
lifesignal_schema_file lifesignal_schema_page_style(void);

/** The script of a responder's page. */
lifesignal_schema_file lifesignal_schema_page_script(void);

#endif
