import Arguments
import CLinux
import Glibc
import SystemKit

lifesignal_forbid_core_dumps()
exit(Program.run(ProcessArguments.all))
