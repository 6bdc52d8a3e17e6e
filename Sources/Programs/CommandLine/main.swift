import CLinux
import Glibc

lifesignal_forbid_core_dumps()
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
