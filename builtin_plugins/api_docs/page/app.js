"use strict";

const METHODS = ["get", "post", "put", "patch", "delete", "options"];
const AUTH = {
  P: "public",
  B: "bearer token",
  PV: "provisioning token",
  SA: "operator",
  OA: "company role",
};
const DEEPEST = 6;

/** An element; text goes in as text, so that nothing in the description can become markup. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function resolve(schema, api) {
  const path = schema && schema.$ref;
  return path ? path.slice(2).split("/").reduce((node, key) => node[key], api) : schema || {};
}

function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf || schema.oneOf;
  if (choices) return choices.map(typeOf).join(" or ");
  const type = [schema.type || "anything"].flat().join(" or ");
  return type === "array" ? `list of ${typeOf(schema.items || {})}` : type;
}

function limitsOf(schema) {
  const words = [
    ["format", ""], ["minLength", "at least", "characters"], ["maxLength", "at most", "characters"],
    ["minimum", "≥"], ["maximum", "≤"], ["minItems", "at least", "items"], ["maxItems", "at most", "items"],
    ["pattern", "like"], ["default", "default"],
  ];
  const limits = words
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, before, after]) => [before, String(schema[key]), after].filter(Boolean).join(" "));
  if (schema.enum) limits.unshift(`one of ${schema.enum.join(", ")}`);
  return limits.join("; ");
}

/** The part of a schema that has fields of its own: the schema, its items, or one of its choices. */
function withFields(schema, api) {
  const here = resolve(schema, api);
  if (here.properties) return here;
  const inner = [here.items, ...(here.anyOf || []), ...(here.oneOf || [])].filter(Boolean);
  return inner.map((one) => withFields(one, api)).find(Boolean);
}

/** Text in which `this` is code. */
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

/** What a caller sends is marked where it is required, what they get where it may be absent. */
function field(name, schema, required, api, sent, depth) {
  const here = resolve(schema, api);
  const limits = limitsOf(here);
  return el("li", {},
    el("code", { class: "name" }, name), " ",
    el("span", { class: "type" }, typeOf(here)), " ",
    sent && required ? el("strong", {}, "required ") : null,
    !sent && !required ? el("em", {}, "may be absent ") : null,
    limits ? el("span", { class: "limits" }, `${limits} `) : null,
    here.description ? prose(here.description) : null,
    fields(here, api, sent, depth + 1));
}

function fields(schema, api, sent, depth = 0) {
  const here = depth > DEEPEST ? null : withFields(schema, api);
  if (!here) return null;
  const required = new Set(here.required || []);
  return el("ul", { class: "fields" },
    Object.entries(here.properties).map(([name, one]) => field(name, one, required.has(name), api, sent, depth)));
}

function exampleOf(schema, api, depth = 0) {
  const here = resolve(schema, api);
  if (here.examples) return here.examples[0];
  for (const known of [here.const, here.default, here.enum && here.enum[0]]) if (known !== undefined) return known;
  if (here.anyOf || here.oneOf) return exampleOf((here.anyOf || here.oneOf)[0], api, depth);
  switch ([here.type].flat()[0]) {
    case "object": {
      const properties = depth > DEEPEST ? [] : Object.entries(here.properties || {});
      return Object.fromEntries(properties.map(([name, one]) => [name, exampleOf(one, api, depth + 1)]));
    }
    case "array": return depth > DEEPEST ? [] : [exampleOf(here.items || {}, api, depth + 1)];
    case "integer": case "number": return here.minimum ?? 0;
    case "boolean": return true;
    case "null": return null;
    case "string": return here.format === "date-time" ? "2030-01-01T09:00:00.000Z" : "…";
    default: return {};
  }
}

function content(title, holder, api) {
  return Object.entries((holder && holder.content) || {}).flatMap(([kind, { schema = {} }]) => {
    const json = kind.includes("json");
    const parts = json ? [fields(schema, api, title === "Body") || el("p", { class: "type" }, typeOf(resolve(schema, api)))] : [];
    if (json && withFields(schema, api)) {
      parts.push(el("pre", { tabindex: "0", role: "group", "aria-label": `Example: ${title}` },
        el("code", {}, JSON.stringify(exampleOf(schema, api), null, 2))));
    }
    return [el("h4", {}, title, " ", el("span", { class: "type" }, kind)), ...parts];
  });
}

/** The refusals that the gates give; what a route refuses of its own is in its doc line. */
function refusals(path, method, operation) {
  const closed = operation["x-auth"] !== "P";
  const takes = operation.requestBody || (operation.parameters || []).some((one) => one.in === "query");
  return [
    operation.requestBody && ["400", "invalid_json"],
    takes && ["400", "invalid_request"],
    closed && ["401", "unauthenticated"],
    closed && method !== "get" && ["402", "org_suspended"],
    operation["x-feature"] && ["403", "feature_disabled"],
    operation["x-permission"] && ["403", "permission_denied"],
    path.includes("{") && ["404", "not_found"],
    operation.requestBody && ["413", "too_large"],
    ["429", "rate_limited"],
  ].filter(Boolean);
}

function parametersView(operation, api) {
  const parameters = operation.parameters || [];
  if (!parameters.length) return null;
  const rows = parameters.map((one) =>
    field(one.name, { ...resolve(one.schema, api), description: one.description || `in the ${one.in}` }, one.required, api, true, 0));
  return [el("h4", {}, "Parameters"), el("ul", { class: "fields" }, rows)];
}

function badges(operation) {
  const { "x-auth": auth, "x-permission": permission, "x-feature": feature } = operation;
  return el("ul", { class: "badges", "aria-label": "Who may call it" },
    el("li", {}, "Access: ", el("b", {}, AUTH[auth] || auth || "see the description")),
    permission ? el("li", {}, "Permission: ", el("code", {}, permission)) : null,
    feature ? el("li", {}, "Feature: ", el("code", {}, feature)) : null);
}

function operationView(path, method, operation, api) {
  const answers = Object.entries(operation.responses || {}).filter(([status]) => status !== "default");
  const view = el("details", { id: operation.operationId, class: "operation" },
    el("summary", {},
      el("span", { class: `method ${method}` }, method.toUpperCase()), " ",
      el("code", { class: "path" }, path), " ",
      el("span", { class: "doc" }, prose(operation.summary || ""))),
    badges(operation),
    operation.description ? el("p", {}, prose(operation.description)) : null,
    parametersView(operation, api),
    content("Body", operation.requestBody, api),
    answers.flatMap(([status, answer]) => {
      const shown = content(`Answer ${status}`, answer, api);
      return shown.length ? shown : [el("h4", {}, `Answer ${status}`), el("p", { class: "type" }, "nothing")];
    }),
    el("h4", {}, "Refusals"),
    el("ul", { class: "badges" },
      refusals(path, method, operation).map(([status, code]) => el("li", {}, `${status} `, el("code", {}, code)))));
  const words = [method, path, operation.summary, operation["x-permission"], operation["x-feature"], operation.tags];
  return { view, tag: (operation.tags || ["other"])[0], words: words.flat().filter(Boolean).join(" ").toLowerCase() };
}

function show(api) {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => operationView(path, method, methods[method], api)));
  const sections = [...new Set(operations.map((one) => one.tag))].sort().map((tag) => {
    const members = operations.filter((one) => one.tag === tag);
    const title = el("h2", { id: `tag-${tag}` }, tag);
    const view = el("section", { "aria-labelledby": title.id }, title, members.map((one) => one.view));
    return { tag, members, view, link: el("a", { href: `#tag-${tag}` }, tag) };
  });
  document.getElementById("version").textContent = api.info.version;
  document.getElementById("operations").replaceChildren(...sections.map((one) => one.view));
  document.getElementById("tags").replaceChildren(el("ul", {}, sections.map((one) => el("li", {}, one.link))));
  return { operations, sections };
}

function wire({ operations, sections }) {
  const filter = document.getElementById("filter");
  const unfold = document.getElementById("unfold");
  const narrow = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const one of operations) one.view.hidden = !words.every((word) => one.words.includes(word));
    for (const section of sections) {
      section.view.hidden = section.link.parentElement.hidden = section.members.every((one) => one.view.hidden);
    }
    const shown = operations.filter((one) => !one.view.hidden).length;
    document.getElementById("count").textContent = `${shown} of ${operations.length} operations`;
  };
  filter.addEventListener("input", narrow);
  unfold.addEventListener("click", () => {
    const open = unfold.textContent === "Open all";
    for (const one of operations) one.view.open = open;
    unfold.textContent = open ? "Close all" : "Open all";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === filter) return;
    event.preventDefault();
    filter.focus();
  });
  const openTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", openTarget);
  for (const one of operations) {
    one.view.addEventListener("toggle", () => one.view.open && history.replaceState(null, "", `#${one.view.id}`));
  }
  unfold.hidden = false;
  narrow();
  openTarget();
}

async function start() {
  try {
    const answer = await fetch("openapi.json", { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    wire(show(await answer.json()));
  } catch (error) {
    document.getElementById("count").textContent = "";
    document.getElementById("operations").replaceChildren(
      el("p", { role: "alert" }, `The description could not be shown: ${error.message}. `,
        el("a", { href: "docs" }, "Try again")));
  }
}

start();
