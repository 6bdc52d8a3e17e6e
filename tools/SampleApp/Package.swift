// swift-tools-version: 6.2
import PackageDescription

// An app of somebody else's: it uses the library's public API alone.
let package = Package(
  name: "SampleApp",
  dependencies: [.package(name: "LifeSignal", path: "../..")],
  targets: [
    // The features behind a button, with a view of its own.
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
    // The program loads the plug-in for telephone numbers when it first looks at one. So it is built beside the program and not
    // linked to it: where libphonenumber is missing, the program starts and raises alerts all the same.
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
