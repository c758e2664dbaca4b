import type { SettingsReport, VersionInfo } from "@troupe/client"

type Scheme = "code-host" | "payments" | "sms" | "standard"

/** What a delivery of a type must have. */
export type WebhookNeed =
  | { readonly kind: "signature"; readonly scheme: Scheme }
  | { readonly kind: "token" }
  | { readonly kind: "nothing"; readonly isLimited: boolean }

/** The end of the names of a type's settings. */
const nameOf = (type: string) => type.toUpperCase().replace(/[^A-Z0-9]/g, "_")

export const secretNameOf = (type: string): string => `WEBHOOK_SECRET_${nameOf(type)}`

const schemes: ReadonlyArray<Scheme> = ["code-host", "payments", "sms", "standard"]

export const needOf = (
  type: string,
  mode: VersionInfo["deployment_mode"],
  sections: SettingsReport["sections"]
): WebhookNeed => {
  const settingOf = (name: string) =>
    sections.flatMap(({ settings }) => settings).find((setting) => setting.name === name && setting.is_set)
  if (settingOf(secretNameOf(type)) !== undefined) {
    const chosen = settingOf(`WEBHOOK_SCHEME_${nameOf(type)}`)?.value ?? nameOf(type).toLowerCase()
    return { kind: "signature", scheme: schemes.find((scheme) => scheme === chosen) ?? "code-host" }
  }
  if (type === "team-chat") return { kind: "nothing", isLimited: true }
  return mode === "hosted" ? { kind: "token" } : { kind: "nothing", isLimited: false }
}

export const signatureHeader: Readonly<Record<Scheme, string>> = {
  "code-host": "X-Hub-Signature-256",
  payments: "Stripe-Signature",
  sms: "X-Twilio-Signature",
  standard: "webhook-id, webhook-timestamp and webhook-signature"
}

/** Each hex digit pair of a key, as openssl takes it. */
const hexKey = `-macopt "hexkey:$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')"`

/** Lines of a shell that set HEADERS by signing BODY with SECRET. */
const signing: Readonly<Record<Scheme, (address: string) => ReadonlyArray<string>>> = {
  "code-host": () => [
    `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
    `HEADERS=(-H "X-Hub-Signature-256: sha256=$SIGNATURE")`
  ],
  payments: () => [
    `T=$(date +%s)`,
    `SIGNATURE=$(printf %s "$T.$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
    `HEADERS=(-H "Stripe-Signature: t=$T,v1=$SIGNATURE")`
  ],
  sms: (address) => [
    `SIGNATURE=$(printf %s '${address}BodyHelloFrom+4930123' | openssl dgst -sha1 -hmac "$SECRET" -binary | base64)`,
    `HEADERS=(-H "X-Twilio-Signature: $SIGNATURE")`
  ],
  standard: () => [
    `ID=msg_$RANDOM$RANDOM T=$(date +%s)`,
    `SIGNATURE=$(printf %s "$ID.$T.$BODY" | openssl dgst -sha256 -mac HMAC ${hexKey} -binary | base64)`,
    `HEADERS=(-H "webhook-id: $ID" -H "webhook-timestamp: $T" -H "webhook-signature: v1,$SIGNATURE")`
  ]
}

/** A quote would end the text of the shell. */
export const addressOf = (serviceUrl: string, type: string): string =>
  `${serviceUrl}/webhook/${encodeURIComponent(type).replaceAll("'", "%27")}`

/** What a shell runs to post a webhook of the type. */
export const curlOf = (address: string, type: string, need: WebhookNeed): string => {
  const isForm = need.kind === "signature" && need.scheme === "sms"
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
        ...signing[need.scheme](address),
        `${post} "\${HEADERS[@]}" -d "$BODY"`
      ].join("\n")
  }
}
