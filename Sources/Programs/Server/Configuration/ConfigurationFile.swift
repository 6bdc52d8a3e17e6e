import Arguments
import Glibc
import SystemKit

/// The operator's file: a line `name = value` for each setting, with the names of the command line's options. Lines that begin with `#`
/// and empty ones say nothing. A flag is `yes` or `no`. A value may stand in double quotes.
///
/// `$CREDENTIALS_DIRECTORY` in a value is the folder in which systemd puts a unit's credentials.
struct ConfigurationFile {
  private struct Line {
    var name: String
    var value: String
  }

  private static let maximumBytes = 1 << 20
  /// What only a command line may say.
  private static let excluded: Set = ["config", "check-config", "create", "migrate"]
  static let settings = Usage.specification.options.filter { !excluded.contains($0.name) }

  private let lines: [Line]

  /// Throws `data` where the file cannot be read. A line that is wrong is left out, and noted with the file and its number.
  /// - Parameter names: the settings that are asked for; nil: all. What others need, such as credentials, may be missing.
  init(path: String, only names: Set<String>? = nil, _ faults: inout SettingFaults) throws(ServerFailure) {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes)
    } catch {
      throw ServerFailure(.data, "\(path): cannot read the file: \(error.reason)")
    }
    guard let bytes else { throw ServerFailure(.data, "\(path): there is no such file") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServerFailure(.data, "\(path): this is not text in UTF-8")
    }
    self.init(text, from: path, only: names, &faults)
  }

  /// - Parameter path: named in faults.
  init(_ text: String, from path: String, only names: Set<String>? = nil, _ faults: inout SettingFaults) {
    var lines: [Line] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let place = "\(path), line \(index + 1)"
      guard let read = faults.noting(try Self.read(line.trimmed, at: place, only: names)) ?? nil else { continue }
      guard !lines.contains(where: { $0.name == read.name }) else {
        faults.add("\(place): “\(read.name)” is set a second time")
        continue
      }
      lines.append(read)
    }
    self.lines = lines
  }

  /// Nil if it is not set.
  func value(_ name: String) -> String? { lines.first { $0.name == name }?.value }

  /// Nil for a line that says nothing, or nothing that is asked for.
  private static func read(
    _ line: Substring, at place: String, only names: Set<String>?
  ) throws(ServerFailure) -> Line? {
    guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
    guard let sign = line.firstIndex(of: "=") else {
      throw ServerFailure(.data, "\(place): a setting is written as “name = value”")
    }
    let name = String(line[..<sign].trimmed)
    guard let setting = settings.first(where: { $0.name == name }) else {
      let hint = closest(to: name, among: settings.map(\.name)).map { ". Did you mean “\($0)”?" } ?? ""
      throw ServerFailure(.data, "\(place): there is no setting “\(name)”\(hint)")
    }
    guard names?.contains(name) ?? true else { return nil }
    let written = line[line.index(after: sign)...].trimmed
    let value = try expanded(unquoted(written), at: place)
    guard written.hasPrefix("\"") || !written.hasComment else {
      throw ServerFailure(.data, "\(place): a comment has a line of its own; a value with “ #” stands in double quotes")
    }
    guard !value.isEmpty else { throw ServerFailure(.data, "\(place): “\(name)” has no value") }
    guard setting.value != nil || ["yes", "no"].contains(value) else {
      throw ServerFailure(.data, "\(place): “\(name)” is yes or no")
    }
    return Line(name: name, value: value)
  }

  private static func unquoted(_ value: Substring) -> String {
    value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
      ? String(value.dropFirst().dropLast()) : String(value)
  }

  private static func expanded(_ value: String, at place: String) throws(ServerFailure) -> String {
    do throws(CredentialFolder.Missing) {
      return try CredentialFolder.expand(value)
    } catch {
      throw ServerFailure(.data, "\(place): \(CredentialFolder.Missing.message)")
    }
  }
}

/// Where systemd puts what `LoadCredential=` names, for this unit alone to read.
enum CredentialFolder {
  struct Missing: Error {
    static let message =
      "CREDENTIALS_DIRECTORY is not set: systemd sets it for a unit with LoadCredential= or SetCredential="
  }

  private static let mark = "$CREDENTIALS_DIRECTORY"

  /// The text with the folder in the place of `$CREDENTIALS_DIRECTORY`.
  static func expand(_ text: String) throws(Missing) -> String {
    var rest = text[...]
    var result = ""
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix(mark) {
        guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }), !folder.isEmpty else {
          throw Missing()
        }
        result += folder
        rest = rest.dropFirst(mark.count)
      } else {
        result += "$"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }
}

extension Substring {
  /// Whether a part begins with `#`.
  fileprivate var hasComment: Bool { split(whereSeparator: \.isWhitespace).dropFirst().contains { $0.hasPrefix("#") } }

  fileprivate var trimmed: Substring {
    var text = self
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
