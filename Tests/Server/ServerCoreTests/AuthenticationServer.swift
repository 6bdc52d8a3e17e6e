import Foundation
import Model
import Secrets
import SystemKit
import Testing
import Wire

@testable import ServerCore

/// A server core over a store in a real file, with a device's calls. The test sets the clock, and the random seeds are
/// fixed.
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

  /// Makes a call, with a seed that no other call of this server has.
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

  func verify(
    _ phone: String, region: String? = nil, from address: String = "192.0.2.1", proof: WorkProof? = nil
  ) -> Answer {
    let request = VerificationRequest(phone: phone, region: region, proof: proof)
    return send("POST", Route.verifications, request.json(), from: address)
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

  /// Requests a code, and returns it with its verification id.
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

  /// Signs in again, after the minute in which no other code is sent.
  func signInAgain(_ phone: String) throws -> SessionResponse {
    advance(seconds: 60)
    return try signIn(phone)
  }

  /// The caller that the server recognizes by `token`.
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

  /// The problem with which the server refuses `token`; nil if it accepts it. Throws any other error.
  func problem(_ token: String) throws -> Problem.Kind? { try problem(header: "Bearer \(token)") }

  func problem(header: String?) throws -> Problem.Kind? {
    do {
      _ = try caller(header: header)
      return nil
    } catch let problem as Problem {
      return problem.kind
    }
  }

  func facts(_ needs: RequestNeeds) throws -> RequestFacts {
    var facts = RequestFacts()
    try store.read { try $0.addFacts(needs, to: &facts) }
    return facts
  }

  func removeExpired(limit: Int) throws -> Bool {
    let entropy = Entropy(seed: [UInt8](repeating: 0, count: 32))
    return try core.removeExpired(limit: limit, at: ServerMoment(now: now, entropy: entropy), in: store).hasMore
  }

  /// An answer that the test did not expect.
  struct Unexpected: Error {
    let answer: Answer
  }
}

/// An answer as it is sent, and the codes that were sent with it.
struct Answer: Sendable {
  let status: Int
  let headers: [HeaderField]
  let body: [UInt8]
  let codes: [CodeMessage]
  let observations: [Observation]

  init(_ outcome: ServerOutcome) {
    status = outcome.response.status
    codes = outcome.codes
    observations = outcome.observations
    if case .full(let response) = outcome.response {
      headers = response.headers
      body = response.body
    } else {
      headers = []
      body = []
    }
  }

  /// The work that is asked for, if any.
  var work: WorkChallenge? { (try? Problem(jsonBytes: body))?.work }
  /// The problem; nil if the answer is not one.
  var problem: Problem.Kind? { try? Problem(jsonBytes: body).kind }
  var retryAfterSeconds: Int? { headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) } }
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Reads the body as tokens. Throws if it is something else.
  func tokens() throws -> TokenResponse { try TokenResponse(jsonBytes: body) }
}

extension SecretKey {
  /// Makes a key that repeats one byte.
  static func fromTest(_ byte: UInt8) throws -> Self {
    guard let key = Self(bytes: [UInt8](repeating: byte, count: byteCount)) else {
      throw StorageError(.internalError, "a key of another length")
    }
    return key
  }
}

/// Runs `body` for each index on its own thread, all at the same time, and returns the results in order. Throws if a
/// thread has not ended after a minute.
func atOnce<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) throws -> [Result] {
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
  try #require(done.wait(timeout: .now() + .seconds(60)) == .success, "a thread has not ended after 60 s")
  let values = results.values.withLock { $0 }
  return try (0..<count).map { try #require(values[$0]) }
}

private final class Results<Value: Sendable>: Sendable {
  let values = Lock<[Int: Value]>([:])
}
