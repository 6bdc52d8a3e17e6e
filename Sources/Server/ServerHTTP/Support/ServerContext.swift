import Model
import ServerCore
import SystemKit

/// What each part of the running server works with.
struct ServerContext: Sendable {
  let rules: CurrentRules
  var store: any ServerStore
  /// Reads the clock and fresh entropy, from any thread.
  var moment: @Sendable () -> ServerMoment
  var hub: EventHub
  var log: ServerLog
  let measurements = Measurements()
  let ending = Ending()

  /// As it is now: the operator may replace it while the server runs.
  var core: ServerCore { rules.value.core }
}

/// The rules that the server works by, which may be replaced while it runs. Each piece of work reads them once.
final class CurrentRules: Sendable {
  struct Rules: Sendable {
    var core: ServerCore
    var codes: CodeDelivery
    /// When the certificate expires; nil without TLS.
    var certificateEnd: CertificateEnd?

    init(_ core: ServerCore, codes: CodeDelivery, _ identity: TLSIdentity?) {
      certificateEnd = (identity?.validity(for: nil)?.until).map(CertificateEnd.init(at:))
      self.core = core.sendingCodes(by: codes)
      self.codes = codes
    }
  }

  private let rules: Lock<Rules>

  init(_ rules: Rules) { self.rules = Lock(rules) }

  var value: Rules { rules.withLock { $0 } }

  func replace(by new: Rules) { rules.withLock { $0 = new } }
}

extension ServerCore {
  fileprivate func sendingCodes(by codes: CodeDelivery) -> ServerCore {
    var configuration = configuration
    if case .none = codes { configuration.sendsCodes = false }
    configuration.smsGateway = codes.gateway
    return ServerCore(configuration: configuration, keys: keys)
  }
}
