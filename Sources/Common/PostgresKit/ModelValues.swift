public import Model

// How the server's store on PostgreSQL keeps the model's ids and times: an id as `uuid`, a time as milliseconds since 1970-01-01 UTC.

extension PostgresValue {
  package init<Subject>(_ identifier: Identifier<Subject>) { self = .uuid(identifier.words.0, identifier.words.1) }
  package init<Subject>(_ identifier: Identifier<Subject>?) { self = identifier.map { Self($0) } ?? .null }
  package init<Subject>(_ identifiers: some Collection<Identifier<Subject>>) {
    self = .array(.uuid, identifiers.map { Self($0) })
  }
  package init(_ time: Timestamp) { self = .integer(time.milliseconds) }
  package init(_ time: Timestamp?) { self.init(time?.milliseconds) }
}

extension Identifier: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let bytes = column.bytes, bytes.count == 16 else { return nil }
    let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    self.init(words: (high, UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
  }
}

extension Timestamp: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let milliseconds = Int64(column) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}
