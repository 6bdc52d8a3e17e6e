// What a store of features costs without a library: forty lines that hold a state, reduce actions, and run effects as tasks.
//
//     floor send|effect|burst COUNT   nanoseconds for a send; for an effect that sends one action back; the same with all at once
//
// Prints the peak memory of the process too, in KiB.

import Glibc

struct Counts {
  var count = 0
  var done = 0
}

enum Action { case increment, start, effectDone }

struct Effect {
  typealias Send = @MainActor @Sendable (Action) -> Void

  var work: (@Sendable (Send) async -> Void)?
}

/// Not inlined, as the reducer of another module is not.
@inline(never)
func reduce(_ state: inout Counts, _ action: Action) -> Effect {
  switch action {
  case .increment:
    state.count &+= 1
    return Effect()
  case .start:
    state.count &+= 1
    return Effect { send in await send(.effectDone) }
  case .effectDone:
    state.done &+= 1
    return Effect()
  }
}

/// Actions that are sent while one is reduced wait in a buffer; the task of each effect is kept until it ends.
@MainActor final class SmallStore {
  private(set) var state = Counts()
  private var buffer: [Action] = []
  private var isReducing = false
  private var newestTask = 0
  private var tasks: [Int: Task<Void, Never>] = [:]

  @discardableResult
  func send(_ action: Action) -> Task<Void, Never>? {
    buffer.append(action)
    if isReducing { return nil }
    isReducing = true
    defer {
      isReducing = false
      buffer.removeAll(keepingCapacity: true)
    }
    var last: Task<Void, Never>?
    var next = 0
    while next < buffer.count {
      if let work = reduce(&state, buffer[next]).work { last = begin(work) }
      next += 1
    }
    return last
  }

  private func begin(_ work: @escaping @Sendable (Effect.Send) async -> Void) -> Task<Void, Never> {
    newestTask += 1
    let id = newestTask
    let task = Task { @MainActor [weak self] in
      await work { self?.send($0) }
      self?.tasks[id] = nil
    }
    tasks[id] = task
    return task
  }
}

func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func peakMemoryKibibytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss
}

@MainActor func timeSends(_ store: SmallStore, _ count: Int) -> Double {
  let start = secondsNow()
  for _ in 0..<count { store.send(.increment) }
  precondition(store.state.count == count)
  return (secondsNow() - start) / Double(count)
}

@MainActor func timeEffects(_ store: SmallStore, _ count: Int) async -> Double {
  let start = secondsNow()
  for _ in 0..<count { await store.send(.start)?.value }
  precondition(store.state.done == count)
  return (secondsNow() - start) / Double(count)
}

@MainActor func timeBurst(_ store: SmallStore, _ count: Int) async -> Double {
  let start = secondsNow()
  var tasks: [Task<Void, Never>] = []
  tasks.reserveCapacity(count)
  for _ in 0..<count {
    if let task = store.send(.start) { tasks.append(task) }
  }
  for task in tasks { await task.value }
  precondition(store.state.done == count)
  return (secondsNow() - start) / Double(count)
}

@main struct Floor {
  @MainActor static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
      print("usage: floor send|effect|burst COUNT")
      exit(64)
    }
    let store = SmallStore()
    let seconds: Double
    switch arguments[1] {
    case "send": seconds = timeSends(store, count)
    case "effect": seconds = await timeEffects(store, count)
    case "burst": seconds = await timeBurst(store, count)
    default: exit(64)
    }
    print("{\"ns\":\(Int(seconds * 1e9)),\"peak_kib\":\(peakMemoryKibibytes())}")
  }
}
