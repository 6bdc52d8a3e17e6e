/// A parameter of a statement, sent in PostgreSQL's binary format.
///
/// The server infers the type of each parameter from the statement; the column or the cast there must be of the type that is named here.
package enum PostgresValue: Sendable, Hashable {
  case null
  /// `boolean`
  case bool(Bool)
  /// `bigint`
  case integer(Int64)
  /// `double precision`
  case real(Double)
  /// `text`
  case text(String)
  /// `bytea`
  case bytes([UInt8])
  /// `uuid`: the high and the low half.
  case uuid(UInt64, UInt64)
  /// An array of values of one type.
  case array(ArrayElement, [PostgresValue])

  /// The type of an array's elements. The raw value is its number in `pg_type`.
  package enum ArrayElement: Int32, Sendable {
    case bool = 16
    case bytes = 17
    case integer = 20
    case text = 25
    case uuid = 2950
  }

  /// Nil for null.
  var encoded: [UInt8]? {
    switch self {
    case .null: nil
    case .bool(let value): [value ? 1 : 0]
    case .integer(let value): bigEndian(value)
    case .real(let value): bigEndian(value.bitPattern)
    case .text(let value): Array(value.utf8)
    case .bytes(let value): value
    case .uuid(let high, let low): bigEndian(high) + bigEndian(low)
    case .array(let type, let values): Self.array(of: type, values.map(\.encoded))
    }
  }

  /// As `array_send` writes it: dimensions, whether there are nulls, the element's type, the length and the lower bound, and each element
  /// with its length.
  private static func array(of type: ArrayElement, _ elements: [[UInt8]?]) -> [UInt8] {
    let hasNulls = elements.contains { $0 == nil }
    var bytes =
      bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(hasNulls ? 1 : 0)) + bigEndian(type.rawValue)
    guard !elements.isEmpty else { return bytes }
    bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1))
    for element in elements {
      bytes += bigEndian(Int32(element?.count ?? -1))
      bytes += element ?? []
    }
    return bytes
  }
}

private func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension PostgresValue {
  /// A column of `rows`, as an array.
  package init<Row>(_ type: ArrayElement, of rows: [Row], _ value: (Row) -> PostgresValue) {
    self = .array(type, rows.map(value))
  }

  package init(_ value: Bool) { self = .bool(value) }
  package init(_ value: Int) { self = .integer(Int64(value)) }
  package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  package init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
  package init(_ value: String?) { self = value.map { .text($0) } ?? .null }
}
