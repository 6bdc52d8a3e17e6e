import Model
import ServerCore
import Wire

/// The channels of all responders: what arrives there, and what they answer.
final class Responders {
  private let world: World
  private var random: SimulatedRandom
  /// How badly they answer during the faults, 0…1.
  var harshness = 0.0
  /// A host that is slow to answer, and otherwise well.
  var slowHost: (url: String, milliseconds: Int64)?
  /// Channels that take no message, by URL.
  var failing: [String: Failure] = [:]
  /// A channel that cannot be reached the next time.
  var failsOnce: String?

  /// How a channel fails.
  enum Failure: CaseIterable {
    case unreachable, unavailable, silent
  }

  /// A message that arrives, for whom it is, and the path of the page that it links.
  struct Arrival {
    var message: ResponderMessage
    var target: DeliveryTarget
    var page: String?
  }

  /// Called for every message that arrives.
  var hears: [(Arrival) -> Void] = []
  private(set) var messages = 0
  /// The ids of webhooks that arrived: receivers ignore repeated ids, as `openapi.yaml` tells them to.
  private var webhookIDs: Set<String> = []

  init(world: World) {
    self.world = world
    random = world.random("responders")
  }

  /// Attempts a delivery, which does not arrive if it is not `isUnderway` by then. Calls `reply` with what the server sees.
  func receive(
    _ attempt: DeliveryAttempt, isUnderway: @escaping () -> Bool, reply: @escaping (DeliveryAnswer) -> Void
  ) {
    if let slowHost, attempt.url.hasPrefix(slowHost.url) {
      world.after(slowHost.milliseconds) { [self] in
        if isUnderway() { arrive(attempt) }
        reply(.status(200, retryAfter: nil))
      }
      return
    }
    if let failure = failing[attempt.url] ?? takeFailure(at: attempt.url) {
      let fate = Fate.failing(failure, timeout: Int64(attempt.timeoutMilliseconds))
      return world.after(fate.answersAfter) { reply(fate.answer) }
    }
    let isHarsh = !world.isHealed && random.chance(harshness)
    let fate = isHarsh ? Fate.random(&random, timeout: Int64(attempt.timeoutMilliseconds)) : .well(after: 150)
    if let after = fate.arrivesAfter {
      world.after(after) { [self] in if isUnderway() { arrive(attempt) } }
    }
    world.after(fate.answersAfter) { reply(fate.answer) }
  }

  private func takeFailure(at url: String) -> Failure? {
    guard failsOnce == url else { return nil }
    failsOnce = nil
    return .unreachable
  }

  private func arrive(_ attempt: DeliveryAttempt) {
    let target = attempt.target
    guard let channel = target.channel else { return }
    messages += 1
    if let id = attempt.headers.first(where: { $0.name == "webhook-id" })?.value, !webhookIDs.insert(id).inserted {
      return world.note("responder", "\(channel.url) has seen \(id)")
    }
    let message = Self.message(attempt, over: channel)
    world.note("responder", "\(channel.url) hears \(message.kind) about \(target.alert)")
    world.oracle.arrived(message, now: world.now)
    let page = Self.page(in: message.text)
    for hear in hears { hear(Arrival(message: message, target: target, page: page)) }
  }

  private static func message(_ attempt: DeliveryAttempt, over channel: Channel) -> ResponderMessage {
    let (kind, isDrill) = ntfy(attempt) ?? text(attempt) ?? webhook(attempt)
    return ResponderMessage(
      channel: channel.url, alert: attempt.target.alert, kind: kind,
      text: String(decoding: attempt.body, as: UTF8.self),
      isMarkedAsDrill: isDrill)
  }

  /// What a person reads: the title, and the beginning of the text. Nil for a webhook.
  private static func ntfy(_ attempt: DeliveryAttempt) -> (ResponderMessage.Kind, isDrill: Bool)? {
    guard let title = attempt.headers.first(where: { $0.name == "Title" })?.value else { return nil }
    let isDrill = title.hasPrefix("DRILL") && String(decoding: attempt.body, as: UTF8.self).hasPrefix("DRILL")
    let isAside = title.contains("responding")
    return (isAside ? .aside : title.contains("ended") || title.contains("safe now") ? .safe : .help, isDrill)
  }

  /// A text message, as the gateway gets it.
  private static func text(_ attempt: DeliveryAttempt) -> (ResponderMessage.Kind, isDrill: Bool)? {
    guard attempt.url == SimulatedServer.smsGateway.url, let root = try? JSONDocument(attempt.body).root,
      let text = try? root.string("text")
    else { return nil }
    let isAside = text.contains("still responding") || text.contains("responding to the alert of")
    return (isAside ? .aside : text.contains("is safe now") ? .safe : .help, text.hasPrefix("DRILL"))
  }

  /// What a program reads, and the text for a person.
  private static func webhook(_ attempt: DeliveryAttempt) -> (ResponderMessage.Kind, isDrill: Bool) {
    guard let root = try? JSONDocument(attempt.body).root, let type = try? root.string("type"),
      let data = try? root.required("data"), let isDrill = try? data.boolean("drill"),
      let text = try? data.string("text")
    else { return (.safe, false) }
    let kind: ResponderMessage.Kind =
      switch type {
      case "alert.activated": .help
      case "alert.check", "alert.answered": .aside
      default: .safe
      }
    return (kind, isDrill && text.hasPrefix("DRILL"))
  }

  /// The path of the first link to a page.
  private static func page(in text: String) -> String? {
    // JSON may escape the slash.
    guard let start = text.firstRange(of: "/a/") else { return nil }
    let token = text[start.upperBound...].prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    return "/a/\(token)"
  }
}

/// The outcome of one attempt.
private struct Fate {
  /// Nil if it never arrives.
  var arrivesAfter: Int64?
  var answersAfter: Int64
  var answer: DeliveryAnswer

  static func well(after milliseconds: Int64) -> Fate {
    Fate(arrivesAfter: milliseconds, answersAfter: 2 * milliseconds, answer: .status(200, retryAfter: nil))
  }

  static func failing(_ failure: Responders.Failure, timeout: Int64) -> Fate {
    switch failure {
    case .unreachable: Fate(answersAfter: 50, answer: .networkFailure("no connection"))
    case .unavailable: Fate(answersAfter: 50, answer: .status(503, retryAfter: nil))
    case .silent: Fate(answersAfter: timeout, answer: .networkFailure("no answer in time"))
    }
  }

  /// An attempt ends within its timeout, and nothing arrives after that.
  static func random(_ random: inout SimulatedRandom, timeout: Int64) -> Fate {
    let soon = random.number(20...5000)
    switch random.fraction() {
    case ..<0.25: return Fate(answersAfter: soon, answer: .networkFailure("no connection"))
    case ..<0.35: return Fate(answersAfter: timeout, answer: .networkFailure("no answer in time"))
    // It arrived, and the server does not know.
    case ..<0.55:
      return Fate(
        arrivesAfter: random.number(20...timeout - 1), answersAfter: timeout, answer: .networkFailure("no answer"))
    case ..<0.70: return Fate(answersAfter: soon, answer: .status(503, retryAfter: random.chance(0.5) ? "7" : "junk"))
    case ..<0.80: return Fate(answersAfter: soon, answer: .status(404, retryAfter: nil))
    case ..<0.85: return Fate(answersAfter: soon, answer: .status(429, retryAfter: "1000000000000"))
    case ..<0.88: return Fate(answersAfter: soon, answer: .addressRefused)
    default: return .well(after: random.number(1000...timeout / 2 - 1))
    }
  }
}
