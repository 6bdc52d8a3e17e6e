import Glibc
import LifeSignalFeatures

// store-timing  what the runtime of the features costs, in nanoseconds: a send, an effect that sends one action back, and the
// same with 100,000 of them at once. It does what floor.swift does without a library.

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
@MainActor func measureSend(isObserved: Bool = false) -> Int {
  let store = makeStore()
  if isObserved { precondition(store.state.count == 0) }
  let count = 1_000_000
  let start = seconds()
  for _ in 0..<count { store.send(.increment) }
  let elapsed = seconds() - start
  precondition(store.state.count == count)
  return Int(elapsed / Double(count) * 1e9)
}

/// The same.
@MainActor func measureSequence() async -> Int {
  let store = makeStore()
  let count = 100_000
  let start = seconds()
  for _ in 0..<count { await store.send(.start).finish() }
  let elapsed = seconds() - start
  precondition(store.state.done == count)
  return Int(elapsed / Double(count) * 1e9)
}

/// The same.
@MainActor func measureBurst() async -> Int {
  let store = makeStore()
  let count = 100_000
  let start = seconds()
  var tasks: [StoreTask] = []
  tasks.reserveCapacity(count)
  for _ in 0..<count { tasks.append(store.send(.start)) }
  for task in tasks { await task.finish() }
  let elapsed = seconds() - start
  precondition(store.state.done == count)
  return Int(elapsed / Double(count) * 1e9)
}

let send = measureSend()
let observed = measureSend(isObserved: true)
let sequence = await measureSequence()
let burst = await measureBurst()
print("{\"send_ns\":\(send),\"effect_ns\":\(sequence),\"burst_ns\":\(burst),\"observed_send_ns\":\(observed)}")
