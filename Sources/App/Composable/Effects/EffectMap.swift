extension Effect {
  /// Transforms each action that the effect sends, for example a child's action into its parent's.
  public func map<NewAction: Sendable>(
    _ transform: @escaping @Sendable (Action) -> NewAction
  ) -> Effect<NewAction> {
    guard let node else { return .none }
    return Effect<NewAction>(Self.mapped(node, transform))
  }

  private static func mapped<NewAction: Sendable>(
    _ node: Node, _ transform: @escaping @Sendable (Action) -> NewAction
  ) -> Effect<NewAction>.Node {
    func map(_ node: Node) -> Effect<NewAction>.Node { mapped(node, transform) }
    return switch node {
    case .send(let sent): .send(Effect<NewAction>.SentAction(transform(sent.action)))
    case .run(let work): .run(work.map(transform))
    case .merge(let nodes): .merge(nodes.map(map))
    case .concatenate(let nodes): .concatenate(nodes.map(map))
    case .cancellable(let node, let id, let cancelsInFlight):
      .cancellable(map(node), id, cancelsInFlight: cancelsInFlight)
    case .cancel(let id): .cancel(id)
    case .throttle(let node, let throttle): .throttle(map(node), throttle)
    case .uncancellable(let node): .uncancellable(map(node))
    case .detached(let node): .detached(map(node))
    }
  }
}
