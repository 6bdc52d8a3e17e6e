import ChildPrograms
import Foundation
import Testing

/// A device: the built command line with its own home.
package struct TestDevice: Sendable {
  package let folder: TemporaryFolder
  /// Does not exist before the first command.
  package var home: String { folder.path("home") }

  /// A folder that does not exist: whether the machine of the tests has a battery must not matter.
  package static let noPowerSupply = "/none"

  package init() throws {
    Self.hideBattery
    folder = try TemporaryFolder()
  }

  /// Once, for the clients of this process.
  private static let hideBattery: Void = { _ = setenv("LIFESIGNAL_POWER_SUPPLY", noPowerSupply, 1) }()

  /// Runs the command line to its end. Without `input`, standard input is empty.
  @discardableResult
  package func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome {
    try run(arguments, input: input, environment: environment)
  }

  package func run(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> Outcome {
    try run(program: Programs.lifesignal, arguments, input: input, environment: environment)
  }

  /// Runs a shell's command line, in which `$LIFESIGNAL` is the program.
  package func shell(_ line: String, program: String = "/bin/sh") throws -> Outcome {
    try run(program: program, ["-c", line], environment: ["LIFESIGNAL": Programs.lifesignal])
  }

  /// Runs any program in this device's environment.
  package func run(
    program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Outcome {
    let input = try StreamFile(folder, input), output = try StreamFile(folder), error = try StreamFile(folder)
    let running = try ChildProgram(
      program, arguments, environment: self.environment.merging(environment) { _, new in new },
      input: .file(input.handle), output: .file(output.handle), error: .file(error.handle))
    let end = try running.waitForEnd()
    return Outcome(status: end.shellStatus, output: try output.text(), error: try error.text())
  }

  package var environment: [String: String] {
    [
      "LIFESIGNAL_HOME": home, "PATH": "/usr/bin:/bin", "HOME": folder.path, "TZ": "Europe/Berlin", "LC_ALL": "C.UTF-8",
      // A process in the background would outlive the test, and send what the test wants to see unsent.
      "LIFESIGNAL_BACKGROUND": "off", "LIFESIGNAL_POWER_SUPPLY": Self.noPowerSupply,
    ]
  }

  /// Whether the home has no store, or an unused one.
  package var isUntouched: Bool { !FileManager.default.fileExists(atPath: home + "/store.sqlite") }
}

/// The exit status and the output of a command.
package struct Outcome: Sendable {
  package let status: Int32
  package let output: String
  package let error: String

  /// The lines with more than 80 characters, with `path` counted as one character.
  package func longLines(hiding path: String) -> [String] {
    (output + "\n" + error).replacingOccurrences(of: path, with: "~").split(separator: "\n").filter { $0.count > 80 }
      .map { String($0) }
  }

  /// The one JSON object on standard output.
  package func json() throws -> JSONObject { try JSONObject(output) }

  /// The JSON objects on standard output, one per line.
  package func jsonLines() throws -> [JSONObject] {
    try output.split(separator: "\n").map { try JSONObject(String($0)) }
  }

  /// The `error` member of the JSON object on standard error.
  package func jsonError() throws -> JSONObject { try JSONObject(error).object("error") }
}

/// A file for a program's input or output: unlike a pipe it never fills up.
private struct StreamFile {
  let handle: FileHandle
  private let path: String

  init(_ folder: TemporaryFolder, _ text: String = "") throws {
    path = folder.path("stream-" + UUID().uuidString)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
  }

  func text() throws -> String {
    try handle.close()
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }
}

/// A JSON object with typed access to its members.
package struct JSONObject {
  package let members: [String: Any]

  package struct Unexpected: Error, CustomStringConvertible {
    package let description: String
  }

  package init(_ text: String) throws {
    guard let members = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw Unexpected(description: "not an object: \(text)")
    }
    self.members = members
  }

  package init(members: [String: Any]) { self.members = members }

  package var keys: Set<String> { Set(members.keys) }
  package func isNull(_ name: String) -> Bool { members[name] is NSNull }

  package func string(_ name: String) throws -> String { try value(name) }
  package func integer(_ name: String) throws -> Int { try value(name) }
  package func boolean(_ name: String) throws -> Bool { try value(name) }
  package func strings(_ name: String) throws -> [String] { try value(name) }
  package func object(_ name: String) throws -> JSONObject { JSONObject(members: try value(name)) }
  package func objects(_ name: String) throws -> [JSONObject] {
    let values: [[String: Any]] = try value(name)
    return values.map(JSONObject.init(members:))
  }

  private func value<Value>(_ name: String) throws -> Value {
    guard let value = members[name] as? Value else {
      throw Unexpected(description: "\(name) is \(members[name] ?? "missing"), not \(Value.self)")
    }
    return value
  }
}
