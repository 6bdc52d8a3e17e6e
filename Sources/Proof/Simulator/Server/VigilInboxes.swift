import Model
import ServerCore

/// The inboxes of those responders of the vigil who have accounts: they answer there or on their page, and must read what is so.
struct VigilInboxes {
  private let world: World
  private let server: SimulatedServer
  private var random: SimulatedRandom
  private var accounts: [ContactID: ScriptedAccount] = [:]
  /// The names that the person gave them.
  private var names: [ContactID: String] = [:]

  init(world: World, server: SimulatedServer) {
    self.world = world
    self.server = server
    random = world.random("vigil's inboxes")
  }

  /// What the person says when they raise the alert, and in their further call.
  static let firstWords = "I fell"
  static let newestWords = "Hurry"

  /// Of the responder in this place.
  static func phone(_ place: Int) -> String { "+1202555013\(place)" }

  /// Some of them have an account.
  mutating func open(of contact: ContactID, _ place: Int) {
    names[contact] = "Contact \(place)"
    let seed = random.next()
    guard random.chance(0.5) else { return }
    accounts[contact] = ScriptedAccount(
      Self.phone(place), world: world, server: server,
      random: SimulatedRandom(seed: seed, stream: "inbox \(place)"))
  }

  /// False if they do not answer there: they have no account, the alert is not there, or they prefer the page.
  mutating func answer(_ answer: ResponderAnswer, by contact: ContactID, to alert: AlertID) -> Bool {
    guard let account = accounts[contact], random.chance(0.6), let entry = entry(alert, account) else { return false }
    return account.send([account.answer(answer, to: entry.id)])
  }

  private func entry(_ alert: AlertID, _ account: ScriptedAccount) -> InboxAlert? {
    account.inbox().first { $0.alertID == alert }
  }

  /// Each of them who was told reads the person's newest words and those of before, that the device which raised the alert is silent since, what they answered
  /// themselves, wherever, and who else comes.
  func check(_ alert: AlertID, _ model: AskingModel) {
    for (contact, account) in accounts.sorted(by: { $0.key.words < $1.key.words }) {
      guard model.asked[contact] != nil else { continue }
      let entry = entry(alert, account)
      if entry?.response?.answer.answer != model.answer(of: contact)
        || entry?.said != [Self.newestWords, Self.firstWords]
        || entry?.isActive != true || entry?.noContactSince == nil
        || !isRight(Set(entry?.comers ?? []), for: contact, model)
      {
        report("in the vigil, contact \(contact) reads in their inbox: \(entry.map(\.line) ?? "nothing")")
      }
    }
  }

  /// Whether all who can be counted on are named, and nobody who never said so or took it back. An answer that nobody confirmed is taken out
  /// with the next change.
  private func isRight(_ comers: Set<String>, for contact: ContactID, _ model: AskingModel) -> Bool {
    let others = names.filter { $0.key != contact }
    let certain = others.filter { model.comers(at: world.now).contains($0.key) }
    let possible = others.filter { model.answer(of: $0.key)?.acknowledges == true }
    return comers.isSuperset(of: certain.values) && comers.isSubset(of: possible.values)
  }

  private func report(_ text: String) {
    world.oracle.findings.add(.askedAgain, text, at: world.now)
  }
}

extension InboxAlert {
  fileprivate var said: [String?] { [message] + earlierMessages.map(\.text) }

  fileprivate var line: String {
    "\(said.map { "“\($0 ?? "")”" }), own answer \(response?.answer.answer.rawValue ?? "none"), \(comers) come"
      + (noContactSince == nil ? ", heard from" : "")
      + (isActive ? "" : ", ended")
  }
}
