import CLinux
import Glibc

lifesignal_forbid_core_dumps()
exit(ServerProgram.run(Array(CommandLine.arguments.dropFirst())))
