import Dependencies

/// Runs the effects of one store in tasks.
@MainActor
final class EffectRunner<Action: Sendable> {
  typealias Node = Effect<Action>.Node

  let tasks = EffectTasks()
  /// Gives an action to the store; nil when the store has gone. It keeps the store's core, which keeps this: whoever ends
  /// the store calls `invalidate()`. (A weak reference would make every use of the core slower.)
  private var deliver: (@MainActor (Action, Flight) -> Void)?
  private let taskEnded: (@MainActor () -> Void)?
  private let dependencies: DependencyValues
  private let scheduler: EffectScheduler?
  private var throttles: [EffectID: ThrottleWindow] = [:]

  /// Where a node belongs: what cancels it, who waits for it and for its actions' effects, and the steps of
  /// concatenations that wait for it alone.
  fileprivate struct Place {
    var ids: [EffectID] = []
    var flight: Flight
    var steps: [Flight] = []
    var isUncancellable = false
  }

  /// The time after an effect in which no other of its throttle may begin.
  private struct ThrottleWindow {
    let remaining: @Sendable () -> Duration
    var waiting: ThrottledEffect?
  }

  /// An effect that waits for the end of a window, and the task that waits for it.
  @MainActor private final class ThrottledEffect {
    var key: Int?
  }

  init(dependencies: DependencyValues, scheduler: EffectScheduler?, taskEnded: (@MainActor () -> Void)?) {
    self.dependencies = dependencies
    self.scheduler = scheduler
    self.taskEnded = taskEnded
  }

  /// Before the first effect.
  func connect(_ deliver: @escaping @MainActor (Action, Flight) -> Void) { self.deliver = deliver }

  func start(_ node: Node, in flight: Flight) {
    start(node, at: Place(flight: flight))
  }

  func cancelAll() {
    tasks.cancelAll()
  }

  /// Cancels everything, and drops what is still sent.
  func invalidate() {
    cancelAll()
    deliver = nil
  }

  private func start(_ node: Node, at place: Place) {
    switch node.kind {
    case .send(let action): deliver?(action, place.flight)
    case .run(let priority, let operation): run(priority, at: place, operation)
    case .merge(let nodes): for node in nodes { start(node, at: place) }
    case .concatenate(let nodes): start(nodes[...], at: place)
    case .cancellable(let node, let id, let cancelsInFlight):
      if cancelsInFlight { tasks.cancel(id) }
      start(node, at: place.with { $0.ids.append(id) })
    case .cancel(let id): tasks.cancel(id)
    case .throttle(let node, let throttle): start(node, throttle, at: place)
    case .uncancellable(let node): start(node, at: place.with { $0.isUncancellable = true })
    case .detached(let node): start(node, at: place.with { ($0.flight, $0.steps) = (Flight(tasks), []) })
    }
  }
}

extension EffectRunner.Place {
  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var place = self
    change(&place)
    return place
  }
}

// MARK: - Tasks

extension EffectRunner {
  @discardableResult
  private func run(
    _ priority: TaskPriority?, at place: Place, _ operation: @escaping @Sendable (Send<Action>) async -> Void
  ) -> Int {
    let flight = place.flight
    let send = Send<Action> { [self] action in deliver?(action, flight) }
    return begin(at: place) { key in
      DependencyValues.$current.withValue(dependencies) {
        Self.task(priority, scheduler) { [self] in
          await operation(send)
          await end(key)
        }
      }
    }
  }

  private func begin(at place: Place, _ make: (Int) -> Task<Void, Never>) -> Int {
    tasks.begin(
      ids: place.ids, flight: place.flight, steps: place.steps, isUncancellable: place.isUncancellable, make)
  }

  private func end(_ key: Int) {
    tasks.end(key)
    taskEnded?()
  }

  /// Outside the main actor, and on the scheduler where there is one.
  nonisolated private static func task(
    _ priority: TaskPriority?, _ scheduler: EffectScheduler?, _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    guard let scheduler else { return Task(priority: priority, operation: operation) }
    return EffectScheduler.$current.withValue(scheduler) {
      Task(executorPreference: scheduler, priority: priority, operation: operation)
    }
  }
}

// MARK: - One after the other

extension EffectRunner {
  /// Starts what can be started now; where a step leaves tasks behind, the others follow when these have ended.
  private func start(_ nodes: ArraySlice<Node>, at place: Place) {
    var rest = nodes
    while let node = rest.popFirst() {
      let step = Flight(tasks)
      start(node, at: place.with { $0.steps.append(step) })
      if !step.isEmpty { return follow(step, with: rest, at: place) }
    }
  }

  private func follow(_ step: Flight, with rest: ArraySlice<Node>, at place: Place) {
    guard !rest.isEmpty else { return }
    _ = begin(at: place) { key in
      Task { [self] in
        await step.finish()
        if !Task.isCancelled { start(rest, at: place) }
        end(key)
      }
    }
  }
}

// MARK: - At most once in an interval

extension EffectRunner {
  private func start(_ node: Node, _ throttle: EffectThrottle, at place: Place) {
    guard let window = throttles[throttle.id] else { return begin(node, throttle, at: place) }
    let remaining = window.remaining()
    guard window.waiting != nil || remaining > .zero else { return begin(node, throttle, at: place) }
    if let waiting = window.waiting {
      guard throttle.latest else { return }
      tasks.cancel(waiting.key.map { [$0] } ?? [])
    }
    wait(node, throttle, max(.zero, remaining), at: place)
  }

  /// Starts it, and a window after it.
  private func begin(_ node: Node, _ throttle: EffectThrottle, at place: Place) {
    throttles[throttle.id] = ThrottleWindow(remaining: throttle.start())
    start(node, at: place)
  }

  /// Starts it when the window has ended, unless it is cancelled, or another takes its place, before.
  private func wait(_ node: Node, _ throttle: EffectThrottle, _ remaining: Duration, at place: Place) {
    let effect = ThrottledEffect()
    throttles[throttle.id]?.waiting = effect
    effect.key = run(nil, at: place.with { $0.ids.append(throttle.id) }) { [self] _ in
      let isOver = (try? await throttle.clock.sleep(for: remaining)) != nil  // else it was cancelled
      await endWait(of: effect, isOver ? node : nil, throttle, at: place)
    }
  }

  private func endWait(of effect: ThrottledEffect, _ node: Node?, _ throttle: EffectThrottle, at place: Place) {
    guard throttles[throttle.id]?.waiting === effect else { return }
    throttles[throttle.id]?.waiting = nil
    if let node, !Task.isCancelled { begin(node, throttle, at: place) }
  }
}
