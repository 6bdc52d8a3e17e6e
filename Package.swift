// swift-tools-version: 6.2
import PackageDescription

/// Where the environment asks for the fuzzer, as `tools/faults/fuzz.py` does, everything is built for libFuzzer and the address
/// sanitizer, and there is one program more: `Fuzz`. The others are modules without their `main` then, so that it can link them.
let isFuzzing = Context.environment["LIFESIGNAL_FUZZ"] != nil
let sanitizers = "-sanitize=fuzzer,address"

/// Every Swift target is built in the Swift 6 language mode, with imports that say who may see them.
let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ] + (isFuzzing ? [.unsafeFlags([sanitizers, "-enable-testing"])] : [])

/// The bugs that `PlantedBugs` can put into the engine, to see that the simulator finds them, are in debug builds, and in others
/// where the environment asks for them; never in a release.
let plantedBugs: SwiftSetting =
  Context.environment["LIFESIGNAL_PLANTED_BUGS"] == nil
  ? .define("PLANTED_BUGS", .when(configuration: .debug)) : .define("PLANTED_BUGS")

/// A Swift target in `Sources/` with the settings of the house.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// An executable target in `Sources/` with the settings of the house.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  isFuzzing
    ? .target(name: name, dependencies: dependencies, exclude: ["main.swift"], swiftSettings: settings)
    : .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The test target of `module`, with whatever else its tests drive.
func tests(_ module: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: module + "Tests",
    dependencies: [.target(name: module)] + dependencies,
    swiftSettings: settings
  )
}

let package = Package(
  name: "LifeSignal",
  products: [
    .library(name: "LifeSignal", targets: ["LifeSignal"]),
    // For the tests of an app's own features.
    .library(name: "ComposableTesting", targets: ["ComposableTesting"]),
    .executable(name: "lifesignal", targets: ["lifesignal"]),
    .executable(name: "lifesignal-screen", targets: ["lifesignal-screen"]),
    .executable(name: "lifesignal-server", targets: ["lifesignal-server"]),
    .executable(name: "lifesignal-simulate", targets: ["lifesignal-simulate"]),
    // Loaded on first use, so that raising an alert never waits for libphonenumber.
    .library(name: "lifesignal-phone", type: .dynamic, targets: ["PhoneNumberPlugin"]),
  ],
  targets: [
    // C libraries, each behind a module that one Swift target imports.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("dl")]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CPhoneNumber", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "PhoneNumberPlugin", dependencies: ["CPhoneNumber"], linkerSettings: [.linkedLibrary("phonenumber")]),
    .target(name: "CLinux"),

    // Descriptors with one owner each.
    module("Descriptors", ["CLinux"]),

    // SQL migrations and the description of the wire, embedded.
    .target(
      name: "Schema",
      path: "Schema",
      exclude: ["client", "server", "openapi.yaml"]
    ),

    // The vocabulary.
    module("Model", []),
    module("Wire", ["Model", "PlantedBugs"]),
    module("PhoneNumbers", ["CPhoneNumber", "Model"]),

    // The device.
    .target(name: "PlantedBugs", swiftSettings: settings + [plantedBugs]),
    module("SQLiteKit", ["CSQLite", "PlantedBugs"]),
    module("LocalStore", ["SQLiteKit", "Schema", "Model", "Wire", "CLinux", "Descriptors", "PlantedBugs"]),
    module("SyncEngine", ["Model", "Wire", "LocalStore", "PlantedBugs"]),
    module("CurlKit", ["CCurl"]),
    module(
      "CurlTransport", ["CurlKit", "CLinux", "Descriptors", "Wire", "SyncEngine", "LocalStore", "Model", "PlantedBugs"]),
    module(
      "DeviceCore",
      ["Descriptors", "Model", "Wire", "LocalStore", "SyncEngine", "CurlKit", "CurlTransport", "PhoneNumbers"]),
    program(
      "lifesignal",
      ["CLinux", "DeviceCore", "Descriptors", "LocalStore", "SyncEngine", "CurlTransport", "Model", "Wire"]),

    // The features and their runtime.
    module("Dependencies", []),
    module("Composable", ["Dependencies"]),
    module("ComposableTesting", ["Composable", "Dependencies"]),
    module("Clients", ["Dependencies", "Model"]),
    module("AlertFeature", ["Composable", "Dependencies", "Clients", "Model"]),
    module("AuthFeature", ["Composable", "Dependencies", "Clients", "Model", "PhoneNumbers"]),

    // What client apps import, and the terminal screen, which is one of them.
    module(
      "LifeSignal",
      [
        "AlertFeature", "AuthFeature", "Clients", "Composable", "CurlTransport", "Dependencies", "DeviceCore",
        "LocalStore", "Model", "SyncEngine", "Wire",
      ]),
    module("TerminalScreen", ["LifeSignal"]),
    program("lifesignal-screen", ["CLinux", "CNcurses", "Descriptors", "LifeSignal", "TerminalScreen"]),

    // The server.
    module("Secrets", ["CSodium"]),
    module("ServerCore", ["Model", "Wire", "Secrets", "PhoneNumbers", "PlantedBugs"]),
    module("ServerStoreSQLite", ["ServerCore", "SQLiteKit", "Schema", "Descriptors", "Model", "Wire", "PlantedBugs"]),
    module("ServerHTTP", ["CMicroHTTPD", "ServerCore", "Descriptors", "Model", "Wire", "CurlKit", "Schema"]),
    program(
      "lifesignal-server",
      ["CLinux", "Descriptors", "ServerHTTP", "ServerCore", "ServerStoreSQLite", "Secrets", "Model"]),

    // What tests, the fuzzer and the simulator share.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CSpawn", path: "Tests/CSpawn"),
    .target(name: "ChildPrograms", dependencies: ["CSpawn"], path: "Tests/ChildPrograms", swiftSettings: settings),

    // The proof that nothing is lost: devices, the server and their faults in virtual time.
    // A disk that fails on demand, and forgets what was not synced when its power is cut.
    .target(name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    module(
      "Simulator",
      [
        "CFaultVFS", "CurlKit", "CurlTransport", "DeviceCore", "LocalStore", "Model", "PhoneNumbers", "PlantedBugs",
        "Secrets", "ServerCore",
        "ServerStoreSQLite", "SQLiteKit", "SyncEngine", "TestSupport", "Wire",
      ]),
    program("lifesignal-simulate", ["PlantedBugs", "Simulator", "TestSupport"]),
    // Every parser that eats foreign bytes, for the fuzzer and for the tests of its corpus.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "CurlKit", "CurlTransport", "DeviceCore", "LocalStore", "Model", "PhoneNumbers", "Secrets", "ServerCore",
        "ServerHTTP", "ServerStoreSQLite", "SyncEngine", "TerminalScreen", "TestSupport", "Wire", "lifesignal",
        "lifesignal-server",
      ],
      path: "Tests/FuzzTargets", swiftSettings: settings),

    // One test target a module; those of the shells run against the real server on loopback.
    tests("ChildPrograms"),
    tests("Descriptors"),
    tests("Model"),
    tests("Wire", ["Model", "TestSupport"]),
    tests("PhoneNumbers", ["Model"]),
    tests("SQLiteKit", ["TestSupport"]),
    tests(
      "LocalStore",
      ["SQLiteKit", "Schema", "Model", "Wire", "PlantedBugs", "Simulator", "TestSupport"]),
    tests("SyncEngine", ["LocalStore", "Model", "TestSupport", "Wire"]),
    tests("CurlTransport", ["ChildPrograms", "CurlKit", "SyncEngine", "LocalStore", "Model", "Wire"]),
    tests("Secrets"),
    tests("ServerCore", ["ServerStoreSQLite", "Secrets", "Model", "TestSupport", "Wire"]),
    tests("ServerStoreSQLite", ["PlantedBugs", "ServerCore", "Simulator", "SQLiteKit", "TestSupport"]),
    tests(
      "ServerHTTP",
      [
        "ChildPrograms", "ServerCore", "ServerStoreSQLite", "Secrets", "CurlKit", "Schema", "Model", "TestSupport",
        "Wire",
      ]),
    tests("Dependencies", ["ComposableTesting"]),
    tests("Composable", ["Dependencies"]),
    tests("ComposableTesting", ["Composable", "Dependencies"]),
    tests(
      "AlertFeature",
      ["Clients", "Composable", "ComposableTesting", "Dependencies", "Model", "TestSupport"]),
    tests("AuthFeature", ["Clients", "Composable", "ComposableTesting", "Dependencies", "Model", "TestSupport"]),
    tests(
      "TerminalScreen",
      [
        "ChildPrograms", "Composable", "ComposableTesting", "Dependencies", "LifeSignal", "TestSupport",
        "lifesignal-screen",
      ]),
    tests(
      "Simulator",
      [
        "ChildPrograms", "PlantedBugs", "LocalStore", "Model", "SQLiteKit", "Secrets", "ServerCore",
        "ServerStoreSQLite",
        "SyncEngine", "TestSupport", "Wire", "lifesignal-simulate",
      ]),
    tests("FuzzTargets", ["TestSupport", "lifesignal", "lifesignal-server"]),
    tests(
      "LifeSignal",
      [
        "lifesignal", "lifesignal-server", "ChildPrograms", "CurlKit", "Dependencies", "DeviceCore", "LocalStore",
        "Model",
        "SQLiteKit", "TestSupport", "Wire",
      ]),
  ]
)

if isFuzzing {
  package.products = []
  package.targets.removeAll { $0.type == .test }
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz", swiftSettings: settings,
      linkerSettings: [.unsafeFlags([sanitizers, "-use-ld=lld"])]))
}
