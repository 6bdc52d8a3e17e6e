import Arguments

extension CommandTable {
  static let alert = CommandSpecification(
    name: "alert", summary: "raise, end and follow alerts",
    subcommands: [
      activation("alert activate", "raise an alert"), update, deactivation("alert deactivate"), alertStatus, watch,
      history,
    ])

  static let sos = activation("sos", "raise an alert: the same as “alert activate”")
  static let shortActivate = activation("activate", "raise an alert: the same as “alert activate”")
  static let deactivate = deactivation("deactivate")

  /// One command under several names, because a person in danger types the first word that comes to mind.
  private static func activation(_ path: String, _ summary: String) -> CommandSpecification {
    CommandSpecification(
      name: lastWord(path), summary: summary, details: activationDetails,
      arguments: [
        ArgumentSpecification(name: "TEXT", help: "the same as --message TEXT", isRequired: false, takesRest: true)
      ],
      options: activationOptions,
      examples: [
        "lifesignal \(path)",
        "lifesignal \(path) Fell on the north path",
        "lifesignal \(path) -y -m \"Fell on the north path\" -l 52.5200,13.4050",
        "lifesignal \(path) --drill --yes",
      ])
  }

  private static let activationDetails = """
    On a terminal it asks for four key presses; three seconds without one start
    over; q, Esc or Ctrl-C leave without raising (status 1). Without a terminal
    it needs --yes. It says SAVED as soon as the alert is durable on this disk, then
    tries for ten seconds to send it. The exit status speaks of the disk alone:
    0 is saved, 73 is NOT saved. If an alert is active already, your new message
    and location are added to it. A message that is too long is cut, and a location
    that cannot be read goes into the message: neither prevents the alert. Without a
    location, gpsd is asked for one once the alert is saved, for two seconds. The
    level of this device's battery follows too.
    """

  private static let activationOptions: [OptionSpecification] = [
    .value("message", "TEXT", letter: "m", "what your responders read, at most 1,000 characters", isAccessory: true),
    .value(
      "location", "LAT,LON", letter: "l", "where you are, in degrees, as in 52.5200,13.4050", isAccessory: true),
    yes,
    .flag("drill", "a drill: your responders are told that it is one"),
    .value("gpsd", "HOST:PORT", "the gpsd to ask for your place, or “off”", isAccessory: true),
    noSync,
  ]

  private static func deactivation(_ path: String) -> CommandSpecification {
    CommandSpecification(
      name: lastWord(path), summary: "end the active alert: you are safe",
      details: """
        On a terminal it asks you to type the word “safe”. Without a terminal it needs
        --yes. If no alert is active it says so; that is no error. Status 69: the
        server did not take an end, as where help was called for again elsewhere.
        """,
      options: [yes, noSync],
      examples: ["lifesignal \(path)", "lifesignal \(path) --yes"])
  }

  private static let alertStatus = CommandSpecification(
    name: "status", summary: "show how far the alert got, responder by responder",
    examples: ["lifesignal alert status", "lifesignal alert status --json"])

  private static let update = CommandSpecification(
    name: "update", summary: "send your responders a new message, place or battery level",
    details: """
      Only while an alert is active; otherwise the status is 1. A message is a call
      for help: if the alert has ended on another device, it becomes a new alert. A
      location that cannot be read goes into the message. Without --battery, the level
      is this machine's own, where it has a battery.
      """,
    arguments: [
      ArgumentSpecification(name: "TEXT", help: "the same as --message TEXT", isRequired: false, takesRest: true)
    ],
    options: [
      .value("message", "TEXT", letter: "m", "what your responders read, at most 1,000 characters", isAccessory: true),
      .value("location", "LAT,LON", letter: "l", "where you are, in degrees, as in 52.5200,13.4050", isAccessory: true),
      .value("accuracy", "M", "how far off the location may be, in meters", isAccessory: true),
      .value("battery", "PERCENT", "the battery level of your device, 0 to 100", isAccessory: true),
      noSync,
    ],
    examples: [
      "lifesignal alert update -m \"Moved to the hut\" -l 46.5763,7.9905", "lifesignal alert update --battery 12",
    ])

  private static let watch = CommandSpecification(
    name: "watch", summary: "follow the active alert: who was told, who is responding",
    details: """
      Shows each change as it happens, and sends and fetches meanwhile, until the
      alert has ended: status 0. Ctrl-C leaves earlier, and the alert stays active:
      status 1. Status 1 too where no alert is active. With --json, one object a line.
      """,
    options: [.flag("no-sync", "only show what other processes send and fetch")],
    examples: ["lifesignal alert watch", "lifesignal alert watch --json"])

  private static let history = CommandSpecification(
    name: "history", summary: "list the alerts: active ones first, then the newest",
    options: [.value("limit", "N", "how many at most, 1 to 1000 (default: 20)")],
    examples: ["lifesignal alert history --limit 5"])

  private static let yes = OptionSpecification.flag("yes", letter: "y", "do not ask")
  private static let noSync = OptionSpecification.flag("no-sync", "save it; do not try to send it now")

  private static func lastWord(_ path: String) -> String {
    path.split(separator: " ").last.map { String($0) } ?? path
  }
}
