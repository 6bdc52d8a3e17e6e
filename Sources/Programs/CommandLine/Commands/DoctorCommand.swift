import DeviceCore

/// `doctor`: what would keep an alert from being saved or sent.
enum DoctorCommand {
  /// Done if nothing fails; warnings do not count.
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let findings = Doctor(home: try context.home(), at: context.moment).examine()
    for finding in findings {
      context.console.json {
        $0.member("check", finding.check)
        $0.member("state", finding.state.rawValue)
        $0.member("message", finding.message)
        $0.member("fix", finding.fix)
      }
      context.console.say(line(finding, context.console))
      if let fix = finding.fix { context.console.say("        → \(fix.printable)") }
    }
    return findings.contains { $0.state == .fail } ? .refused : .done
  }

  private static func line(_ finding: Finding, _ console: Console) -> String {
    let state =
      switch finding.state {
      case .ok: console.styled(.good, "ok  ")
      case .warn: console.styled(.warning, "warn")
      case .fail: console.styled(.bad, "FAIL")
      }
    return "  \(state)  \(finding.message.printable)"
  }
}
