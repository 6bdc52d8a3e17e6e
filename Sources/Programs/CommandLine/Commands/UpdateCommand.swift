import Arguments
import DeviceCore
import LocalStore
import Model
import Wire

/// `alert update`: news of the active alert, for its responders.
enum UpdateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let details = UpdateDetails(context.invocation)
    guard !details.news.isEmpty else {
      let reason = ([AlertTexts.nothingNew] + details.warnings).joined(separator: "\n")
      throw Failure(.usage, "nothing_to_send", reason)
    }
    do throws(Failure) {
      return try update(details, context)
    } catch {
      guard error.status == .notSaved, let draft = callForHelp(details.news, context) else { throw error }
      return try ActivateCommand.raise(
        draft, details.warnings, context.home(), at: context.moment, context)
    }
  }

  /// News with a message, as a press: where the store cannot be written, a press is saved beside it, or sent from memory. Nil where there is no
  /// message, or no alert that it would be about.
  private static func callForHelp(_ news: AlertNews, _ context: Context) -> AlertDraft? {
    guard news.isCall, let home = try? context.home() else { return nil }
    let active = UnsavedAlert(home, context)?.active().filter { $0.unsavedEnd == nil } ?? []
    guard !active.isEmpty else { return nil }
    return AlertDraft(
      message: news.message, location: news.location, isDrill: active.allSatisfy(\.alert.isDrill),
      utcOffsetMinutes: DeviceClock.utcOffsetMinutes(at: context.moment.wall))
  }

  private static func update(_ details: UpdateDetails, _ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore(notSaved: true)
    var news = details.news
    news.utcOffsetMinutes = DeviceClock.utcOffsetMinutes(at: context.moment.wall)
    let saved = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.updateAlert(news, at: context.moment)
    }
    guard let saved else { throw Failure(.stopped, "no_active_alert", AlertTexts.nothingToUpdate) }
    tell(saved, news, details.warnings, context)
    tellWhatIsNext(store, context)
    if !context.invocation.has("no-sync") {
      DeliveryFollower.follow(
        store, alert: saved.alert, press: saved.press, place: saved.press == nil ? saved.mutation : nil,
        carrier: saved.carrier, notice: .activated, context)
    }
    return .done
  }

  private static func tell(_ saved: SavedNews, _ news: AlertNews, _ warnings: [String], _ context: Context) {
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(saved.alert, to: &json)
      json.key("update")
      json.object {
        MutationBody.write(
          AlertUpdate(
            at: context.moment.wall, message: news.message, location: news.location,
            accuracyMeters: news.accuracyMeters, batteryPercent: news.batteryPercent, isCall: news.isCall), to: &$0)
      }
      json.member("stage", DeliveryStage.saved.rawValue)
      if !warnings.isEmpty {
        json.key("warnings")
        json.array { for warning in warnings { $0.string(warning) } }
      }
    }
    context.console.say(AlertTexts.newsSaved(at: context.time.text(context.moment.wall), context.console))
    for warning in warnings { context.console.note(AlertTexts.warning(warning)) }
  }

  private static func tellWhatIsNext(_ store: LocalStore, _ context: Context) {
    switch SendingOutlook.of(store) {
    case .notSignedIn: context.console.say(AlertTexts.unsent(notSignedIn: context.console))
    case .noServer: context.console.say(AlertTexts.unsent(noServer: context.console))
    case .possible where context.invocation.has("no-sync"): context.console.say(AlertTexts.unsentAsAsked)
    case .possible: break
    }
  }
}

/// What a person gave with `alert update`. Nothing that is wrong with it prevents the rest.
struct UpdateDetails {
  private(set) var news: AlertNews
  /// What could not be used as it was given: a sentence each.
  private(set) var warnings: [String]

  /// - Parameter battery: of this machine, if the person gives none.
  init(_ invocation: Invocation, battery: () -> Int? = { Battery.percent() }) {
    let accessories = ActivationAccessories(invocation)
    warnings = accessories.warnings
    news = AlertNews(message: accessories.message, location: accessories.location)
    if let text = invocation.value("accuracy") { takeAccuracy(text) }
    let level = invocation.value("battery").flatMap { takeBattery($0) }
    news.batteryPercent = level ?? battery()
  }

  private mutating func takeAccuracy(_ text: String) {
    guard news.location != nil else { return warnings.append(AlertTexts.accuracyAlone) }
    guard let meters = AlertInput.meters(text) else { return warnings.append(AlertTexts.accuracyUnread) }
    news.accuracyMeters = meters
  }

  private mutating func takeBattery(_ text: String) -> Int? {
    let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
    guard let level = try? AlertInput.integer(String(digits), "--battery", in: 0...100) else {
      warnings.append(AlertTexts.batteryUnread)
      return nil
    }
    return level
  }
}
