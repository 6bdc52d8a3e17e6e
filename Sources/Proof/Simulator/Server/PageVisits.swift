import Model
import ServerCore
import Wire

/// What happens with the links in messages. Programs open them: scanners of mail, previews of chats. People touch the page and answer: at
/// once, late, twice, wrongly, or never.
final class PageVisits {
  private let world: World
  private let server: SimulatedServer
  private var random: SimulatedRandom
  /// The pages that a responder has; each decides once what they do.
  private var known: Set<String> = []

  init(world: World, server: SimulatedServer) {
    self.world = world
    self.server = server
    random = world.random("visits")
  }

  func arrived(_ arrival: Responders.Arrival) {
    guard let page = arrival.page else { return }
    let isNew = known.insert(page).inserted
    if random.chance(isNew ? 0.5 : 0.05) { world.after(random.number(1...3000)) { [self] in visitAsProgram(page) } }
    guard isNew, !Vigil.watches(arrival.message.channel) else { return }
    let visit = Visit(page: page, alert: arrival.target.alert, contact: arrival.target.contact)
    guard random.chance(0.4) else { return }
    world.after(random.number(2000...400_000)) { [self] in act(visit, Self.plan(&random)) }
  }

  private struct Visit {
    var page: String
    var alert: AlertID
    var contact: ContactID
  }

  // People

  /// What a person does, one after the other.
  private static func plan(_ random: inout SimulatedRandom) -> [PressLog.Press] {
    let answers: [ResponderAnswer] =
      switch random.fraction() {
      case ..<0.2: []
      case ..<0.4: [.cannot]
      case ..<0.6: [.responding]
      case ..<0.75: [.responding, .onMyWay, .there]
      case ..<0.9: [.responding, .handingOver]
      default: [.cannot, .responding]
      }
    return [.touch] + answers.map(PressLog.Press.answer)
  }

  private func act(_ visit: Visit, _ plan: [PressLog.Press]) {
    guard let press = plan.first else { return }
    let isTaken = self.press(press, visit)
    // Twice: a double tap, or a browser that sends the form again.
    if random.chance(0.2) { _ = self.press(press, visit) }
    let rest = isTaken ? Array(plan.dropFirst()) : plan
    guard isTaken || random.chance(0.8) else { return }
    world.after(random.number(1000...120_000)) { [self] in act(visit, rest) }
  }

  /// False if nobody answered.
  private func press(_ press: PressLog.Press, _ visit: Visit) -> Bool {
    world.oracle.presses(press, about: visit.alert, by: visit.contact)
    world.note("responder", "\(visit.contact) presses \(press) about \(visit.alert)")
    return server.respond(to: Self.request(press, visit.page)) != nil
  }

  static func request(_ press: PressLog.Press, _ page: String) -> ServerRequest {
    switch press {
    case .touch: form("\(page)/seen", "")
    case .answer(let answer): form("\(page)/acknowledgements", "answer=\(answer.rawValue)")
    }
  }

  private static func form(_ path: String, _ body: String) -> ServerRequest {
    ServerRequest(
      method: "POST", path: path, contentType: "application/x-www-form-urlencoded", body: Array(body.utf8),
      remoteAddress: "203.0.113.7")
  }

  // Programs

  private func visitAsProgram(_ page: String) {
    for method in ["HEAD", "GET"] {
      _ = server.respond(to: ServerRequest(method: method, path: page, remoteAddress: "203.0.113.99"))
    }
    if random.chance(0.5) { _ = server.respond(to: Self.form("\(page)/acknowledgements", "text=")) }
  }
}
