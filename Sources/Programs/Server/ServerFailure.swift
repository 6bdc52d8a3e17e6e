/// Why the program ends: a line for standard error and the exit status (sysexits).
struct ServerFailure: Error, Hashable {
  enum Status: Int32, Hashable {
    case usage = 64
    case data = 65
    case unavailable = 69
    case cannotCreate = 73
  }

  let status: Status
  let message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }
}
