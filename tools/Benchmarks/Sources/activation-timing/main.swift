import Glibc
import LifeSignal

// activation-timing commits HOME COUNT   raises and ends an alert COUNT / 2 times: each is one durable commit
// activation-timing contacts HOME COUNT  queues COUNT changes of one contact

func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

let message = "Door sensor at the north gate reports open"

/// Commits per second for raising and ending on this thread, and the median and 99th percentile of raising alone, in
/// microseconds.
func timeCommits(_ client: LifeSignalClient, count: Int) throws -> String {
  var activations: [Double] = []
  let start = secondsNow()
  for _ in 0..<count / 2 {
    let before = secondsNow()
    let raised = try client.activateAlertBlocking(message: message)
    activations.append((secondsNow() - before) * 1e6)
    precondition(!raised.wasActiveBefore, "an alert was left active")
    _ = try client.deactivateAlertsBlocking()
  }
  let rate = Double(count / 2 * 2) / (secondsNow() - start)
  activations.sort()
  let median = Int(activations[activations.count / 2])
  let late = Int(activations[activations.count * 99 / 100])
  return "\"commits_s\":\(Int(rate)),\"activation_p50_us\":\(median),\"activation_p99_us\":\(late)"
}

/// The same from a task, which pays for two thread switches each time.
func timeCommitsInTask(_ client: LifeSignalClient, count: Int) async throws -> String {
  let start = secondsNow()
  for _ in 0..<count / 2 {
    _ = try await client.activateAlert(message: message)
    _ = try await client.deactivateAlerts()
  }
  return "\"async_commits_s\":\(Int(Double(count / 2 * 2) / (secondsNow() - start)))"
}

/// Blocking calls are not allowed in tasks, and the top level is one.
func onThisThread<Value>(_ work: () throws -> Value) rethrows -> Value { try work() }

func queueContacts(_ client: LifeSignalClient, count: Int) async throws {
  let contact = try await client.addContact(details("Ana"))
  for number in 1..<count {
    _ = try await client.updateContact(contact.id, details("Ana \(number)"))
  }
}

func details(_ name: String) throws -> LifeSignalClient.ContactDetails {
  try LifeSignalClient.ContactDetails(
    name: name, phone: "+12025550143", isResponder: true, isDependent: false, channels: [])
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]), count > 1 else {
  print("usage: activation-timing commits|contacts HOME COUNT")
  exit(64)
}
let client = try LifeSignalClient.open(home: arguments[2])
switch arguments[1] {
case "commits":
  let blocking = try onThisThread { try timeCommits(client, count: count) }
  print("{\(blocking),\(try await timeCommitsInTask(client, count: count))}")
case "contacts": try await queueContacts(client, count: count)
default: exit(64)
}
