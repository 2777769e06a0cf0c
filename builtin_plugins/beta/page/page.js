// The behaviour of the default page: checks answers where they are given, shows the work, says what failed.
(() => {
  "use strict";

  const { beta } = window.Service;
  const locale = document.body.dataset.locale;
  beta.speak(locale, JSON.parse(document.body.dataset.texts));

  const $ = (id) => document.getElementById(id);
  const form = $("form"), submit = $("submit"), cancel = $("cancel"), failure = $("failure");
  const rows = Array.from(form.querySelectorAll(".field"));
  const submitText = submit.textContent;
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  let running = null; // what stops the sign-up under way

  const say = (key, values) => beta.text(key, values) || "";
  const show = (element, shown) => { element.hidden = !shown; };
  const control = (row) => row.querySelector("[name]");
  const answer = (row) => (row.dataset.type === "checkbox" ? control(row).checked : control(row).value.trim());

  function fault(row) {
    const { type } = row.dataset, box = control(row), value = answer(row);
    if (box.required && type === "checkbox" && !value) return say("field.tick");
    if (box.required && type === "select" && !value) return say("field.choose");
    if (box.required && !value) return say("field.required");
    // The browser's own idea of an address; the server has the last word.
    if (type === "email" && value && box.validity.typeMismatch) return say("field.email");
    if (type === "url" && value && box.validity.typeMismatch) return say("field.url");
    return "";
  }

  function mark(row, message) {
    const error = row.querySelector(".error");
    error.textContent = message;
    show(error, Boolean(message));
    row.classList.toggle("wrong", Boolean(message));
    if (message) control(row).setAttribute("aria-invalid", "true");
    else control(row).removeAttribute("aria-invalid");
  }

  // Marks every field, and goes to the first that is wrong.
  function markAll(messageOf) {
    const wrong = rows.filter((row) => {
      const message = messageOf(row);
      mark(row, message);
      return message;
    });
    if (wrong.length) {
      $("status").textContent = say("error.fields", { count: wrong.length });
      control(wrong[0]).focus();
    }
    return wrong.length === 0;
  }

  function fields() {
    const given = {};
    for (const row of rows) {
      const value = answer(row);
      if (value !== "") given[control(row).name] = value;
    }
    return given;
  }

  function announce(text) {
    $("stage").textContent = text;
    $("status").textContent = text;
  }

  let stage = null;
  function onProgress(progress) {
    if (progress.stage !== stage) {
      stage = progress.stage;
      announce(say(stage === "sending" ? "sending" : "checking"));
    }
    const part = Math.min(progress.fraction, 0.99);
    $("progress").value = Math.round(part * 100);
    $("percent").textContent = stage === "sending" ? "" : percent.format(part);
  }

  function busy(on) {
    for (const row of rows) {
      const box = control(row);
      if (box.matches("input:not([type=checkbox]), textarea")) box.readOnly = on;
      else box.disabled = on;
    }
    show($("work"), on);
    show(cancel, on);
    if (on) cancel.focus();
    show(submit, !on);
    form.setAttribute("aria-busy", String(on));
  }

  function showFailure(error) {
    show(failure, true);
    $("failure-title").textContent = say("error.title");
    $("cause").textContent = error.message;
    show($("request-id"), Boolean(error.requestId));
    $("request-id").textContent = error.requestId ? say("request", { id: error.requestId }) : "";
    $("status").textContent = `${say("error.title")} ${error.message}`;
    if (error.retryable) submit.textContent = say("retry");
    submit.focus();
  }

  function showThanks() {
    show($("ask"), false);
    show($("thanks"), true);
    $("thanks").focus();
    $("status").textContent = $("thanks").querySelector("h2").textContent;
  }

  async function send() {
    running = new AbortController();
    stage = null;
    show(failure, false);
    submit.textContent = submitText;
    const given = fields();
    busy(true);
    try {
      await beta.signup(given, { locale, website: $("field-website").value, signal: running.signal, onProgress });
      showThanks();
    } catch (error) {
      busy(false);
      if (markAll((row) => error.errors[control(row).name] || "")) showFailure(error);
    } finally {
      running = null;
    }
  }

  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running === null && markAll(fault)) send();
  });
  // A fault goes away as soon as it is mended, and comes only when the field is left.
  form.addEventListener("input", (event) => {
    const row = event.target.closest(".field");
    if (row && row.classList.contains("wrong")) mark(row, fault(row));
  });
  form.addEventListener("change", (event) => {
    const row = event.target.closest(".field");
    if (row && answer(row)) mark(row, fault(row));
  });
  cancel.addEventListener("click", () => running && running.abort());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (running) running.abort();
    const menu = document.querySelector(".languages details[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", (event) => {
    const menu = document.querySelector(".languages details[open]");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });
  if (beta.isPreview) {
    $("preview").textContent = say("preview");
    show($("preview"), true);
  }
  submit.disabled = false;
})();
