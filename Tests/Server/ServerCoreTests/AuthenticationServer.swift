import Foundation
import Model
import Secrets
import SystemKit
import Wire

@testable import ServerCore

/// A server core over a store in a real file, with a clock and randomness of the test's own, and the calls of a device.
final class AuthenticationServer: Sendable {
  static let start = Timestamp(milliseconds: 1_795_000_000_000)

  let core: ServerCore
  let files: TestStore
  private let clock = Lock(start)
  private let calls = Lock<UInt64>(0)

  init(_ limits: AuthenticationLimits = AuthenticationLimits(), store: TestStore? = nil) throws {
    files = try store ?? TestStore()
    let secret = try SecretKey.fromTest(7)
    core = ServerCore(
      configuration: ServerConfiguration(publicURL: "http://localhost", authentication: limits),
      keys: ServerKeys(secret: secret))
  }

  var store: any ServerStore { files.store }
  var now: Timestamp { clock.withLock { $0 } }

  func advance(milliseconds: Int64) {
    clock.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) }
  }

  func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }
  func advance(days: Int64) { advance(seconds: days * 86_400) }

  /// One call, with a seed that no other call of this server has.
  func send(
    _ method: String, _ path: String, _ body: [UInt8] = [], token: String? = nil, from address: String = "192.0.2.1"
  ) -> Answer {
    let number = calls.withLock {
      $0 += 1
      return $0
    }
    let seed = withUnsafeBytes(of: number.littleEndian) { Array($0) } + [UInt8](repeating: 1, count: 24)
    let request = ServerRequest(
      method: method, path: path, authorization: token.map { "Bearer \($0)" }, contentType: "application/json",
      body: body, remoteAddress: address)
    return Answer(core.respond(to: request, at: ServerMoment(now: now, entropy: Entropy(seed: seed)), in: store))
  }

  func verify(_ phone: String, region: String? = nil, from address: String = "192.0.2.1") -> Answer {
    send("POST", Route.verifications, VerificationRequest(phone: phone, region: region).json(), from: address)
  }

  func guess(_ code: String, for verification: String, device: String = "phone") -> Answer {
    let request = SessionRequest(verificationID: verification, code: code, deviceName: device)
    return send("POST", Route.sessions, request.json())
  }

  func refresh(_ token: String) -> Answer {
    send("POST", Route.tokens, TokenRequest(refreshToken: token).json())
  }

  func signOut(_ token: String) -> Answer {
    send("DELETE", Route.currentSession, token: token)
  }

  /// A code that was asked for, with its request's id.
  func code(for phone: String, from address: String = "192.0.2.1") throws -> (verification: String, code: String) {
    let answer = verify(phone, from: address)
    let body = try VerificationResponse(jsonBytes: answer.body)
    guard answer.codes.count == 1 else { throw Unexpected(answer: answer) }
    return (body.verificationID, answer.codes[0].code)
  }

  func signIn(_ phone: String) throws -> SessionResponse {
    let (verification, code) = try code(for: phone)
    let answer = guess(code, for: verification)
    guard answer.status == 201 else { throw Unexpected(answer: answer) }
    return try SessionResponse(jsonBytes: answer.body)
  }

  /// The same, past the next resend, for tests that sign in more than once.
  func signInAgain(_ phone: String) throws -> SessionResponse {
    advance(seconds: 60)
    return try signIn(phone)
  }

  /// Who the server takes the bearer of `token` for.
  func caller(_ token: String) throws -> Caller { try caller(header: "Bearer \(token)") }

  func caller(header: String?) throws -> Caller {
    let asked = Asked()
    let route = RouteEntry("GET", "/who", .sessionOrAlertKey, .write) { _ in
      Rule { caller, _ in
        asked.caller.withLock { $0 = caller }
        return .noContent
      }
    }
    let request = ServerRequest(method: "GET", path: "/who", authorization: header, remoteAddress: "192.0.2.1")
    let moment = ServerMoment(now: now, entropy: Entropy(seed: [UInt8](repeating: 0, count: 32)))
    guard case .task(var task) = core.begin(request, at: moment, in: RouteTable([route])) else { throw NoTask() }
    _ = try store.write { try task.run(in: $0) }
    guard let caller = asked.caller.withLock({ $0 }) else { throw NoTask() }
    return caller
  }

  private struct NoTask: Error {}

  private final class Asked: Sendable {
    let caller = Lock<Caller?>(nil)
  }

  /// Why the server refuses the bearer of `token`; nil where it does not.
  func problem(_ token: String) -> Problem.Kind? { problem(header: "Bearer \(token)") }

  func problem(header: String?) -> Problem.Kind? {
    do {
      _ = try caller(header: header)
      return nil
    } catch {
      return (error as? Problem)?.kind
    }
  }

  func facts(_ needs: RequestNeeds) throws -> RequestFacts {
    var facts = RequestFacts()
    try store.read { try $0.addFacts(needs, to: &facts) }
    return facts
  }

  func removeExpired(limit: Int) throws -> Bool {
    let entropy = Entropy(seed: [UInt8](repeating: 0, count: 32))
    return try core.removeExpired(limit: limit, at: ServerMoment(now: now, entropy: entropy), in: store)
  }

  /// What an answer was, when it should have been another.
  struct Unexpected: Error {
    let answer: Answer
  }
}

/// An answer as the wire carries it, and the codes that went out with it.
struct Answer: Sendable {
  let status: Int
  let headers: [HeaderField]
  let body: [UInt8]
  let codes: [CodeMessage]

  init(_ outcome: ServerOutcome) {
    status = outcome.response.status
    codes = outcome.codes
    if case .full(let response) = outcome.response {
      headers = response.headers
      body = response.body
    } else {
      headers = []
      body = []
    }
  }

  /// Nil where it is no problem.
  var problem: Problem.Kind? { try? Problem(jsonBytes: body).kind }
  var retryAfterSeconds: Int? { headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) } }
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Throws where the body is another.
  func tokens() throws -> TokenResponse { try TokenResponse(jsonBytes: body) }
}

extension SecretKey {
  /// A key made of one byte.
  static func fromTest(_ byte: UInt8) throws -> Self {
    guard let key = Self(bytes: [UInt8](repeating: byte, count: byteCount)) else {
      throw StorageError(.internalError, "a key of another length")
    }
    return key
  }
}

/// Runs `body` for each index on a thread of its own, all let go at once, and gives the results in order.
func atOnce<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) -> [Result] {
  let results = Results<Result>()
  let gate = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  for index in 0..<count {
    done.enter()
    Thread.detachNewThread {
      gate.wait()
      let result = body(index)
      results.values.withLock { $0[index] = result }
      done.leave()
    }
  }
  for _ in 0..<count { gate.signal() }
  done.wait()
  return results.values.withLock { values in (0..<count).compactMap { values[$0] } }
}

private final class Results<Value: Sendable>: Sendable {
  let values = Lock<[Int: Value]>([:])
}
