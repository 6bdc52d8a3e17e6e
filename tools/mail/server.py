"""A real mail server that misbehaves as its recipients' names say."""

import asyncio
import collections
import logging
import queue
import socket
import warnings

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

# It would tell of every connection that breaks, which is what is tried here.
logging.getLogger("mail.log").disabled = True
logging.getLogger("asyncio").disabled = True
warnings.filterwarnings("ignore", module="aiosmtpd")
warnings.filterwarnings("ignore", message="Requiring AUTH")

USER, PASSWORD = "alerts", "s3cret {to} ü"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Handler:
    """Keeps what was taken, and notes what was asked."""

    def __init__(self):
        self.mails = queue.Queue()
        self.asked = collections.Counter()
        self.encrypted = True

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        self.asked["EHLO"] += 1
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        self.asked["MAIL"] += 1
        self.encrypted = self.encrypted and session.ssl is not None
        if self.sender_answer:
            return self.sender_answer
        envelope.mail_from = address
        return "250 OK"

    sender_answer = None

    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.partition("@")[0]
        self.asked[name] += 1
        if name == "grey" and self.asked[name] == 1:
            return "451 4.7.1 Greylisted, try again"
        if name == "gone":
            return "550 5.1.1 No such mailbox"
        if name == "slow":
            await asyncio.sleep(2)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        name = envelope.rcpt_tos[0].partition("@")[0]
        if name == "slow":
            await asyncio.sleep(2)
        if name == "full":
            return "552 5.3.4 Too large"
        if name == "silent" and self.asked[name] == 1:
            server.transport.abort()
            return "250 never arrives"
        self.mails.put((envelope.mail_from, envelope.rcpt_tos, envelope.original_content))
        return "250 OK"

    async def handle_QUIT(self, server, session, envelope):
        self.asked["QUIT"] += 1
        await asyncio.sleep(30)
        return "221 Bye"


class Session(SMTP):
    """Breaks off in the middle of a mail, and can refuse what it offered."""

    refuses_encryption = False

    async def smtp_DATA(self, arg):
        name = self.envelope.rcpt_tos[0].partition("@")[0] if self.envelope.rcpt_tos else ""
        if name == "cut" and self.event_handler.asked["cut"] == 1:
            await self.push("354 Go on")
            await self._reader.readline()
            self.transport.abort()
            return
        await super().smtp_DATA(arg)

    async def smtp_STARTTLS(self, arg):
        if not self.refuses_encryption:
            return await super().smtp_STARTTLS(arg)
        await self.push("454 4.7.0 TLS not available")


class MailServer(Controller):
    """On a port of 127.0.0.1. With `context` it is encrypted, from the beginning if `is_implicit`."""

    def __init__(self, context=None, is_implicit=False, asks_login=True, refuses_encryption=False):
        self.context = context
        self.is_implicit = is_implicit
        self.asks_login = asks_login
        self.refuses_encryption = refuses_encryption
        port = free_port()
        super().__init__(Handler(), hostname="127.0.0.1", port=port, ssl_context=context if is_implicit else None)
        self.url = f"{'smtps' if is_implicit else 'smtp'}://localhost:{port}"

    def factory(self):
        starts_later = self.context is not None and not self.is_implicit
        session = Session(
            self.handler, tls_context=self.context if starts_later else None,
            require_starttls=starts_later and not self.refuses_encryption, auth_required=self.asks_login,
            auth_require_tls=self.context is not None and not self.is_implicit, authenticator=self.authenticate,
            enable_SMTPUTF8=False)
        session.refuses_encryption = self.refuses_encryption
        return session

    def authenticate(self, server, session, envelope, mechanism, data):
        self.handler.asked["login"] += 1
        is_right = data.login == USER.encode() and data.password == PASSWORD.encode()
        return AuthResult(success=is_right, handled=False)
