import Dependencies
import FoundationEssentials

/// The `date` of the dependencies that were current when it was made. All are equal: it is no part of what a state says.
struct InjectedDate: Equatable, Sendable, CustomReflectable {
  private let generator: DateGenerator

  init() {
    @Dependency(\.date) var date
    generator = date
  }

  var now: Date { generator.now }

  var customMirror: Mirror { Mirror(self, children: []) }

  static func == (left: Self, right: Self) -> Bool { true }
}
