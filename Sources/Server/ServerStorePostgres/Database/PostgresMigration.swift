import Schema

/// One step from a schema to the next.
///
/// A step adds what the new program needs and leaves what the one before uses (*expand*); what nobody uses any more goes in a step of a
/// later version (*contract*), which says so in its first line, `-- oldest program: N`: programs that know fewer than N steps may not use
/// the tables from then on.
struct PostgresMigration {
  let name: String
  let sql: String
  let checksum: String
  /// How many steps a program has to know to use the tables after this one; nil: as many as before it.
  let oldestProgram: Int?

  /// - Parameter change: what is done to the text before it is applied; its checksum stays.
  init(_ name: String, _ text: String, _ change: (String) -> String = { $0 }) {
    self.name = name
    sql = change(text)
    checksum = Self.checksum(of: text)
    oldestProgram = Self.oldestProgram(in: text)
  }

  /// Those that are compiled into the program, in order.
  static func embedded(_ change: (String) -> String = { $0 }) -> [PostgresMigration] {
    var steps: [PostgresMigration] = []
    // Behind the last comes one without a name.
    while case let file = lifesignal_schema_server_postgres_migration(Int32(steps.count)), let name = file.name {
      let bytes = UnsafeRawBufferPointer(start: file.bytes, count: Int(file.length))
      steps.append(PostgresMigration(String(cString: name), String(decoding: bytes, as: UTF8.self), change))
    }
    return steps
  }

  /// The tables that it makes.
  var tables: [String] {
    sql.split(whereSeparator: \.isNewline).compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 2 && words[0] == "CREATE" && words[1] == "TABLE" ? String(words[2]) : nil
    }
  }

  private static func oldestProgram(in text: String) -> Int? {
    let mark = "-- oldest program: "
    guard text.hasPrefix(mark) else { return nil }
    return Int(text.dropFirst(mark.count).prefix { $0.isNumber })
  }

  /// FNV-1a (64 bits), as 16 hexadecimal digits. Detects accidental changes only.
  private static func checksum(of text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
