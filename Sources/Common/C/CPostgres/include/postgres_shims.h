#ifndef LIFESIGNAL_POSTGRES_SHIMS_H
#define LIFESIGNAL_POSTGRES_SHIMS_H

#include <postgresql/libpq-fe.h>

/**
 * What is used of libpq: result, name, parameters, arguments. The library is loaded on first use, since a server on a file needs none.
 * Each function has the prefix `lifesignal_` here; call none of them before `lifesignal_postgres_load` returned null.
 */
#define LIFESIGNAL_POSTGRES_FUNCTIONS(FUNCTION)                                                                            \
  FUNCTION(int, PQlibVersion, (void), ())                                                                                  \
  FUNCTION(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expand),                 \
           (names, values, expand))                                                                                        \
  FUNCTION(int, PQsslInUse, (PGconn * connection), (connection))                                                           \
  FUNCTION(ConnStatusType, PQstatus, (const PGconn *connection), (connection))                                             \
  FUNCTION(int, PQsocket, (const PGconn *connection), (connection))                                                        \
  FUNCTION(char *, PQerrorMessage, (const PGconn *connection), (connection))                                               \
  FUNCTION(int, PQbackendPID, (const PGconn *connection), (connection))                                                    \
  FUNCTION(int, PQserverVersion, (const PGconn *connection), (connection))                                                 \
  FUNCTION(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * connection, PQnoticeReceiver receiver, void *argument),        \
           (connection, receiver, argument))                                                                               \
  FUNCTION(int, PQsetnonblocking, (PGconn * connection, int value), (connection, value))                                   \
  FUNCTION(int, PQenterPipelineMode, (PGconn * connection), (connection))                                                  \
  FUNCTION(int, PQexitPipelineMode, (PGconn * connection), (connection))                                                   \
  FUNCTION(int, PQpipelineSync, (PGconn * connection), (connection))                                                       \
  FUNCTION(int, PQsendQuery, (PGconn * connection, const char *text), (connection, text))                                  \
  FUNCTION(int, PQsendPrepare,                                                                                             \
           (PGconn * connection, const char *name, const char *text, int count, const Oid *types),                         \
           (connection, name, text, count, types))                                                                         \
  FUNCTION(int, PQsendQueryPrepared,                                                                                       \
           (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,               \
            const int *formats, int result_format),                                                                        \
           (connection, name, count, values, lengths, formats, result_format))                                             \
  FUNCTION(int, PQflush, (PGconn * connection), (connection))                                                              \
  FUNCTION(int, PQconsumeInput, (PGconn * connection), (connection))                                                       \
  FUNCTION(int, PQisBusy, (PGconn * connection), (connection))                                                             \
  FUNCTION(PGresult *, PQgetResult, (PGconn * connection), (connection))                                                   \
  FUNCTION(PGnotify *, PQnotifies, (PGconn * connection), (connection))                                                    \
  FUNCTION(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                                             \
  FUNCTION(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))                               \
  FUNCTION(int, PQntuples, (const PGresult *result), (result))                                                             \
  FUNCTION(int, PQfnumber, (const PGresult *result, const char *name), (result, name))                                     \
  FUNCTION(char *, PQcmdStatus, (PGresult * result), (result))                                                             \
  FUNCTION(char *, PQcmdTuples, (PGresult * result), (result))                                                             \
  FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))                       \
  FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))                         \
  FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))                         \
  FUNCTION(void, PQclear, (PGresult * result), (result))                                                                   \
  FUNCTION(void, PQfreemem, (void *memory), (memory))                                                                      \
  FUNCTION(void, PQfinish, (PGconn * connection), (connection))

#define LIFESIGNAL_POSTGRES_DECLARE(result, name, parameters, arguments) result lifesignal_##name parameters;
LIFESIGNAL_POSTGRES_FUNCTIONS(LIFESIGNAL_POSTGRES_DECLARE)
#undef LIFESIGNAL_POSTGRES_DECLARE

/** Loads libpq, once. Null, or one line that says why it cannot be used. From any thread. */
const char *lifesignal_postgres_load(void);

/* The fields of an error that Swift does not see: they are characters. */
static const int lifesignal_postgres_sqlstate = PG_DIAG_SQLSTATE;
static const int lifesignal_postgres_message = PG_DIAG_MESSAGE_PRIMARY;
static const int lifesignal_postgres_table = PG_DIAG_TABLE_NAME;
static const int lifesignal_postgres_constraint = PG_DIAG_CONSTRAINT_NAME;

#endif
