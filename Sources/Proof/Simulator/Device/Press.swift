import LocalStore
import Model
import SyncEngine
import Wire

/// An alert that was raised on a way that stays as it is, and by when the server's answer has to be here (I14): in twice the
/// time that it would take alone.
final class Press {
  let alert: AlertID
  let at: Int64

  init(_ alert: AlertID, at now: Int64) {
    self.alert = alert
    at = now
  }
}

extension SimulatedDevice {
  /// Beyond twice the time alone: the poke, a connection that is found dead after three seconds of silence, a token that has
  /// expired.
  private static let graceMilliseconds: Int64 = 5000
  /// Of an alert on whose connection the server had been heard, before it is sent on another one.
  private static let silenceMilliseconds: Int64 = 12_000
  /// Slower lines may need a longer time-out than the first, alone too; there the other promises hold.
  private static let slowestRate: Int64 = 16_000
  private static let longestLatency: Int64 = 400
  /// Of an alert and its notification request, and of an answer with one change.
  private static let requestBytes = 2500
  private static let answerBytes = 2500

  /// Starts to time an alert that was raised just now, where nothing else disturbs its way.
  func time(_ alert: AlertID, waiting: Int) {
    press = nil
    guard waiting == 0, let alone = millisecondsAlone, engine?.isContinuous == true, server.isUp, nothingStandsStill
    else { return }
    time(alert, within: 2 * alone + Self.graceMilliseconds, alone: alone)
  }

  /// The connections died under an alert that is timed: on which of them the server had been heard is not known here.
  func timePressAnew() {
    guard let press, let alone = millisecondsAlone else { return disturbPress() }
    time(press.alert, within: 2 * alone + Self.graceMilliseconds + Self.silenceMilliseconds, alone: alone)
  }

  private func time(_ alert: AlertID, within allowed: Int64, alone: Int64) {
    let press = Press(alert, at: world.now)
    self.press = press
    world.after(allowed) { [self] in
      guard self.press === press, !world.isHealed, hasSession else { return }
      world.oracle.findings.add(
        .inTime, "alert \(alert)",
        "alert \(alert) was not answered \(allowed) ms after it was raised on device \(number); alone it takes \(alone) ms",
        at: world.now)
    }
  }

  private var nothingStandsStill: Bool {
    !isEngineStandingStill && !isStoreLocked && server.standsStillUntil == nil
  }

  /// How long the alert takes over a new connection with nothing else under way; nil where that is not to be said.
  private var millisecondsAlone: Int64? {
    guard
      link.isUp, link.stranger == nil, link.loss == 0, link.lostAnswers == 0, let rates = line.rates,
      min(rates.up, rates.down) >= Self.slowestRate, link.latency.upperBound <= Self.longestLatency,
      stranger.map({ $0.until < world.now }) ?? true
    else { return nil }
    let up = line.milliseconds(Connection.handshakeUp + Connection.packet + Self.requestBytes, .up)
    let down = line.milliseconds(Connection.handshakeDown + Connection.packet + Self.answerBytes, .down)
    return 6 * link.latency.upperBound + up + down
  }

  /// Whether the server may be spoken to at all, as far as the device knows.
  private var hasSession: Bool { (peek { try $0.session() } ?? nil).map { !$0.isExpired } ?? false }

  /// Something happened that has nothing to do with what else waits: how long the alert takes says nothing now.
  func disturbPress() { press = nil }

  /// The server's answer to anything that carries the alert ends the timing; a refusal makes it another matter.
  func heard(_ answer: HTTPAnswer, to request: TransportRequest) {
    guard let press, request.url.hasSuffix(Route.sync) else { return }
    if answer.status != 200, answer.status != 401 { return disturbPress() }
    guard answer.status == 200, let sent = try? SyncRequest(jsonBytes: request.body) else { return }
    if sent.mutations.contains(where: { $0.entityID == EntityID(press.alert) }) { disturbPress() }
  }
}
