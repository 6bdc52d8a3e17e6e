import Composable
import Foundation
import Testing

@testable import ComposableTesting

@Suite struct `A value as text` {
  private struct Person {
    var name = "Ada"
    var address: Address? = Address()
    var born = Date(timeIntervalSince1970: 0)
  }
  private struct Address { var lines = ["1 North", "Ridge"] }
  private struct Empty {}
  private enum Event {
    case none
    case named(id: Int, name: String)
    case person(Person)
  }
  private struct Presenting { @Presents var alert: AlertState<Int>? }

  @Test func `A structure has a line for each part`() {
    #expect(
      ValueDump.text(Person()) == """
        Person(
          name: "Ada"
          address: Address(
            lines: [
              "1 North"
              "Ridge"
            ]
          )
          born: 1970-01-01T00:00:00.000Z
        )
        """)
  }

  @Test func `A short case is on one line, one with a structure on several`() {
    #expect(ValueDump.text(Event.none) == ".none")
    #expect(ValueDump.text(Event.named(id: 1, name: "x\n")) == #".named(id: 1, name: "x\n")"#)
    #expect(ValueDump.lines(Event.person(Person())).first == ".person(Person(")
    #expect(ValueDump.lines(Event.person(Person())).last == "))")
  }

  @Test func `Collections, nothing and tuples`() {
    #expect(ValueDump.text([Int]()) == "[]")
    #expect(ValueDump.text([String: Int]()) == "[:]")
    #expect(ValueDump.text(["b": 2, "a": 1]) == "[\n  \"a\": 1\n  \"b\": 2\n]")
    #expect(ValueDump.text(Set([2, 1])) == "Set([\n  1\n  2\n])")
    #expect(ValueDump.text(Int?.none as Any) == "nil")
    #expect(ValueDump.text((1, name: "x")) == #"(1, name: "x")"#)
    #expect(ValueDump.text(()) == "()")
    #expect(ValueDump.text(Empty()) == "Empty()")
  }

  @Test func `Durations, identifiers and errors are described`() {
    #expect(ValueDump.text(Duration.seconds(2)) == "2.0 seconds")
    let uuid = UUID()
    #expect(ValueDump.text(uuid) == uuid.uuidString)
    let error = NSError(domain: "auth", code: 1, userInfo: [NSLocalizedDescriptionKey: "Invalid"])
    #expect(ValueDump.text(TaskResult<Int>.failure(error)) == #".failure(NSError(auth 1: "Invalid"))"#)
    #expect(ValueDump.text(TaskResult<Void>.success(())) == ".success(())")
  }

  @Test func `A date with a fraction of a millisecond shows it`() {
    let text = ValueDump.text(Date(timeIntervalSince1970: 1.0625))
    #expect(text == "1970-01-01T00:00:01.062Z (1.0625 s)")
  }

  @Test func `A presented value is shown without its wrappers and its identity`() {
    let alert = AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .cancel, action: 1) { TextState("No") }
    }
    #expect(ValueDump.text(Presenting()) == "Presenting(\n  alert: nil\n)")
    #expect(
      ValueDump.text(Presenting(alert: alert)) == """
        Presenting(
          alert: AlertState<Int>(
            title: "Sign Out"
            message: nil
            buttons: [
              ButtonState<Int>(
                role: .cancel
                action: 1
                label: "No"
              )
            ]
          )
        )
        """)
  }
}

@Suite struct `A difference, line by line` {
  @Test func `Equal texts have no difference`() {
    #expect(LineDifference.text(expected: ["a"], actual: ["a"]) == nil)
    #expect(LineDifference.text(expected: [], actual: []) == nil)
  }

  @Test func `The lines around a change are those that enclose it`() {
    let before = ["A(", "  x: 1", "  b: B(", "    y: 2", "    z: 3", "  )", "  w: 4", ")"]
    var after = before
    after[4] = "    z: 5"
    #expect(
      LineDifference.text(expected: before, actual: after) == """
          A(
            … (1 unchanged)
            b: B(
              … (1 unchanged)
        −     z: 3
        +     z: 5
            )
            … (1 unchanged)
          )
        """)
  }

  @Test func `Changes at both ends are shown`() {
    #expect(LineDifference.text(expected: ["a", "b"], actual: ["b", "c"]) == "− a\n  … (1 unchanged)\n+ c")
    #expect(LineDifference.text(expected: [], actual: ["c"]) == "+ c")
  }

  @Test func `Unequal values with the same text are reported as such`() {
    let text = FailureText.wrongState(expected: "a", actual: "a")
    #expect(text.contains("The two are not equal, but their texts are the same:\n\n  \"a\""))
  }
}
