/// The prepared statements of a connection, by the address of their text, which is a literal.
///
/// A table of our own: Swift's dictionary costs a command its first use of `Hashable`, for which the runtime reads every conformance in
/// the program.
struct StatementCache {
  /// Open addressing with linear probing: at most half of it is used.
  private var places: [(key: UInt, statement: Statement)?] = Array(repeating: nil, count: 32)
  private(set) var count = 0

  subscript(text: StaticString) -> Statement? { places[place(of: UInt(bitPattern: text.utf8Start))]?.statement }

  /// Adds the statement of a text that has none.
  mutating func add(_ statement: Statement, for text: StaticString) {
    if 2 * count >= places.count { grow() }
    insert(statement, UInt(bitPattern: text.utf8Start))
    count += 1
  }

  mutating func removeAll() { self = StatementCache() }

  /// All statements, in no order.
  var statements: [Statement] { places.compactMap { $0?.statement } }

  private mutating func insert(_ statement: Statement, _ key: UInt) {
    places[place(of: key)] = (key, statement)
  }

  /// The place that has the key, or the empty one where it belongs.
  private func place(of key: UInt) -> Int {
    let mask = places.count - 1
    // Fibonacci hashing: texts stand one behind the other.
    var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while let found = places[place], found.key != key { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: nil, count: 2 * old.count)
    for case let (key, statement)? in old { insert(statement, key) }
  }
}
