// swift-tools-version: 6.2
import PackageDescription

// An example app that only uses the library's public API.
let package = Package(
  name: "SampleApp",
  dependencies: [.package(name: "LifeSignal", path: "../..")],
  targets: [
    // The features behind a button, with the app's own view.
    .executableTarget(
      name: "sos-button",
      dependencies: [.product(name: "LifeSignalFeatures", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    // The client alone, among names of the app's own.
    .executableTarget(
      name: "sos-script",
      dependencies: [.product(name: "LifeSignal", package: "LifeSignal")],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    // The program loads the plug-in when it first handles a telephone number. So the plug-in is built beside the program and
    // not linked to it: without libphonenumber the program still starts and raises alerts.
    .target(
      name: "PhoneNumberSupport",
      dependencies: [.product(name: "lifesignal-phone", package: "LifeSignal")]
    ),
    // The tests of the features' own documents, as they are written.
    .testTarget(
      name: "SeedTests",
      dependencies: [
        .product(name: "LifeSignalFeatures", package: "LifeSignal"),
        .product(name: "ComposableTesting", package: "LifeSignal"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
  ]
)
