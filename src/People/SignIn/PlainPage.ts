import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { createHash } from "node:crypto"

const style = ":root{color-scheme:light dark}"
  + "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;overflow-wrap:anywhere}"
  + "pre{overflow-x:auto;padding:.5rem;background:#eee;color:#111}"
  + ".button{display:inline-block;margin:.5rem 0;padding:.625rem 1.5rem;border-radius:.375rem;background:#3a4fc4;color:#fff;"
  + "font-weight:600;text-decoration:none}"

const styleHash = createHash("sha256").update(style).digest("base64")

/** No scripts, no requests to other addresses, no Referer header, no caching. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; `
    + "frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}

/** A page without scripts for people who are not signed in. Its parts are HTML. */
export const plainPage = (status: number, title: string, parts: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">`
      + `<title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>${
        parts.join("")
      }</main></body></html>`,
    { status, contentType: "text/html; charset=utf-8", headers }
  )

/** What a person does next on a page: a link that looks like a button. */
export const pageButton = (address: string, text: string): string =>
  `<p><a class="button" href="${escapedHtml(address)}">${escapedHtml(text)}</a></p>`

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

/** Text as HTML that shows it. */
export const escapedHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
