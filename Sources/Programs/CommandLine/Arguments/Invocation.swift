/// What a command line asks for, after parsing: a command with its options and arguments.
struct Invocation: Sendable {
  /// From the program's own specification down to the command's.
  let path: [CommandSpecification]
  // A list and no dictionary: to make the type of a dictionary, the runtime would search the whole program for the
  // conformance of its keys, at each start.
  private var options: [(name: String, value: String)] = []
  private(set) var arguments: [String] = []

  init(path: [CommandSpecification]) {
    self.path = path
  }

  /// Whether a switch was given.
  func has(_ option: String) -> Bool { options.contains { $0.name == option } }

  /// The value of an option that may be given once.
  func value(_ option: String) -> String? { options.first { $0.name == option }?.value }

  /// The values of a repeatable option, in their order.
  func values(_ option: String) -> [String] { options.filter { $0.name == option }.map(\.value) }

  /// The argument at `index`; the parser has seen to it that required ones are there.
  func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

  var isJSON: Bool { has(GlobalOption.json) }

  mutating func add(option name: String, value: String) { options.append((name, value)) }
  mutating func add(argument: String) { arguments.append(argument) }
}

/// What parsing comes to.
enum ParsedCommandLine: Sendable {
  case run(Invocation)
  /// `--help` was given: explain the last of the path.
  case help([CommandSpecification])
  case version
}

/// A command line that means nothing: exit status 64. `path` is as far as it was understood.
struct UsageError: Error, Sendable {
  let message: String
  let path: [CommandSpecification]
}
