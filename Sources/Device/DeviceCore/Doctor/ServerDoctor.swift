import CurlKit
import CurlTransport
import LocalStore
import Model

/// Checks that the server is reachable, is ours, and agrees on the time.
struct ServerDoctor {
  let configuration: Configuration
  let now: @Sendable () -> Moment

  /// A larger clock offset makes an alert's times misleading for responders.
  static let largeOffsetMilliseconds: Int64 = 30_000

  func findings() -> [Finding] {
    guard let endpoint = configuration.endpoint else {
      return [Finding("endpoint", .fail, DoctorTexts.noServer, fix: DoctorTexts.setServer)]
    }
    let second = configuration.secondEndpoint.map { look(at: $0, "second endpoint").prefix(1) } ?? []
    return look(at: endpoint, "endpoint") + second
  }

  private func look(at endpoint: String, _ name: String) -> [Finding] {
    let calls = AccountCalls(
      endpoint: endpoint, certificateAuthorityFile: configuration.certificateAuthorityFile,
      totalTimeoutMilliseconds: 10_000)
    do throws(AccountCallError) {
      let health = try calls.checkHealth(now: now)
      let answered = Finding(
        "endpoint", .ok,
        DoctorTexts.answers(
          name, milliseconds: health.roundTripMilliseconds, isEncrypted: endpoint.hasPrefix("https:")))
      return [answered, clock(health.clockOffsetMilliseconds)] + readiness(calls)
    } catch {
      return [Finding("endpoint", .fail, DoctorTexts.fails(name, error.message), fix: fix(error))]
    }
  }

  /// What the server reports as not ready; empty if it reports nothing, for example without such a route.
  private func readiness(_ calls: AccountCalls) -> [Finding] {
    do throws(AccountCallError) {
      try calls.checkReady()
      return []
    } catch {
      guard case .problem(let problem) = error, problem.kind == .unavailable else { return [] }
      return [
        Finding("server", .warn, DoctorTexts.notReady(problem.detail), fix: DoctorTexts.askOperator)
      ]
    }
  }

  private func fix(_ error: AccountCallError) -> String {
    switch error {
    case .problem: DoctorTexts.askOperator
    case .notOurServer: DoctorTexts.checkAddress
    case .transport(let error):
      switch error.code {
      case .tls: DoctorTexts.checkCertificate
      case .certificateAuthorityFile: DoctorTexts.setCertificates
      case .unavailable: DoctorTexts.installCurl
      default: DoctorTexts.checkNetwork
      }
    }
  }

  private func clock(_ offset: Int64) -> Finding {
    let seconds = abs(offset) / 1000
    let text = DoctorTexts.clockDiffers(seconds: seconds, isBehind: offset > 0)
    if abs(offset) > Self.largeOffsetMilliseconds {
      return Finding("clock", .warn, text, fix: DoctorTexts.setClock)
    }
    return Finding("clock", .ok, seconds == 0 ? DoctorTexts.clockAgrees : text)
  }
}
