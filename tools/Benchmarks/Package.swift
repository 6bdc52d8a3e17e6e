// swift-tools-version: 6.2
import PackageDescription

// Separate from the main package: benchmarks are never part of its default build, and use its public API.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "LifeSignal", path: "../..")],
  targets: [
    .executableTarget(
      name: "activation-timing",
      dependencies: [.product(name: "LifeSignal", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .executableTarget(
      name: "alert-timing",
      dependencies: [.product(name: "LifeSignal", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .executableTarget(
      name: "history-timing",
      dependencies: [.product(name: "LifeSignal", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .executableTarget(
      name: "store-timing",
      dependencies: [.product(name: "LifeSignalFeatures", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .executableTarget(
      name: "snapshot-timing",
      dependencies: [.product(name: "LifeSignal", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .executableTarget(name: "spawn-timing"),
  ]
)
