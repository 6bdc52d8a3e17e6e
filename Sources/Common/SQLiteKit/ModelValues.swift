package import Model

// How every store of ours keeps the model's ids and times: an id as its text, a time as milliseconds since 1970-01-01 UTC.

extension Identifier: ColumnValue {
  /// An id exactly as a store writes it. Another spelling of it, as one changed bit makes, is found in no other row.
  package init?(stored text: String) {
    self.init(text)
    guard description == text else { return nil }
  }

  package init?(_ column: borrowing Column) { self.init(stored: column.text) }
}

extension Timestamp: ColumnValue {
  package init?(_ column: borrowing Column) { self.init(milliseconds: column.integer) }
}

extension SQLiteValue {
  package init<Subject>(_ identifier: Identifier<Subject>) { self = .text(identifier.description) }
  package init<Subject>(_ identifier: Identifier<Subject>?) { self.init(identifier?.description) }
  package init(_ time: Timestamp) { self = .integer(time.milliseconds) }
  package init(_ time: Timestamp?) { self.init(time?.milliseconds) }
  /// A word of a closed list.
  package init<Choice: RawRepresentable<String>>(choice: Choice) { self = .text(choice.rawValue) }
}
