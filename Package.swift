// swift-tools-version: 6.2
import PackageDescription

/// Where the environment asks for the fuzzer, as `tools/faults/fuzz.py` does, everything is built for libFuzzer and the address
/// sanitizer, and there is one program more: `Fuzz`. The others are modules without their `main` then, so that it can link them.
let isFuzzing = Context.environment["LIFESIGNAL_FUZZ"] != nil
let sanitizers = "-sanitize=fuzzer,address"

/// Where the environment asks for it, `Lock` is a `pthread_mutex_t`: for a build with the thread sanitizer, which sees no other lock.
let pthreadLocks: [SwiftSetting] =
  Context.environment["LIFESIGNAL_PTHREAD_LOCKS"] == nil ? [] : [.define("LIFESIGNAL_PTHREAD_LOCKS")]

/// Every Swift target is built in the Swift 6 language mode, with imports that say who may see them.
let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ] + (isFuzzing ? [.unsafeFlags([sanitizers, "-enable-testing"])] : []) + pthreadLocks

/// The bugs that `PlantedBugs` can put into the engine, to see that the simulator finds them, are in debug builds, and in others
/// where the environment asks for them; never in a release.
let plantedBugs: SwiftSetting =
  Context.environment["LIFESIGNAL_PLANTED_BUGS"] == nil
  ? .define("PLANTED_BUGS", .when(configuration: .debug)) : .define("PLANTED_BUGS")

/// Debug builds optimize the small modules in which the simulator spends its time, which saves a third of it. They stay testable.
/// `-O` takes three times as long to compile: `ServerCore` would cost as much as it saves. It leaves out `assert`, which nothing here uses.
let optimized: Set<String> = ["Collections", "Model", "SQLiteKit", "Wire"]
let optimization: SwiftSetting = .unsafeFlags(["-O"], .when(configuration: .debug))

/// The linker of debug builds, which takes half as long as the default one. `tools/build` chooses the one of releases.
let debugLinker: LinkerSetting = .unsafeFlags(["-use-ld=lld"], .when(configuration: .debug))

/// A folder of `Sources` and of `Tests`: a part of the system with the targets that belong to it.
enum Room: String {
  case common = "Common"
  case device = "Device"
  case app = "App"
  case server = "Server"
  case programs = "Programs"
  case proof = "Proof"

  /// A Swift target of this room.
  func module(_ name: String, _ dependencies: [Target.Dependency] = [], settings more: [SwiftSetting] = []) -> Target {
    .target(
      name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)",
      swiftSettings: settings + more + (optimized.contains(name) ? [optimization] : []))
  }

  /// The test target of `module`, with whatever else its tests drive.
  func tests(_ module: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
      name: module + "Tests", dependencies: [.target(name: module)] + dependencies,
      path: "Tests/\(rawValue)/\(module)Tests", swiftSettings: settings, linkerSettings: [debugLinker])
  }
}

/// An executable target, in `Sources/Programs/FOLDER`.
///
/// Its name differs from its product's in more than case from any library's: file systems exist that see no difference.
func program(_ name: String, folder: String, _ dependencies: [Target.Dependency]) -> Target {
  let path = "Sources/Programs/\(folder)"
  return isFuzzing
    ? .target(name: name, dependencies: dependencies, path: path, exclude: ["main.swift"], swiftSettings: settings)
    : .executableTarget(
      name: name, dependencies: dependencies, path: path, swiftSettings: settings, linkerSettings: [debugLinker])
}

/// The folder of a module over a C library.
func cModule(_ name: String) -> String { "Sources/Common/C/\(name)" }

// MARK: Common: what device and server share

let common: [Target] = [
  // C libraries, each behind a module that one Swift target imports.
  .systemLibrary(
    name: "CSQLite", path: cModule("CSQLite"), pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  .systemLibrary(
    name: "CSodium", path: cModule("CSodium"), pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
  .systemLibrary(name: "CNcurses", path: cModule("CNcurses"), providers: [.apt(["libncurses-dev"])]),
  .target(
    name: "CMicroHTTPD", path: cModule("CMicroHTTPD"),
    linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("gnutls"), .linkedLibrary("dl")]),
  .target(name: "CCurl", path: cModule("CCurl"), linkerSettings: [.linkedLibrary("dl")]),
  .target(name: "CPostgres", path: cModule("CPostgres"), linkerSettings: [.linkedLibrary("dl")]),
  .target(name: "CPhoneNumber", path: cModule("CPhoneNumber"), linkerSettings: [.linkedLibrary("dl")]),
  .target(
    name: "PhoneNumberPlugin", dependencies: ["CPhoneNumber"], path: cModule("PhoneNumberPlugin"),
    linkerSettings: [.linkedLibrary("phonenumber")]),
  .target(name: "CHash", path: cModule("CHash"), linkerSettings: [.linkedLibrary("dl")]),
  .target(name: "CLinux", path: cModule("CLinux")),
  .target(name: "CMainQueue", path: cModule("CMainQueue")),

  // SQL migrations and the description of the wire, embedded.
  .target(name: "Schema", path: "Schema", exclude: ["client", "server", "server-postgres", "page", "openapi.yaml"]),

  Room.common.module("Collections"),
  Room.common.module("SystemKit", ["CLinux"]),
  // One parser for the command lines of all programs, with their help and completions.
  Room.common.module("Arguments"),
  Room.common.module("Model"),
  Room.common.module("Wire", ["Model", "PlantedBugs"]),
  Room.common.module("PhoneNumbers", ["CPhoneNumber", "Model"]),
  Room.common.module("Secrets", ["CSodium"]),
  Room.common.module("SQLiteKit", ["CSQLite", "Model", "PlantedBugs", "Schema"]),
  Room.common.module("PostgresKit", ["CPostgres", "Model", "SystemKit"]),
  Room.common.module("CurlKit", ["CCurl", "SystemKit"]),

  Room.common.tests("Collections", ["TestSupport"]),
  Room.common.tests("SystemKit", ["TestSupport"]),
  Room.common.tests("Model"),
  Room.common.tests("Wire", ["Model", "TestSupport"]),
  Room.common.tests("PhoneNumbers", ["Model"]),
  Room.common.tests("Secrets"),
  Room.common.tests("SQLiteKit", ["Model", "Schema", "TestSupport"]),
  Room.common.tests("PostgresKit", ["ChildPrograms", "Model", "PostgresTesting"]),
]

// MARK: Device: what is durable there, and how it is sent

let device: [Target] = [
  Room.device.module(
    "LocalStore", ["SQLiteKit", "Schema", "Model", "Wire", "CLinux", "SystemKit", "PlantedBugs"]),
  Room.device.module("SyncEngine", ["Model", "Wire", "LocalStore", "PlantedBugs"]),
  Room.device.module(
    "CurlTransport",
    ["CurlKit", "CLinux", "SystemKit", "Wire", "SyncEngine", "LocalStore", "Model", "PlantedBugs"]),
  Room.device.module(
    "DeviceCore",
    ["CHash", "SystemKit", "Model", "Wire", "LocalStore", "CurlKit", "CurlTransport", "PhoneNumbers"]),

  Room.device.tests(
    "LocalStore",
    ["ChildPrograms", "SQLiteKit", "Schema", "Model", "Wire", "PlantedBugs", "Simulator", "SystemKit", "TestSupport"]),
  Room.device.tests("SyncEngine", ["LocalStore", "Model", "SystemKit", "TestSupport", "Wire"]),
  Room.device.tests(
    "CurlTransport", ["ChildPrograms", "CurlKit", "SyncEngine", "LocalStore", "Model", "SystemKit", "Wire"]),
  Room.device.tests(
    "DeviceCore", ["ChildPrograms", "CurlKit", "LocalStore", "Model", "ProgramTesting", "Secrets", "SystemKit", "Wire"]),
]

// MARK: App: the features, their runtime, and what client apps import

let app: [Target] = [
  Room.app.module("Dependencies", ["SystemKit"]),
  Room.app.module("Composable", ["Dependencies"]),
  Room.app.module("ComposableTesting", ["Composable", "Dependencies"]),
  // What a person sees of alerts and of the account: the client gives it, the features show it.
  Room.app.module("AppModel", ["Model"]),
  Room.app.module(
    "LifeSignal", ["AppModel", "CurlTransport", "DeviceCore", "LocalStore", "Model", "SyncEngine", "SystemKit", "Wire"]),
  Room.app.module("Clients", ["AppModel", "Dependencies", "Model"]),
  Room.app.module("AlertFeature", ["AppModel", "Composable", "Dependencies", "Clients", "Model"]),
  Room.app.module("AuthFeature", ["AppModel", "Composable", "Dependencies", "Clients", "Model", "PhoneNumbers"]),
  Room.app.module("ResponderFeature", ["AppModel", "Composable", "Dependencies", "Clients", "Model"]),
  Room.app.module(
    "LifeSignalFeatures",
    [
      "AlertFeature", "AppModel", "AuthFeature", "Clients", "Composable", "Dependencies", "LifeSignal", "Model",
      "ResponderFeature", "SystemKit",
    ]),
  // What an app has besides if it has Foundation: the names of regions in all languages, and the words of its errors.
  Room.app.module("LifeSignalFoundation", ["AuthFeature", "Clients", "Model"]),
  Room.app.module("TerminalScreen", ["DeviceCore", "LifeSignalFeatures"]),

  Room.app.tests("Dependencies", ["SystemKit"]),
  Room.app.tests("Composable", ["Dependencies", "SystemKit"]),
  Room.app.tests("ComposableTesting", ["Composable", "Dependencies", "SystemKit"]),
  Room.app.tests(
    "AlertFeature",
    ["AppModel", "Clients", "Composable", "ComposableTesting", "Dependencies", "Model", "SystemKit", "TestSupport"]),
  Room.app.tests(
    "AuthFeature",
    [
      "AppModel", "Clients", "Composable", "ComposableTesting", "Dependencies", "LifeSignalFoundation", "Model",
      "SystemKit",
      "TestSupport",
    ]),
  Room.app.tests(
    "ResponderFeature",
    ["AppModel", "Clients", "Composable", "ComposableTesting", "Dependencies", "Model", "SystemKit"]),
  // Against the real server on loopback.
  Room.app.tests(
    "LifeSignal",
    [
      "AppModel", "CommandLineTool", "ServerTool", "CurlKit", "Dependencies", "DeviceCore", "LifeSignalFeatures",
      "LocalStore", "Model", "ProgramTesting", "SystemKit", "Wire",
    ]),
  Room.app.tests(
    "TerminalScreen",
    ["Composable", "Dependencies", "LifeSignalFeatures", "SystemKit", "TestSupport"]),
]

// MARK: Server

let server: [Target] = [
  Room.server.module(
    "ServerCore", ["Schema", "Collections", "Model", "Wire", "Secrets", "PhoneNumbers", "PlantedBugs"]),
  Room.server.module(
    "ServerStoreSQLite", ["ServerCore", "SQLiteKit", "Schema", "SystemKit", "Model", "Wire", "PlantedBugs"]),
  Room.server.module("ServerStorePostgres", ["ServerCore", "PostgresKit", "Schema", "SystemKit", "Model", "Wire"]),
  Room.server.module(
    "ServerHTTP", ["CMicroHTTPD", "ServerCore", "SystemKit", "Model", "Wire", "CurlKit", "Schema"]),

  Room.server.tests("ServerCore", ["ServerStoreSQLite", "Secrets", "Model", "SystemKit", "TestSupport", "Wire"]),
  Room.server.tests(
    "ServerStoreSQLite",
    [
      "ChildPrograms", "Model", "PlantedBugs", "Schema", "ServerCore", "Simulator", "SQLiteKit", "StoreContract",
      "SystemKit", "TestSupport",
    ]),
  Room.server.tests(
    "ServerStorePostgres",
    [
      "ChildPrograms", "Model", "PostgresKit", "PostgresTesting", "ServerCore", "Simulator", "StoreContract",
      "SystemKit",
      "TestSupport", "Wire",
    ]),
  Room.server.tests(
    "ServerHTTP",
    [
      "ChildPrograms", "ServerCore", "ServerStoreSQLite", "Secrets", "CurlKit", "Schema", "Model", "SystemKit",
      "TestSupport", "Wire",
    ]),
]

// MARK: Programs: what people run

let programs: [Target] = [
  program(
    "CommandLineTool", folder: "CommandLine",
    [
      "Arguments", "CLinux", "DeviceCore", "SQLiteKit", "SystemKit", "LocalStore", "SyncEngine", "CurlTransport",
      "Model", "Wire",
    ]),
  program(
    "ScreenTool", folder: "Screen",
    [
      "Arguments", "CLinux", "CMainQueue", "CNcurses", "DeviceCore", "SQLiteKit", "SystemKit", "LifeSignalFeatures",
      "TerminalScreen",
    ]),
  program(
    "ServerTool", folder: "Server",
    [
      "Arguments", "CLinux", "Model", "PhoneNumbers", "PostgresKit", "Secrets", "ServerCore", "ServerHTTP",
      "ServerStorePostgres", "ServerStoreSQLite", "SQLiteKit", "SystemKit", "Wire",
    ]),
  program(
    "SimulateTool", folder: "Simulate",
    [
      "Arguments", "Model", "PlantedBugs", "PostgresKit", "Secrets", "ServerCore", "ServerStorePostgres",
      "ServerStoreSQLite", "Simulator", "SQLiteKit", "SystemKit", "TestSupport", "Wire",
    ]),

  // The tests start the built programs, with the real server on loopback.
  Room.programs.tests(
    "CommandLineTool",
    [
      "Arguments", "ChildPrograms", "DeviceCore", "LifeSignal", "LocalStore", "Model", "PostgresTesting",
      "ProgramTesting", "ServerTool", "SQLiteKit", "SystemKit", "TestSupport", "Wire",
    ]),
  Room.programs.tests("ScreenTool", ["ChildPrograms", "LifeSignalFeatures", "LocalStore", "ProgramTesting"]),
]

// MARK: Proof: what attacks all of the above. Nothing that a person runs reaches it, but for `PlantedBugs`, empty in a release.

let proof: [Target] = [
  Room.proof.module("PlantedBugs", settings: [plantedBugs]),
  Room.proof.module("TestSupport", ["SystemKit"]),
  // What every store of the server must do, as trials over a store.
  Room.proof.module("StoreContract", ["Model", "Secrets", "ServerCore", "SystemKit", "Wire"]),
  .target(name: "CSpawn", path: "Sources/Proof/CSpawn"),
  Room.proof.module("ChildPrograms", ["CSpawn", "SystemKit"]),
  // A PostgreSQL server of the tests' own.
  Room.proof.module("PostgresTesting", ["ChildPrograms", "PostgresKit", "SystemKit", "TestSupport"]),
  // The built programs, started by tests: a device, the server, a terminal, a responder's web server.
  Room.proof.module("ProgramTesting", ["ChildPrograms", "DeviceCore", "LocalStore", "Model", "SystemKit", "Wire"]),
  // A disk that fails on demand, and forgets what was not synced when its power is cut.
  .target(
    name: "CFaultVFS", path: "Sources/Proof/CFaultVFS",
    cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))], linkerSettings: [.linkedLibrary("sqlite3")]),
  // Devices, the server and their faults in virtual time.
  Room.proof.module(
    "Simulator",
    [
      "CFaultVFS", "Collections", "CurlKit", "CurlTransport", "DeviceCore", "LocalStore", "Model", "PhoneNumbers",
      "PlantedBugs", "Secrets", "ServerCore", "ServerStoreSQLite", "SyncEngine", "SystemKit",
      "TestSupport",
      "Wire",
    ]),
  // Every parser that eats foreign bytes, for the fuzzer and for the tests of its corpus.
  Room.proof.module(
    "FuzzTargets",
    [
      "Arguments", "CommandLineTool", "CurlKit", "DeviceCore", "LocalStore", "Model", "PhoneNumbers",
      "Secrets",
      "ServerCore", "ServerHTTP", "ServerStoreSQLite", "ServerTool", "SyncEngine", "SystemKit", "TerminalScreen",
      "TestSupport",
      "Wire",
    ]),

  Room.proof.tests("ChildPrograms", ["TestSupport"]),
  Room.proof.tests(
    "Simulator",
    [
      "ChildPrograms", "PlantedBugs", "LocalStore", "Model", "SQLiteKit", "Secrets", "ServerCore",
      "ServerStoreSQLite", "SimulateTool", "SystemKit", "TestSupport", "Wire",
    ]),
  Room.proof.tests("FuzzTargets", ["ChildPrograms", "CommandLineTool", "ServerTool", "TestSupport"]),
]

let package = Package(
  name: "LifeSignal",
  products: [
    // The client alone: open, sign in, raise, observe, sync.
    .library(name: "LifeSignal", targets: ["LifeSignal"]),
    // The features behind a button and a sign-in, with their runtime and the client.
    .library(name: "LifeSignalFeatures", targets: ["LifeSignalFeatures", "LifeSignalFoundation"]),
    // For the tests of an app's own features.
    .library(name: "ComposableTesting", targets: ["ComposableTesting"]),
    .executable(name: "lifesignal", targets: ["CommandLineTool"]),
    .executable(name: "lifesignal-screen", targets: ["ScreenTool"]),
    .executable(name: "lifesignal-server", targets: ["ServerTool"]),
    .executable(name: "lifesignal-simulate", targets: ["SimulateTool"]),
    // Loaded on first use, so that raising an alert never waits for libphonenumber.
    .library(name: "lifesignal-phone", type: .dynamic, targets: ["PhoneNumberPlugin"]),
  ],
  targets: common + device + app + server + programs + proof
)

if isFuzzing {
  package.products = []
  package.targets.removeAll { $0.type == .test }
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets"], path: "Sources/Proof/Fuzz", swiftSettings: settings,
      linkerSettings: [.unsafeFlags([sanitizers, "-use-ld=lld"])]))
}
