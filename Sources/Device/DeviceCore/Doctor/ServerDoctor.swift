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
      return [
        Finding("endpoint", .fail, "no server is set", mend: "lifesignal config set endpoint https://…")
      ]
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
      let tls = endpoint.hasPrefix("https:") ? "TLS is sound" : "without TLS, on this machine only"
      let answered = Finding(
        "endpoint", .ok, "the \(name) answers in \(health.roundTripMilliseconds) ms; \(tls)")
      return [answered, clock(health.clockOffsetMilliseconds)] + readiness(calls)
    } catch {
      return [Finding("endpoint", .fail, "the \(name): \(error.message)", mend: mend(error))]
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
        Finding("server", .warn, "the server is not ready: \(problem.detail)", mend: "ask whoever runs the server")
      ]
    }
  }

  private func mend(_ error: AccountCallError) -> String {
    switch error {
    case .problem: "ask whoever runs the server"
    case .notOurServer:
      "check the address (lifesignal config get endpoint), and whether this network asks for a sign-in first"
    case .transport(let error):
      switch error.code {
      case .tls: "check this device's clock and the server's certificate; a private authority: config set ca_file FILE"
      case .certificateAuthorityFile: "lifesignal config set ca_file FILE"
      case .unavailable: "install it: apt install libcurl4"
      default: "check the network and the address: lifesignal config get endpoint"
      }
    }
  }

  private func clock(_ offset: Int64) -> Finding {
    let seconds = abs(offset) / 1000
    let text = "this device's clock is \(seconds) s \(offset > 0 ? "behind" : "ahead of") the server's"
    if abs(offset) > Self.largeOffsetMilliseconds {
      return Finding("clock", .warn, text, mend: "set the clock: timedatectl set-ntp true")
    }
    return Finding("clock", .ok, seconds == 0 ? "this device's clock agrees with the server's" : text)
  }
}
