// Feeds one target of `FuzzTargets` with libFuzzer. `tools/faults/fuzz.py` builds it and runs it.
//
//   Fuzz                                     lists the targets
//   Fuzz seeds TARGET FOLDER                 writes the first corpus
//   Fuzz TARGET [-option=value …] [corpus …] runs; the rest is libFuzzer's
import FuzzTargets
import Glibc

/// libFuzzer's main as a function (Clang documentation, "Using libFuzzer as a library").
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Called by libFuzzer's callback, which takes no context.
enum Chosen {
  nonisolated(unsafe) static var target = FuzzTarget.all[0]  // Set once, before the fuzzer runs.
}

func fail(_ text: String) -> Never {
  let line = "Fuzz: \(text)\n"
  _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
  exit(64)
}

func save(_ bytes: [UInt8], to path: String) {
  guard let file = fopen(path, "w") else { fail("cannot write \(path)") }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

// When libFuzzer restarts itself, for example to merge, it only passes its own options: the environment keeps the target.
let variable = "LIFESIGNAL_FUZZ_TARGET"
let kept = getenv(variable).map { [String(cString: $0)] } ?? []
let arguments = kept + CommandLine.arguments.dropFirst()
switch arguments.first {
case nil:
  for target in FuzzTarget.all { print(target.name) }
case "seeds"?:
  guard arguments.count == 3, let target = FuzzTarget.named(arguments[1]) else { fail("seeds TARGET FOLDER") }
  for (number, seed) in target.seeds().enumerated() { save(seed, to: "\(arguments[2])/seed-\(number)") }
case let name?:
  guard let target = FuzzTarget.named(name) else { fail("there is no target \(name)") }
  Chosen.target = target
  setenv(variable, name, 1)
  let words = ([CommandLine.arguments[0]] + arguments.dropFirst()).map { strdup($0) } + [nil]
  var count = Int32(words.count - 1)
  var rest = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count)
  rest.initialize(from: words, count: words.count)
  let status = runFuzzer(&count, &rest) { bytes, length in
    Chosen.target.run(Array(UnsafeBufferPointer(start: bytes, count: length)))
    return 0
  }
  exit(status)
}
