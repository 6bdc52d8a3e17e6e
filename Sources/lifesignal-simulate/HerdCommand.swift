/// `lifesignal-simulate herd`: thousands of devices, and an outage of the server.
enum HerdCommand {
  static func run(_ arguments: [String]) -> Int32 { 64 }
}
