extension AsyncStream {
  /// A stream that has ended.
  package static var finished: Self { Self { $0.finish() } }
}
