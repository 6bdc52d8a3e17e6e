import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  /// Runs the statements with those for all that the readers need, in one round trip where nothing is in the way.
  func run(_ statements: PostgresBatch, _ readers: [AccountFactsReader]) throws(StorageError) {
    var batch = statements
    readers.add(to: &batch)
    if !batch.isEmpty { try run(batch) }
    try countWhole(readers)
  }

  func fetch(
    _ needs: [AccountID: FactNeeds], after known: [AccountID: AccountFacts]
  ) throws(StorageError) -> FactFetch {
    let readers = needs.map { AccountFactsReader($0.value, of: $0.key, after: known[$0.key], in: self) }
    var batch = PostgresBatch()
    readers.add(to: &batch)
    let number = try send(batch)
    return FactFetch { [self] () throws(StorageError) in
      try receive(through: number)
      try countWhole(readers)
      return Dictionary(readers.map { ($0.account, $0.facts) }) { first, _ in first }
    }
  }

  private func countWhole(_ readers: [AccountFactsReader]) throws(StorageError) {
    var batch = PostgresBatch()
    for reader in readers where !reader.isCounted { reader.addWholeCount(&batch) }
    if !batch.isEmpty { try run(batch) }
  }
}

// The statements for facts of several accounts at once: a statement costs as much as some ten rows of it.
extension [AccountFactsReader] {
  /// Adds the statements for all that the readers need. Each is of another account.
  func add(to batch: inout PostgresBatch) {
    guard !isEmpty else { return }
    let readers = Dictionary(map { ($0.account, $0) }) { first, _ in first }
    addAccounts(readers, &batch)
    addResults(readers, &batch)
    addAlerts(readers, &batch)
    addContacts(readers, &batch)
    addDeliveries(readers, &batch)
    addCounts(readers, &batch)
    addPages(readers, &batch)
    addWords(readers, &batch)
    for reader in self { reader.addOwn(to: &batch) }
  }

  private typealias Readers = [AccountID: AccountFactsReader]

  private func addAccounts(_ readers: Readers, _ batch: inout PostgresBatch) {
    let accounts = PostgresValue(map(\.account))
    batch.add(
      """
      SELECT \(SQL.account) FROM unnest($1::uuid[]) AS wanted (account_id)
        JOIN accounts ON accounts.account_id = wanted.account_id
      """, accounts
    ) { rows throws(PostgresError) in
      for record in try rows.map({ row throws(PostgresError) in try AccountRecord(row: row) }) {
        readers[record.id]?.facts.record = record
      }
    }
    for reader in self { (reader.facts.position, reader.facts.newestTag) = (LogPosition(), nil) }
    batch.add(
      """
      SELECT account_logs.account_id, account_logs.newest_sequence AS last_sequence, account_logs.newest_ordinal AS last_ordinal,
        newest.sequence AS newest_sequence, newest.tag AS newest_tag, newest_alert.ordinal AS newest_ordinal
      FROM unnest($1::uuid[]) AS wanted (account_id) JOIN account_logs ON account_logs.account_id = wanted.account_id
        LEFT JOIN LATERAL (
          SELECT sequence, tag FROM changes WHERE changes.account_id = wanted.account_id
          ORDER BY sequence DESC LIMIT 1) AS newest ON true
        LEFT JOIN LATERAL (
          SELECT ordinal FROM alerts WHERE alerts.account_id = wanted.account_id
          ORDER BY ordinal DESC LIMIT 1) AS newest_alert ON true
      """, accounts
    ) { rows throws(PostgresError) in
      try each(rows, readers) { reader, row throws(PostgresError) in
        let limits = PositionLimits(sequence: try row["last_sequence"], ordinal: try row["last_ordinal"])
        reader.noteLimits(limits)
        let sequence = try row["newest_sequence", as: Int64?.self] ?? 0
        reader.facts.position = limits.newest(
          sequence: sequence, ordinal: try row["newest_ordinal", as: Int64?.self] ?? 0)
        guard reader.facts.position.newestSequence == sequence else { return }
        reader.facts.newestTag = try row["newest_tag", as: Int64?.self].map(UInt64.init(bitPattern:))
      }
    }
  }

  private func addResults(_ readers: Readers, _ batch: inout PostgresBatch) {
    add(
      """
      SELECT mutations.account_id, mutations.id, fingerprint, applied_at, code, message FROM \(Self.wanted)
        JOIN mutations ON mutations.account_id = wanted.account_id AND mutations.id = wanted.id
      """, \.results, readers, &batch
    ) { reader, row throws(PostgresError) in reader.facts.results[try row["id"]] = try RecordedResult(row: row) }
  }

  private func addAlerts(_ readers: Readers, _ batch: inout PostgresBatch) {
    add(
      "SELECT \(SQL.alert) FROM \(Self.wanted) JOIN alerts ON alerts.account_id = wanted.account_id AND alerts.id = wanted.id",
      \.alerts, readers, &batch
    ) { reader, row throws(PostgresError) in try reader.take(alert: row) }
    add(
      """
      SELECT \(SQL.alert) FROM \(Self.wanted)
        JOIN alerts ON alerts.account_id = wanted.account_id AND alerts.device_id = wanted.id AND silent_since IS NOT NULL
      """, \.silentAlerts, readers, &batch
    ) { reader, row throws(PostgresError) in reader.facts.silentAlerts.insert(try reader.take(alert: row)) }
    add(
      """
      SELECT alerts.account_id, alerts.device_id, \(SQL.lastContact(of: "alerts.device_id", "alerts.account_id")) AS last_contact_at
      FROM \(Self.wanted) JOIN alerts ON alerts.account_id = wanted.account_id AND alerts.id = wanted.id
      """, \.lastContactsAboutAlerts, readers, &batch
    ) { reader, row throws(PostgresError) in
      let device: DeviceID = try row["device_id"]
      reader.facts.needs.lastContacts.insert(device)
      reader.facts.lastContacts[device] = try row["last_contact_at"]
    }
  }

  private func addContacts(_ readers: Readers, _ batch: inout PostgresBatch) {
    add(
      """
      SELECT contacts.account_id, contacts.id, \(SQL.contact), tested, failed FROM \(Self.wanted)
        JOIN contacts ON contacts.account_id = wanted.account_id AND contacts.id = wanted.id
      """, \.contactsToName, readers, &batch
    ) { reader, row throws(PostgresError) in try reader.take(contact: row) }
    add(
      """
      SELECT contacts.account_id, contacts.id, failed FROM \(Self.wanted)
        JOIN contacts ON contacts.account_id = wanted.account_id AND contacts.id = wanted.id
      """, \.failedChannelsAlone, readers, &batch
    ) { reader, row throws(PostgresError) in try reader.take(failedOf: row) }
  }

  private func addDeliveries(_ readers: Readers, _ batch: inout PostgresBatch) {
    let join = "JOIN deliveries ON deliveries.account_id = wanted.account_id"
    add(
      "SELECT \(SQL.delivery) FROM \(Self.wanted) \(join) AND deliveries.id = wanted.id", \.deliveries, readers, &batch
    ) { reader, row throws(PostgresError) in try reader.take(delivery: row) }
    add(
      "SELECT \(SQL.delivery) FROM \(Self.wanted) \(join) AND deliveries.alert_id = wanted.id", \.deliveriesOfAlerts,
      readers, &batch
    ) { reader, row throws(PostgresError) in try reader.take(delivery: row) }
    let pairs = flatMap { reader in reader.needs.deliveriesToContacts.map { (account: reader.account, pair: $0) } }
    guard !pairs.isEmpty else { return }
    batch.add(
      """
      SELECT \(SQL.delivery) FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS wanted (account_id, alert_id, contact_id)
        \(join) AND deliveries.alert_id = wanted.alert_id AND deliveries.contact_id = wanted.contact_id
      """, PostgresValue(pairs.map(\.account)), PostgresValue(pairs.map(\.pair.alert)),
      PostgresValue(pairs.map(\.pair.contact))
    ) { rows throws(PostgresError) in
      try each(rows, readers) { reader, row throws(PostgresError) in try reader.take(delivery: row) }
    }
  }

  private func addCounts(_ readers: Readers, _ batch: inout PostgresBatch) {
    for reader in self {
      for alert in reader.needs.deliveryCounts { reader.facts.deliveryCounts[alert] = 0 }
    }
    add(
      """
      SELECT wanted.account_id, wanted.id AS alert_id, count(*) AS count FROM \(Self.wanted)
        JOIN deliveries ON deliveries.account_id = wanted.account_id AND deliveries.alert_id = wanted.id
      GROUP BY wanted.account_id, wanted.id
      """, \.deliveryCounts, readers, &batch
    ) { reader, row throws(PostgresError) in try reader.take(count: row) }
  }

  private func addWords(_ readers: Readers, _ batch: inout PostgresBatch) {
    for reader in self {
      for alert in reader.needs.words { reader.facts.words[alert] = nil }
    }
    add(
      """
      SELECT wanted.account_id, wanted.id AS alert_id, said.at, said.message FROM \(Self.wanted)
        CROSS JOIN LATERAL (
          SELECT number, least(at, received_at) AS at, message FROM alert_updates
          WHERE alert_updates.account_id = wanted.account_id AND alert_updates.alert_id = wanted.id
            AND is_call AND message IS NOT NULL
          ORDER BY number DESC LIMIT \(SaidWords.factLimit)) AS said
      ORDER BY said.number DESC
      """, \.words, readers, &batch
    ) { reader, row throws(PostgresError) in
      reader.facts.words[try row["alert_id"], default: []].append(
        SaidWords(at: try row["at"], message: try row["message"]))
    }
  }

  private func addPages(_ readers: Readers, _ batch: inout PostgresBatch) {
    add(
      """
      SELECT responses.account_id, alert_id, contact_id, answer, text, at FROM \(Self.wanted)
        JOIN responses ON responses.account_id = wanted.account_id AND responses.alert_id = wanted.id
      """, \.responses, readers, &batch
    ) { reader, row throws(PostgresError) in
      let response = try StoredResponse(row: row)
      reader.facts.responses[AlertContact(response.alert, response.contact)] = response
    }
    add(
      """
      SELECT wanted.account_id, wanted.id, \(SQL.lastContact(of: "wanted.id", "wanted.account_id")) AS last_contact_at
      FROM \(Self.wanted)
      """, \.lastContacts, readers, &batch
    ) { reader, row throws(PostgresError) in
      reader.facts.lastContacts[try row["id"]] = try row["last_contact_at"]
    }
    add(
      """
      SELECT inbox.account_id, inbox.id, source_account_id, source_alert_id, record FROM \(Self.wanted)
        JOIN inbox ON inbox.account_id = wanted.account_id AND inbox.id = wanted.id
      """, \.inbox, readers, &batch
    ) { reader, row throws(PostgresError) in
      let stored = try StoredInboxAlert(row: row)
      reader.facts.inbox[stored.alert.id] = stored
    }
  }

  /// The pairs of an account and an id that a statement is for.
  private static let wanted = "unnest($1::uuid[], $2::uuid[]) AS wanted (account_id, id)"

  /// Adds a statement for the rows that `needs` names, if there are any.
  private func add<Subject>(
    _ statement: String, _ needs: (FactNeeds) -> Set<Identifier<Subject>>, _ readers: Readers,
    _ batch: inout PostgresBatch, _ take: @escaping (AccountFactsReader, PostgresRow) throws(PostgresError) -> Void
  ) {
    let pairs: [(account: AccountID, id: Identifier<Subject>)] = flatMap { reader in
      needs(reader.needs).map { (reader.account, $0) }
    }
    guard !pairs.isEmpty else { return }
    batch.add(statement, PostgresValue(pairs.map(\.account)), PostgresValue(pairs.map(\.id))) {
      rows throws(PostgresError) in try each(rows, readers, take)
    }
  }
}

/// Calls `take` for each row with the reader of its account.
private func each(
  _ rows: PostgresRows, _ readers: [AccountID: AccountFactsReader],
  _ take: (AccountFactsReader, PostgresRow) throws(PostgresError) -> Void
) throws(PostgresError) {
  for index in 0..<rows.count {
    if let reader = readers[try rows[index]["account_id"]] { try take(reader, rows[index]) }
  }
}

extension FactNeeds {
  /// Those whose facts do not come with all contacts.
  fileprivate var contactsToName: Set<ContactID> { contacts ? [] : namedContacts }
  fileprivate var failedChannelsAlone: Set<ContactID> { contacts ? [] : failedChannels }
}

extension RecordedResult {
  /// The columns of `mutations`.
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    let verdict: Verdict =
      if let appliedAt = try row["applied_at", as: Timestamp?.self] {
        .applied(at: appliedAt)
      } else {
        .rejected(code: try row["code"], message: try row["message"])
      }
    self.init(fingerprint: UInt64(bitPattern: try row["fingerprint"]), verdict: verdict)
  }
}
