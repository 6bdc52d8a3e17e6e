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
  private struct Place {
    var ids: [EffectID] = []
    let flight: Flight
    var steps: [Flight] = []
  }

  private struct ThrottleWindow {
    var remaining: @Sendable () -> Duration
    var pending: (node: Node, place: Place)?
    var isWaiting = false
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
    for id in throttles.keys { throttles[id]?.pending = nil }
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
      if cancelsInFlight { cancel(id) }
      var place = place
      place.ids.append(id)
      start(node, at: place)
    case .cancel(let id): cancel(id)
    case .throttle(let node, let throttle): start(node, throttle, at: place)
    }
  }

  private func cancel(_ id: EffectID) {
    tasks.cancel(id)
    throttles[id]?.pending = nil
  }
}

// MARK: - Tasks

extension EffectRunner {
  private func run(
    _ priority: TaskPriority?, at place: Place, _ operation: @escaping @Sendable (Send<Action>) async -> Void
  ) {
    let flight = place.flight
    let send = Send<Action> { [self] action in deliver?(action, flight) }
    begin(at: place) { key in
      DependencyValues.$current.withValue(dependencies) {
        Self.task(priority, scheduler) { [self] in
          await operation(send)
          await end(key)
        }
      }
    }
  }

  private func begin(at place: Place, _ make: (Int) -> Task<Void, Never>) {
    tasks.begin(ids: place.ids, flights: place.steps + CollectionOfOne(place.flight), make)
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
      start(node, at: Place(ids: place.ids, flight: place.flight, steps: place.steps + [step]))
      if !step.isEmpty { return follow(step, with: rest, at: place) }
    }
  }

  private func follow(_ step: Flight, with rest: ArraySlice<Node>, at place: Place) {
    guard !rest.isEmpty else { return }
    begin(at: place) { key in
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
    let id = throttle.id
    let remaining = throttles[id]?.remaining() ?? .zero
    guard throttles[id]?.isWaiting == true || remaining > .zero else {
      throttles[id] = ThrottleWindow(remaining: throttle.start())
      return start(node, at: place)
    }
    if throttle.latest || throttles[id]?.pending == nil { throttles[id]?.pending = (node, place) }
    guard throttles[id]?.isWaiting != true else { return }
    throttles[id]?.isWaiting = true
    var waiting = place
    waiting.ids.append(id)
    run(nil, at: waiting) { [self] _ in
      // Cancelled: then nothing is pending any more.
      try? await throttle.clock.sleep(for: remaining)
      await endWindow(throttle)
    }
  }

  private func endWindow(_ throttle: EffectThrottle) {
    let pending = throttles[throttle.id]?.pending
    throttles[throttle.id] = pending == nil ? nil : ThrottleWindow(remaining: throttle.start())
    if let pending { start(pending.node, at: pending.place) }
  }
}
