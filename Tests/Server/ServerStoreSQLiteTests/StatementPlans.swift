/// The reviewed plan of every statement. Before you add one, check whether its work grows with the table.
let pinnedStatementPlans = """
  DELETE FROM alert_buckets WHERE (account_id, session_id, is_of_alert_key) IN (SELECT … FROM alert_buckets WHERE full_at < ? LIMIT ?)
      SEARCH alert_buckets USING PRIMARY KEY (account_id=? AND session_id=? AND is_of_alert_key=?)
      LIST SUBQUERY 1
      SEARCH alert_buckets USING COVERING INDEX alert_buckets_by_time (full_at<?)
  DELETE FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND number IN (SELECT … FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND is_call = 0 ORDER BY number LIMIT ?3)
      SEARCH alert_updates USING PRIMARY KEY (account_id=? AND alert_id=? AND number=?)
      LIST SUBQUERY 1
      SEARCH alert_updates USING PRIMARY KEY (account_id=? AND alert_id=?)
  DELETE FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND number IN (SELECT … FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
      SEARCH alert_updates USING PRIMARY KEY (account_id=? AND alert_id=? AND number=?)
      LIST SUBQUERY 1
      SEARCH alert_updates USING COVERING INDEX alert_updates_by_mutation (account_id=? AND alert_id=?)
  DELETE FROM answer_codes WHERE (key, account_id, alert_id, contact_id) IN (SELECT … FROM answer_codes WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
      SEARCH answer_codes USING COVERING INDEX answer_codes_by_alert (account_id=? AND alert_id=? AND key=? AND contact_id=?)
      LIST SUBQUERY 1
      SEARCH answer_codes USING COVERING INDEX answer_codes_by_alert (account_id=? AND alert_id=?)
  DELETE FROM blocked_phones WHERE phone = ?
      SEARCH blocked_phones USING PRIMARY KEY (phone=?)
  DELETE FROM changes WHERE account_id = ?1 AND entity_kind = 3 AND entity_id IN (SELECT … FROM deliveries WHERE account_id = ?1 AND alert_id = ?2 ORDER BY contact_id, channel_url, notice, role, call_number LIMIT ?3) AND sequence < (SELECT newest_sequence FROM account_logs WHERE account_id = ?1)
      SEARCH changes USING COVERING INDEX changes_by_entity (account_id=? AND entity_kind=? AND entity_id=? AND sequence<?)
      LIST SUBQUERY 1
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
      SCALAR SUBQUERY 2
      SEARCH account_logs USING PRIMARY KEY (account_id=?)
  DELETE FROM code_messages WHERE id = ?
      SEARCH code_messages USING PRIMARY KEY (id=?)
  DELETE FROM code_messages WHERE phone = ? AND reply IS NOT NULL
      SEARCH code_messages USING INDEX code_messages_replies (phone=?)
  DELETE FROM code_messages WHERE phone = ? AND reply IS NULL
      SEARCH code_messages USING INDEX code_messages_by_phone (phone=?)
  DELETE FROM contacts WHERE account_id = ? AND id = ?
      SEARCH contacts USING PRIMARY KEY (account_id=? AND id=?)
  DELETE FROM cursors WHERE account_id = ?
      SEARCH cursors USING PRIMARY KEY (account_id=?)
  DELETE FROM cursors WHERE account_id = ? AND device_id = ? AND sequence = ?
      SEARCH cursors USING PRIMARY KEY (account_id=? AND device_id=? AND sequence=?)
  DELETE FROM cursors WHERE account_id = ?1 AND device_id NOT IN (SELECT … FROM device_contacts WHERE account_id = ?1)
      SEARCH cursors USING PRIMARY KEY (account_id=?)
      LIST SUBQUERY 1
      SEARCH device_contacts USING PRIMARY KEY (account_id=?)
  DELETE FROM deliveries WHERE id IN (SELECT … FROM deliveries WHERE account_id = ?1 AND alert_id = ?2 ORDER BY contact_id, channel_url, notice, role, call_number LIMIT ?3)
      SEARCH deliveries USING COVERING INDEX sqlite_autoindex_deliveries_1 (id=?)
      LIST SUBQUERY 1
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
  DELETE FROM device_contacts WHERE account_id = ?1 AND device_id IN (SELECT … FROM device_contacts WHERE account_id = ?1 ORDER BY last_contact_at DESC, device_id LIMIT -1 OFFSET ?2)
      SEARCH device_contacts USING PRIMARY KEY (account_id=? AND device_id=?)
      LIST SUBQUERY 1
      SEARCH device_contacts USING PRIMARY KEY (account_id=?)
      USE TEMP B-TREE FOR ORDER BY
  DELETE FROM inbox WHERE (account_id, id) IN (SELECT … FROM inbox INDEXED BY inbox_by_end WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?)
      SEARCH inbox USING PRIMARY KEY (account_id=? AND id=?)
      LIST SUBQUERY 1
      SEARCH inbox USING COVERING INDEX inbox_by_end (ended_at>? AND ended_at<?)
  DELETE FROM inbox WHERE account_id = ? AND id = ?
      SEARCH inbox USING PRIMARY KEY (account_id=? AND id=?)
  DELETE FROM inbox WHERE source_account_id = ?1 AND source_alert_id = ?2 AND account_id IN (SELECT … FROM inbox_posts WHERE account_id = ?1 AND alert_id = ?2)
      SEARCH inbox USING PRIMARY KEY (account_id=?)
      LIST SUBQUERY 1
      SEARCH inbox_posts USING PRIMARY KEY (account_id=? AND alert_id=?)
  DELETE FROM inbox_due WHERE account_id = ? AND alert_id = ?
      SEARCH inbox_due USING INDEX sqlite_autoindex_inbox_due_1 (account_id=? AND alert_id=?)
  DELETE FROM inbox_posts WHERE (account_id, alert_id, inbox_account_id) IN (SELECT … FROM inbox INDEXED BY inbox_by_end WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?)
      SEARCH inbox_posts USING PRIMARY KEY (account_id=? AND alert_id=? AND inbox_account_id=?)
      LIST SUBQUERY 1
      SEARCH inbox USING INDEX inbox_by_end (ended_at>? AND ended_at<?)
  DELETE FROM inbox_posts WHERE account_id = ? AND alert_id = ?
      SEARCH inbox_posts USING PRIMARY KEY (account_id=? AND alert_id=?)
  DELETE FROM inbox_posts WHERE account_id = ? AND alert_id = ? AND inbox_account_id = ?
      SEARCH inbox_posts USING PRIMARY KEY (account_id=? AND alert_id=? AND inbox_account_id=?)
  DELETE FROM mutations WHERE account_id = ?1 AND id IN (SELECT … FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND is_call = 0 ORDER BY number LIMIT ?3)
      SEARCH mutations USING PRIMARY KEY (account_id=? AND id=?)
      LIST SUBQUERY 1
      SEARCH alert_updates USING PRIMARY KEY (account_id=? AND alert_id=?)
  DELETE FROM page_links WHERE key IN (SELECT … FROM page_links WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
      SEARCH page_links USING PRIMARY KEY (key=?)
      LIST SUBQUERY 1
      SEARCH page_links USING COVERING INDEX page_links_by_alert (account_id=? AND alert_id=?)
  DELETE FROM rate_counts WHERE (key, start_at) IN (SELECT … FROM rate_counts WHERE expires_at < ? LIMIT ?)
      SEARCH rate_counts USING PRIMARY KEY (key=? AND start_at=?)
      LIST SUBQUERY 1
      SEARCH rate_counts USING COVERING INDEX rate_counts_by_expiry (expires_at<?)
  DELETE FROM responses WHERE account_id = ? AND alert_id = ? AND contact_id = ?
      SEARCH responses USING PRIMARY KEY (account_id=? AND alert_id=? AND contact_id=?)
  DELETE FROM responses WHERE account_id = ?1 AND alert_id = ?2 AND contact_id IN (SELECT … FROM responses WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
      SEARCH responses USING PRIMARY KEY (account_id=? AND alert_id=? AND contact_id=?)
      LIST SUBQUERY 1
      SEARCH responses USING PRIMARY KEY (account_id=? AND alert_id=?)
  DELETE FROM sessions WHERE rowid IN (SELECT … FROM sessions WHERE alert_key_ended_at < ? LIMIT ?)
      SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)
      LIST SUBQUERY 1
      SEARCH sessions USING COVERING INDEX sessions_ended (alert_key_ended_at<?)
      SEARCH tokens USING COVERING INDEX sqlite_autoindex_tokens_3 (session_id=?)
  DELETE FROM tokens WHERE rowid IN ( SELECT … FROM tokens AS old WHERE old.refresh_expires_at < ?2 OR old.replaced_at < ?1 AND EXISTS ( SELECT 1 FROM tokens AS next WHERE next.session_id = old.session_id AND next.generation = old.generation + 1 AND next.first_used_at IS NOT NULL) LIMIT ?3)
      SEARCH tokens USING INTEGER PRIMARY KEY (rowid=?)
      LIST SUBQUERY 2
      MULTI-INDEX OR
      INDEX 1
      SEARCH old USING INDEX tokens_by_expiry (refresh_expires_at<?)
      INDEX 2
      CORRELATED SCALAR SUBQUERY 1
      SEARCH next USING INDEX sqlite_autoindex_tokens_3 (session_id=? AND generation=?)
      SEARCH old USING INDEX tokens_by_replacement (replaced_at<?)
  DELETE FROM verifications WHERE rowid IN (SELECT … FROM verifications WHERE expires_at < ? LIMIT ?)
      SEARCH verifications USING INTEGER PRIMARY KEY (rowid=?)
      LIST SUBQUERY 1
      SEARCH verifications USING COVERING INDEX verifications_by_expiry (expires_at<?)
      SEARCH code_messages USING COVERING INDEX sqlite_autoindex_code_messages_2 (verification_id=?)
  INSERT OR IGNORE INTO inbox_due (account_id, alert_id) SELECT ?1, ?2 WHERE EXISTS ( SELECT 1 FROM contacts JOIN accounts ON accounts.phone = contacts.phone WHERE contacts.account_id = ?1 AND contacts.is_responder = 1) OR EXISTS (SELECT 1 FROM inbox_posts WHERE account_id = ?1 AND alert_id = ?2)
      SCAN CONSTANT ROW
      SCALAR SUBQUERY 1
      SEARCH contacts USING PRIMARY KEY (account_id=?)
      SEARCH accounts USING COVERING INDEX sqlite_autoindex_accounts_2 (phone=?)
      SCALAR SUBQUERY 2
      SEARCH inbox_posts USING PRIMARY KEY (account_id=? AND alert_id=?)
  INSERT OR IGNORE INTO inbox_due (account_id, alert_id) SELECT alerts.account_id, alerts.id FROM contacts INDEXED BY contacts_by_responder_phone JOIN alerts INDEXED BY alerts_active ON alerts.account_id = contacts.account_id WHERE contacts.phone = ? AND contacts.is_responder = 1 AND alerts.ended_at IS NULL AND alerts.notified_at IS NOT NULL
      SEARCH contacts USING INDEX contacts_by_responder_phone (phone=?)
      SEARCH alerts USING INDEX alerts_active (account_id=?)
  INSERT OR IGNORE INTO inbox_due (account_id, alert_id) SELECT inbox_posts.account_id, inbox_posts.alert_id FROM inbox_posts JOIN accounts ON accounts.id = inbox_posts.inbox_account_id WHERE inbox_posts.account_id = ?1 AND accounts.phone NOT IN (SELECT phone FROM contacts WHERE account_id = ?1 AND is_responder = 1)
      SEARCH inbox_posts USING PRIMARY KEY (account_id=?)
      SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (id=?)
      LIST SUBQUERY 1
      SEARCH contacts USING PRIMARY KEY (account_id=?)
  SELECT … FROM account_logs WHERE account_id = ?
      SEARCH account_logs USING PRIMARY KEY (account_id=?)
  SELECT … FROM accounts WHERE id <> ?1 AND ( phone IN (SELECT phone FROM contacts WHERE account_id = ?1 AND is_responder = 1) OR id IN (SELECT inbox_account_id FROM inbox_posts WHERE account_id = ?1 AND alert_id = ?2)) ORDER BY id
      MULTI-INDEX OR
      INDEX 1
      LIST SUBQUERY 1
      SEARCH contacts USING PRIMARY KEY (account_id=?)
      SEARCH accounts USING INDEX sqlite_autoindex_accounts_2 (phone=?)
      INDEX 2
      LIST SUBQUERY 2
      SEARCH inbox_posts USING PRIMARY KEY (account_id=? AND alert_id=?)
      SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM accounts WHERE id = ?
      SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (id=?)
  SELECT … FROM accounts WHERE phone = ?
      SEARCH accounts USING INDEX sqlite_autoindex_accounts_2 (phone=?)
  SELECT … FROM alert_buckets WHERE account_id = ? AND session_id = ? AND is_of_alert_key = ?
      SEARCH alert_buckets USING PRIMARY KEY (account_id=? AND session_id=? AND is_of_alert_key=?)
  SELECT … FROM alert_updates INDEXED BY alert_updates_with_call WHERE account_id = ? AND alert_id = ? AND is_call = 1 AND message IS NOT NULL ORDER BY number DESC LIMIT ?
      SEARCH alert_updates USING INDEX alert_updates_with_call (account_id=? AND alert_id=?)
  SELECT … FROM alert_updates INDEXED BY alert_updates_with_call WHERE account_id = ? AND alert_id = ? AND number > ? AND is_call = 1 AND device_id <> ?)
      SCAN CONSTANT ROW
      SCALAR SUBQUERY 1
      SEARCH alert_updates USING INDEX alert_updates_with_call (account_id=? AND alert_id=? AND number>?)
  SELECT … FROM alert_updates INDEXED BY alert_updates_with_place WHERE account_id = ? AND alert_id = ? AND latitude IS NOT NULL ORDER BY number DESC LIMIT 1
      SEARCH alert_updates USING INDEX alert_updates_with_place (account_id=? AND alert_id=?)
  SELECT … FROM alert_updates INDEXED BY alert_updates_with_place WHERE account_id = ? AND alert_id = ? AND latitude IS NOT NULL ORDER BY number DESC LIMIT ?
      SEARCH alert_updates USING INDEX alert_updates_with_place (account_id=? AND alert_id=?)
  SELECT … FROM alert_updates WHERE account_id = ? AND alert_id = ? AND mutation_id = ?
      SEARCH alert_updates USING COVERING INDEX alert_updates_by_mutation (account_id=? AND alert_id=? AND mutation_id=?)
  SELECT … FROM alerts AS a CROSS JOIN deliveries AS d ON d.account_id = a.account_id AND d.alert_id = a.id WHERE a.ended_at IS NULL AND d.state = 'failed' AND d.is_dropped = 0 LIMIT ?
      SCAN a USING INDEX alerts_active
      SEARCH d USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
  SELECT … FROM alerts INDEXED BY alerts_active WHERE account_id = ? AND ordinal < ? AND ended_at IS NULL ORDER BY ordinal DESC LIMIT ?
      SEARCH alerts USING INDEX alerts_active (account_id=? AND ordinal<?)
  SELECT … FROM alerts INDEXED BY alerts_active WHERE account_id = ?1 AND (received_at, id) < (?2, ?3) AND ended_at IS NULL AND (only_contact IS NULL OR EXISTS (SELECT 1 FROM contacts WHERE account_id = ?1 AND id = only_contact AND phone = ?5)) ORDER BY received_at DESC, id DESC LIMIT ?4
      SEARCH alerts USING INDEX alerts_active (account_id=?)
      CORRELATED SCALAR SUBQUERY 1
      SEARCH contacts USING PRIMARY KEY (account_id=? AND id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL
      SEARCH alerts USING COVERING INDEX alerts_asking (asking_due_at>?)
  SELECT … FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL AND asking_due_at <= ? ORDER BY asking_due_at LIMIT ?
      SEARCH alerts USING COVERING INDEX alerts_asking (asking_due_at>? AND asking_due_at<?)
  SELECT … FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL AND asking_due_at > ? ORDER BY asking_due_at LIMIT ?
      SEARCH alerts USING COVERING INDEX alerts_asking (asking_due_at>?)
  SELECT … FROM alerts INDEXED BY alerts_by_receipt WHERE account_id = ?1 AND (received_at, id) < (?2, ?3) AND forgotten < 3 AND (only_contact IS NULL OR EXISTS (SELECT 1 FROM contacts WHERE account_id = ?1 AND id = only_contact AND phone = ?5)) ORDER BY received_at DESC, id DESC LIMIT ?4
      SEARCH alerts USING INDEX alerts_by_receipt (account_id=? AND (received_at,id)<(?,?))
      CORRELATED SCALAR SUBQUERY 1
      SEARCH contacts USING PRIMARY KEY (account_id=? AND id=?)
  SELECT … FROM alerts INDEXED BY alerts_silence WHERE silence_due_at IS NOT NULL
      SEARCH alerts USING COVERING INDEX alerts_silence (silence_due_at>?)
  SELECT … FROM alerts INDEXED BY alerts_silence WHERE silence_due_at IS NOT NULL AND silence_due_at <= ? ORDER BY silence_due_at LIMIT ?
      SEARCH alerts USING COVERING INDEX alerts_silence (silence_due_at>? AND silence_due_at<?)
  SELECT … FROM alerts INDEXED BY alerts_silence WHERE silence_due_at IS NOT NULL AND silence_due_at > ? ORDER BY silence_due_at LIMIT ?
      SEARCH alerts USING COVERING INDEX alerts_silence (silence_due_at>?)
  SELECT … FROM alerts INDEXED BY alerts_silent WHERE account_id = ? AND device_id = ? AND silent_since IS NOT NULL
      SEARCH alerts USING INDEX alerts_silent (account_id=? AND device_id=?)
  SELECT … FROM alerts INDEXED BY alerts_to_forget WHERE forgotten = ? AND end_received_at IS NOT NULL AND end_received_at < ? AND NOT EXISTS ( SELECT 1 FROM deliveries INDEXED BY deliveries_open WHERE account_id = alerts.account_id AND alert_id = alerts.id AND state = 'queued') AND NOT EXISTS (SELECT 1 FROM inbox_due WHERE account_id = alerts.account_id AND alert_id = alerts.id) ORDER BY end_received_at LIMIT ?
      SEARCH alerts USING COVERING INDEX alerts_to_forget (forgotten=? AND end_received_at>? AND end_received_at<?)
      CORRELATED SCALAR SUBQUERY 1
      SEARCH deliveries USING INDEX deliveries_open (account_id=?)
      CORRELATED SCALAR SUBQUERY 2
      SEARCH inbox_due USING COVERING INDEX sqlite_autoindex_inbox_due_1 (account_id=? AND alert_id=?)
  SELECT … FROM alerts WHERE account_id = ? AND id = ?
      SEARCH alerts USING PRIMARY KEY (account_id=? AND id=?)
  SELECT … FROM alerts WHERE account_id = ? AND ordinal < ? ORDER BY ordinal DESC LIMIT ?
      SEARCH alerts USING INDEX alerts_by_ordinal (account_id=? AND ordinal<?)
  SELECT … FROM alerts WHERE id = ?1 AND account_id IN (SELECT account_id FROM contacts WHERE phone = ?2 AND is_responder = 1) AND forgotten < 3 AND (only_contact IS NULL OR EXISTS ( SELECT 1 FROM contacts WHERE account_id = alerts.account_id AND id = only_contact AND phone = ?2)) ORDER BY received_at, account_id
      SEARCH alerts USING PRIMARY KEY (account_id=? AND id=?)
      LIST SUBQUERY 1
      SEARCH contacts USING INDEX contacts_by_responder_phone (phone=?)
      CORRELATED SCALAR SUBQUERY 2
      SEARCH contacts USING PRIMARY KEY (account_id=? AND id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM answer_codes WHERE key = ?
      SEARCH answer_codes USING PRIMARY KEY (key=?)
  SELECT … FROM blocked_phones WHERE phone = ?
      SEARCH blocked_phones USING PRIMARY KEY (phone=?)
  SELECT … FROM changes AS log LEFT JOIN alerts AS alert ON log.entity_kind = 1 AND alert.account_id = log.account_id AND alert.id = log.entity_id LEFT JOIN contacts AS contact ON log.entity_kind = 2 AND contact.account_id = log.account_id AND contact.id = log.entity_id LEFT JOIN deliveries AS delivery ON log.entity_kind = 3 AND delivery.id = log.entity_id LEFT JOIN accounts AS account ON log.entity_kind = 4 AND account.id = log.entity_id LEFT JOIN inbox ON log.entity_kind = 5 AND inbox.account_id = log.account_id AND inbox.id = log.entity_id WHERE log.account_id = ? AND log.sequence > ? ORDER BY log.sequence LIMIT ?
      SEARCH log USING PRIMARY KEY (account_id=? AND sequence>?)
      SEARCH alert USING PRIMARY KEY (account_id=? AND id=?) LEFT-JOIN
      SEARCH contact USING PRIMARY KEY (account_id=? AND id=?) LEFT-JOIN
      SEARCH delivery USING INDEX sqlite_autoindex_deliveries_1 (id=?) LEFT-JOIN
      SEARCH account USING INDEX sqlite_autoindex_accounts_1 (id=?) LEFT-JOIN
      SEARCH inbox USING PRIMARY KEY (account_id=? AND id=?) LEFT-JOIN
  SELECT … FROM changes WHERE account_id = ? AND sequence = ?
      SEARCH changes USING PRIMARY KEY (account_id=? AND sequence=?)
  SELECT … FROM code_messages INDEXED BY code_messages_by_due LEFT JOIN verifications ON verifications.id = verification_id WHERE due_at <= ? ORDER BY due_at LIMIT ?
      SEARCH code_messages USING INDEX code_messages_by_due (due_at<?)
      SEARCH verifications USING INDEX sqlite_autoindex_verifications_1 (id=?) LEFT-JOIN
  SELECT … FROM code_messages LEFT JOIN verifications ON verifications.id = verification_id WHERE code_messages.id = ?
      SEARCH code_messages USING PRIMARY KEY (id=?)
      SEARCH verifications USING INDEX sqlite_autoindex_verifications_1 (id=?) LEFT-JOIN
  SELECT … FROM code_messages WHERE is_leased = 1 AND due_at > ?) AS leased_count, (SELECT min(due_at) FROM code_messages) AS first_due, (SELECT max(due_at) FROM code_messages) AS last_due, (SELECT min(due_at) FROM code_messages WHERE is_leased = 1) AS first_lease_end
      SCAN CONSTANT ROW
      SCALAR SUBQUERY 1
      SEARCH code_messages USING INDEX code_messages_leased (due_at>?)
      SCALAR SUBQUERY 2
      SEARCH code_messages USING COVERING INDEX code_messages_by_due
      SCALAR SUBQUERY 3
      SEARCH code_messages USING COVERING INDEX code_messages_by_due
      SCALAR SUBQUERY 4
      SEARCH code_messages USING INDEX code_messages_leased
  SELECT … FROM contacts WHERE account_id = ? AND (tested <> '' OR failed <> '')
      SEARCH contacts USING PRIMARY KEY (account_id=?)
  SELECT … FROM contacts WHERE account_id = ? AND id = ?
      SEARCH contacts USING PRIMARY KEY (account_id=? AND id=?)
  SELECT … FROM contacts WHERE account_id = ? ORDER BY id
      SEARCH contacts USING PRIMARY KEY (account_id=?)
  SELECT … FROM contacts WHERE phone = ? AND is_responder = 1
      SEARCH contacts USING INDEX contacts_by_responder_phone (phone=?)
  SELECT … FROM cursors WHERE account_id = ? AND device_id = ? ORDER BY sequence DESC LIMIT -1 OFFSET ?
      SEARCH cursors USING PRIMARY KEY (account_id=? AND device_id=?)
  SELECT … FROM cursors WHERE account_id = ? AND sequence = ? AND tag = ?)
      SCAN CONSTANT ROW
      SCALAR SUBQUERY 1
      SEARCH cursors USING PRIMARY KEY (account_id=?)
  SELECT … FROM deliveries WHERE account_id = ? AND alert_id = ?
      SEARCH deliveries USING COVERING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
  SELECT … FROM deliveries WHERE account_id = ? AND alert_id = ? AND contact_id = ?
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=? AND contact_id=?)
  SELECT … FROM deliveries WHERE account_id = ? AND alert_id = ? ORDER BY contact_name, id
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM deliveries WHERE account_id = ? AND contact_id = ? AND state = 'queued' ORDER BY id
      SEARCH deliveries USING INDEX deliveries_open (account_id=? AND contact_id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM deliveries WHERE account_id = ? AND state = 'queued'
      SEARCH deliveries USING INDEX deliveries_open (account_id=?)
  SELECT … FROM deliveries WHERE account_id = a.account_id AND alert_id = a.id AND state = 'queued') AS queued, (SELECT count(*) FROM deliveries WHERE account_id = a.account_id AND alert_id = a.id AND state IN ('sent', 'seen', 'acknowledged')) AS sent, (SELECT count(*) FROM deliveries WHERE account_id = a.account_id AND alert_id = a.id AND state = 'failed') AS failed FROM ( SELECT account_id, id, received_at, drill, asking_phase, silent_since FROM alerts WHERE ended_at IS NULL ORDER BY drill, coalesce(asking_phase, '') = 'answered', received_at, id LIMIT ? ) AS a ORDER BY drill, coalesce(asking_phase, '') = 'answered', received_at, id
      CO-ROUTINE a
      SCAN alerts USING INDEX alerts_active
      USE TEMP B-TREE FOR ORDER BY
      SCAN a
      CORRELATED SCALAR SUBQUERY 1
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
      CORRELATED SCALAR SUBQUERY 2
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
      CORRELATED SCALAR SUBQUERY 3
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM deliveries WHERE due_at IS NOT NULL
      SEARCH deliveries USING COVERING INDEX deliveries_by_due (due_at>?)
  SELECT … FROM deliveries WHERE due_at IS NOT NULL
      SEARCH deliveries USING INDEX deliveries_by_due (due_at>?)
  SELECT … FROM deliveries WHERE due_at IS NOT NULL AND attempts > 0 AND reason IS NOT NULL GROUP BY host ORDER BY messages DESC, host LIMIT ?
      SEARCH deliveries USING INDEX deliveries_by_due (due_at>?)
      USE TEMP B-TREE FOR GROUP BY
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM deliveries WHERE due_at IS NOT NULL AND attempts > 0 AND reason IS NOT NULL ORDER BY due_at LIMIT ?
      SEARCH deliveries USING INDEX deliveries_by_due (due_at>?)
  SELECT … FROM deliveries WHERE due_at IS NOT NULL AND due_at < ? ORDER BY due_at LIMIT ?
      SEARCH deliveries USING INDEX deliveries_by_due (due_at>? AND due_at<?)
  SELECT … FROM deliveries WHERE id = ?
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_1 (id=?)
  SELECT … FROM device_contacts WHERE account_id = ? AND device_id = ?
      SEARCH device_contacts USING PRIMARY KEY (account_id=? AND device_id=?)
  SELECT … FROM inbox WHERE account_id = ? AND id = ?
      SEARCH inbox USING PRIMARY KEY (account_id=? AND id=?)
  SELECT … FROM inbox_due ORDER BY position LIMIT ?
      SCAN inbox_due
  SELECT … FROM kept_counts WHERE name = ?
      SEARCH kept_counts USING PRIMARY KEY (name=?)
  SELECT … FROM mutations WHERE account_id = ? AND id = ?
      SEARCH mutations USING PRIMARY KEY (account_id=? AND id=?)
  SELECT … FROM page_links WHERE key = ?
      SEARCH page_links USING PRIMARY KEY (key=?)
  SELECT … FROM pragma_table_info(?) WHERE type <> 'BLOB'
      SCAN pragma_table_info VIRTUAL TABLE INDEX 0:
  SELECT … FROM rate_counts WHERE key = ? AND start_at >= ? AND start_at < ? ORDER BY start_at
      SEARCH rate_counts USING PRIMARY KEY (key=? AND start_at>? AND start_at<?)
  SELECT … FROM responses WHERE account_id = ? AND alert_id = ? ORDER BY contact_id
      SEARCH responses USING PRIMARY KEY (account_id=? AND alert_id=?)
  SELECT … FROM server_state WHERE key = ?
      SEARCH server_state USING PRIMARY KEY (key=?)
  SELECT … FROM sessions WHERE alert_key_hash = ?
      SEARCH sessions USING INDEX sqlite_autoindex_sessions_2 (alert_key_hash=?)
  SELECT … FROM sessions WHERE id = ?
      SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)
  SELECT … FROM tokens WHERE access_hash = ?
      SEARCH tokens USING INDEX sqlite_autoindex_tokens_1 (access_hash=?)
  SELECT … FROM tokens WHERE refresh_hash = ?
      SEARCH tokens USING INDEX sqlite_autoindex_tokens_2 (refresh_hash=?)
  SELECT … FROM tokens WHERE session_id = ? AND generation = ?
      SEARCH tokens USING INDEX sqlite_autoindex_tokens_3 (session_id=? AND generation=?)
  SELECT … FROM tokens WHERE session_id = sessions.id) AS last_seen_at, (SELECT max(refresh_expires_at) FROM tokens WHERE session_id = sessions.id) AS newest_refresh_expires_at FROM sessions WHERE account_id = ? AND alert_key_ended_at IS NULL ORDER BY created_at DESC, id DESC LIMIT ?
      SEARCH sessions USING INDEX sessions_by_account (account_id=?)
      CORRELATED SCALAR SUBQUERY 1
      SEARCH tokens USING INDEX sqlite_autoindex_tokens_3 (session_id=?)
      CORRELATED SCALAR SUBQUERY 2
      SEARCH tokens USING INDEX sqlite_autoindex_tokens_3 (session_id=?)
      USE TEMP B-TREE FOR ORDER BY
  SELECT … FROM verifications WHERE id = ?
      SEARCH verifications USING INDEX sqlite_autoindex_verifications_1 (id=?)
  SELECT … FROM verifications WHERE phone = ? AND created_at <= ? AND used_at IS NULL
      SEARCH verifications USING INDEX verifications_by_phone (phone=? AND created_at<?)
  UPDATE accounts SET … WHERE id = ?
      SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (id=?)
  UPDATE alert_updates SET … WHERE account_id = ?1 AND alert_id = ?2 AND number IN (SELECT number FROM alert_updates INDEXED BY alert_updates_with_place WHERE account_id = ?1 AND alert_id = ?2 AND latitude IS NOT NULL LIMIT ?3)
      SEARCH alert_updates USING PRIMARY KEY (account_id=? AND alert_id=? AND number=?)
      LIST SUBQUERY 1
      SEARCH alert_updates USING INDEX alert_updates_with_place (account_id=? AND alert_id=?)
  UPDATE alerts SET … WHERE account_id = ? AND id = ?
      SEARCH alerts USING PRIMARY KEY (account_id=? AND id=?)
  UPDATE code_messages SET … WHERE due_at > ?
      SEARCH code_messages USING COVERING INDEX code_messages_by_due (due_at>?)
  UPDATE code_messages SET … WHERE id = ?
      SEARCH code_messages USING PRIMARY KEY (id=?)
  UPDATE code_messages SET … WHERE is_leased = 1
      SCAN code_messages USING INDEX code_messages_leased
  UPDATE contacts SET … WHERE account_id = ? AND id = ?
      SEARCH contacts USING PRIMARY KEY (account_id=? AND id=?)
  UPDATE deliveries SET … WHERE account_id = ?2 AND state = 'queued' AND is_leased = 0 AND due_at > ?1 AND due_at <= ?3 AND alert_id <> ?4 RETURNING id, account_id, host, priority, attempts, due_at, is_leased, reason IS NOT NULL AS has_failed
      SEARCH deliveries USING INDEX deliveries_open (account_id=?)
  UPDATE deliveries SET … WHERE due_at > ?
      SEARCH deliveries USING INDEX deliveries_by_due (due_at>?)
  UPDATE deliveries SET … WHERE id = ?
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_1 (id=?)
  UPDATE deliveries SET … WHERE id = ? AND state = 'queued'
      SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_1 (id=?)
  UPDATE deliveries SET … WHERE id IN ( SELECT safe.id FROM deliveries AS ended CROSS JOIN deliveries AS safe ON safe.account_id = ended.account_id AND safe.alert_id = ended.alert_id AND safe.contact_id = ended.contact_id AND safe.channel_url = ended.channel_url AND safe.notice = 'deactivated' WHERE ended.id = ?2 AND safe.state = 'queued' AND safe.due_at IS NULL AND NOT EXISTS ( SELECT 1 FROM deliveries AS help WHERE help.account_id = ended.account_id AND help.alert_id = ended.alert_id AND help.contact_id = ended.contact_id AND help.channel_url = ended.channel_url AND help.notice = 'activated' AND help.state = 'queued')) RETURNING id
      SEARCH deliveries USING COVERING INDEX sqlite_autoindex_deliveries_1 (id=?)
      LIST SUBQUERY 2
      SEARCH ended USING INDEX sqlite_autoindex_deliveries_1 (id=?)
      CORRELATED SCALAR SUBQUERY 1
      SEARCH help USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=? AND contact_id=? AND channel_url=? AND notice=?)
      SEARCH safe USING INDEX sqlite_autoindex_deliveries_2 (account_id=? AND alert_id=? AND contact_id=? AND channel_url=? AND notice=?)
  UPDATE deliveries SET … WHERE is_leased = 1 AND due_at IS NOT NULL
      SEARCH deliveries USING INDEX deliveries_by_due (due_at>?)
  UPDATE device_contacts SET … WHERE account_id = ? AND device_id = ?
      SEARCH device_contacts USING PRIMARY KEY (account_id=? AND device_id=?)
  UPDATE sessions SET … WHERE id = ?3
      SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)
  UPDATE tokens SET … WHERE session_id = ? AND generation = ?
      SEARCH tokens USING INDEX sqlite_autoindex_tokens_3 (session_id=? AND generation=?)
  UPDATE verifications SET … WHERE id = ?
      SEARCH verifications USING INDEX sqlite_autoindex_verifications_1 (id=?)

  """
