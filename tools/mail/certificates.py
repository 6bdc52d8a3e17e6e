"""A certificate authority of its own, and a certificate for this machine."""

import os
import ssl
import subprocess


def run(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Authority:
    def __init__(self, folder):
        self.file = os.path.join(folder, "authority.pem")
        self.key = os.path.join(folder, "authority.key")
        self.folder = folder
        run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=An authority for trials", "-keyout", self.key, "-out", self.file)

    def context(self):
        """For a server on this machine."""
        place = os.path.join(self.folder, "server")
        run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-keyout", f"{place}.key", "-out", f"{place}.csr")
        with open(f"{place}.ext", "w", encoding="ascii") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        run("x509", "-req", "-in", f"{place}.csr", "-CA", self.file, "-CAkey", self.key, "-CAcreateserial", "-days", "2",
            "-extfile", f"{place}.ext", "-out", f"{place}.pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{place}.pem", f"{place}.key")
        return context
