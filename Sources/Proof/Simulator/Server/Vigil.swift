import Model
import ServerCore

/// One alert of which every message is known in advance: when all has settled, a person calls for help, and responders who answer late,
/// never, twice or wrongly are asked by the schedule until one comes (I11). In some runs, and in some of these with `VigilTroubles`.
///
/// `AskingModel` says who is to be asked when. Nothing excuses a message that is missing, late, or too many.
final class Vigil {
  private static let hosts = "https://vigil-"
  private static let phone = "+12025550111"
  private static let minutes: Int64 = 70

  private let world: World
  private let server: SimulatedServer
  private var random: SimulatedRandom
  private let isThere: Bool
  private var pages: [ContactID: String] = [:]
  /// Calls for help that arrived, by contact.
  private var heard: [ContactID: [Call]] = [:]
  private var alert: AlertID?
  private var inboxes: VigilInboxes
  private var texts: VigilTexts
  private var troubles: VigilTroubles
  /// Of the acts beside the answers.
  private var calls: SimulatedRandom

  init(world: World, server: SimulatedServer, responders: Responders) {
    self.world = world
    self.server = server
    random = world.random("vigil")
    isThere = random.chance(0.25)
    calls = world.random("vigil's calls")
    inboxes = VigilInboxes(world: world, server: server)
    texts = VigilTexts(world: world, server: server)
    troubles = VigilTroubles(world: world, responders: responders)
    responders.hears.append { [self] in hear($0) }
  }

  /// Whether the responder of the channel acts by this script.
  static func watches(_ channel: String) -> Bool { channel.hasPrefix(hosts) || VigilTexts.watches(channel) }

  func run() {
    let seed = random.next()
    guard isThere, server.isUp,
      let person = ScriptedAccount(
        Self.phone, world: world, server: server, random: SimulatedRandom(seed: seed, stream: "vigil's ids"))
    else { return }
    let contacts = contacts(person)
    guard person.send(contacts.map(\.put)) else { return }
    for (place, contact) in contacts.enumerated() { inboxes.open(of: contact.id, place) }
    drill(person)
    let raised = person.activation(isDrill: false, saying: VigilInboxes.firstWords)
    alert = AlertID(raised.entityID)
    guard let alert, person.send([raised]) else { return }
    world.note("vigil", "somebody calls for help: \(alert)")
    let start = world.now
    var model = AskingModel(tiers: contacts.map { ($0.id, $0.tier) }, at: start)
    callAgain(person, alert, &model)
    troubles.begin(contacts.map(\.mayFail), in: world, minutes: Self.minutes)
    let presses = plan(contacts.map(\.id), since: start)
    // Another call of the same person, newer than this one.
    if random.chance(0.5) { world.after(random.number(1000...20_000)) { [self] in raiseAnother(person) } }
    for press in presses {
      live(until: press.at, &model)
      guard let page = pages[press.contact] else { continue }
      texts.mislead(about: press.contact)
      let answer = self.press(press.answer, by: press.contact, on: page, alert, model)
      model.take(answer, of: press.contact, at: world.now)
    }
    let end = start + Self.minutes * 60_000
    live(until: end - troubles.allowanceMilliseconds, &model)
    world.run(until: max(end, world.now + troubles.allowanceMilliseconds))
    compare(model.asked, contacts.map(\.id))
    checkPresses()
    inboxes.check(alert, model)
  }

  /// Until `time`, through the outages, and until everybody has been asked who was to be: an answer takes back what is under way.
  private func live(until time: Int64, _ model: inout AskingModel) {
    while let outage = troubles.nextOutage(until: time) {
      run(until: outage.at, &model)
      server.die(losesPower: outage.losesPower)
      world.run(until: world.now + outage.milliseconds)
      server.start()
      model.wait(until: world.now)
    }
    run(until: time, &model)
    while let wait = troubles.pause(after: model.lastAskedAt, at: world.now) { run(until: wait, &model) }
  }

  private func run(until time: Int64, _ model: inout AskingModel) {
    world.run(until: time)
    model.advance(to: world.now)
  }

  /// They call again, with other words, before anybody is asked again: all who were told are told at once.
  private func callAgain(_ person: ScriptedAccount, _ alert: AlertID, _ model: inout AskingModel) {
    world.run(until: world.now + calls.number(12_000...20_000))
    guard person.send([person.call(in: alert, saying: VigilInboxes.newestWords)]) else { return }
    model.callAgain(at: world.now)
  }

  /// Another alert, which ends while this one is active: nobody may hear that it is over.
  private func raiseAnother(_ person: ScriptedAccount) {
    let another = person.activation(isDrill: false)
    guard person.send([another]), calls.chance(0.5) else { return }
    world.after(calls.number(30_000...600_000)) { _ = person.send([person.end(of: AlertID(another.entityID))]) }
  }

  /// Raised and ended before: its messages are marked.
  private func drill(_ person: ScriptedAccount) {
    let drill = person.activation(isDrill: true)
    guard random.chance(0.5), person.send([drill]) else { return }
    world.run(until: world.now + 5000)
    _ = person.send([person.end(of: AlertID(drill.entityID))])
    world.run(until: world.now + 5000)
  }

  /// A responder of this alert.
  private struct Watched {
    var put: Mutation
    var id: ContactID
    var tier: Int
    /// The URLs of channels beside which they have another.
    var mayFail: [String]
  }

  private func contacts(_ person: ScriptedAccount) -> [Watched] {
    (0..<Int(random.number(1...4))).compactMap { number in
      let tier = random.chance(0.6) ? 1 : Int(random.number(2...4))
      let hooks = (0..<Int(random.number(1...3))).map { "\(Self.hosts)\(number)-\($0).example/hook" }
      let phone = VigilInboxes.phone(number)
      let urls = hooks + texts.channels(phone)
      return person.put("Contact \(number)", urls, phone: phone, tier: tier).map {
        Watched(put: $0, id: ContactID($0.entityID), tier: tier, mayFail: urls.count > 1 ? hooks : [])
      }
    }
  }

  /// A call for help that arrived.
  private struct Call {
    var at: Int64
    var channel: String
  }

  private struct Press {
    var at: Int64
    var contact: ContactID
    var answer: ResponderAnswer
  }

  /// What the responders do, in order.
  private func plan(_ contacts: [ContactID], since start: Int64) -> [Press] {
    var presses: [Press] = []
    for contact in contacts {
      for _ in 0..<Int(random.number(0...3)) {
        let answer = random.one(of: ResponderAnswer.allCases)
        let at = start + random.number(30_000...3_000_000)
        presses.append(Press(at: at, contact: contact, answer: answer))
      }
    }
    return presses.sorted { $0.at < $1.at }
  }

  /// Returns what the answer counts as.
  private func press(
    _ answer: ResponderAnswer, by contact: ContactID, on page: String, _ alert: AlertID, _ model: AskingModel
  ) -> ResponderAnswer {
    let texted = texts.choice(answer, by: contact, model)
    let answer = texted ?? answer
    for _ in 0..<(random.chance(0.3) ? 2 : 1) {
      world.oracle.presses(.answer(answer), about: alert, by: contact)
      world.note("vigil", "\(contact) answers \(answer)")
      if texted != nil {
        texts.answer(answer, by: contact)
      } else if !inboxes.answer(answer, by: contact, to: alert) {
        _ = server.respond(to: PageVisits.request(.answer(answer), page))
      }
    }
    return answer
  }

  private func hear(_ arrival: Responders.Arrival) {
    guard let alert, Self.watches(arrival.message.channel) else { return }
    if arrival.message.kind == .safe, arrival.target.alert != alert {
      world.oracle.findings.add(
        .lastWord,
        "in the vigil, somebody was told that alert \(arrival.target.alert) is over, while \(alert) is active",
        at: world.now)
    }
    guard arrival.target.alert == alert else { return }
    if let page = arrival.page { pages[arrival.target.contact] = page }
    texts.hear(arrival)
    guard arrival.message.kind == .help else { return }
    heard[arrival.target.contact, default: []].append(Call(at: world.now, channel: arrival.message.channel))
  }

  // Checks

  /// Compares what arrived with what was to arrive. At the first time each channel tells. A channel that failed may tell later.
  private func compare(_ asked: [ContactID: [Int64]], _ contacts: [ContactID]) {
    let allowance = troubles.allowanceMilliseconds
    for contact in contacts {
      var calls = heard[contact] ?? []
      let times = asked[contact] ?? []
      for (time, next) in zip(times, times.dropFirst() + [.max]) {
        guard let first = calls.first(where: { (time...time + allowance).contains($0.at) }) else {
          return report("contact \(contact) was to be asked at \(World.clock(time)), and was not")
        }
        // A message over several channels, or twice, is one; what comes with the next one is the next one's.
        let last = max(first.at, min(time + allowance, next - 1))
        calls.removeAll { (time...last).contains($0.at) }
      }
      let extra = calls.first { $0.at < world.now - allowance && !troubles.failing.contains($0.channel) }
      if let extra { return report("contact \(contact) was asked at \(World.clock(extra.at)), for no reason") }
    }
  }

  private func report(_ text: String) {
    world.oracle.findings.add(.askedAgain, "in the vigil, \(text)", at: world.now)
  }

  private func checkPresses() {
    _ = server.inspect { store in world.oracle.checkPresses(store, now: world.now) }
  }
}
