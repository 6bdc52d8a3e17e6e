import Clients
import Composable
import Dependencies
import Model

extension AlertFeature {
  /// Edits what is to be sent to the responders of the active alert. Without one there is nobody to send it to, and while it is being
  /// saved it stays as it is.
  func editUpdate(_ state: inout State, _ edit: (inout State) -> Void) -> Effect<Action> {
    guard state.isAlertActive, !state.isSendingUpdate else { return .none }
    edit(&state)
    return .none
  }

  /// Saves message and place. A place that cannot be read goes into the message: it never prevents what is said.
  func sendUpdate(_ state: inout State) -> Effect<Action> {
    guard state.canSendUpdate else { return .none }
    state.isSendingUpdate = true
    let update = WrittenUpdate(message: state.updateMessage, place: state.updatePlace)
    return .run { send in
      let result = await TaskResult {
        try await alertClient.updateAlert(update.message, update.location)
      }
      await send.unlessCancelled(.updateResponse(result))
    }
    .uncancellable()
  }

  /// Shows the answer, unless none is awaited. What nobody has stays in its fields.
  func finishUpdate(_ state: inout State, _ result: TaskResult<Void>) -> Effect<Action> {
    guard state.isSendingUpdate else { return .none }
    state.isSendingUpdate = false
    switch result {
    case .success:
      state.updateMessage = ""
      state.updatePlace = ""
      state.error = nil
    case .failure(let error):
      if error.wasSent { (state.updateMessage, state.updatePlace) = ("", "") }
      state.error = errorMessage(error)
      state.problem = error.wasSent ? .updateSentNotSaved : .updateNotSaved
    }
    return .none
  }
}

/// What a person wrote, as it is sent.
struct WrittenUpdate: Equatable {
  let message: String?
  let location: Location?

  init(message: String, place: String) {
    location = Self.location(place)
    let unread = location == nil && !place.isBlank ? AlertFeatureTexts.place(place.trimmed) : nil
    let words = [message.isBlank ? nil : message.trimmed, unread].compactMap(\.self)
    self.message = words.isEmpty ? nil : words.joined(separator: "\n")
  }

  /// Of `LAT,LON` in decimal degrees.
  private static func location(_ text: String) -> Location? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy("0123456789.-+".utf8.contains) }),
      let latitude = Double(parts[0]), let longitude = Double(parts[1])
    else { return nil }
    return try? Location(latitude: latitude, longitude: longitude)
  }
}

extension String {
  /// Without the white space and line breaks around it.
  var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isBlank }), let last = scalars.lastIndex(where: { !$0.isBlank })
    else { return "" }
    return String(scalars[first...last])
  }

  var isBlank: Bool { unicodeScalars.allSatisfy(\.isBlank) }
}

extension Unicode.Scalar {
  /// White space, a line break, or the space without width, which Unicode counts among neither.
  fileprivate var isBlank: Bool { properties.isWhitespace || self == "\u{200B}" }
}
