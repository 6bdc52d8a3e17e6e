import DeviceCore

/// What `service install` and `service remove` say.
enum ServiceTexts {
  static func written(_ path: String) -> String { "Saved: \(path)" }
  static func running(_ console: Console) -> String {
    console.styled(.good, "Running.") + " It starts again whenever you log in."
  }
  static let afterLogout = "To keep it running when you are logged out: loginctl enable-linger"
  /// - Parameter reason: a sentence.
  static func startByHand(_ reason: String) -> String {
    "NOT STARTED. \(reason)\nTo start it where systemd runs:\n"
      + "  systemctl --user daemon-reload\n  systemctl --user enable --now \(ServiceUnit.name)\n"
      + "Elsewhere, have this run at each login: \(CommandName.text) sync --watch"
  }
  static func removed(_ path: String) -> String { "Removed: \(path)" }
  static let nothingToRemove = "No service is installed. Nothing to remove."
  static func stopByHand(_ reason: String) -> String {
    "It may still run. \(reason)\nTo stop it: systemctl --user stop \(ServiceUnit.name)"
  }
  static func foreign(_ path: String) -> String {
    "NOT changed: somebody else wrote this unit. Move it away first:\n\(path)"
  }
  static func failed(_ action: String, _ reason: String) -> String { "FAILED to \(action):\n\(reason)" }
  static let noFolder = "NOT installed: neither HOME nor XDG_CONFIG_HOME says where your units are."
  static let unknownProgram = "NOT installed: this program cannot tell where it is installed."
  static func noHome(_ path: String) -> String { "NOT installed: the folder cannot be found:\n\(path)" }
  static func commandFailed(_ command: String, _ status: Int32) -> String {
    "“\(command)” failed (status \(status))."
  }
  static func noSystemctl(_ reason: String) -> String { "systemctl cannot be run: \(reason)." }
}
