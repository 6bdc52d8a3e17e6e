import Glibc
import LifeSignal

// snapshot-timing HOME ALERTS CONTACTS COUNT   what a change costs an app that shows how things stand, the history and the contacts,
// in microseconds: a status alone, as where a receipt arrives, and with both lists read again, as where an alert has changed.

func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func fill(_ client: LifeSignalClient, alerts: Int, contacts: Int) async throws {
  for _ in 0..<alerts {
    _ = try await client.activateAlert(message: "Door sensor at the north gate reports open")
    _ = try await client.deactivateAlerts()
  }
  for number in 0..<contacts {
    let channel = try LifeSignalClient.Channel("https://hooks.example.org/\(number)")
    _ = try await client.addContact(
      LifeSignalClient.ContactDetails(
        name: "Contact \(number)", phone: "+12025550143", isResponder: true, isDependent: false, channels: [channel]))
  }
}

/// The median of `count` runs.
func median(_ count: Int, _ work: () async throws -> Void) async rethrows -> Int {
  var times: [Double] = []
  for _ in 0..<count {
    let start = secondsNow()
    try await work()
    times.append((secondsNow() - start) * 1e6)
  }
  return Int(times.sorted()[count / 2])
}

let arguments = CommandLine.arguments
guard arguments.count == 5, let alerts = Int(arguments[2]), let contacts = Int(arguments[3]),
  let count = Int(arguments[4]), count > 0
else {
  print("usage: snapshot-timing HOME ALERTS CONTACTS COUNT")
  exit(64)
}
let client = try LifeSignalClient.open(home: arguments[1])
try await fill(client, alerts: alerts, contacts: contacts)
let status = try await median(count) { _ = try await client.status() }
let all = try await median(count) {
  _ = try await client.status()
  _ = try await client.history(limit: 1000)
  _ = try await client.contacts()
}
print("{\"status_us\":\(status),\"status_and_lists_us\":\(all)}")
