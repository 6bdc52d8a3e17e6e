import LocalStore
import Model
import SyncEngine
import Wire

/// An alert raised while the path to the server stays as it is. The server's answer has to arrive within twice the time that
/// the alert takes alone (I14).
final class Press {
  let alert: AlertID
  let at: Int64

  init(_ alert: AlertID, at now: Int64) {
    self.alert = alert
    at = now
  }
}

extension SimulatedDevice {
  /// Allowed beyond twice the time alone: the wake-up, a dead connection noticed after three seconds of silence, an expired
  /// token.
  private static let graceMilliseconds: Int64 = 5000
  /// The silence on a connection over which the server was heard, before the alert is sent on another one.
  private static let silenceMilliseconds: Int64 = 12_000
  /// A slower line may need more than the first timeout even alone; only the other promises apply there.
  private static let slowestRate: Int64 = 16_000
  private static let longestLatency: Int64 = 400
  /// An alert with its notification request, and an answer with one change.
  private static let requestBytes = 2500
  private static let answerBytes = 2500

  /// Starts to time a new alert if nothing else disturbs its path.
  func time(_ alert: AlertID, waiting: Int) {
    press = nil
    guard waiting == 0, let alone = millisecondsAlone, engine?.isContinuous == true, server.isUp, nothingIsFrozen
    else { return }
    time(alert, within: 2 * alone + Self.graceMilliseconds, alone: alone)
  }

  /// The connections died under a timed alert; over which of them the server had been heard is unknown here.
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

  private var nothingIsFrozen: Bool {
    !isEngineFrozen && !isStoreLocked && server.frozenUntil == nil
  }

  /// How long the alert takes over a new connection with nothing else in flight; nil if that cannot be said.
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

  /// Whether the device may talk to the server, as far as it knows.
  private var hasSession: Bool { (peek { try $0.session() } ?? nil).map { !$0.isExpired } ?? false }

  /// Stops the timing: an unrelated event makes it meaningless.
  func disturbPress() { press = nil }

  /// Stops the timing when any answer concerns the alert; a refusal is another matter.
  func heard(_ answer: HTTPAnswer, to request: TransportRequest) {
    guard let press, request.url.hasSuffix(Route.sync) else { return }
    if answer.status != 200, answer.status != 401 { return disturbPress() }
    guard answer.status == 200, let sent = try? SyncRequest(jsonBytes: request.body) else { return }
    if sent.mutations.contains(where: { $0.entityID == EntityID(press.alert) }) { disturbPress() }
  }
}
