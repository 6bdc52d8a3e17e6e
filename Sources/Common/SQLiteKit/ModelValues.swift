public import Model

// How every store of ours keeps the model's ids and times: an id as its text, a time as milliseconds since 1970-01-01 UTC.

extension Identifier: ColumnValue {
  /// An id exactly as a store writes it. Another spelling of it, as one changed bit makes, is found in no other row.
  package init?(stored text: String) {
    self.init(text)
    guard description == text else { return nil }
  }

  @inlinable package init?(_ column: borrowing Column) {
    guard let words = column.id else { return nil }
    self.init(words: words)
  }
}

extension Timestamp: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self.init(milliseconds: column.integer) }
}

extension SQLiteValue {
  @inlinable package init<Subject>(_ identifier: Identifier<Subject>) {
    self = .id(identifier.words.0, identifier.words.1)
  }
  @inlinable package init<Subject>(_ identifier: Identifier<Subject>?) {
    self = identifier.map { .id($0.words.0, $0.words.1) } ?? .null
  }
  package init(_ time: Timestamp) { self = .integer(time.milliseconds) }
  package init(_ time: Timestamp?) { self.init(time?.milliseconds) }
  /// A word of a closed list.
  package init<Choice: RawRepresentable<String>>(choice: Choice) { self = .text(choice.rawValue) }
}
