"""The findings of the check, and its timeouts."""

import sys

TIMEOUT_SECONDS = 10
found = []


def fault(text):
    found.append(text)
    print(f"check-openapi: {text}", file=sys.stderr)


def expect(place, actual, wanted):
    if actual != wanted:
        fault(f"{place}: {actual} in place of {wanted}")
