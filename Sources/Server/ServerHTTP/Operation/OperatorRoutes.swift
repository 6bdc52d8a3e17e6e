import ServerCore
import Wire

/// The routes of the operator's listener: the core's, and those that tell of the process.
enum OperatorRoutes {
  static func table(_ figures: OperatorFigures) -> RouteTable {
    RouteTable(
      RouteTable.operation(certificateEnd: { figures.context.rules.value.certificateEnd }) {
        figures.context.measurements.values.codes
      }.entries + [
        ShellRoutes.health,
        RouteEntry("GET", Route.metrics, .operation) { _ in
          var needs = RequestNeeds()
          needs.storeCounts = true
          return Rule(needs) { _, work in answer(figures.text(work.facts.storeCounts, at: work.now)) }
        }
        // What the process knows itself is wanted most when its store is away.
        .answering { answer(figures.text(nil, at: $0)) },
      ])
  }

  private static func answer(_ metrics: String) -> ServerResponse {
    .text(metrics, mediaType: "text/plain; version=0.0.4; charset=utf-8")
  }
}
