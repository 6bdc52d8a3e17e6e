"""Messages of HTTP/1.1 with a length, as they arrive."""


def split(buffer):
    """The head, the body and what follows of the first message in the buffer; None where it is not whole."""
    head, found, rest = buffer.partition(b"\r\n\r\n")
    if not found:
        return None
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    return (head, rest[:length], rest[length:]) if len(rest) >= length else None
