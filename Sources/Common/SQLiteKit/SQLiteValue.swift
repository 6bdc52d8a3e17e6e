/// A value for a parameter of a statement.
///
/// ```swift
/// try statement.run(.text(id.description), .integer(1), SQLiteValue(message))
/// ```
@usableFromInline
package enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// The canonical text of these 128 bits, without a string in between.
  case id(UInt64, UInt64)

  package init(_ value: String?) { self = value.map(Self.text) ?? .null }
  package init(_ value: Int64?) { self = value.map(Self.integer) ?? .null }
  package init(_ value: Double?) { self = value.map(Self.real) ?? .null }
  package init(_ value: [UInt8]?) { self = value.map(Self.blob) ?? .null }
  package init(_ value: Bool) { self = .integer(value ? 1 : 0) }
}
