// swift-tools-version: 6.2
import PackageDescription

// An app of somebody else's: it uses the library's public API alone.
let package = Package(
  name: "SampleApp",
  dependencies: [.package(name: "LifeSignal", path: "../..")],
  targets: [
    .executableTarget(
      name: "sos-button",
      dependencies: [.product(name: "LifeSignal", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    )
  ]
)
