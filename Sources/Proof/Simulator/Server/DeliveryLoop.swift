import Model
import ServerCore

/// Does what the server's shell does with the delivery queue: claims what is due, attempts it, records the outcome.
final class DeliveryLoop {
  private let world: World
  private let server: SimulatedServer
  private let responders: Responders
  /// The attempts in flight. After the server's death they may still arrive until it starts again.
  private var underway: [DeliveryID: Underway] = [:]
  /// How many answers the store does not have. Nothing is claimed meanwhile: leases may have ended whose messages arrived.
  private var unwritten = 0
  private var isRunning = true
  private var hasTakenOver = false
  /// The number of the last planned look; earlier ones are skipped.
  private var lookNumber = 0
  private static let maximumInFlight = 128

  private struct Underway {
    let attempt: DeliveryAttempt
    let since: Int64
  }

  init(world: World, server: SimulatedServer, responders: Responders) {
    self.world = world
    self.server = server
    self.responders = responders
  }

  /// The process is gone: the next one takes over its claims.
  func stop() { isRunning = false }

  /// The connections of a dead process are closed: what has not arrived never does.
  func loseAttempts() { underway = [:] }

  /// Claims and attempts what is due now, and plans the next look.
  func look() {
    guard isRunning else { return }
    plan(after: 1)
  }

  private func plan(after milliseconds: Int64) {
    lookNumber += 1
    let planned = lookNumber
    world.after(milliseconds) { [self] in
      if isRunning, planned == lookNumber { claim() }
    }
  }

  private func claim() {
    let room = Self.maximumInFlight - underway.count
    guard room > 0, unwritten == 0 else { return }
    do {
      let moment = server.moment()
      guard try takeOver(at: moment) else { return }
      let claimed = try server.run("claiming deliveries") { core, store in
        try core.claimDeliveries(limit: room, at: moment, in: store)
      }
      guard let claimed, isRunning else { return }
      server.tellStreams(of: claimed.changedAccounts)
      for attempt in claimed.attempts { start(attempt) }
      for code in claimed.codes { start(code) }
      guard isRunning else { return }
      let due = try server.run("looking for deliveries") { core, store in
        try core.nextDeliveryDue(at: moment, in: store)
      }
      guard isRunning, let due = due ?? nil else { return }
      plan(after: max(claimed.attempts.isEmpty && claimed.codes.isEmpty ? 100 : 1, due.milliseconds(since: moment.now)))
    } catch {
      world.note("server", "deliveries wait for the store: \(error)")
      plan(after: 2000)
    }
  }

  /// False if the server is dead.
  private func takeOver(at moment: ServerMoment) throws -> Bool {
    guard !hasTakenOver else { return true }
    let result: Void? = try server.run("taking over deliveries") { core, store in
      try core.takeOverDeliveries(at: moment, in: store)
    }
    hasTakenOver = result != nil
    return hasTakenOver && isRunning
  }

  private func start(_ attempt: DeliveryAttempt) {
    let replaced = underway.values.map(\.attempt).filter(attempt.replaces).sorted { $0.id.words < $1.id.words }
    for earlier in replaced { underway[earlier.id] = nil }
    underway[attempt.id] = Underway(attempt: attempt, since: world.now)
    // Behind what was claimed with it.
    for earlier in replaced { world.after(1) { [self] in record(DeliveryCompletion(of: earlier, .replaced)) } }
    responders.receive(attempt, isUnderway: { [self] in isUnderway(attempt) }) { [self] answer in
      complete(attempt, answer)
    }
  }

  /// The gateway takes every code. People read it where it was made.
  private func start(_ code: CodeAttempt) {
    world.after(100) { [self] in
      guard isRunning else { return }
      let completion = CodeCompletion(id: code.id, attempt: code.number, answer: .status(200, retryAfter: nil))
      let moment = server.moment()
      _ = try? server.run("writing down a code") { core, store in
        try store.write { try core.completeCodes([completion], at: moment, in: $0) }
      }
    }
  }

  private func isUnderway(_ attempt: DeliveryAttempt) -> Bool { underway[attempt.id]?.attempt == attempt }

  private func complete(_ attempt: DeliveryAttempt, _ answer: DeliveryAnswer) {
    guard isRunning, isUnderway(attempt), let ended = underway.removeValue(forKey: attempt.id) else { return }
    // Where there was no answer: a host that answers late counts as prompt here.
    let isUnanswered = if case .networkFailure = answer { true } else { false }
    record(
      DeliveryCompletion(of: attempt, answer, afterMilliseconds: isUnanswered ? world.now - ended.since : 0))
  }

  private func record(_ completion: DeliveryCompletion) {
    unwritten += 1
    write(completion)
  }

  /// Tries on until the store has the answer.
  private func write(_ completion: DeliveryCompletion) {
    guard isRunning else { return }
    do {
      let moment = server.moment()
      let outcome = try server.run("writing down a delivery") { core, store in
        try core.completeDelivery(completion, at: moment, in: store)
      }
      guard let outcome, isRunning else { return }
      unwritten -= 1
      server.tellStreams(of: outcome.changedAccounts)
      look()
    } catch {
      world.after(1000) { [self] in write(completion) }
    }
  }
}
