import Arguments

extension CommandTable {
  static let inbox = CommandSpecification(
    name: "inbox", summary: "show the alerts of people who named you as a responder",
    details: """
      Active alerts first. Those that ended in the last 24 hours follow; --all shows
      older ones too. With --watch it shows each change as it happens, and sends and
      fetches meanwhile, until Ctrl-C. With --json, one object a line:
        {"id":…,"active":…,"alert":{…},
         "answer":{"answer":…,"text":…,"sent":…}|null,"refusal":…}
      and with --watch {"event":…,"at":…} in front of these members. Events: status,
      raised, updated, ended, removed, connected, disconnected. Status 77: sign in.
      """,
    options: [
      .flag("all", "also alerts that ended more than 24 hours ago"),
      .flag("watch", "follow the inbox; a new alert rings the terminal's bell"),
      .flag("no-sync", "with --watch: only show what other processes fetch"),
    ],
    examples: ["lifesignal inbox", "lifesignal inbox --watch"])

  static let respond = CommandSpecification(
    name: "respond", summary: "answer the alert of somebody else",
    details: """
      Without an option it says that you are responding. The newest answer counts. It
      is saved first, and then sent for up to ten seconds. Status 0: sent, or saved
      where --no-sync asks for that. Status 75: saved, and not sent yet. Status 69:
      the server refused it. Status 65: no such alert, or it has ended; the server is
      asked once before that. ALERT may be the first words of a name. It may be left
      out, with TEXT, while one alert is active. With --json, one object a line,
      the first as soon as it is saved: {"stage":"saved"|"sent"|"refused",…} with the
      members of “inbox --json”.
      """,
    arguments: [
      ArgumentSpecification(
        name: "ALERT", help: "the person's name or number, or the start of the ID from “inbox”", isRequired: false),
      ArgumentSpecification(
        name: "TEXT", help: "a line for them, at most 200 characters", isRequired: false, takesRest: true),
    ],
    options: [
      .flag("on-my-way", "you are on the way"),
      .flag("there", "you have reached them"),
      .flag("cannot", "you can't come"),
      .flag("handing-over", "you responded, and somebody else takes over"),
      .flag("no-sync", "save it; do not try to send it now"),
    ],
    examples: [
      "lifesignal respond Ben", "lifesignal respond Ben --on-my-way 20 minutes by car",
      "lifesignal respond +12025550143 --cannot",
    ])
}
