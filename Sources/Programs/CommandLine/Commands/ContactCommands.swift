import DeviceCore
import Glibc
import LocalStore
import Model
import Wire

/// `contacts add`, `list` and `remove`; `contacts test` is `ContactTestCommand`.
enum ContactCommands {
  static func add(_ context: Context) throws(Failure) -> ExitStatus {
    let given = try details(context)
    let store = try context.openStore(notSaved: true)
    let known = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.contacts() }
    let existing = known.first { $0.contact.details.phone == given.phone }?.contact
    let details = try Context.checked { () throws(InvalidInput) in try merged(given, over: existing, context) }
    let contact = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.putContact(existing?.id, details, at: context.moment)
    }
    context.console.json { writeMembers(of: contact, isPending: true, webhookSecret: nil, to: &$0) }
    context.console.say(
      AccountTexts.savedContact(details.name.printable, contact.id.description, isNew: existing == nil))
    for channel in existing?.details.channels ?? [] where !details.channels.contains(channel) {
      context.console.say(AccountTexts.channelDropped(channel.url.printable))
    }
    // What the server can serve is advice: that it cannot be read prevents nothing.
    let channels = (try? store.serverChannels()) ?? ServerChannels(kinds: nil)
    for line in warnings(details, channels, context.console) { context.console.say(line) }
    if !context.console.isJSON { context.console.say(SendingOutlook.routine(store)) }
    return .done
  }

  /// An existing contact keeps what was not given, so that a second `add` loses no channel.
  private static func merged(
    _ given: ContactDetails, over existing: Contact?, _ context: Context
  ) throws(InvalidInput) -> ContactDetails {
    guard let details = existing?.details else { return given }
    let keepsRoles = !context.invocation.has("responder") && !context.invocation.has("dependent")
    return try ContactDetails(
      name: given.name, phone: given.phone, isResponder: keepsRoles ? details.isResponder : given.isResponder,
      isDependent: keepsRoles ? details.isDependent : given.isDependent,
      channels: given.channels.isEmpty ? details.channels : given.channels,
      tier: context.invocation.value("tier") == nil ? details.tier : given.tier)
  }

  static func list(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    let contacts = try context.attempt { () throws(LocalStoreError) in try store.contacts() }
    let showsSecrets = context.invocation.has("show-secrets")
    if contacts.isEmpty { context.console.say(AccountTexts.noContacts) }
    let channels = try context.attempt { () throws(LocalStoreError) in try store.serverChannels() }
    let tests = try context.attempt { () throws(LocalStoreError) in try store.newestContactTests() }
    for stored in contacts {
      let secret = showsSecrets ? stored.webhookSecret : nil
      context.console.json {
        writeMembers(of: stored.contact, isPending: stored.isPending, webhookSecret: secret, to: &$0)
        writeChannels(of: stored, channels, to: &$0)
      }
      context.console.say(line(stored, secret: secret))
      for line in standings(of: stored, channels, tests[stored.contact.id], context) { context.console.say(line) }
    }
    let readiness = try context.attempt { () throws(LocalStoreError) in try store.readiness() }
    context.console.json { ReadinessJSON.write(readiness, to: &$0) }
    context.console.say(ReadinessTexts.line(readiness, now: context.moment.wall, context.console))
    return .done
  }

  static func remove(_ context: Context) throws(Failure) -> ExitStatus {
    let text = context.invocation.argument(0) ?? ""
    // A device without a store has no contacts, and removing one must not create a store.
    guard access(try context.home().databasePath, F_OK) == 0 else { throw unknown(text) }
    let store = try context.openStore(notSaved: true)
    let id = try identified(text, in: store, context)
    let contact = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.removeContact(id, at: context.moment)
    }
    context.console.json {
      $0.key("removed")
      $0.object { writeMembers(of: contact, isPending: true, webhookSecret: nil, to: &$0) }
    }
    context.console.say(AccountTexts.removedContact(contact.details.name.printable))
    if !context.console.isJSON { context.console.say(SendingOutlook.routine(store)) }
    return .done
  }

  /// The id of the contact with this ID, number or name. An ID is not looked up.
  private static func identified(_ text: String, in store: LocalStore, _ context: Context) throws(Failure) -> ContactID
  {
    if let id = ContactID(text) { return id }
    return try named(text, in: store, context).id
  }

  /// The contact with this ID, number or name.
  static func named(_ text: String, in store: LocalStore, _ context: Context) throws(Failure) -> Contact {
    let contacts = try context.attempt { () throws(LocalStoreError) in try store.contacts() }.map(\.contact)
    let region = try? context.configuration().region
    // Text that is not a number is a name.
    let phone = try? PhoneEntry.normalized(text, region: region)
    let found = contacts.filter { contact in
      contact.id == ContactID(text) || contact.details.phone == phone
        || contact.details.name.lowercased() == text.lowercased()
    }
    guard let first = found.first else { throw unknown(text) }
    guard found.count == 1 else {
      let choices = found.map { "\($0.id)  \($0.details.phone)" }
      throw Failure(.badData, "ambiguous", AccountTexts.ambiguousContact(text.printable, choices))
    }
    return first
  }

  private static func unknown(_ text: String) -> Failure {
    Failure(.badData, "not_found", AccountTexts.unknownContact(text.printable))
  }

  private static func details(_ context: Context) throws(Failure) -> ContactDetails {
    let invocation = context.invocation
    let phone = invocation.argument(0) ?? ""
    var channels: [Channel] = []
    for url in invocation.values("channel") {
      channels.append(try Context.checked { () throws(InvalidInput) in try Channel(url) })
    }
    let region = try PhoneRegion.chosen(for: phone, context)
    let tier = try invocation.value("tier").map { text throws(Failure) in
      try AlertInput.integer(text, "--tier", in: ContactDetails.tiers)
    }
    return try Context.checked { () throws(InvalidInput) in
      let name = invocation.value("name") ?? ""
      if !name.isEmpty { try ContactDetails.requireVisible(name) }
      return try ContactDetails(
        name: name, phone: try PhoneEntry.normalized(phone, region: region),
        isResponder: invocation.has("responder"), isDependent: invocation.has("dependent"), channels: channels,
        tier: tier ?? 1)
    }
  }

  private static func warnings(
    _ details: ContactDetails, _ channels: ServerChannels, _ console: Console
  ) -> [String] {
    var lines: [String] = []
    if !details.isResponder, !details.isDependent {
      lines.append(AccountTexts.untold(console))
    }
    if details.isResponder, details.channels.isEmpty {
      lines.append(AccountTexts.unreachable(console))
    }
    lines += channels.unsupported(of: details).map { ReadinessTexts.unsupported($0.url.printable, console) }
    if details.isResponder, details.channels.contains(where: channels.canServe) {
      lines.append(ReadinessTexts.toTest(details.name.printable))
    }
    return lines
  }

  /// The channels of responders that the server cannot use, as far as it has said: a line each. It is advice: a store that cannot be
  /// read now says so elsewhere.
  static func unsupported(_ store: LocalStore, _ console: Console) -> [String] {
    guard let channels = try? store.serverChannels(), let contacts = try? store.contacts() else { return [] }
    return contacts.map(\.contact.details).filter(\.isResponder).flatMap { details in
      channels.unsupported(of: details).map {
        ReadinessTexts.unsupported($0.url.printable, of: details.name.printable, console)
      }
    }
  }

  /// How each channel of a responder stands: a line each.
  private static func standings(
    of stored: StoredContact, _ server: ServerChannels, _ test: ContactTest?, _ context: Context
  ) -> [String] {
    guard stored.contact.details.isResponder else { return [] }
    var lines = stored.contact.details.channels.map { channel in
      let state =
        server.canServe(channel)
        ? result(of: channel, of: stored, context) : context.console.styled(.warning, ReadinessTexts.otherKind)
      return "    \(channel.url.printable): \(state)"
    }
    if let test, !test.isOver(at: context.moment.wall) {
      lines.append("    " + ReadinessTexts.running(context.time.text(test.startedAt)))
    }
    return lines
  }

  private static func result(of channel: Channel, of stored: StoredContact, _ context: Context) -> String {
    if let failed = stored.failed.first(where: { $0.url == channel.url }) {
      return ReadinessTexts.failed(context.time.full(failed.at), failed.reason.printable, context.console)
    }
    let tested = stored.tested.first { $0.url == channel.url }
    return tested.map { ReadinessTexts.tested(context.time.full($0.at)) } ?? ReadinessTexts.untested
  }

  private static func writeChannels(
    of stored: StoredContact, _ server: ServerChannels, to json: inout JSONWriter
  ) {
    json.key("tested")
    json.array { for channel in stored.tested { channel.write(to: &$0) } }
    json.key("failed")
    json.array { for channel in stored.failed { channel.write(to: &$0) } }
    json.key("unsupported")
    json.array { for channel in server.unsupported(of: stored.contact.details) { $0.string(channel.url) } }
  }

  private static func line(_ stored: StoredContact, secret: String?) -> String {
    let details = stored.contact.details
    let roles = [
      details.isResponder ? AccountTexts.responder(tier: details.tier) : nil,
      details.isDependent ? AccountTexts.dependent : nil,
    ].compactMap(\.self)
    let channels = details.channels.map(\.url).joined(separator: " ")
    let parts = [
      stored.contact.id.description, details.name.printable, details.phone,
      roles.isEmpty ? "-" : roles.joined(separator: ","), channels.isEmpty ? AccountTexts.noChannel : channels,
    ]
    return parts.joined(separator: "  ") + (stored.isPending ? AccountTexts.unsentContact : "")
      + (secret.map { "  " + $0 } ?? "")
  }

  private static func writeMembers(
    of contact: Contact, isPending: Bool, webhookSecret: String?, to json: inout JSONWriter
  ) {
    json.member("id", contact.id.description)
    MutationBody.write(contact.details, to: &json)
    json.member("pending", isPending)
    if let webhookSecret { json.member("webhook_secret", webhookSecret) }
  }
}
