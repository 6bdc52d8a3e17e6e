import Glibc
import LifeSignalFeatures

// store-timing send|effect|burst|observed COUNT   what the runtime of the features costs, in nanoseconds: a send; an effect that sends one
// action back; the same with all of them at once; a send while something observes the store. And the peak memory of the process, in
// KiB. It does what floor.swift does without a library.

enum Action: Sendable { case increment, start, effectDone }

struct Counts: Equatable, Sendable {
  var count = 0
  var done = 0
}

func seconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

@MainActor func makeStore() -> Store<Counts, Action> {
  Store(initialState: Counts()) {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count &+= 1
        return .none
      case .start:
        state.count &+= 1
        return .run { send in await send(.effectDone) }
      case .effectDone:
        state.done &+= 1
        return .none
      }
    }
  }
}

/// Nanoseconds each, for a store that was never observed, or for one that was observed as by a view.
@MainActor func measureSend(_ count: Int, isObserved: Bool = false) -> Int {
  let store = makeStore()
  if isObserved { precondition(store.state.count == 0) }
  let start = seconds()
  for _ in 0..<count { store.send(.increment) }
  let elapsed = seconds() - start
  precondition(store.state.count == count)
  return Int(elapsed / Double(count) * 1e9)
}

/// Nanoseconds for an effect and its action, one after the other.
@MainActor func measureSequence(_ count: Int) async -> Int {
  let store = makeStore()
  let start = seconds()
  for _ in 0..<count { await store.send(.start).finish() }
  let elapsed = seconds() - start
  precondition(store.state.done == count)
  return Int(elapsed / Double(count) * 1e9)
}

/// Nanoseconds for an effect and its action, all started before the first ends.
@MainActor func measureBurst(_ count: Int) async -> Int {
  let store = makeStore()
  let start = seconds()
  var tasks: [StoreTask] = []
  tasks.reserveCapacity(count)
  for _ in 0..<count { tasks.append(store.send(.start)) }
  for task in tasks { await task.finish() }
  let elapsed = seconds() - start
  precondition(store.state.done == count)
  return Int(elapsed / Double(count) * 1e9)
}

func peakMemoryKibibytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
  print("usage: store-timing send|effect|burst|observed COUNT")
  exit(64)
}
let nanoseconds: Int
switch arguments[1] {
case "send": nanoseconds = measureSend(count)
case "effect": nanoseconds = await measureSequence(count)
case "burst": nanoseconds = await measureBurst(count)
case "observed": nanoseconds = measureSend(count, isObserved: true)
default: exit(64)
}
print("{\"ns\":\(nanoseconds),\"peak_kib\":\(peakMemoryKibibytes())}")
