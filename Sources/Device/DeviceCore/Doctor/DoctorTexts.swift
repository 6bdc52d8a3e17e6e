import Model

/// What the doctor says, and how to fix it: lines of at most 80 columns, but for names, paths and reasons.
enum DoctorTexts {
  // MARK: The data of this device

  static let storeSound = "the data is sound"
  static func storeDamaged(_ fault: String) -> String { "the data is damaged: \(fault)" }
  static func storeUnchecked(_ reason: String) -> String { "the data cannot be checked: \(reason)" }
  static func storeUnreadable(_ reason: String) -> String { "the data cannot be read: \(reason)" }
  static func storeClosed(_ reason: String) -> String { "the data cannot be opened: \(reason)" }
  static func settingsUnreadable(_ reason: String) -> String { "the settings cannot be read: \(reason)" }
  static func freeUnknown(_ path: String) -> String { "the free space of \(path) is unknown" }
  static func free(_ mebibytes: UInt64) -> String { "\(mebibytes) MiB free" }
  static func noFolder(_ path: String) -> String { "the folder \(path) does not exist" }
  static let foreignFolder = "the folder belongs to another user"
  static let openFolder = "others may read the folder"
  static func openFile(_ name: String) -> String { "others may read \(name)" }
  static let privateFolder = "only you may read the folder"

  static let checkDisk = "check the disk"
  static let makeRoom = "make room on this disk"
  static func copyFolder(_ path: String) -> String { "copy \(path) to another disk, and use it there with --home" }
  static func fixFolder(_ path: String) -> String {
    "an alert may not be saved: fix \(path), or use another --home"
  }
  static func fixSettings(_ path: String) -> String { "fix or remove \(path)" }
  static let makeFolder = "create it, or use --home"
  static let changeOwner = "chown it to the user who runs lifesignal"
  static func closeFolder(_ path: String) -> String { "chmod 700 \(path)" }
  static func closeFile(_ path: String) -> String { "chmod 600 \(path)" }

  // MARK: Libraries

  static func curlLoads(_ version: String) -> String { "\(version) can be loaded" }
  static func curlMissing(_ reason: String) -> String { "nothing can be sent: \(reason)" }
  static let installCurl = "apt install libcurl4"
  static let numbersWork = "phone numbers can be checked"
  static func numbersUnchecked(_ reason: String) -> String { "this device cannot check phone numbers: \(reason)" }
  static let installNumbers = "apt install libphonenumber8; until then write numbers as +12025550123"

  // MARK: The server

  static let noServer = "no server is set"
  static func answers(_ name: String, milliseconds: Int64, isEncrypted: Bool) -> String {
    "the \(name) answers in \(milliseconds) ms; \(isEncrypted ? "TLS is sound" : "without TLS, on this machine only")"
  }
  static func fails(_ name: String, _ reason: String) -> String { "the \(name): \(reason)" }
  static func notReady(_ reason: String) -> String { "the server is not ready: \(reason)" }
  static func clockDiffers(seconds: Int64, isBehind: Bool) -> String {
    "this device's clock is \(seconds) s \(isBehind ? "behind" : "ahead of") the server's"
  }
  static let clockAgrees = "this device's clock agrees with the server's"

  static let setServer = "\(CommandName.text) config set endpoint https://…"
  static let askOperator = "ask whoever runs the server"
  static let checkAddress = "check \(CommandName.text) config get endpoint; this Wi-Fi may need a log-in"
  static let checkCertificate = "check this device's clock and the certificate (config set ca_file FILE)"
  static let setCertificates = "\(CommandName.text) config set ca_file FILE"
  static let checkNetwork = "check the network and the address: \(CommandName.text) config get endpoint"
  static let setClock = "timedatectl set-ntp true"

  // MARK: The account and the responders

  static let signedOut = "not signed in: an alert stays here"
  static let sessionEnded = "the session was ended: an alert stays here"
  static let sessionExpired = "the session has expired: only alerts may still be sent"
  static func signedIn(_ phone: String) -> String { "signed in as \(phone)" }
  static let noResponders = "no responders: nobody would be told"
  static func tested(_ name: String, on time: Timestamp) -> String {
    "\(name) answered a test on \(time.description.prefix(10))"
  }
  static func untested(_ name: String) -> String { "\(name) has not been tested: an alert may not reach them" }
  static let readyOffline = "READY OFFLINE: an alert is saved now, and sent once the server answers"
  static func unsupported(_ name: String) -> String { "this server cannot send over any channel of \(name)" }
  static func noChannel(_ name: String) -> String { "\(name) has no channel" }
  static func lastFailed(_ name: String, by kind: String? = nil, _ reason: String?) -> String {
    "the last message to \(name)\(kind.map { " by \($0)" } ?? "") failed" + (reason.map { ": \($0)" } ?? "")
  }

  static func signIn(_ phone: String = "PHONE") -> String { "\(CommandName.text) sign-in \(phone)" }
  static let addResponder = "\(CommandName.text) contacts add PHONE --name NAME --responder --channel URL"
  static func test(_ name: String) -> String { "\(CommandName.text) contacts test \"\(name)\"" }
  static func fix(_ obstacle: Readiness.Obstacle) -> String {
    switch obstacle {
    case .noServer: setServer
    case .notSignedIn: signIn()
    case .noResponders: addResponder
    case .notOnServer, .notFetched: sync
    case .noChannel, .unsupported, .onlyByApp: "\(CommandName.text) contacts add PHONE --name NAME --channel URL"
    case .failed: "check the channels, and test them: \(CommandName.text) contacts test NAME"
    case .untested: "\(CommandName.text) contacts test NAME"
    }
  }
  static func changeChannel(_ phone: String, _ name: String) -> String {
    "\(CommandName.text) contacts add \(phone) --name \"\(name)\" --channel URL"
  }

  // MARK: What waits, and what sends it

  static func unsentOutside(_ count: Int) -> String {
    (count == 1 ? "1 message is" : "\(count) messages are") + " NOT sent, and could not be saved as usual"
  }
  static func refused(_ count: Int) -> String {
    "the server refused \(count == 1 ? "1 queued item" : "\(count) queued items")"
  }
  static let nothingWaits = "nothing is waiting to be sent"
  static func waiting(_ count: Int) -> String {
    (count == 1 ? "1 message is" : "\(count) messages are") + " waiting to be sent"
  }
  static let workerRuns = "the background worker is running"
  static func workerCannotRead(_ path: String) -> String {
    "the background worker cannot read \(path), and sends nothing"
  }
  static let moveCertificates =
    "put the file where every program can read it, such as in /etc/ssl, and name that: \(CommandName.text) config set ca_file FILE"
  static let workerAbsent = "no background worker is running: what is saved waits for a command"
  static let sync = "\(CommandName.text) sync"
  static let queue = "\(CommandName.text) queue list"
  static let startWorker = "\(CommandName.text) sync --watch"
  static func endWorker(_ processID: Int32) -> String {
    "nothing sends now: kill -CONT \(processID), or kill -KILL \(processID) and restart"
  }
}
