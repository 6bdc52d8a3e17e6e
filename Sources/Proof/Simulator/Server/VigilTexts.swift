import Model
import ServerCore
import Wire

/// The telephones of those responders of the vigil who get text messages: they answer by the code in them, and others send it too.
struct VigilTexts {
  /// Of the simulated SMS gateway.
  static let secret = "the-secret-of-the-simulated-gateway"
  private static let scheme = "sms:"
  private static let stranger = "+12025550199"

  private let world: World
  private let server: SimulatedServer
  private var random: SimulatedRandom
  /// The codes about the alert, by contact.
  private var codes: [ContactID: String] = [:]
  /// By contact.
  private var numbers: [ContactID: String] = [:]

  init(world: World, server: SimulatedServer) {
    self.world = world
    self.server = server
    random = world.random("vigil's texts")
  }

  static func watches(_ channel: String) -> Bool { channel.hasPrefix(scheme) }

  /// The channel of some of those whose number is `phone`.
  mutating func channels(_ phone: String) -> [String] { random.chance(0.5) ? [Self.scheme + phone] : [] }

  /// A message about the alert of the vigil arrived.
  mutating func hear(_ arrival: Responders.Arrival) {
    let (channel, text) = (arrival.message.channel, arrival.message.text)
    guard Self.watches(channel), let place = text.firstRange(of: "Answer YES ") else { return }
    numbers[arrival.target.contact] = String(channel.dropFirst(Self.scheme.count))
    codes[arrival.target.contact] = String(text[place.upperBound...].prefix(6))
  }

  /// What must change nothing: the code from another number, another code, words and pictures without one.
  mutating func mislead(about contact: ContactID) {
    guard let code = codes[contact], let number = numbers[contact], random.chance(0.5) else { return }
    let others = numbers.values.filter { $0 != number }.sorted()
    switch random.fraction() {
    case ..<0.4: send("YES \(code)", from: others.isEmpty ? Self.stranger : random.one(of: others), changes: false)
    case ..<0.6: send("YES \(code)", from: Self.stranger, changes: false)
    case ..<0.7: send("YES \(code == "123456" ? "654321" : "123456")", from: number, changes: false)
    case ..<0.8: send("👍", from: number, changes: false)
    case ..<0.9: send("👍 \(code)", from: number, changes: false)
    default: send("yes, I come", from: number, changes: false)
    }
  }

  /// What `answer` counts as where it is sent as a text message; nil where it is not: they have no code, prefer the page, or mean what a text
  /// message cannot say.
  mutating func choice(_ answer: ResponderAnswer, by contact: ContactID, _ model: AskingModel) -> ResponderAnswer? {
    guard codes[contact] != nil, answer == .responding || answer == .cannot, random.chance(0.6) else { return nil }
    // Who is on their way is not less than that.
    guard answer == .responding, let earlier = model.answer(of: contact), earlier.acknowledges else { return answer }
    return earlier
  }

  /// Sends the answer, as people write it.
  mutating func answer(_ answer: ResponderAnswer, by contact: ContactID) {
    guard let code = codes[contact], let number = numbers[contact] else { return }
    let word = answer.acknowledges ? "YES" : "NO"
    let split = "\(code.prefix(3)) \(code.suffix(3))"
    let texts = ["\(word) \(code)", "\(word.lowercased()) \(code) 👍", "🙏 \(word): \(split)", "\(code) \(word)."]
    send(random.one(of: texts), from: number, changes: true)
  }

  private func send(_ text: String, from number: String, changes: Bool) {
    world.note("vigil", "\(number) texts “\(text)”")
    var json = JSONWriter()
    json.object { json in
      json.member("from", number)
      json.member("text", text)
    }
    let request = ServerRequest(
      method: "POST", path: Route.inboundSMS, authorization: "Bearer \(Self.secret)", contentType: "application/json",
      body: json.bytes, remoteAddress: "203.0.113.20")
    guard case .full(let answer)? = server.respond(to: request) else { return }
    // A person who is told otherwise would answer again, or rely on it.
    let reply = String(decoding: answer.body, as: UTF8.self)
    guard answer.status == 200, reply.contains("obody is told") != changes else {
      return world.oracle.findings.add(
        .pressed, "in the vigil, \(number) texted “\(text)” and was told \(answer.status) “\(reply)”", at: world.now)
    }
  }
}
