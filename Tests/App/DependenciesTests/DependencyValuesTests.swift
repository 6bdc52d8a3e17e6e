import Dependencies
import FoundationEssentials
import Testing

private struct Greeting: Sendable {
  var text: String
}

extension Greeting: DependencyKey {
  static let liveValue = Greeting(text: "live")
  static let testValue = Greeting(text: "test")
}

private enum WithoutLiveValue: TestDependencyKey {
  static let testValue = 7
}

private final class Instance: TestDependencyKey {
  static var testValue: Instance { Instance() }
}

extension DependencyValues {
  fileprivate var greeting: Greeting {
    get { self[Greeting.self] }
    set { self[Greeting.self] = newValue }
  }
  fileprivate var instance: Instance { self[Instance.self] }
}

private struct Feature: Sendable {
  @Dependency(\.greeting) var greeting
}

@Suite struct `Values to inject` {
  @Test func `An unset dependency has its live value in an app and its test value in a test`() {
    #expect(DependencyValues().greeting.text == "live")
    #expect(DependencyValues(context: .test).greeting.text == "test")
  }

  @Test func `A dependency without a live value is reported by name, and has its test value`() {
    let reported = issues {
      #expect(DependencyValues()[WithoutLiveValue.self] == 7)
    }
    #expect(reported.count == 1)
    #expect(reported.first?.message.contains("'WithoutLiveValue' has no live value") == true)
    #expect(reported.first?.severity == .error)
  }

  @Test func `In a test it is not reported`() {
    let reported = issues {
      #expect(DependencyValues(context: .test)[WithoutLiveValue.self] == 7)
    }
    #expect(reported.isEmpty)
  }

  @Test func `An unset value is the same one for these values and their copies`() {
    let values = DependencyValues(context: .test)
    let copy = values
    #expect(values.instance === values.instance)
    #expect(values.instance === copy.instance)
    #expect(values.instance !== DependencyValues(context: .test).instance)
  }

  @Test func `Setting the context recreates unset values`() {
    var values = DependencyValues(context: .test)
    let first = values.instance
    values.context = .test
    #expect(values.instance !== first)
    values.context = .live
    #expect(values.greeting.text == "live")
  }

  @Test func `Setting a value leaves copies alone`() {
    let values = DependencyValues()
    var copy = values
    copy.greeting.text = "other"
    #expect(values.greeting.text == "live")
    #expect(copy.greeting.text == "other")
  }

  @Test func `Threads that make a value at once get the same one`() async {
    for _ in 0..<100 {
      let values = DependencyValues(context: .test)
      let instances = await withTaskGroup(of: Instance.self) { group in
        for _ in 0..<8 { group.addTask { values.instance } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(instances.map(ObjectIdentifier.init)).count == 1)
    }
  }
}

@Suite struct `Dependencies of a feature` {
  @Test func `It has the values that were current when it was made`() {
    let feature = withDependencies {
      $0.greeting.text = "mine"
    } operation: {
      Feature()
    }
    #expect(feature.greeting.text == "mine")
    withDependencies {
      $0.greeting.text = "later"
    } operation: {
      #expect(feature.greeting.text == "mine")
      #expect(Feature().greeting.text == "later")
    }
    #expect(Feature().greeting.text == "live")
  }

  @Test func `Inner values override the outer ones`() {
    withDependencies {
      $0.context = .test
      $0.greeting.text = "outer"
    } operation: {
      withDependencies {
        $0.uuid = .incrementing
      } operation: {
        #expect(Feature().greeting.text == "outer")
      }
    }
  }

  @Test @MainActor func `The asynchronous form stays on its actor and reaches the tasks made in it`() async {
    let text = await withDependencies {
      $0.greeting.text = "async"
    } operation: {
      MainActor.assertIsolated()
      await Task.yield()
      MainActor.assertIsolated()
      return await Task { Feature().greeting.text }.value
    }
    #expect(text == "async")
  }

  @Test func `Errors of both closures are rethrown`() async {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try withDependencies { _ in
        throw Refused()
      } operation: {
      }
    }
    #expect(throws: Refused.self) {
      try withDependencies { _ in
      } operation: {
        throw Refused()
      }
    }
    await #expect(throws: Refused.self) {
      try await withDependencies {
        _ in
      } operation: {
        await Task.yield()
        throw Refused()
      }
    }
  }
}
