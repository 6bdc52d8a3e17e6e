import Arguments

/// What each command of the table runs.
enum CommandActions {
  typealias Action = @Sendable (Context) throws(Failure) -> ExitStatus

  /// The action; nil for a group and for an unknown command.
  static func action(for command: String) -> Action? {
    switch command {
    case "alert activate", "sos", "activate": ActivateCommand.run
    case "alert deactivate", "deactivate": DeactivateCommand.run
    case "alert status": AlertCommands.status
    case "alert history": AlertCommands.history
    case "alert watch": FollowCommand.run
    case "alert update": UpdateCommand.run
    case "sync": SyncCommand.run
    case "service install": ServiceCommands.install
    case "service remove": ServiceCommands.remove
    case "status": StatusCommand.run
    case "doctor": DoctorCommand.run
    case "screen": ScreenCommand.run
    case "completions": CompletionsCommand.run
    case "help": HelpCommand.run
    default: accountAction(for: command)
    }
  }

  private static func accountAction(for command: String) -> Action? {
    switch command {
    case "inbox": InboxCommand.run
    case "respond": RespondCommand.run
    case "contacts add": ContactCommands.add
    case "contacts list": ContactCommands.list
    case "contacts remove": ContactCommands.remove
    case "contacts test": ContactTestCommand.run
    case "profile show": ProfileCommands.show
    case "profile set": ProfileCommands.set
    case "sign-in": SignInCommand.run
    case "sign-out": SignOutCommand.run
    case "sessions list": SessionsCommands.list
    case "sessions end": SessionsCommands.end
    case "queue list": QueueCommands.list
    case "queue retry": QueueCommands.retry
    case "queue discard": QueueCommands.discard
    case "queue export": QueueCommands.export
    case "config set": ConfigCommands.set
    case "config get": ConfigCommands.get
    case "config list": ConfigCommands.list
    default: nil
    }
  }

  /// Whether its exit status is about the disk, even if standard output cannot be written.
  static func isDurableBeforeOutput(_ command: String) -> Bool {
    ["alert activate", "activate", "sos", "alert deactivate", "deactivate"].contains(command)
  }
}

extension CommandActions {
  /// Whether it reports with `--quiet` too: silence must not be taken for help on its way.
  static func isAlwaysReported(_ command: String) -> Bool {
    isDurableBeforeOutput(command) || command.hasPrefix("alert ") || ["status", "inbox", "respond"].contains(command)
  }
}

extension CommandSpecification {
  /// Whether it raises an alert. An error in its command line then says first that none was raised.
  var raisesAlert: Bool { options.contains { $0.name == "drill" } }
}
