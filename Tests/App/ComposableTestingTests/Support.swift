import Synchronization
import Testing

/// Runs `body`, which must record exactly the issues with these texts, in order.
///
/// - Parameter module: the module whose code the issues must point at.
@MainActor
func expectIssues(
  _ expected: [String], in module: String = "ComposableTestingTests",
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @MainActor () async -> Void
) async {
  let recorded = Recorded()
  await withKnownIssue {
    await body()
  } matching: { issue in
    recorded.add(issue)
    return true
  }
  #expect(recorded.texts == expected, sourceLocation: sourceLocation)
  #expect(recorded.files.allSatisfy { $0.hasPrefix(module + "/") }, sourceLocation: sourceLocation)
}

private final class Recorded: Sendable {
  private let issues = Mutex<[Issue]>([])

  var texts: [String] {
    issues.withLock { $0.map { $0.comments.map(\.rawValue).joined(separator: "\n") } }
  }
  var files: [String] {
    issues.withLock { $0.map { $0.sourceLocation?.fileID ?? "nowhere" } }
  }

  func add(_ issue: Issue) {
    issues.withLock { $0.append(issue) }
  }
}
