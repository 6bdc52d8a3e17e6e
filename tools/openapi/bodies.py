"""The bodies of requests, and what their answers say."""

import time
import uuid


def new_id():
    return str(uuid.uuid4())


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


def mutation(kind, entity, body, id=None):
    return {"id": id or new_id(), "kind": kind, "entity_id": entity, "occurred_at": now(), "body": body}


def sync_body(*mutations, notifications=(), cursor=None, device=new_id(), limit=500):
    return {"device_id": device, "cursor": cursor, "mutations": list(mutations), "notifications": list(notifications), "limit": limit}


def statuses(answer):
    return [(result["status"], result.get("code")) for result in answer["results"]]
