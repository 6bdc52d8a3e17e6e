import DeviceCore
import LocalStore
import Model
import Wire

/// `profile show` and `profile set`: what responders read of the person.
enum ProfileCommands {
  static func show(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    let stored = try context.attempt { () throws(LocalStoreError) in try store.profile() }
    let session = try context.attempt { () throws(LocalStoreError) in try store.session() }
    context.console.json { writeMembers(stored, to: &$0, phone: session?.phone) }
    guard let stored else {
      context.console.say(ReadinessTexts.noName)
      return .stopped
    }
    let number = session.map { " (\($0.phone))" } ?? ""
    context.console.say(
      ReadinessTexts.name(stored.profile.name.printable + number, isPending: stored.isPending))
    return .done
  }

  static func set(_ context: Context) throws(Failure) -> ExitStatus {
    let profile = try Context.checked { () throws(InvalidInput) in
      let profile = try Profile(name: context.invocation.value("name") ?? "")
      try ContactDetails.requireVisible(profile.name)
      return profile
    }
    let store = try context.openStore(notSaved: true)
    try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.putProfile(profile, at: context.moment)
    }
    let session = try context.attempt { () throws(LocalStoreError) in try store.session() }
    context.console.json {
      writeMembers(StoredProfile(profile: profile, isPending: true), to: &$0, phone: session?.phone)
    }
    context.console.say(ReadinessTexts.nameSaved(profile.name.printable))
    if !context.console.isJSON { context.console.say(SendingOutlook.routine(store)) }
    return .done
  }

  private static func writeMembers(_ stored: StoredProfile?, to json: inout JSONWriter, phone: String?) {
    json.member("name", stored?.profile.name)
    json.member("phone", phone)
    json.member("pending", stored?.isPending ?? false)
  }
}
