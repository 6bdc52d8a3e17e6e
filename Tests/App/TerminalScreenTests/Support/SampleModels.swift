import LifeSignalFeatures

@testable import TerminalScreen

/// Screens to draw.
enum Sample {
  static func focus(_ change: (inout ScreenFocus) -> Void = { _ in }) -> ScreenFocus {
    var focus = ScreenFocus()
    change(&focus)
    return focus
  }

  /// A device that is not signed in, without an alert.
  static var fresh: ScreenModel {
    var model = ScreenModel()
    model.connection = .notSignedIn
    model.status = StatusLine(text: "No alert is active.", style: .good)
    model.keys = KeyHint.hints(in: focus())
    return model
  }

  /// An alert that is being sent to three responders.
  static var active: ScreenModel {
    var model = ScreenModel()
    model.connection = .connected
    model.button = .active(hold: nil)
    model.status = StatusLine(text: "ALERT ACTIVE since 12:01:03", trailing: "12:34", style: .bad)
    model.ladder = [
      LadderRow(.reached, "saved", "on this device", time: "12:01:03"),
      LadderRow(.reached, "accepted", "by the server", time: "12:01:04"),
      LadderRow(.responding, "Ana", "IS RESPONDING", time: "12:02:40"),
      LadderRow(.reached, "李小龍", "sent by ntfy", time: "12:01:06"),
      LadderRow(
        .failed, "Ben", "FAILED by webhook: the address answers 410 and says that it is gone", time: "12:01:09"),
    ]
    model.history.rows = [
      .init(period: "2026-11-21 12:01 – now", duration: "12:34", isActive: true),
      .init(period: "2026-11-20 09:15 – 09:31", duration: "16:02"),
    ]
    model.keys = KeyHint.hints(
      in: focus {
        $0.isAlertActive = true
        $0.isSignedIn = true
      })
    return model
  }

  static func text(_ model: ScreenModel, columns: Int = 80, rows: Int = 24, isASCII: Bool = false) -> String {
    ScreenView.draw(model, size: ScreenSize(columns: columns, rows: rows), isASCII: isASCII).lines
      .joined(separator: "\n")
  }
}

extension Sample {
  static let question = Dialog(
    title: "Deactivate Alert",
    message: """
      Are you sure you want to deactivate the alert? This will notify your responders that you are safe.
      """,
    buttons: [.init(title: "Deactivate", isDestructive: true), .init(title: "Cancel")], chosen: 1)
}

extension Identifier {
  /// A test's id, by number.
  static func sample(_ number: UInt64) -> Self { Self(versionSevenAt: Timestamp(milliseconds: 0), random: (0, number)) }
}
