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

function link(url, text) {
  const result = element("a", "", text);
  result.href = url;
  result.target = "_blank";
  result.rel = "noopener noreferrer";
  return result;
}

const isWebURL = (url) => /^https?:/.test(url);

// The URL of a line, or of the file if the line is 0, from a URL with "{line}" in it.
function lineURL(url, line) {
  const anchor = url.indexOf("#");
  return (!line && anchor >= 0 && url.includes("{line}", anchor) ? url.slice(0, anchor) : url)
    .replaceAll("{line}", line);
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
