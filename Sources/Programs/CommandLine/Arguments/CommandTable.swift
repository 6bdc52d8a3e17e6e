import Arguments

/// All that the program can do, as data. Parsing, usage, help and completions read this table; `CommandActions` runs it.
enum CommandTable {
  static let root = CommandSpecification(
    name: Program.name,
    summary: "raise an emergency alert, also without a network, and see how far it got",
    details: """
      To raise an alert now:  lifesignal sos
      When you are safe:      lifesignal alert deactivate
      """,
    subcommands: [
      alert, sos, shortActivate, deactivate, inbox, respond, contacts, profile, signIn, signOut, sessions, sync,
      service, status, queue, config, doctor, screen, completions, help,
    ],
    closing: """
      Exit status:
        0 done   1 stopped at the keyboard, or nothing set   64 wrong usage
        65 bad data   69 the server says no   73 could not save
        74 output cannot be written   77 not signed in
        75 saved or queued here, the server cannot be reached

      Raising or ending an alert, in the screen too, starts a process that goes on
      sending until the alert is over. LIFESIGNAL_BACKGROUND=off in the environment
      prevents that.

      With --json an error is one line on standard error:
        {"error":{"code":"…","message":"…"}}
      Anything else said there is {"note":"…"}. Codes are words joined by “_”.
      """)

  static let sync = CommandSpecification(
    name: "sync", summary: "send what is saved here and fetch what is new",
    details: """
      Status 75: the server cannot be reached, and everything stays safe here. Status
      69: the server refused something.
      """,
    options: [
      .flag("watch", "keep running in the background until Ctrl-C or SIGTERM"),
      .flag("while-needed", "with --watch: end when nothing waits and no alert is active"),
    ],
    examples: ["lifesignal sync", "lifesignal sync --watch"])

  static let service = CommandSpecification(
    name: "service", summary: "keep this device in touch with the server whenever you are logged in",
    subcommands: [
      CommandSpecification(
        name: "install", summary: "run “sync --watch” as a systemd service of yours, from now on",
        details: """
          Writes lifesignal.service into $XDG_CONFIG_HOME/systemd/user and starts it, for
          the data that --home names. Again, it updates the service. Without systemd it
          says what to do instead; the status is 0 then too.
          """,
        examples: ["lifesignal service install"]),
      CommandSpecification(
        name: "remove", summary: "stop that service, and remove it",
        examples: ["lifesignal service remove"]),
    ])

  static let status = CommandSpecification(
    name: "status", summary: "show everything on one screen", examples: ["lifesignal status"])

  static let doctor = CommandSpecification(
    name: "doctor", summary: "find what would prevent an alert from being saved or sent",
    details: """
      Status 0: an alert would be saved, sent, and told to somebody who answered a
      test. Status 69: something fails, or you are NOT READY. READY OFFLINE: the
      server does not answer now, and an alert waits on this device until it does.
      """, examples: ["lifesignal doctor"])

  static let screen = CommandSpecification(
    name: "screen", summary: "open the terminal screen: raise, end and follow alerts, sign in",
    details: """
      Press Space four times to raise an alert, on any page, signed in or not. Hold
      Space for three seconds to end it, or press e and answer the question. The
      bottom line shows the keys that work now. While the screen is open it sends
      what is saved. It needs a terminal of at least 36×10 characters.
      """,
    examples: ["lifesignal screen", "lifesignal screen --no-color"])

  static let completions = CommandSpecification(
    name: "completions", summary: "write a completion script for a shell",
    arguments: [
      ArgumentSpecification(name: "SHELL", help: "bash, zsh, fish", completion: .words(CompletionScript.shells))
    ],
    examples: [
      "lifesignal completions bash > lifesignal.bash",
      "lifesignal completions fish | source",
    ])

  static let help = CommandSpecification(
    name: "help", summary: "explain a command",
    arguments: [
      ArgumentSpecification(name: "COMMAND", help: "the command to explain", isRequired: false, takesRest: true)
    ],
    examples: ["lifesignal help alert activate"])
}
