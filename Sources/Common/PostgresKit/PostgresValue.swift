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
  /// `uuid[]`
  case uuids([(UInt64, UInt64)])

  package static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }

  package func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

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
    case .uuids(let values): Self.array(of: values)
    }
  }

  /// As `array_send` writes it: dimensions, flags, the element's type, the length and the lower bound, and each element with its length.
  private static func array(of uuids: [(UInt64, UInt64)]) -> [UInt8] {
    let uuidType: Int32 = 2950
    var bytes = bigEndian(Int32(uuids.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(uuidType)
    guard !uuids.isEmpty else { return bytes }
    bytes += bigEndian(Int32(uuids.count)) + bigEndian(Int32(1))
    for (high, low) in uuids { bytes += bigEndian(Int32(16)) + bigEndian(high) + bigEndian(low) }
    return bytes
  }
}

private func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension PostgresValue {
  package init(_ value: Bool) { self = .bool(value) }
  package init(_ value: Int) { self = .integer(Int64(value)) }
  package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  package init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
  package init(_ value: String?) { self = value.map { .text($0) } ?? .null }
}
