"use strict";

const byID = (id) => document.getElementById(id);

function element(tag, className, ...content) {
  const result = document.createElement(tag);
  if (className)
    result.className = className;
  result.append(...content);
  return result;
}

function button(text, act) {
  const result = element("button", "", text);
  result.type = "button";
  result.addEventListener("click", act);
  return result;
}

// A name may have a megabyte.
const limited = (text) => text.length > 2000 ? text.slice(0, 2000) + "…" : text;

// Copies a text, and returns whether the browser did it.
async function copyToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS, or in a frame, browsers may only support the older way.
    const area = element("textarea", "", text);
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}
