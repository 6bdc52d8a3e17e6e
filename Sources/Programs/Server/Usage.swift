/// What the program says of itself.
enum Usage {
  static let version = "lifesignal-server 0.1.0"

  static let summary = "usage: lifesignal-server [--listen ADDRESS:PORT] [--database FILE] [OPTION]…, see --help"

  static let help = """
    usage: lifesignal-server [OPTION]…

    The server of LifeSignal. With no options it runs on 127.0.0.1:8080 with an embedded database.

      --listen ADDRESS:PORT        where to listen, such as 0.0.0.0:8080 or [::1]:8080; port 0 takes a free one
                                   (default 127.0.0.1:8080)
      --database FILE              the SQLite file; made at the first start
                                   (default $XDG_DATA_HOME/lifesignal-server/server.sqlite, or under ~/.local/share)
      --create                     make an empty database where the one that was there is missing or empty
      --public-url URL             under which devices and responders reach this server (default: where it listens)
      --sms console|URL            how one-time codes leave: onto standard output (development only), or as
                                   POST {"to": …, "text": …} to an SMS gateway. Without it nobody can sign in.
      --allow-private-channels     let responders' channels reach http:// and private addresses (development, tests)
      --alert-burst N              new alerts that one device may send at once, before it has one every ten seconds
                                   (default 100; drills may use a quarter of it, alerts that have ended a half)
      --tls-certificate FILE       speak HTTPS with this certificate chain (PEM)
      --tls-key FILE               and its key (PEM)
      --help, --version

    When it is ready it prints "lifesignal-server: listening on URL". SIGTERM or SIGINT ends it.

    Exit status: 0 ended by a signal; 64 wrong usage; 65 an option's value cannot be used; 69 cannot listen there, or
    a library is missing; 73 cannot open or make the database.
    """
}
