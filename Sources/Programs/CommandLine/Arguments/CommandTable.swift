/// All that the program can do. Parsing, usage, help and completions read this table.
enum CommandTable {
  static let root = CommandSpecification(
    name: Program.name,
    summary: "raise an emergency alert, also without a network, and see how far it got",
    details: """
      To raise an alert now:  lifesignal sos
      When you are safe:      lifesignal alert deactivate
      """,
    subcommands: [
      alert, sos, shortActivate, deactivate, contacts, signIn, signOut, sessions, sync, status, queue, config, doctor,
      screen,
      completions, help,
    ])

  private static let alert = CommandSpecification(
    name: "alert", summary: "raise, end and follow alerts",
    examples: [
      "alert activate --message \"fell on the ridge\"",
      "alert status",
    ],
    subcommands: [activate, deactivate, alertStatus, history])

  private static let activate = activation("activate", "raise an alert")
  private static let sos = activation("sos", "raise an alert: the same as “alert activate”")
  private static let shortActivate = activation("activate", "raise an alert: the same as “alert activate”")

  /// One command under several names: whoever is in danger types the first word that comes to mind.
  private static func activation(_ name: String, _ summary: String) -> CommandSpecification {
    CommandSpecification(
      name: name, summary: summary, details: activationDetails,
      examples: [
        "sos",
        "sos fell on the north ridge",
        "alert activate -y -m \"car accident\" -l 46.5763,7.9905",
      ],
      arguments: [
        ArgumentSpecification(
          name: "TEXT", help: "the same as --message TEXT", isRequired: false, takesRest: true)
      ],
      options: activationOptions,
      action: ActivateCommand.run, isDurableBeforeOutput: true)
  }

  private static let activationDetails = """
    On a terminal it asks for four key presses; three seconds without one start
    over, and q, Esc or Ctrl-C leave without raising (status 1). Without a terminal
    it needs --yes. It says SAVED as soon as the alert is durable on this disk, and
    then tries for ten seconds to send it. The exit status speaks of the disk alone:
    0 is saved, 73 is NOT saved. Where an alert is active already, your new message
    and location go to it. A message that is too long is cut, and a location that
    cannot be read goes into the message: neither keeps the alert back.
    """

  private static let activationOptions: [OptionSpecification] = [
    .value(
      "message", letter: "m", "TEXT", "what your responders are to read, at most 1,000 characters", isAccessory: true),
    .value("location", letter: "l", "LAT,LON", "where you are, in degrees, as in 52.5200,13.4050", isAccessory: true),
    .flag("yes", letter: "y", "do not ask"),
    .flag("drill", "a drill: your responders are told that it is one"),
    .flag("no-sync", "save it, and do not try to send it now"),
  ]

  private static let deactivate = CommandSpecification(
    name: "deactivate", summary: "end the active alert: you are safe",
    details: """
      On a terminal it asks you to type the word “safe”. Without a terminal it needs
      --yes. Where no alert is active it says so, and that is no error.
      """,
    examples: [
      "alert deactivate",
      "alert deactivate --yes",
    ],
    options: [
      .flag("yes", letter: "y", "do not ask"),
      .flag("no-sync", "save it, and do not try to send it now"),
    ],
    action: DeactivateCommand.run, isDurableBeforeOutput: true)

  private static let alertStatus = CommandSpecification(
    name: "status", summary: "show how far the alert got, responder by responder",
    examples: [
      "alert status",
      "--json alert status",
    ],
    action: AlertCommands.status)

  private static let history = CommandSpecification(
    name: "history", summary: "list the alerts, newest first",
    examples: [
      "alert history --limit 5"
    ],
    options: [.value("limit", "N", "how many at most, 1 to 1000 (default: 20)")],
    action: AlertCommands.history)

  private static let contacts = CommandSpecification(
    name: "contacts", summary: "say who is told of your alerts",
    examples: [
      "contacts add +12025550143 --name Ana --responder",
      "contacts list",
    ],
    subcommands: [
      CommandSpecification(
        name: "add", summary: "add a contact, or change the one with the same number",
        details: """
          A channel is https://… (a webhook), ntfy://host/topic, mailto:address or
          sms:+number. For a number that you have, what you do not give stays as it is:
          its channels too. --channel replaces all of them.
          """,
        examples: [
          "contacts add +12025550143 --name Ana --responder",
          "contacts add +12025550143 --name Ana --channel ntfy://ntfy.sh/a7",
        ],
        arguments: [ArgumentSpecification(name: "PHONE", help: "the contact's number, as in +12025550123")],
        options: [
          .value("name", "NAME", "how you call them", isRequired: true),
          .flag("responder", "is told of your alerts"),
          .flag("dependent", "you are told of theirs"),
          .value("channel", "URL", "a way to reach them; may be given up to ten times", isRepeatable: true),
          .value("region", "CC", "the country of a number without a country code, as in US"),
        ],
        action: ContactCommands.add),
      CommandSpecification(
        name: "list", summary: "list the contacts",
        examples: [
          "contacts list"
        ],
        options: [.flag("show-secrets", "show with what the server signs each contact's webhooks")],
        action: ContactCommands.list),
      CommandSpecification(
        name: "remove", summary: "remove a contact",
        examples: [
          "contacts remove Ana",
          "contacts remove +12025550143",
        ],
        arguments: [ArgumentSpecification(name: "CONTACT", help: "the contact's name, number or ID")],
        action: ContactCommands.remove),
    ])

  private static let signIn = CommandSpecification(
    name: "sign-in", summary: "sign in with your phone number",
    details: """
      A code goes to the number. It is read from standard input; where that is closed
      the program says so (status 77), and --code goes on with the code that was sent.
      A code given while none was sent is not tried: one is sent first. Status 69: the
      code is wrong, too late or used, or was tried too often. Status 75: the server
      cannot be reached, or another number's alerts still wait here.
      """,
    examples: [
      "sign-in \"+1 202 555 0123\"",
      "sign-in +12025550123 --code 123456",
    ],
    arguments: [ArgumentSpecification(name: "PHONE", help: "your number, as in +12025550123")],
    options: [
      .value("region", "CC", "the country of a number without a country code, as in US"),
      .value("code", "CODE", "the six digits that arrived"),
    ],
    action: SignInCommand.run)

  private static let signOut = CommandSpecification(
    name: "sign-out", summary: "sign out, and remove the account's data from this device",
    details: """
      Refused (status 75) while anything waits to be sent, and while the server cannot
      be told: nothing is removed then.
      """,
    examples: [
      "sign-out"
    ],
    options: [
      .flag("discard-pending", "give up what waits to be sent, alerts too"),
      .flag("yes", letter: "y", "do not ask, on a terminal, before an alert is left active or something is lost"),
    ],
    action: SignOutCommand.run)

  private static let sessions = CommandSpecification(
    name: "sessions", summary: "show where you are signed in, and end a lost device's session",
    examples: [
      "sessions list",
      "sessions end ID",
    ],
    subcommands: [
      CommandSpecification(
        name: "list", summary: "list the devices that are signed in",
        examples: [
          "sessions list"
        ], action: SessionsCommands.list),
      CommandSpecification(
        name: "end", summary: "end a device's session and its alert key at once",
        examples: [
          "sessions end ID"
        ],
        arguments: [ArgumentSpecification(name: "ID", help: "the session's ID, from “sessions list”")],
        action: SessionsCommands.end),
    ])

  private static let sync = CommandSpecification(
    name: "sync", summary: "send what is saved here and fetch what is new",
    details: """
      Status 75: the server cannot be reached, and everything stays safe here. Status
      69: the server refused something.
      """,
    examples: [
      "sync",
      "sync --watch",
    ],
    options: [.flag("watch", "keep running: the background worker, until Ctrl-C or SIGTERM")],
    action: SyncCommand.run)

  private static let status = CommandSpecification(
    name: "status", summary: "show everything on one screen",
    examples: [
      "status"
    ], action: StatusCommand.run)

  private static let queue = CommandSpecification(
    name: "queue", summary: "show and manage unsent items, and what the server refused",
    examples: [
      "queue list",
      "queue retry ID",
    ],
    subcommands: [
      CommandSpecification(
        name: "list", summary: "list what is queued",
        examples: [
          "queue list"
        ], action: QueueCommands.list),
      CommandSpecification(
        name: "retry", summary: "send again what the server refused",
        examples: [
          "queue retry ID"
        ],
        arguments: [ArgumentSpecification(name: "ID", help: "the item's ID, from “queue list”")],
        action: QueueCommands.retry),
      CommandSpecification(
        name: "discard", summary: "give an item up, with what waits behind it",
        examples: [
          "queue discard ID"
        ],
        arguments: [ArgumentSpecification(name: "ID", help: "the item's ID, from “queue list”")],
        options: [.flag("yes", letter: "y", "do not ask on a terminal")],
        action: QueueCommands.discard),
      CommandSpecification(
        name: "export", summary: "write what is queued as JSON, an item a line",
        examples: [
          "queue export"
        ], action: QueueCommands.export),
    ])

  private static let config = CommandSpecification(
    name: "config", summary: "say where your server is",
    details: """
      endpoint         https://host[:port][/path]; http:// only for this machine
      second_endpoint  another way to the same server, for emergencies
      ca_file          certificates of a private authority, PEM
      region           the country of numbers without a country code, as in US
      """,
    examples: [
      "config set endpoint https://alerts.example",
      "config get endpoint",
    ],
    subcommands: [
      CommandSpecification(
        name: "set", summary: "change a setting",
        examples: [
          "config set endpoint https://alerts.example",
          "config set region US",
        ],
        arguments: [
          setting, ArgumentSpecification(name: "VALUE", help: "the value; an empty one removes the setting"),
        ],
        action: ConfigCommands.set),
      CommandSpecification(
        name: "get", summary: "show a setting",
        examples: [
          "config get endpoint"
        ], arguments: [setting], action: ConfigCommands.get),
      CommandSpecification(
        name: "list", summary: "show all settings",
        examples: [
          "config list"
        ], action: ConfigCommands.list),
    ])

  private static let setting = ArgumentSpecification(
    name: "KEY", help: "endpoint, second_endpoint, ca_file, region", completion: .words(ConfigCommands.names))

  private static let doctor = CommandSpecification(
    name: "doctor", summary: "find what would keep an alert from being saved or sent",
    details: "Status 0 where nothing fails, else 69.",
    examples: [
      "doctor"
    ],
    action: DoctorCommand.run)

  private static let screen = CommandSpecification(
    name: "screen", summary: "the terminal screen: raise, end and follow alerts, sign in",
    details: """
      Space four times raises an alert, whatever is shown and whether or not you are
      signed in; holding Space for three seconds ends it, or e and the question that
      comes. The keys that do something now stand on the bottom line. What is saved is
      sent while the screen is open. It needs a terminal of at least 36×10 characters.
      """,
    examples: [
      "screen"
    ],
    action: ScreenCommand.run)

  private static let completions = CommandSpecification(
    name: "completions", summary: "write a completion script for a shell",
    examples: [
      "completions bash > lifesignal.bash"
    ],
    arguments: [
      ArgumentSpecification(
        name: "SHELL", help: "bash, zsh, fish",
        completion: .words(CompletionScript.shells))
    ],
    action: CompletionsCommand.run)

  private static let help = CommandSpecification(
    name: "help", summary: "explain a command",
    examples: [
      "help contacts add"
    ],
    arguments: [
      ArgumentSpecification(name: "COMMAND", help: "the command to explain", isRequired: false, takesRest: true)
    ],
    action: HelpCommand.run)
}
