(function () {
  "use strict";
  var base = page().dataset.path;
  var offset = Number(page().dataset.now) - Date.now();
  var isSeen = false, isLoading = false, isStale = false;

  function page() { return document.getElementById("page"); }
  function show(id, isShown) { document.getElementById(id).hidden = !isShown; }

  // Durations go by the server's clock.
  function words(seconds) {
    if (seconds < 60) return seconds + " s";
    var minutes = Math.floor(seconds / 60);
    return minutes < 60 ? minutes + " min" : Math.floor(minutes / 60) + " h " + minutes % 60 + " min";
  }
  function tick() {
    document.querySelectorAll("[data-since]").forEach(function (span) {
      span.textContent = words(Math.max(0, Math.floor((Date.now() + offset - span.dataset.since) / 1000)));
    });
  }

  // A press is a button, and only a person's: a form can be sent by a program that opens links.
  function replaceForm() {
    var form = document.forms[0];
    if (!form) return;
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.querySelector("button").remove();
    form.querySelectorAll("[type=radio]").forEach(function (radio, index) {
      var button = document.createElement("button");
      button.type = "button";
      button.id = "answer-" + radio.value;
      button.textContent = radio.parentNode.textContent.trim();
      if (index === 0) button.className = "first";
      button.addEventListener("click", function (event) { if (event.isTrusted) send(radio.value); });
      radio.parentNode.replaceWith(button);
    });
  }
  function setDisabled(isDisabled) {
    document.querySelectorAll("form button").forEach(function (button) { button.disabled = isDisabled; });
  }

  function send(answer) {
    var body = new URLSearchParams({ answer: answer });
    var field = document.querySelector("[name=text]");
    if (field && field.value) body.set("text", field.value);
    setDisabled(true);
    show("failed", false);
    fetch(base + "/acknowledgements", { method: "POST", body: body })
      .then(function (response) {
        if (response.status >= 500 || response.status === 429) throw response.status;
        if (field) field.value = "";
        return response.ok ? response.text().then(put) : load();
      })
      .catch(function () { setDisabled(false); show("failed", true); });
  }

  // What changed is loaded as the whole page; what a person was about to do stays.
  function load() {
    if (isLoading) { isStale = true; return; }
    isLoading = true;
    isStale = false;
    return fetch(base)
      .then(function (response) {
        if (response.status >= 500 || response.status === 429) throw response.status;
        return response.text();
      })
      .then(function (text) { put(text); show("lost", false); })
      .catch(function () { show("lost", true); })
      .then(function () { isLoading = false; if (isStale) load(); });
  }
  function put(text) {
    var next = new DOMParser().parseFromString(text, "text/html");
    var old = page(), main = next.querySelector("main");
    if (!main) return;
    var field = document.querySelector("[name=text]"), focus = document.activeElement && document.activeElement.id;
    var typed = field && field.value, isTyping = field && document.activeElement === field;
    main.id = "page";
    if (main.dataset.now) offset = Number(main.dataset.now) - Date.now();
    old.replaceWith(main);
    document.title = next.title;
    replaceForm();
    field = document.querySelector("[name=text]");
    if (field && typed) field.value = typed;
    if (field && isTyping) field.focus();
    else if (focus && document.getElementById(focus)) document.getElementById(focus).focus();
    announce(old, main);
    tick();
  }

  // For those who hear the page: what is new, once.
  function lines(element) {
    return Array.prototype.map.call(element.querySelectorAll("h1, .warning, .done, li"), function (line) {
      return line.textContent.trim();
    });
  }
  function announce(old, main) {
    var known = lines(old);
    var isAge = /^\D*-?\d/;
    var news = lines(main).filter(function (line) { return known.indexOf(line) < 0 && !(isAge.test(line) && !/[a-z]{4}/i.test(line)); });
    if (news.length) document.getElementById("news").textContent = news.join(". ");
  }

  // Seen means that a person touched the page. Programs run scripts too.
  function touch(event) {
    if (isSeen || !event.isTrusted || document.visibilityState !== "visible") return;
    isSeen = true;
    fetch(base + "/seen", { method: "POST" })
      .then(function (response) { if (!response.ok) isSeen = response.status < 500; })
      .catch(function () { isSeen = false; });
  }

  function listen() {
    var stream = new EventSource(base + "/events");
    stream.addEventListener("change", load);
    // Whatever changed while there was no stream.
    stream.addEventListener("open", load);
    stream.addEventListener("error", function () {
      if (stream.readyState === 2) setTimeout(listen, 10000);
    });
  }

  replaceForm();
  addEventListener("pointerdown", touch, true);
  addEventListener("keydown", touch, true);
  addEventListener("online", load);
  document.addEventListener("visibilitychange", function () { if (document.visibilityState === "visible") load(); });
  setInterval(tick, 1000);
  // A device that falls silent changes nothing on the server.
  setInterval(load, 30000);
  listen();
})();
