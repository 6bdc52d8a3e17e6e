import Arguments
import Glibc

/// The command line of `lifesignal-simulate`.
enum SimulateOptions {
  static let root = CommandSpecification(
    name: "lifesignal-simulate",
    summary: "run devices and a server with faults, in virtual time; check every promise",
    options: [
      .value("seed", "N", "one run (default: 1)"),
      .value("seeds", "A..B", "the runs from A to B"),
      .value("devices", "N", "the number of devices, or a range A..B (default: 2 to 8, by the seed)"),
      .value("minutes", "N", "the minutes with faults (default: 10); then everything has an hour to settle"),
      .value("history", "N", "the number of earlier alerts, which the server loses (default: by the seed)"),
      .value("exchange-items", "N", "how many items and changes an exchange has at most (default: 500)"),
      .flag("trace", "print everything that happened"),
      .value("plant", "BUG", "put a mistake into the engine first; “--plant list” names them"),
    ],
    subcommands: [disks, herd, deliveries], runsAlone: true,
    examples: ["lifesignal-simulate --seeds 1..100", "lifesignal-simulate --seed 17 --trace"],
    closing: """
      Exit status: 0 every promise was kept, 1 one was broken, 64 wrong usage, 69 it
      cannot run here, or a store failed; 73 a file cannot be written.
      """)

  static let standardOptions = [StandardOption.help, StandardOption.version]

  private static let disks = CommandSpecification(
    name: "disks", summary: "cut the power and fail the disk, under the device's store and the server's",
    options: [
      .value("cuts", "N", "power cuts, over all stores (default: 50000)"),
      .value("compound", "N", "trials with several faults (default: 10000)"),
      .value("seed", "N", "what the trials are drawn from (default: 1)"),
      .value("store", "STORE", "device, server or both (default)", completion: .words(["device", "server", "both"])),
      .flag("control", "with synchronous=NORMAL: lost commits must be found"),
      .value("only", "KIND:N[..M]", "one trial, or a range of one kind, as in cut:17; needs one --store"),
    ],
    examples: ["lifesignal-simulate disks --store device --only cut:17"])

  private static let herd = CommandSpecification(
    name: "herd", summary: "take the server away from thousands of devices, and restart it",
    options: [
      .value("devices", "N", "how many (default: 10000)"),
      .value("outage-minutes", "N", "how long the server is away (default: 10)"),
      .value("alert-share", "SHARE", "the share of devices with an alert, 0 to 0.5 (default: 0.02)"),
      .value("seed", "N", "what the run is drawn from (default: 1)"),
      .value("plot", "FILE.svg", "draw the load over time", completion: .files),
    ],
    examples: ["lifesignal-simulate herd --devices 20000 --plot herd.svg"])

  private static let deliveries = CommandSpecification(
    name: "deliveries",
    summary: "measure how fast a store's queue of messages is worked off, where sending takes no time",
    options: [
      .value("database", "FILE|URL", "a new SQLite file, or an empty database postgresql://…", completion: .files),
      .value("count", "N", "how many messages (default: 20000)"),
      .value("batch", "N", "how many are leased and written down in one transaction (default: 1)"),
      .value(
        "senders", "N",
        "in the place of batches: so many senders with one message each, whose answers gather while one is committed"),
    ],
    examples: ["lifesignal-simulate deliveries --database queue.sqlite --batch 64"])

  /// Runs the command line, and returns the exit status.
  static func run(_ words: [String]) -> Int32 {
    do throws(UsageError) {
      switch try ArgumentParser.parse(words, root: root, globalOptions: standardOptions) {
      case .help(let path):
        print(HelpText.help(path, globalOptions: standardOptions), terminator: "")
        return 0
      case .version:
        print("lifesignal-simulate \(ProgramVersion.current)")
        return 0
      case .manual: throw UsageError(message: "this program has no manual page", path: [root])
      case .run(let invocation): return try run(invocation)
      }
    } catch {
      complain("lifesignal-simulate: \(error.message)\n\(error.advice)\n")
      return 64
    }
  }

  private static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    switch invocation.commandName {
    case "disks": try DisksCommand.run(invocation)
    case "herd": try HerdCommand.run(invocation)
    case "deliveries": try DeliveriesCommand.run(invocation)
    default: try SeedsCommand.run(invocation)
    }
  }

  /// Writes to standard error.
  static func complain(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}

extension Invocation {
  /// The value of an option as `read` parses it; nil if it is not given. Throws if it cannot be parsed.
  func read<Value>(_ option: String, _ meaning: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
    guard let text = value(option) else { return nil }
    guard let value = read(text) else {
      throw UsageError(message: "--\(option) needs \(meaning), not “\(text)”", path: path)
    }
    return value
  }
}
