/// A parser that eats bytes from outside, as libFuzzer and the tests feed it.
package struct FuzzTarget: Sendable {
  /// As in `Tests/Corpus/NAME`.
  package let name: String
  /// Takes any bytes; a crash is a find.
  package let run: @Sendable ([UInt8]) -> Void
}
