import Model
import ServerCore

/// People whose calls for help hang, at hosts that never answer, while somebody calls whose responder's host fails once. In some runs, and after
/// the faults are over: nothing then excuses a delay of the second try.
final class HangingHosts {
  /// Distinct from those of others.
  private static let phones = (0..<9).map { "+1202555016\($0)" }
  /// From the call to the answer of the second try, the longest backoff between included, and as much again.
  private static let latestMilliseconds: Int64 = 2000

  private let world: World
  private let server: SimulatedServer
  private let responders: Responders
  private var random: SimulatedRandom
  private let isThere: Bool
  private var ends: [(account: ScriptedAccount, end: Mutation)] = []
  private var silentURLs: [String] = []
  private var call: AlertID?

  init(world: World, server: SimulatedServer, responders: Responders) {
    self.world = world
    self.server = server
    self.responders = responders
    random = world.random("hanging hosts")
    isThere = random.chance(0.15)
  }

  func begin() {
    guard isThere else { return }
    responders.hears.append { [self] in if $0.message.alert == call { call = nil } }
    world.after(10_000) { [self] in gather() }
  }

  private func gather() {
    guard server.isUp else { return world.after(5000) { [self] in gather() } }
    for phone in Self.phones.dropLast() { hang(phone) }
    let caller = account(Self.phones[Self.phones.count - 1])
    // Each has been tried several times by then.
    world.after(random.number(90_000...150_000)) { [self] in
      if let caller { raise(caller) } else { end() }
    }
  }

  private func account(_ phone: String) -> ScriptedAccount? {
    ScriptedAccount(phone, world: world, server: server, random: SimulatedRandom(seed: random.next(), stream: phone))
  }

  private func hang(_ phone: String) {
    guard let person = account(phone) else { return }
    let urls = (0..<10).map { "https://hangs-\(phone.dropFirst())-\($0).example" }
    for url in urls { responders.failing[url] = .silent }
    silentURLs += urls
    let raised = person.activation(isDrill: false)
    guard person.send([person.put("Contact", urls), raised].compactMap(\.self)) else { return }
    ends.append((person, person.end(of: AlertID(raised.entityID))))
  }

  private func raise(_ caller: ScriptedAccount) {
    let url = "https://blinks.example"
    responders.failsOnce = url
    let raised = caller.activation(isDrill: false)
    guard caller.send([caller.put("Contact", [url]), raised].compactMap(\.self)) else { return end() }
    let alert = AlertID(raised.entityID)
    call = alert
    ends.append((caller, caller.end(of: alert)))
    world.note("hanging hosts", "somebody calls for help: \(alert)")
    world.after(Self.latestMilliseconds) { [self] in
      if call != nil {
        world.oracle.findings.add(
          .nothingLost,
          "the second try of alert \(alert) waits behind what hangs for more than \(Self.latestMilliseconds) ms",
          at: world.now)
      }
      end()
    }
  }

  /// All calls are over, and the hosts answer again: what follows is not disturbed.
  private func end() {
    guard server.isUp else { return world.after(5000) { [self] in end() } }
    call = nil
    for url in silentURLs { responders.failing[url] = nil }
    for (account, end) in ends { _ = account.send([end]) }
  }
}
