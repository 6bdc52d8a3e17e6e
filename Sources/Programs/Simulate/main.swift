import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
let status: Int32 =
  switch arguments.first {
  case "disks": DisksCommand.run(Array(arguments.dropFirst()))
  case "herd": HerdCommand.run(Array(arguments.dropFirst()))
  default: SeedsCommand.run(arguments)
  }
exit(status)
