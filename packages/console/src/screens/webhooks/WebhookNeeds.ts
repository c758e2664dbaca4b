import type { SettingsReport, VersionInfo } from "@troupe/client"
import {
  isWebhookScheme,
  settingOf,
  signingLines,
  usualSchemeOf,
  type WebhookScheme,
  webhookSchemes
} from "@troupe/client/WebhookScheme"

/** What a delivery of a type must have. */
export type WebhookNeed =
  | { readonly kind: "signature"; readonly scheme: WebhookScheme }
  | { readonly kind: "token" }
  | { readonly kind: "nothing"; readonly isLimited: boolean }

export const secretNameOf = (type: string): string => `WEBHOOK_SECRET_${settingOf(type)}`

export const needOf = (
  type: string,
  mode: VersionInfo["deployment_mode"],
  sections: SettingsReport["sections"]
): WebhookNeed => {
  const givenOf = (name: string) =>
    sections.flatMap(({ settings }) => settings).find((setting) => setting.name === name && setting.is_set)
  if (givenOf(secretNameOf(type)) !== undefined) {
    const chosen = givenOf(`WEBHOOK_SCHEME_${settingOf(type)}`)?.value ?? ""
    return { kind: "signature", scheme: isWebhookScheme(chosen) ? chosen : usualSchemeOf(type) }
  }
  if (type === "team-chat") return { kind: "nothing", isLimited: true }
  return mode === "hosted" ? { kind: "token" } : { kind: "nothing", isLimited: false }
}

/** A quote would end the text of the shell. */
export const addressOf = (serviceUrl: string, type: string): string =>
  `${serviceUrl}/webhook/${encodeURIComponent(type).replaceAll("'", "%27")}`

/** What a shell runs to post a webhook of the type. */
export const curlOf = (address: string, type: string, need: WebhookNeed): string => {
  const isForm = need.kind === "signature" && webhookSchemes[need.scheme].isForm
  const contentType = isForm ? "application/x-www-form-urlencoded" : "application/json"
  const body = isForm ? "Body=Hello&From=%2B4930123" : "{\"message\": \"Hello\"}"
  const post = `curl -X POST '${address}' -H 'content-type: ${contentType}'`
  switch (need.kind) {
    case "nothing":
      return `${post} -d '${body}'`
    case "token":
      return `${post} -H "Authorization: Bearer $TOKEN" -d '${body}'`
    case "signature":
      return [
        `SECRET='the value of ${secretNameOf(type)}'`,
        `BODY='${body}'`,
        ...signingLines(webhookSchemes[need.scheme], address),
        `${post} "\${HEADERS[@]}" -d "$BODY"`
      ].join("\n")
  }
}
