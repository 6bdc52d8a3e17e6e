import Arguments

extension CommandTable {
  static let contacts = CommandSpecification(
    name: "contacts", summary: "choose who is told of your alerts",
    subcommands: [addContact, listContacts, removeContact, testContact])

  private static let testContact = CommandSpecification(
    name: "test", summary: "test whether an alert would reach a contact",
    details: """
      They alone get a drill, which asks them to press “I got this”. Then the channel
      counts as tested, until its URL is changed. The test ends by itself, after 30
      minutes at the latest, also when this command has ended. Status 0: they pressed.
      Status 75: they have not yet, or it could not be sent yet. Status 69: it cannot
      be sent to them, or not now.
      """,
    arguments: [
      ArgumentSpecification(name: "CONTACT", help: "the contact's name, number, or ID from “contacts list”")
    ],
    options: [.value("wait", "SECONDS", "how long to wait for the answer, up to 1800 (default: 60)")],
    examples: ["lifesignal contacts test Ana", "lifesignal contacts test +12025550123 --wait 0"])

  static let profile = CommandSpecification(
    name: "profile", summary: "set the name that your responders see",
    subcommands: [
      CommandSpecification(
        name: "show", summary: "show what your responders see", details: "Status 1: no name is set.",
        examples: ["lifesignal profile show"]),
      CommandSpecification(
        name: "set", summary: "set your name",
        options: [.value("name", "NAME", "your name, at most 100 characters", isRequired: true)],
        examples: ["lifesignal profile set --name \"Ana García\""]),
    ])

  private static let addContact = CommandSpecification(
    name: "add", summary: "add a contact, or change the one with the same number",
    details: """
      A channel is https://… (a webhook), ntfy://host/topic, mailto:address,
      sms:+number, or tel:+number (a call). For a number that you have, what you do
      not give stays as it is: its channels too. --channel replaces all of them.
      """,
    arguments: [ArgumentSpecification(name: "PHONE", help: "the contact's number, as in +12025550123")],
    options: [
      .value("name", "NAME", "the contact's name", isRequired: true),
      .flag("responder", "is told of your alerts"),
      .flag("dependent", "you are told of theirs"),
      .value("tier", "N", "1: told at once; 2 to 9: told later, if nobody comes"),
      .value("channel", "URL", "a way to reach them; may be given up to ten times", isRepeatable: true),
      .value("region", "CC", "the country of a number without a country code, as in US"),
    ],
    examples: [
      "lifesignal contacts add +12025550123 --name Ana --responder \\\n    --channel ntfy://ntfy.sh/a-topic-of-yours"
    ])

  private static let listContacts = CommandSpecification(
    name: "list", summary: "list the contacts",
    details: """
      With how each channel of a responder stands, and whether an alert would reach
      anybody. A channel over which a message failed for good is FAILED until one gets
      through. With --json a contact has lists: “tested” (channel, at), “failed”
      (channel, at, reason) and “unsupported” (the channel); the last line has
      “readiness”.
      """,
    options: [.flag("show-secrets", "show the keys that sign each contact's webhooks")],
    examples: ["lifesignal contacts list"])

  private static let removeContact = CommandSpecification(
    name: "remove", summary: "remove a contact",
    arguments: [
      ArgumentSpecification(name: "CONTACT", help: "the contact's name, number, or ID from “contacts list”")
    ],
    examples: ["lifesignal contacts remove Ana", "lifesignal contacts remove +12025550123"])

  static let signIn = CommandSpecification(
    name: "sign-in", summary: "sign in with your phone number",
    details: """
      The server sends a code to the number, and you type it here. Without a terminal
      it is read from standard input; if that is closed, the status is 77 and --code
      continues with the code that was sent. A code that is given while none was sent
      is not tried: one is sent first. Ctrl-C leaves without signing in (status 1).
      Status 69: the code is wrong, expired or used, or was tried too often. Status
      75: the server cannot be reached, or another number's alerts still wait here.
      """,
    arguments: [ArgumentSpecification(name: "PHONE", help: "your number, as in +12025550123")],
    options: [
      .value("region", "CC", "the country of a number without a country code, as in US"),
      .value("code", "CODE", "the six digits that arrived"),
    ],
    examples: ["lifesignal sign-in +12025550123", "lifesignal sign-in +12025550123 --code 123456"])

  static let signOut = CommandSpecification(
    name: "sign-out", summary: "sign out, and remove the account's data from this device",
    details: """
      Refused (status 75) while anything waits to be sent, and while the server cannot
      be told: nothing is removed then.
      """,
    options: [
      .flag("discard-pending", "give up what waits to be sent, alerts too"),
      .flag("yes", letter: "y", "do not ask before an alert stays active or something is lost"),
    ],
    examples: ["lifesignal sign-out"])

  static let sessions = CommandSpecification(
    name: "sessions", summary: "show where you are signed in, and end a lost device's session",
    subcommands: [
      CommandSpecification(
        name: "list", summary: "list the devices that are signed in", examples: ["lifesignal sessions list"]),
      CommandSpecification(
        name: "end", summary: "end a device's session and its alert key at once",
        arguments: [ArgumentSpecification(name: "ID", help: "the session's ID, from “sessions list”")],
        examples: ["lifesignal sessions end 0198c5c4-9d5e-7000-8000-000000000001"]),
    ])

  static let queue = CommandSpecification(
    name: "queue", summary: "show and manage unsent items",
    subcommands: [
      CommandSpecification(name: "list", summary: "list what is queued", examples: ["lifesignal queue list"]),
      queueItem("retry", "send again what the server refused"),
      queueItem(
        "discard", "give an item up, with what waits behind it",
        options: [.flag("yes", letter: "y", "do not ask")]),
      CommandSpecification(
        name: "export", summary: "write what is queued as JSON, one item a line",
        examples: ["lifesignal queue export > unsent.jsonl"]),
    ])

  private static func queueItem(
    _ name: String, _ summary: String, options: [OptionSpecification] = []
  ) -> CommandSpecification {
    CommandSpecification(
      name: name, summary: summary,
      arguments: [ArgumentSpecification(name: "ID", help: "the item's ID, from “queue list”")], options: options,
      examples: ["lifesignal queue \(name) 0198c5c4-9d5e-7000-8000-000000000001"])
  }

  static let config = CommandSpecification(
    name: "config", summary: "set where your server is",
    details: """
      endpoint         https://host[:port][/path]; http:// only for this machine
      second_endpoint  another way to the same server, for emergencies
      ca_file          certificates of a private authority, PEM
      region           the country of numbers without a country code, as in US
      gpsd             host:port of the gpsd that knows where you are, or off
      """,
    subcommands: [
      CommandSpecification(
        name: "set", summary: "change a setting",
        arguments: [
          setting, ArgumentSpecification(name: "VALUE", help: "the value; an empty one removes the setting"),
        ],
        examples: [
          "lifesignal config set endpoint https://lifesignal.example.org", "lifesignal config set region US",
        ]),
      CommandSpecification(
        name: "get", summary: "show a setting", details: "Status 1: the setting has no value.",
        arguments: [setting], examples: ["lifesignal config get endpoint"]),
      CommandSpecification(name: "list", summary: "show all settings", examples: ["lifesignal config list"]),
    ])

  private static let setting = ArgumentSpecification(
    name: "KEY", help: "endpoint, second_endpoint, ca_file, region, gpsd", completion: .words(ConfigCommands.names))
}
