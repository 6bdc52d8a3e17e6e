import Arguments
import CLinux
import Glibc

lifesignal_forbid_core_dumps()
exit(ServerProgram.run(ProcessArguments.all))
