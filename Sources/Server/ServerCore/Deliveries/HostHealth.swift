/// What an attempt says about its host, independent of the delivery.
package enum HostAnswer: Sendable, Hashable {
  /// The host accepted the message within two seconds.
  case accepted
  /// It refused the message within two seconds.
  case refused
  /// It reported overload or an error of its own: 408, 425, 429 or 5xx.
  case overloaded
  /// It answered later than that.
  case slow
  /// No answer: the attempt timed out, or no connection was made.
  case missing

  /// An answer that takes longer is slow.
  static let promptMilliseconds: Int64 = 2000

  /// Nil if the host was not asked.
  /// - Parameters:
  ///   - milliseconds: from the attempt's start to its end.
  ///   - carrier: who was asked.
  init?(_ answer: DeliveryAnswer, of carrier: Carrier = .channel, afterMilliseconds milliseconds: Int64) {
    let promptMilliseconds = carrier.isOfOperator ? Int64.max : Self.promptMilliseconds
    switch answer {
    case .notSent, .replaced, .unusableURL: return nil
    case .networkFailure where carrier.isOfOperator: self = .overloaded
    case .networkFailure, .addressRefused: self = .missing
    case .notTaken: self = milliseconds > promptMilliseconds ? .slow : .refused
    case .mail(let reply) where reply.isTaken: self = .accepted
    // What it has against one mailbox says nothing about others.
    case .mail(let reply): self = reply.subject == .recipient ? .refused : .overloaded
    case .status where milliseconds > promptMilliseconds: self = .slow
    case .status(200...299, _): self = .accepted
    case .status(let status, _):
      self = [408, 425, 429].contains(status) || (500...599).contains(status) ? .overloaded : .refused
    }
  }
}

/// The state of a host after its last attempt: whether the next one is likely to hold a connection for long.
enum HostStanding: Int, Sendable, Hashable, CaseIterable, Comparable {
  case failing
  /// Never seen, or slow.
  case unknown
  case answering

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The last answer of each host, and how many attempts each may have running.
///
/// The window of a host grows by one with each message that it accepts promptly, and halves with each failure, but not below two,
/// as the congestion window of TCP does (RFC 5681). The memory is bounded: hosts without recent attempts are forgotten.
struct HostHealth: Sendable {
  struct Record: Sendable, Hashable {
    /// How many attempts may run at once.
    var window: Int
    var standing = HostStanding.unknown
  }

  /// At least this many hosts are remembered, and at most twice as many.
  static let generationLength = 10_000

  private static let smallestWindow = 2

  private let limits: InFlightLimits
  private var recent: [String: Record] = [:]
  private var older: [String: Record] = [:]

  init(_ limits: InFlightLimits) {
    self.limits = limits
  }

  subscript(host: String) -> Record { recent[host] ?? older[host] ?? Record(window: limits.perHost) }

  var count: Int { recent.count + older.count }

  mutating func note(_ answer: HostAnswer, of host: String) {
    var record = self[host]
    switch answer {
    case .accepted:
      record.window = min(record.window + 1, limits.mostPerHost)
      record.standing = .answering
    case .refused: record.standing = .answering
    case .overloaded:
      record.window = max(Self.smallestWindow, record.window / 2)
      record.standing = .answering
    case .slow:
      record.window = max(Self.smallestWindow, record.window / 2)
      record.standing = .unknown
    case .missing:
      record.window = max(Self.smallestWindow, record.window / 2)
      record.standing = .failing
    }
    if recent.count >= Self.generationLength, recent[host] == nil {
      older = recent
      recent = [:]
    }
    recent[host] = record
  }
}
