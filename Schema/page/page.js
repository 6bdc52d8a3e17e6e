(function () {
  "use strict";
  var path = page().dataset.path, timeoutMilliseconds = 10000;
  var offset = 0, sources = {}, stream = null, delay = 1000;
  var sends = 0, held = null;
  var loadTimer = null, releaseTimer = null, lastLoad = 0;
  var isPressed = false, isSending = false, isLoading = false, isLoadWanted = false, isNoting = false;
  var nextAnswer = null, failedAnswer = null, focusNext = "";

  function page() { return document.getElementById("page"); }
  function find(selector) { return document.querySelector(selector); }
  function each(list, body) { Array.prototype.forEach.call(list, body); }
  function show(id, isShown) { document.getElementById(id).hidden = !isShown; }
  // "again": another alert than that of the page.
  function isActive() { return ["help", "drill", "again"].indexOf(page().dataset.state) >= 0; }
  function isVisible() { return document.visibilityState === "visible"; }

  // Times

  function words(seconds) {
    if (seconds < 60) return seconds + " s";
    var minutes = Math.floor(seconds / 60);
    return minutes < 60 ? minutes + " min" : Math.floor(minutes / 60) + " h " + minutes % 60 + " min";
  }
  // Durations follow the server's clock.
  function tick() {
    each(document.querySelectorAll("[data-since]"), function (span) {
      var text = words(Math.max(0, Math.floor((Date.now() + offset - span.dataset.since) / 1000)));
      if (span.textContent !== text) span.textContent = text;
    });
  }

  // Requests

  // Resolves with the page that the server answers. Anything else, from a network in between, is an error.
  function request(place, options) {
    return timed(place, options).then(function (response) {
      return response.text();
    }).then(function (text) {
      var next = new DOMParser().parseFromString(text, "text/html"), main = next.getElementById("page");
      if (!main || main.dataset.path !== path && !main.dataset.gone) throw new Error("not our page");
      return next;
    });
  }
  function timed(place, options) {
    var abort = new AbortController();
    setTimeout(function () { abort.abort(); }, timeoutMilliseconds);
    options.signal = abort.signal;
    return fetch(path + place, options);
  }
  function load() {
    if (page().dataset.gone || !isVisible()) return;
    if (isLoading || isSending) { isLoadWanted = true; return; }
    isLoading = true;
    isLoadWanted = false;
    lastLoad = Date.now();
    var sent = sends;
    request("", {}).then(function (next) {
      // Of two requests that overlap nobody knows which saw the newer state: what an answer that was sent meanwhile led to stays.
      if (sent === sends) put(next); else isLoadWanted = true;
      show("lost", false);
    }).catch(function () { show("lost", true); }).then(function () {
      isLoading = false;
      if (isLoadWanted) loadSoon();
    });
  }
  // Many pages hear of one change: they do not all ask at once, and none asks more than once a second.
  function loadSoon() {
    if (loadTimer) return;
    loadTimer = setTimeout(function () {
      loadTimer = null;
      load();
    }, Math.max(lastLoad + 1000 - Date.now(), 0) + Math.random() * 200);
  }
  function send(answer) {
    // The newest answer counts: it follows the one that is on its way.
    if (isSending) { nextAnswer = answer; return; }
    isSending = true;
    sends++;
    nextAnswer = null;
    var body = new URLSearchParams({ answer: answer, script: "1" }), field = find("[name=text]");
    var sent = field ? field.value : "";
    if (sent) body.set("text", sent);
    show("failed", false);
    setBusy(true);
    request("/acknowledgements", { method: "POST", body: body, keepalive: true }).then(function (next) {
      var field = find("[name=text]");
      // What was typed since goes with the next answer.
      if (field && field.value === sent) field.value = "";
      failedAnswer = null;
      focusNext = "given";
      put(next);
    }).catch(function () { failedAnswer = answer; show("failed", true); }).then(function () {
      isSending = false;
      setBusy(false);
      if (nextAnswer) send(nextAnswer); else loadSoon();
    });
  }
  function setBusy(isBusy) {
    var form = find("form");
    if (form) form.setAttribute("aria-busy", String(isBusy));
  }

  // The page

  // Takes over the parts that differ: the rest stays, with its focus and what is being heard or pressed.
  function put(next) {
    // A button that is replaced under a finger does nothing.
    if (isPressed) { held = next; return; }
    held = null;
    var main = next.getElementById("page");
    var known = lines(), field = find("[name=text]"), text = field ? field.value : "", focus = (document.activeElement || document.body).id;
    if (main.dataset.gone) {
      page().replaceWith(main);
      close();
    } else {
      Object.keys(main.dataset).concat("unseen", "answer").forEach(function (key) {
        if (key in main.dataset) page().dataset[key] = main.dataset[key]; else delete page().dataset[key];
      });
      each(Array.prototype.slice.call(main.children), replace);
      offset = Number(main.dataset.now) - Date.now();
      if (failedAnswer && main.dataset.answer === failedAnswer) { failedAnswer = null; show("failed", false); }
    }
    document.title = next.title;
    field = find("[name=text]");
    if (field && !field.value) field.value = text;
    focusOn(focus);
    announce(known);
    tick();
    if (isActive()) open(); else close();
  }
  // Where a press led to, or else the part with this id. The focus is not taken from somebody who types.
  function focusOn(id) {
    var isElsewhere = id && id.indexOf("answer-") !== 0;
    var part = document.getElementById(isElsewhere ? id : focusNext) || document.getElementById(id);
    focusNext = "";
    if (part && part !== document.activeElement) part.focus();
  }
  function replace(part) {
    if (source(part) === sources[part.id]) return;
    sources[part.id] = source(part);
    var details = find("#" + part.id + " details");
    if (details && details.open && part.querySelector("details")) part.querySelector("details").open = true;
    document.getElementById(part.id).replaceWith(part);
    if (part.querySelector("form")) replaceForm();
  }
  // Without what the script itself changes.
  function source(part) {
    var copy = part.cloneNode(true);
    each(copy.querySelectorAll("[data-since]"), function (span) { span.textContent = ""; });
    return copy.innerHTML;
  }

  // With scripts there are buttons that only a person can press: a program that opens links can send a form.
  function replaceForm() {
    var form = find("form");
    if (!form) return;
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.querySelector("button").remove();
    each(form.querySelectorAll("[type=radio]"), function (radio, index) {
      var button = document.createElement("button");
      button.type = "button";
      button.id = "answer-" + radio.value;
      button.textContent = radio.parentNode.textContent.trim();
      if (index === 0) button.className = "first";
      button.addEventListener("click", function (event) { if (event.isTrusted) send(radio.value); });
      radio.parentNode.replaceWith(button);
    });
  }

  // For those who hear the page: what is new, once.
  function lines() {
    return Array.prototype.map.call(page().querySelectorAll("h1, .warning, .done, [data-news]"), function (line) {
      var copy = line.cloneNode(true);
      each(copy.querySelectorAll("[data-since]"), function (span) { span.remove(); });
      return copy.textContent.replace(/\s+/g, " ").trim();
    });
  }
  function announce(known) {
    var news = lines().filter(function (line) { return known.indexOf(line) < 0; });
    if (!news.length) return;
    var paragraph = document.createElement("p");
    paragraph.textContent = news.join(". ");
    document.getElementById("news").appendChild(paragraph);
    setTimeout(function () { paragraph.remove(); }, 10000);
  }

  // Presses

  function press(event) {
    if (!event.isTrusted) return;
    isPressed = true;
    releaseAfter(5000);
  }
  // The click follows the release.
  function release() { releaseAfter(300); }
  function releaseAfter(milliseconds) {
    clearTimeout(releaseTimer);
    releaseTimer = setTimeout(function () {
      isPressed = false;
      if (held) put(held);
    }, milliseconds);
  }
  // Seen means that a person touched the page: a press, or a scroll by finger, which takes the pointer away from the page ("pointercancel").
  // Programs run scripts too. Those that take pictures of whole pages scroll, some with a wheel: neither counts.
  function note(event) {
    if (isNoting || !event.isTrusted || !isVisible() || !page().dataset.unseen) return;
    isNoting = true;
    timed("/seen", { method: "POST", keepalive: true })
      .then(function (response) { if (response.status === 204) delete page().dataset.unseen; })
      .catch(function () {})
      .then(function () { isNoting = false; });
  }

  // News

  function open() {
    if (stream || !isActive() || !isVisible()) return;
    stream = new EventSource(path + "/events");
    stream.addEventListener("change", loadSoon);
    // There may have been changes before.
    stream.addEventListener("open", function () { delay = 1000; loadSoon(); });
    stream.addEventListener("error", function () {
      close();
      setTimeout(open, delay * (0.5 + Math.random()));
      delay = Math.min(2 * delay, 60000);
    });
  }
  function close() {
    if (stream) stream.close();
    stream = null;
  }

  offset = Number(page().dataset.now) - Date.now();
  each(page().children, function (part) { sources[part.id] = source(part); });
  replaceForm();
  addEventListener("pointerdown", press, true);
  addEventListener("keydown", press, true);
  ["pointerup", "pointercancel", "keyup", "contextmenu", "dragend"].forEach(function (name) { addEventListener(name, release, true); });
  ["pointerup", "pointercancel", "touchend", "keyup", "click"].forEach(function (name) { addEventListener(name, note, true); });
  addEventListener("online", function () { close(); open(); load(); });
  // A hidden page needs no connection: a browser has few of them for one server.
  document.addEventListener("visibilitychange", function () {
    if (isVisible()) { open(); load(); } else close();
  });
  setInterval(tick, 1000);
  // A device that falls silent changes nothing on the server.
  setInterval(function () { if (isActive()) load(); }, 30000);
  // After its end the person may need help again.
  setInterval(load, 120000);
  open();
})();
