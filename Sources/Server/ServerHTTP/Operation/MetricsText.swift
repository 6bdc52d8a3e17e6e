/// Figures in the text format of Prometheus (version 0.0.4), each with at most one label.
struct MetricsText {
  private(set) var text = ""

  /// A value that rises and falls.
  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    describe(name, help, "gauge")
    line(name, [], String(value))
  }

  mutating func gauge(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
    describe(name, help, "gauge")
    for (kind, value) in values { line(name, [(label, kind)], String(value)) }
  }

  /// Values that rise from the start of the process.
  mutating func counter(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
    describe(name, help, "counter")
    for (kind, value) in values { line(name, [(label, kind)], String(value)) }
  }

  mutating func histogram(_ name: String, _ help: String, by label: String, _ values: [(String, Histogram)]) {
    describe(name, help, "histogram")
    for (kind, histogram) in values {
      let kind = (label, kind)
      for (bound, count) in histogram.cumulative { line("\(name)_bucket", [kind, ("le", "\(bound)")], String(count)) }
      line("\(name)_bucket", [kind, ("le", "+Inf")], String(histogram.count))
      line("\(name)_sum", [kind], "\(histogram.sumSeconds)")
      line("\(name)_count", [kind], String(histogram.count))
    }
  }

  private mutating func describe(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
    let list = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
  }
}
