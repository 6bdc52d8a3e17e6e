import Model
import ServerCore

/// People whose calls for help hang while somebody calls whose responder's channel fails once, at once. Each hangs at a host of its own, or all
/// at the host of that channel. In some runs, and after the faults are over: nothing then excuses a delay of the second try.
final class HangingHosts {
  /// Distinct from those of others.
  private static let phones = (0..<9).map { "+1202555016\($0)" }
  private static let host = "hangs.example"
  /// From the call to the answer of the second try, the longest backoff between included, and as much again.
  private static let latestMilliseconds: Int64 = 2000

  private let world: World
  private let server: SimulatedServer
  private let responders: Responders
  private var random: SimulatedRandom
  private let isThere: Bool
  private let isOneHost: Bool
  private var ends: [(account: ScriptedAccount, end: Mutation)] = []
  private var silentURLs: [String] = []
  private var call: AlertID?

  init(world: World, server: SimulatedServer, responders: Responders) {
    self.world = world
    self.server = server
    self.responders = responders
    random = world.random("hanging hosts")
    isThere = random.chance(0.15)
    isOneHost = random.chance(0.5)
  }

  func begin() {
    guard isThere else { return }
    responders.hears.append { [self] in if $0.message.alert == call { call = nil } }
    world.after(10_000) { [self] in gather() }
  }

  private func gather() {
    guard server.isUp else { return world.after(5000) { [self] in gather() } }
    // At one host a few at once leave room for the first try of another's call.
    for phone in Self.phones.prefix(isOneHost ? 3 : Self.phones.count - 1) { hang(phone) }
    let caller = ScriptedAccount(Self.phones[Self.phones.count - 1], world: world, server: server, seededBy: &random)
    // Each has been tried several times by then, or at one host many for the second time.
    world.after(random.number(90_000...150_000)) { [self] in
      if let caller { raise(caller) } else { end() }
    }
  }

  private func hang(_ phone: String) {
    guard let person = ScriptedAccount(phone, world: world, server: server, seededBy: &random) else { return }
    let urls = (0..<10).map { number in
      isOneHost
        ? "https://\(Self.host)/\(phone.dropFirst())/\(number)" : "https://hangs-\(phone.dropFirst())-\(number).example"
    }
    for url in urls { responders.failing[url] = .silent }
    silentURLs += urls
    let raised = person.activation(isDrill: false)
    guard person.send([person.put("Contact", urls), raised].compactMap(\.self)) else { return }
    ends.append((person, person.end(of: AlertID(raised.entityID))))
  }

  private func raise(_ caller: ScriptedAccount) {
    let url = isOneHost ? "https://\(Self.host)/blinks" : "https://blinks.example"
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
