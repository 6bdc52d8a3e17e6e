#include "schema.h"

#include <stddef.h>

/* `#embed` is C23; this compiler has it in every mode. The folders of migrations are append-only: a new file is a new
   array and a new line in its table. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char client_m0001[] = {
#embed "client/m0001_store.sql"
    , 0};

static const char client_m0002[] = {
#embed "client/m0002_resubmission.sql"
    , 0};

static const char server_m0001[] = {
#embed "server/m0001_accounts.sql"
    , 0};

static const char server_m0002[] = {
#embed "server/m0002_alerts.sql"
    , 0};

static const char server_m0003[] = {
#embed "server/m0003_alerts_by_receipt.sql"
    , 0};

static const char client_m0003[] = {
#embed "client/m0003_presses.sql"
    , 0};

static const char client_m0004[] = {
#embed "client/m0004_tiers.sql"
    , 0};

static const char server_m0004[] = {
#embed "server/m0004_updates.sql"
    , 0};

static const char server_m0005[] = {
#embed "server/m0005_turns.sql"
    , 0};

static const char server_m0006[] = {
#embed "server/m0006_schedule.sql"
    , 0};

static const char server_m0007[] = {
#embed "server/m0007_kept_counts.sql"
    , 0};

static const char server_m0008[] = {
#embed "server/m0008_alert_buckets.sql"
    , 0};

static const char server_m0009[] = {
#embed "server/m0009_lookups.sql"
    , 0};

static const char server_m0010[] = {
#embed "server/m0010_pages.sql"
    , 0};

static const char server_m0011[] = {
#embed "server/m0011_asking.sql"
    , 0};

static const char server_m0012[] = {
#embed "server/m0012_channels.sql"
    , 0};

static const char client_m0005[] = {
#embed "client/m0005_readiness.sql"
    , 0};

static const char client_m0006[] = {
#embed "client/m0006_inbox.sql"
    , 0};

static const char client_m0007[] = {
#embed "client/m0007_failures.sql"
    , 0};

static const char server_m0013[] = {
#embed "server/m0013_readiness.sql"
    , 0};

static const char server_m0014[] = {
#embed "server/m0014_inbox.sql"
    , 0};

static const char server_m0015[] = {
#embed "server/m0015_codes.sql"
    , 0};

static const char server_m0016[] = {
#embed "server/m0016_failures.sql"
    , 0};

static const char server_m0017[] = {
#embed "server/m0017_replies.sql"
    , 0};

static const char server_m0018[] = {
#embed "server/m0018_silence.sql"
    , 0};

static const char server_m0019[] = {
#embed "server/m0019_operator.sql"
    , 0};

static const char server_m0020[] = {
#embed "server/m0020_retention.sql"
    , 0};

static const char server_postgres_m0001[] = {
#embed "server-postgres/m0001_server.sql"
    , 0};

static const char server_postgres_m0002[] = {
#embed "server-postgres/m0002_operator.sql"
    , 0};

static const char server_postgres_m0003[] = {
#embed "server-postgres/m0003_counting.sql"
    , 0};

static const char server_postgres_m0004[] = {
#embed "server-postgres/m0004_retention.sql"
    , 0};

static const char server_postgres_m0005[] = {
#embed "server-postgres/m0005_growth.sql"
    , 0};

static const char server_postgres_m0006[] = {
#embed "server-postgres/m0006_versions.sql"
    , 0};

static const char server_postgres_m0007[] = {
#embed "server-postgres/m0007_newest.sql"
    , 0};

static const char server_postgres_m0008[] = {
#embed "server-postgres/m0008_changed.sql"
    , 0};

static const char server_postgres_m0009[] = {
#embed "server-postgres/m0009_room.sql"
    , 0};

static const char server_postgres_m0010[] = {
#embed "server-postgres/m0010_active.sql"
    , 0};

static const char server_postgres_m0011[] = {
#embed "server-postgres/m0011_failed.sql"
    , 0};

static const char server_postgres_m0012[] = {
#embed "server-postgres/m0012_begin.sql"
    , 0};

static const char server_postgres_m0013[] = {
#embed "server-postgres/m0013_ids.sql"
    , 0};

static const char page_style[] = {
#embed "page/page.css"
    , 0};

static const char page_script[] = {
#embed "page/page.js"
    , 0};

static const char openapi[] = {
#embed "openapi.yaml"
    , 0};

#define FILE_OF(name, array) {name, array, sizeof(array) - 1}

static const lifesignal_schema_file client_migrations[] = {
    FILE_OF("m0001_store", client_m0001),
    FILE_OF("m0002_resubmission", client_m0002),
    FILE_OF("m0003_presses", client_m0003),
    FILE_OF("m0004_tiers", client_m0004),
    FILE_OF("m0005_readiness", client_m0005),
    FILE_OF("m0006_inbox", client_m0006),
    FILE_OF("m0007_failures", client_m0007),
};

static const lifesignal_schema_file server_migrations[] = {
    FILE_OF("m0001_accounts", server_m0001),
    FILE_OF("m0002_alerts", server_m0002),
    FILE_OF("m0003_alerts_by_receipt", server_m0003),
    FILE_OF("m0004_updates", server_m0004),
    FILE_OF("m0005_turns", server_m0005),
    FILE_OF("m0006_schedule", server_m0006),
    FILE_OF("m0007_kept_counts", server_m0007),
    FILE_OF("m0008_alert_buckets", server_m0008),
    FILE_OF("m0009_lookups", server_m0009),
    FILE_OF("m0010_pages", server_m0010),
    FILE_OF("m0011_asking", server_m0011),
    FILE_OF("m0012_channels", server_m0012),
    FILE_OF("m0013_readiness", server_m0013),
    FILE_OF("m0014_inbox", server_m0014),
    FILE_OF("m0015_codes", server_m0015),
    FILE_OF("m0016_failures", server_m0016),
    FILE_OF("m0017_replies", server_m0017),
    FILE_OF("m0018_silence", server_m0018),
    FILE_OF("m0019_operator", server_m0019),
    FILE_OF("m0020_retention", server_m0020),
};

static const lifesignal_schema_file server_postgres_migrations[] = {
    FILE_OF("m0001_server", server_postgres_m0001),
    FILE_OF("m0002_operator", server_postgres_m0002),
    FILE_OF("m0003_counting", server_postgres_m0003),
    FILE_OF("m0004_retention", server_postgres_m0004),
    FILE_OF("m0005_growth", server_postgres_m0005),
    FILE_OF("m0006_versions", server_postgres_m0006),
    FILE_OF("m0007_newest", server_postgres_m0007),
    FILE_OF("m0008_changed", server_postgres_m0008),
    FILE_OF("m0009_room", server_postgres_m0009),
    FILE_OF("m0010_active", server_postgres_m0010),
    FILE_OF("m0011_failed", server_postgres_m0011),
    FILE_OF("m0012_begin", server_postgres_m0012),
    FILE_OF("m0013_ids", server_postgres_m0013),
};

static const lifesignal_schema_file no_file = {NULL, NULL, 0};

lifesignal_schema_file lifesignal_schema_client_migration(int index) {
  int count = (int)(sizeof(client_migrations) / sizeof(client_migrations[0]));
  return index >= 0 && index < count ? client_migrations[index] : no_file;
}

lifesignal_schema_file lifesignal_schema_server_migration(int index) {
  int count = (int)(sizeof(server_migrations) / sizeof(server_migrations[0]));
  return index >= 0 && index < count ? server_migrations[index] : no_file;
}

lifesignal_schema_file lifesignal_schema_server_postgres_migration(int index) {
  int count = (int)(sizeof(server_postgres_migrations) / sizeof(server_postgres_migrations[0]));
  return index >= 0 && index < count ? server_postgres_migrations[index] : no_file;
}

lifesignal_schema_file lifesignal_schema_openapi(void) {
  const lifesignal_schema_file file = FILE_OF("openapi.yaml", openapi);
  return file;
}

lifesignal_schema_file lifesignal_schema_page_style(void) {
  const lifesignal_schema_file file = FILE_OF("page.css", page_style);
  return file;
}

lifesignal_schema_file lifesignal_schema_page_script(void) {
  const lifesignal_schema_file file = FILE_OF("page.js", page_script);
  return file;
}
