import Model
import Secrets
import ServerCore
import ServerStoreSQLite

/// The server's embedded store under test, through the calls of the server's shell.
package final class ServerSubject: DiskSubject {
  package static let name = "server"
  package static let databaseName = "server.sqlite"
  package static let ignoredKey: String? = nil
  package static var steps: [String] { ServerScript.steps.map(\.name) }

  private var store: SQLiteServerStore?
  private let memory: StepMemory

  package init(_ memory: StepMemory) { self.memory = memory }

  package func open(_ folder: String, vfs: String?, checkpointPages: Int) throws {
    store = try SQLiteServerStore.open(
      path: "\(folder)/\(Self.databaseName)", vfs: vfs, checkpointPages: checkpointPages)
  }

  package func perform(_ step: Int) throws -> StepEnd {
    guard let store else { throw StorageError(.cannotOpen, "no store") }
    try ServerScript.steps[step].body(ServerStepContext(step: step, store: store, memory: memory))
    return .committed
  }

  package func close() {
    store?.close()
    store = nil
  }

  package static func plainFiles(in folder: String) -> [String] { [] }
}

/// One call of the server, with the same clock and randomness whenever the step runs.
struct ServerStepContext {
  let step: Int
  let store: SQLiteServerStore
  let memory: StepMemory

  static let start = Timestamp(milliseconds: 1_795_262_400_000)

  /// Two minutes between steps: a code may be requested again, and a failed delivery is due again.
  var now: Timestamp { Self.start.advanced(byMilliseconds: Int64(step) * 120_000) }

  var moment: ServerMoment {
    let seed = (0..<Entropy.seedByteCount).map { UInt8(truncatingIfNeeded: step &* 7 &+ $0) }
    return ServerMoment(now: now, entropy: Entropy(seed: seed))
  }

  var core: ServerCore {
    get throws {
      guard let secret = SecretKey(bytes: [UInt8](repeating: 9, count: SecretKey.byteCount)) else {
        throw StorageError(.internalError, "no key")
      }
      return ServerCore(
        configuration: ServerConfiguration(publicURL: "https://server.example"), keys: ServerKeys(secret: secret))
    }
  }

  /// Throws if the server does not answer with `expected`.
  @discardableResult
  func send(
    _ method: String, _ path: String, _ body: [UInt8] = [], token: String? = nil, expected: Int
  ) throws -> ServerOutcome {
    let request = ServerRequest(
      method: method, path: path, authorization: token.map { "Bearer \($0)" }, contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
    let outcome = try core.respond(to: request, at: moment, in: store)
    guard outcome.response.status == expected else {
      throw NotAnswered(
        step: step, status: outcome.response.status, text: String(decoding: outcome.body, as: UTF8.self))
    }
    return outcome
  }

  struct NotAnswered: Error {
    var step = -1
    let status: Int
    var text = ""
  }

  func note(_ value: String, as key: String) { memory.note(value, as: key, by: step) }
  func recall(_ key: String) -> String { memory.recall(key, before: step) }

  func identifier<Subject>(_ number: UInt64) -> Identifier<Subject> {
    Identifier(versionSevenAt: Self.start, random: (number, number))
  }
}

extension ServerOutcome {
  var body: [UInt8] {
    if case .full(let response) = response { response.body } else { [] }
  }
}
