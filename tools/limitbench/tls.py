"""A certificate for this machine's own address."""

import os
import subprocess


def certificate(folder):
    """The files with the certificate and with its key."""
    os.mkdir(folder)
    chain, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-out", chain, "-keyout", key], check=True, capture_output=True)
    return chain, key
