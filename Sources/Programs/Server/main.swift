import Arguments
import CLinux
import Glibc
import SystemKit

lifesignal_forbid_core_dumps()
exit(ServerProgram.run(ProcessArguments.all))
