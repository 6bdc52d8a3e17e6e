import Arguments
import DeviceCore
import LocalStore
import Model

/// `config set`, `get` and `list`.
enum ConfigCommands {
  static let names = ["endpoint", "second_endpoint", "ca_file", "region", "gpsd"]

  static func set(_ context: Context) throws(Failure) -> ExitStatus {
    let name = context.invocation.argument(0) ?? "", text = context.invocation.argument(1) ?? ""
    let keyPath = try keyPath(name)
    // An empty value removes the setting.
    let value = text.isEmpty ? nil : try Context.checked { () throws(InvalidInput) in try validated(text, name) }
    let home = try context.home()
    try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      var configuration = try Configuration.load(home)
      configuration[keyPath: keyPath] = value
      try configuration.save(home)
    }
    context.console.json { $0.member(name, value) }
    context.console.say(value.map { AccountTexts.set(name, $0) } ?? AccountTexts.removed(name))
    return .done
  }

  static func get(_ context: Context) throws(Failure) -> ExitStatus {
    let name = context.invocation.argument(0) ?? ""
    let keyPath = try keyPath(name)
    let value = try context.configuration()[keyPath: keyPath]
    context.console.json { $0.member(name, value) }
    guard let value else {
      context.console.note(AccountTexts.notSet(name))
      return .stopped
    }
    context.console.say(value.printable)
    return .done
  }

  static func list(_ context: Context) throws(Failure) -> ExitStatus {
    let configuration = try context.configuration()
    for name in names {
      let value = configuration[keyPath: try keyPath(name)]
      context.console.json {
        $0.member("key", name)
        $0.member("value", value)
      }
      context.console.say(AccountTexts.set(name, value?.printable ?? ""))
    }
    return .done
  }

  private static func keyPath(_ name: String) throws(Failure) -> WritableKeyPath<Configuration, String?> {
    switch name {
    case "endpoint": return \.endpoint
    case "second_endpoint": return \.secondEndpoint
    case "ca_file": return \.certificateAuthorityFile
    case "region": return \.region
    case "gpsd": return \.gpsd
    default:
      let settings = names.joined(separator: ", ")
      throw Failure(
        .badData, "unknown_setting", AccountTexts.unknownSetting(settings, closest(to: name, among: names)))
    }
  }

  private static func validated(_ text: String, _ name: String) throws(InvalidInput) -> String {
    switch name {
    case "endpoint", "second_endpoint": return try Configuration.validatedEndpoint(text)
    case "region": return try PhoneRegion.validated(text)
    case "gpsd":
      if text != PlaceSource.off { _ = try PlaceSource(text) }
      return text
    default: return try CertificateFile.validated(text)
    }
  }
}
