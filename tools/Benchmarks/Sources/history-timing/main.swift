import Glibc
import LifeSignal

// history-timing HOME COUNT   reads the 50 newest alerts COUNT times, and prints the median and the 99th percentile, in microseconds

func microsecondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
  print("usage: history-timing HOME COUNT")
  exit(64)
}
let client = try LifeSignalClient.open(home: arguments[1])
var times: [Double] = []
times.reserveCapacity(count)
for _ in 0..<count {
  let start = microsecondsNow()
  let page = try await client.history(limit: 50)
  times.append(microsecondsNow() - start)
  precondition(page.count == 50, "the history has fewer than 50 alerts")
}
times.sort()
print("{\"p50_us\":\(times[count / 2]),\"p99_us\":\(times[count * 99 / 100])}")
