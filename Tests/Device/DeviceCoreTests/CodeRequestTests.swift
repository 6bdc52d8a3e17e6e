import ChildPrograms
import CurlKit
import LocalStore
import Model
import ProgramTesting
import SystemKit
import Testing
import Wire

@testable import DeviceCore

/// A device that asks for a code while its server asks for work.
@Suite(.blocking) struct `A request for a code` {
  private static let time = Timestamp(milliseconds: 1_800_000_000_000)
  private let device: TestDevice

  init() throws { device = try TestDevice() }

  /// Sends a request for a code to a server that answers as `answer` says. Returns what came of it, and what was asked.
  private func ask(
    _ answer: @escaping @Sendable (VerificationRequest) -> Problem?
  ) throws -> (result: Result<PendingVerification, AccountError>, requests: [VerificationRequest]) {
    let requests = Lock<[VerificationRequest]>([])
    let store = try device.openStore()
    defer { store.close() }
    var configuration = Configuration()
    configuration.endpoint = "https://alerts.example.org"
    let session = AccountSession(store: store, configuration: configuration) { (request) throws(CurlError) in
      guard let body = try? VerificationRequest(jsonBytes: request.body) else {
        throw CurlError(.internalError, "body")
      }
      requests.withLock { $0.append(body) }
      return Self.response(answer(body))
    }
    let result = Result { () throws(AccountError) in
      try session.requestCode(phone: "+12025550123", region: nil, at: DeviceClock.now())
    }
    return (result, requests.withLock { $0 })
  }

  private static func response(_ problem: Problem?) -> CurlResponse {
    let sent = VerificationResponse(verificationID: "v", expiresAt: time, resendAt: time)
    return CurlResponse(
      head: CurlResponseHead(
        status: problem?.status ?? 201,
        headers: ["content-type": problem == nil ? "application/json" : Problem.mediaType]),
      body: problem?.json() ?? sent.json())
  }

  private static func refusal(_ zeroBits: Int?) -> Problem {
    var problem = Problem(.rateLimited, "Too many codes were asked for. Ask for another in 12 seconds.")
    problem.work = zeroBits.map { WorkChallenge(text: "challenge-\($0)", zeroBits: $0, nonceCount: 8) }
    return problem
  }

  @Test func `does the work and asks again with the proof`() throws {
    let (result, requests) = try ask { $0.proof == nil ? Self.refusal(4) : nil }
    #expect(try result.get().verificationID == "v")
    #expect(requests.map { $0.proof?.challenge } == [nil, "challenge-4"])
    #expect(requests.map { $0.proof?.nonces.count } == [nil, 8])
  }

  @Test func `does the work again where more is asked for by then`() throws {
    let (result, requests) = try ask { request in
      switch request.proof?.challenge {
      case nil: Self.refusal(2)
      case "challenge-2": Self.refusal(3)
      default: nil
      }
    }
    #expect(try result.get().verificationID == "v")
    #expect(requests.count == 3)
  }

  @Test func `ends after three proofs, with the server's words`() throws {
    let (result, requests) = try ask { _ in Self.refusal(1) }
    #expect(result == .failure(.refused(Self.refusal(1))))
    #expect(requests.count == 4)
  }

  @Test(arguments: [24, 40, 256, 1000, -1]) func `does no absurd work`(zeroBits: Int) throws {
    let (result, requests) = try ask { _ in Self.refusal(zeroBits) }
    guard case .failure(.refused(let problem)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(problem.detail.hasPrefix("Too many codes") && requests.count == 1)
  }

  @Test func `is refused as before where no work is asked for`() throws {
    let (result, requests) = try ask { _ in Self.refusal(nil) }
    #expect(result == .failure(.refused(Self.refusal(nil))) && requests.count == 1)
  }

  @Test func `does no work for another refusal`() throws {
    var problem = Problem(.invalidPhoneNumber, "no number")
    problem.work = Self.refusal(1).work
    let (result, requests) = try ask { [problem] _ in problem }
    #expect(result == .failure(.refused(problem)) && requests.count == 1)
  }
}
