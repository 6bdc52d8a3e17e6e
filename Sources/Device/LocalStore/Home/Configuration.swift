/// The file `config`, with a line `key = value` for each of `endpoint`, `second_endpoint`, `ca_file`, `region` and `gpsd`.
///
/// A line that starts with `#` is a comment. A missing file is an empty configuration. Saving keeps comments and
/// unknown keys.
package struct Configuration: Hashable, Sendable {
  /// The server's URL without a trailing slash.
  package var endpoint: String?
  /// A second URL of the same service, tried in an emergency after the first has failed twice.
  package var secondEndpoint: String?
  package var certificateAuthorityFile: String?
  /// ISO 3166-1 alpha-2.
  package var region: String?
  /// `HOST:PORT`, or `off`.
  package var gpsd: String?
  /// Comments and unknown lines, unchanged.
  private var otherLines: [String] = []

  package init() {}

  private enum Key: String, CaseIterable {
    case endpoint
    case secondEndpoint = "second_endpoint"
    case certificateAuthorityFile = "ca_file"
    case region
    case gpsd
  }

  private static let maximumFileBytes = 65_536

  package static func load(_ home: HomeDirectory) throws(LocalStoreError) -> Configuration {
    var configuration = Configuration()
    let bytes = try PlainFile.read(home.configurationPath, maximumBytes: maximumFileBytes) ?? []
    // Splits at every newline character that `save` refuses in a value. An editor may write CR LF.
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) { configuration.read(line) }
    return configuration
  }

  private mutating func read(_ line: Substring) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
    guard parts.count == 2, let key = Key(rawValue: parts[0]) else { return otherLines.append(String(line)) }
    self[key] = parts[1].isEmpty ? nil : parts[1]
  }

  /// Replaces the file atomically, and makes the folder if it is missing. Throws `internalError` if a value has several
  /// lines.
  package func save(_ home: HomeDirectory) throws(LocalStoreError) {
    var lines = otherLines
    for key in Key.allCases {
      guard let value = self[key] else { continue }
      guard !value.contains(where: \.isNewline) else {
        throw LocalStoreError(.internalError, "the value of \(key.rawValue) must be one line")
      }
      lines.append("\(key.rawValue) = \(value)")
    }
    try FileSystem.makeFolder(home.path, on: home.disk)
    try PlainFile.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: home.configurationPath, on: home.disk)
  }

  private subscript(_ key: Key) -> String? {
    get {
      switch key {
      case .endpoint: endpoint
      case .secondEndpoint: secondEndpoint
      case .certificateAuthorityFile: certificateAuthorityFile
      case .region: region
      case .gpsd: gpsd
      }
    }
    set {
      switch key {
      case .endpoint: endpoint = newValue
      case .secondEndpoint: secondEndpoint = newValue
      case .certificateAuthorityFile: certificateAuthorityFile = newValue
      case .region: region = newValue
      case .gpsd: gpsd = newValue
      }
    }
  }
}

extension Substring {
  /// The text without white space at either end. It compares scalars, because a space and a combining mark after it are
  /// a single character.
  fileprivate var trimmed: String {
    var scalars = unicodeScalars
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }
}
