/// `lifesignal-simulate disks`: power cuts and failing disks, on the device's store and on the server's.
enum DisksCommand {
  static func run(_ arguments: [String]) -> Int32 { 64 }
}
