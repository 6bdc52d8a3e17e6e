"""What responders do: with their account, in their inbox, and on their page."""

import json

from .bodies import mutation, new_id, now, statuses, sync_body
from .client import EventStream
from .faults import TIMEOUT_SECONDS, expect
from .server import Receiver


def check_responder(client, session, responder):
    """A second person, named by the first, sees the alert and says that they are responding."""
    path = "/v1/alerts/{id}/acknowledgements"
    token, alert, contact = session["access_token"], new_id(), new_id()
    details = {"name": "Bo", "phone": responder["user"]["phone"], "responder": True, "dependent": False, "channels": []}
    client.call("POST", "/v1/sync", 200, token=token, body=sync_body(
        mutation("contact.put", contact, details), mutation("alert.activate", alert, {"started_at": now()}),
        notifications=[{"id": new_id(), "alert_id": alert, "kind": "activated"}]))
    token = responder["access_token"]
    listed = client.call("GET", "/v1/alerts", 200, path="/v1/alerts?responding=true&active=true&limit=5", token=token)
    expect("the responder's alerts", [entry["id"] for entry in listed["alerts"]], [alert])
    place = f"/v1/alerts/{alert}/acknowledgements"
    answer = client.call("POST", path, 200, path=place, token=token)
    expect("the acknowledged states", {receipt["state"] for receipt in answer["receipts"]} & {"acknowledged"}, {"acknowledged"})
    client.call("POST", path, 403, path=place, token=session["access_token"])
    client.call("POST", path, 404, path=f"/v1/alerts/{new_id()}/acknowledgements", token=token)
    client.call("POST", path, 401, path=place)
    ended = mutation("alert.deactivate", alert, {"ended_at": now()})
    client.call("POST", "/v1/sync", 200, token=session["access_token"], body=sync_body(ended))
    client.call("POST", path, 409, path=place, token=token)


def check_inbox(client, session, responder):
    """An alert stands in the inbox of a responder who has an account, and is answered there."""
    token, alert = session["access_token"], new_id()
    stream = EventStream(client, responder["access_token"])
    client.call("POST", "/v1/sync", 200, token=token, body=sync_body(
        mutation("alert.activate", alert, {"started_at": now(), "message": "I fell", "location": {"latitude": 46.5, "longitude": 7.9}}),
        notifications=[{"id": new_id(), "alert_id": alert, "kind": "activated"}]))
    stream.expect("event: change")

    def sync(*mutations):
        body = {**sync_body(*mutations), "sent_at": now()}
        answer = client.call("POST", "/v1/sync", 200, token=responder["access_token"], body=body)
        entries = [change["inbox"] for change in answer["changes"] if change["entity"] == "inbox"]
        return answer, next((entry for entry in entries if entry["alert_id"] == alert), None)

    entry = sync()[1]
    expect("the alert in the inbox", entry and (entry["message"], entry["ended_at"], entry["response"]), ("I fell", None, None))
    answer, entry = sync(mutation("inbox.seen", entry["id"], {}),
                         mutation("inbox.answer", entry["id"], {"answer": "on_my_way", "text": "two minutes"}))
    expect("seen, and the answer", statuses(answer), [("applied", None)] * 2)
    expect("the answer in the inbox", (entry["response"]["answer"], entry["response"]["text"]), ("on_my_way", "two minutes"))
    whole = client.call("GET", "/v1/alerts/{id}", 200, path=f"/v1/alerts/{alert}", token=token)
    expect("the receipt of the inbox", [receipt["state"] for receipt in whole["receipts"] if receipt["channel"] == "app"], ["acknowledged"])
    client.call("POST", "/v1/sync", 200, token=token, body=sync_body(mutation("alert.deactivate", alert, {"ended_at": now()})))
    stream.expect("event: change")
    answer = sync(mutation("inbox.answer", new_id(), {"answer": "there"}))[0]
    expect("an answer to nothing", statuses(answer), [("rejected", "unknown_alert")])
    body = sync_body(mutation("inbox.answer", entry["id"], {"answer": "perhaps"}))
    data = client.send("POST", "/v1/sync", body, token=responder["access_token"])[2]
    expect("a word that is no answer", statuses(json.loads(data)), [("rejected", "invalid_body")])
    answer, entry = sync(mutation("inbox.answer", entry["id"], {"answer": "there"}))
    expect("an answer after the end", statuses(answer), [("rejected", "alert_ended")])
    expect("the end in the inbox", entry["ended_at"] is None, False)
    stream.close()


def check_page(client, session, receiver_port):
    """A responder opens the link of a message, and answers."""
    path, token, alert = "/a/{token}", session["access_token"], new_id()
    details = {"name": "Cy", "phone": "+12025550177", "responder": True, "dependent": False,
               "channels": [f"http://127.0.0.1:{receiver_port}/page"]}
    client.call("POST", "/v1/sync", 200, token=token, body=sync_body(
        mutation("contact.put", new_id(), details), mutation("alert.activate", alert, {"started_at": now()}),
        notifications=[{"id": new_id(), "alert_id": alert, "kind": "activated"}]))
    place = ""
    while place != "/page":
        place, _, body = Receiver.seen.get(timeout=TIMEOUT_SECONDS)
    link = "/a/" + json.loads(body)["data"]["page_url"].split("/a/")[1]
    client.call("GET", path, 200, path=link)
    client.call("GET", path, 404, path=link[:-1] + ("A" if link[-1] != "A" else "B"))
    EventStream(client, template=path + "/events", path=link + "/events").close()
    client.call("POST", path + "/seen", 204, path=link + "/seen")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answers = path + "/acknowledgements"
    client.call("POST", answers, 400, path=link + "/acknowledgements", body=b"text=hello", headers=form)
    client.call("POST", answers, 413, path=link + "/acknowledgements", body=b"text=" + b"a" * 20_000, headers=form)
    client.call("POST", answers, 415, path=link + "/acknowledgements", body=b"{}")
    client.call("POST", answers, 303, path=link + "/acknowledgements", body=b"answer=on_my_way&text=by+car", headers=form)
    client.call("POST", answers, 200, path=link + "/acknowledgements", body=b"answer=there&script=1", headers=form)
    client.call("GET", answers, 303, path=link + "/acknowledgements")
    client.call("GET", answers, 404, path="/a/x/acknowledgements")
    ended = mutation("alert.deactivate", alert, {"ended_at": now()})
    client.call("POST", "/v1/sync", 200, token=token, body=sync_body(ended))
    client.call("POST", answers, 409, path=link + "/acknowledgements", body=b"answer=there", headers=form)
    check_guesses(client, path, link)


def check_guesses(client, path, link):
    """Many links that open nothing are refused; one that opens a page is not."""
    guess = "/a/" + "A" * 24
    limit = 110
    while limit and client.send("GET", guess)[0] != 429:
        limit -= 1
    expect("guesses are refused", limit > 0, True)
    client.call("GET", path, 429, path=guess)
    client.call("POST", path + "/seen", 429, path=guess + "/seen")
    client.call("POST", path + "/acknowledgements", 429, path=guess + "/acknowledgements")
    client.call("GET", path, 200, path=link)
