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
  /// Called for every message that arrives.
  var hears: (ResponderMessage) -> Void = { _ in }
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
    let isHarsh = !world.isHealed && random.chance(harshness)
    let fate = isHarsh ? Fate.random(&random, timeout: Int64(attempt.timeoutMilliseconds)) : .well(after: 150)
    if let after = fate.arrivesAfter {
      world.after(after) { [self] in if isUnderway() { arrive(attempt) } }
    }
    world.after(fate.answersAfter) { reply(fate.answer) }
  }

  private func arrive(_ attempt: DeliveryAttempt) {
    let target = attempt.target
    guard let channel = target.channel else { return }
    messages += 1
    if let id = attempt.headers.first(where: { $0.name == "webhook-id" })?.value, !webhookIDs.insert(id).inserted {
      return world.note("responder", "\(channel.url) has seen \(id)")
    }
    let message = ResponderMessage(
      channel: channel.url, alert: target.alert, kind: Self.isHelp(attempt) ? .help : .safe,
      text: String(decoding: attempt.body, as: UTF8.self))
    world.note("responder", "\(channel.url) hears \(message.kind) about \(target.alert)")
    world.oracle.arrived(message, now: world.now)
    hears(message)
  }

  /// By the title of an ntfy message, and the type of a webhook.
  private static func isHelp(_ attempt: DeliveryAttempt) -> Bool {
    if let title = attempt.headers.first(where: { $0.name == "Title" })?.value {
      return !title.contains("ended") && !title.contains("safe now")
    }
    let type = try? JSONDocument(attempt.body).root.string("type")
    return type == "alert.activated"
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
