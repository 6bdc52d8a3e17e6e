/// The systemd unit that runs `sync --watch` for one home (systemd.unit(5), systemd.service(5)).
struct ServiceUnit {
  static let name = "lifesignal.service"
  /// The first line of each unit that is ours: no other one is replaced or removed.
  static let mark = "# Written by “lifesignal service install”. “lifesignal service remove” removes it."

  /// Absolute.
  let program: String
  /// Absolute.
  let home: String

  var text: String {
    """
    \(Self.mark)
    [Unit]
    Description=LifeSignal: sends alerts and fetches who responds
    StartLimitIntervalSec=0

    [Service]
    ExecStart=:\(start) --home \(Self.quoted(home)) sync --watch
    ExecReload=\(Self.reload)
    Restart=always
    RestartSec=2
    StandardOutput=null

    [Install]
    WantedBy=default.target

    """
  }

  /// The shell's own kill: a small Debian has no other, and `ReloadSignal=` needs systemd 253.
  private static let reload = #"/bin/sh -c "kill -HUP $MAINPID""#

  /// systemd refuses a program whose path has quotes, backslashes or control characters: a shell starts that one.
  private var start: String {
    let isTaken = program.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0x7F && !"\"'\\".unicodeScalars.contains(scalar)
    }
    return isTaken ? Self.quoted(program) : #"/bin/sh -c "exec \"$0\" \"$@\"" "# + Self.quoted(program)
  }

  /// As one word of a command line: in double quotes, with escapes as in C. `%` begins a specifier. `$` is left as it is, because the colon
  /// in front of the program turns variables off.
  static func quoted(_ word: String) -> String {
    var text = "\""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case "%": text += "%%"
      case "\n": text += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "\\x" + hexadecimal(scalar.value)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  private static func hexadecimal(_ byte: UInt32) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
