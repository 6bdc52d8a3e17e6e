import Model
import ServerCore

/// Accounts that test their drills on many channels of one slow host, while a person with a responder on the same host calls
/// for help. In some runs, and after the faults are over: nothing then excuses a delay of that call.
final class Crowd {
  private static let host = "https://crowd.example"
  /// Distinct from those of the devices' people.
  private static let phones = (0..<5).map { "+1202555010\($0)" }
  /// Allowed in addition to the host's own answer time.
  private static let allowanceMilliseconds: Int64 = 1000

  private let world: World
  private let server: SimulatedServer
  private let responders: Responders
  private var random: SimulatedRandom
  private let isThere: Bool
  private let answerMilliseconds: Int64
  /// The call for help, and since when its message could have been sent.
  private var call: (alert: AlertID, since: Int64)?

  init(world: World, server: SimulatedServer, responders: Responders) {
    self.world = world
    self.server = server
    self.responders = responders
    random = world.random("crowd")
    isThere = random.chance(0.25)
    answerMilliseconds = random.number(500...3000)
  }

  func begin() {
    guard isThere else { return }
    responders.slowHost = (Self.host, answerMilliseconds)
    responders.hears.append { [self] in heard($0.message) }
    world.after(5000) { [self] in gather() }
  }

  private func gather() {
    guard server.isUp else { return world.after(5000) { [self] in gather() } }
    let testers = Int(random.number(2...4))
    for number in 0..<testers {
      guard let member = ScriptedAccount(Self.phones[number], world: world, server: server, seededBy: &random) else {
        return
      }
      let contacts = member.puts(count: 5, channelsEach: 10, "\(Self.host)/\(number)")
      _ = member.send(contacts + [member.activation(isDrill: true)])
    }
    let caller = ScriptedAccount(Self.phones[testers], world: world, server: server, seededBy: &random)
    world.after(random.number(500...5000)) { [self] in
      guard let caller else { return }
      raise(caller)
    }
  }

  private func raise(_ caller: ScriptedAccount) {
    let mutation = caller.activation(isDrill: false)
    guard caller.send(caller.puts(count: 1, channelsEach: 1, "\(Self.host)/caller") + [mutation]) else { return }
    let alert = AlertID(mutation.entityID)
    call = (alert, world.now)
    world.note("crowd", "somebody calls for help: \(alert)")
    let latest = Self.allowanceMilliseconds + answerMilliseconds
    world.after(latest) { [self] in
      guard call?.alert == alert else { return }
      world.oracle.findings.add(
        .nothingLost,
        "the first message of alert \(alert) waits behind other people's drills for more than \(latest) ms",
        at: world.now)
    }
  }

  private func heard(_ message: ResponderMessage) {
    if message.alert == call?.alert { call = nil }
  }
}
