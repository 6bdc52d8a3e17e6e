import Dependencies

/// Runs the effects of one store in tasks.
@MainActor
final class EffectRunner<Action: Sendable> {
  typealias Node = Effect<Action>.Node

  let tasks = EffectTasks()
  /// Passes an action to the store; nil after `invalidate()`. It retains the store's core, which retains this runner:
  /// the store must call `invalidate()` to break the cycle. (A weak reference would make every use of the core slower.)
  private var deliver: (@MainActor (Action, Flight) -> Void)?
  private let taskEnded: (@MainActor () -> Void)?
  private let dependencies: DependencyValues
  private let scheduler: EffectScheduler?
  private var throttles: [EffectID: ThrottleWindow] = [:]

  /// The context of a node: the ids that cancel it, the flight that waits for it and for the effects of its actions,
  /// and the steps of concatenations that wait for the node alone.
  fileprivate struct Context {
    var ids: [EffectID] = []
    var flight: Flight
    var steps: [Flight] = []
    var isUncancellable = false
  }

  /// The time after an effect in which no other effect with its throttle may start.
  private struct ThrottleWindow {
    let remaining: @Sendable () -> Duration
    var waiting: ThrottledEffect?
  }

  /// An effect that waits for the end of a window; `key` is that of the task that waits.
  @MainActor private final class ThrottledEffect {
    var key: Int?
  }

  init(dependencies: DependencyValues, scheduler: EffectScheduler?, taskEnded: (@MainActor () -> Void)?) {
    self.dependencies = dependencies
    self.scheduler = scheduler
    self.taskEnded = taskEnded
  }

  /// Must be called before the first effect starts.
  func connect(_ deliver: @escaping @MainActor (Action, Flight) -> Void) { self.deliver = deliver }

  func start(_ node: Node, in flight: Flight) {
    start(node, in: Context(flight: flight))
  }

  func cancelAll() {
    tasks.cancelAll()
  }

  /// Cancels every effect, and drops the actions that they still send.
  func invalidate() {
    cancelAll()
    deliver = nil
  }

  private func start(_ node: Node, in context: Context) {
    switch node {
    case .send(let sent): deliver?(sent.action, context.flight)
    case .run(let work): run(work, in: context)
    case .merge(let nodes): for node in nodes { start(node, in: context) }
    case .concatenate(let nodes): start(nodes[...], in: context)
    case .cancellable(let node, let id, let cancelsInFlight):
      if cancelsInFlight { tasks.cancel(id) }
      start(node, in: context.with { $0.ids.append(id) })
    case .cancel(let id): tasks.cancel(id)
    case .throttle(let node, let throttle): start(node, throttle, in: context)
    case .uncancellable(let node): start(node, in: context.with { $0.isUncancellable = true })
    case .detached(let node): start(node, in: context.with { ($0.flight, $0.steps) = (Flight(tasks), []) })
    }
  }
}

extension EffectRunner.Context {
  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var context = self
    change(&context)
    return context
  }
}

// MARK: - Tasks

extension EffectRunner {
  @discardableResult
  private func run(_ work: EffectWork<Action>, in context: Context) -> Int {
    let flight = context.flight
    let send = Send<Action> { [self] action in deliver?(action, flight) }
    return begin(in: context) { key in
      DependencyValues.$current.withValue(dependencies) { task(work, send, key) }
    }
  }

  /// Makes a task outside the main actor, on the scheduler if there is one.
  nonisolated private func task(
    _ work: EffectWork<Action>, _ send: Send<Action>, _ key: Int
  ) -> Task<Void, Never> {
    guard let scheduler else { return Task(priority: work.priority) { await self.perform(work, send, key) } }
    return EffectScheduler.$current.withValue(scheduler) {
      Task(executorPreference: scheduler, priority: work.priority) { await self.perform(work, send, key) }
    }
  }

  /// Runs the operation and ends its task.
  ///
  /// An operation whose last step is on the main actor, such as a send, stays there for the end: both calls are of async
  /// functions and nothing else is between them, so that the compiler leaves out the way back.
  nonisolated private func perform(_ work: EffectWork<Action>, _ send: Send<Action>, _ key: Int) async {
    do { try await work.operation(send) } catch { await work.take(error, send) }
    await endOnMainActor(key)
  }

  /// Async for the sake of `perform`.
  private func endOnMainActor(_ key: Int) async { end(key) }

  private func begin(in context: Context, _ make: (Int) -> Task<Void, Never>) -> Int {
    tasks.begin(
      ids: context.ids, flight: context.flight, steps: context.steps, isUncancellable: context.isUncancellable, make)
  }

  private func end(_ key: Int) {
    tasks.end(key)
    taskEnded?()
  }
}

// MARK: - Concatenation

extension EffectRunner {
  /// Starts the steps up to the first one that leaves tasks running; the others start when those tasks have ended.
  private func start(_ nodes: ArraySlice<Node>, in context: Context) {
    var rest = nodes
    while let node = rest.popFirst() {
      let step = Flight(tasks)
      start(node, in: context.with { $0.steps.append(step) })
      if !step.isEmpty { return follow(step, with: rest, in: context) }
    }
  }

  private func follow(_ step: Flight, with rest: ArraySlice<Node>, in context: Context) {
    guard !rest.isEmpty else { return }
    _ = begin(in: context) { key in
      Task { [self] in
        await step.finish()
        if !Task.isCancelled { start(rest, in: context) }
        end(key)
      }
    }
  }
}

// MARK: - Throttling

extension EffectRunner {
  private func start(_ node: Node, _ throttle: EffectThrottle, in context: Context) {
    guard let window = throttles[throttle.id] else { return begin(node, throttle, in: context) }
    let remaining = window.remaining()
    guard window.waiting != nil || remaining > .zero else { return begin(node, throttle, in: context) }
    if let waiting = window.waiting {
      guard throttle.latest else { return }
      tasks.cancel(waiting.key.map { [$0] } ?? [])
    }
    wait(node, throttle, max(.zero, remaining), in: context)
  }

  /// Starts the effect and a new window.
  private func begin(_ node: Node, _ throttle: EffectThrottle, in context: Context) {
    throttles[throttle.id] = ThrottleWindow(remaining: throttle.start())
    start(node, in: context)
  }

  /// Starts the effect when the window has ended, unless it is cancelled or replaced before.
  private func wait(_ node: Node, _ throttle: EffectThrottle, _ remaining: Duration, in context: Context) {
    let effect = ThrottledEffect()
    throttles[throttle.id]?.waiting = effect
    let work = EffectWork<Action>(
      nil,
      { [self] _ in
        let isOver = (try? await throttle.clock.sleep(for: remaining)) != nil  // false: it was cancelled
        await endWait(of: effect, isOver ? node : nil, throttle, in: context)
      }, handler: nil, fileID: #fileID, line: #line)
    effect.key = run(work, in: context.with { $0.ids.append(throttle.id) })
  }

  private func endWait(of effect: ThrottledEffect, _ node: Node?, _ throttle: EffectThrottle, in context: Context) {
    guard throttles[throttle.id]?.waiting === effect else { return }
    throttles[throttle.id]?.waiting = nil
    if let node, !Task.isCancelled { begin(node, throttle, in: context) }
  }
}
