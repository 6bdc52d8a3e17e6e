import Glibc
import LifeSignal

// alert-timing HOME   raises an alert for each line that it reads and ends it with the next one. Answers each line with the times, in
//                     seconds of the monotonic clock, before the call and after its commit.

func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func timed(_ work: () throws -> Void) rethrows -> String {
  let start = secondsNow()
  try work()
  return "\(start) \(secondsNow())"
}

/// Blocking calls are not allowed in tasks, and the top level is one.
func answerLines(_ client: LifeSignalClient) throws {
  var isActive = false
  while readLine() != nil {
    let answer = try timed {
      if isActive {
        _ = try client.deactivateAlertsBlocking()
      } else {
        _ = try client.activateAlertBlocking(message: "Door sensor at the north gate reports open")
      }
    }
    isActive.toggle()
    print(answer)
    fflush(nil)
  }
}

guard CommandLine.arguments.count == 2 else {
  print("usage: alert-timing HOME")
  exit(64)
}
try answerLines(LifeSignalClient.open(home: CommandLine.arguments[1]))
