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

  /// Adds the value to `bytes`, and says how long it is; nil for null, of which nothing is added.
  func encode(to bytes: inout [UInt8]) -> Int? {
    let start = bytes.count
    switch self {
    case .null: return nil
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .integer(let value): bytes.append(bigEndian: value)
    case .real(let value): bytes.append(bigEndian: value.bitPattern)
    case .text(let value): bytes.append(contentsOf: value.utf8)
    case .bytes(let value): bytes += value
    case .uuid(let high, let low):
      bytes.append(bigEndian: high)
      bytes.append(bigEndian: low)
    case .array(let type, let values): Self.encode(values, of: type, to: &bytes)
    }
    return bytes.count - start
  }

  /// As `array_send` writes it: dimensions, whether there are nulls, the element's type, the length and the lower bound, and each element
  /// with its length.
  private static func encode(_ elements: [Self], of type: ArrayElement, to bytes: inout [UInt8]) {
    bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    bytes.append(bigEndian: Int32(elements.contains { $0.isNull } ? 1 : 0))
    bytes.append(bigEndian: type.rawValue)
    guard !elements.isEmpty else { return }
    bytes.append(bigEndian: Int32(elements.count))
    bytes.append(bigEndian: Int32(1))
    for element in elements {
      bytes.append(bigEndian: Int32(element.elementLength))
      _ = element.encode(to: &bytes)
    }
  }

  private var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// In bytes, as an element of an array; -1 for null.
  private var elementLength: Int {
    switch self {
    case .null: -1
    case .bool: 1
    case .integer, .real: 8
    case .text(let value): value.utf8.count
    case .bytes(let value): value.count
    case .uuid: 16
    case .array: preconditionFailure("no statement has an array of arrays")
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
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
