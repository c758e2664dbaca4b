import type { SettingsReport, VersionInfo } from "@troupe/client"

/** What a delivery of a type must have. */
export type WebhookNeed =
  | { readonly kind: "signature"; readonly scheme: string }
  | { readonly kind: "token" }
  | { readonly kind: "nothing"; readonly isLimited: boolean }

/** The end of the names of a type's settings. */
const nameOf = (type: string) => type.toUpperCase().replace(/[^A-Z0-9]/g, "_")

export const secretNameOf = (type: string): string => `WEBHOOK_SECRET_${nameOf(type)}`

export const needOf = (
  type: string,
  mode: VersionInfo["deployment_mode"],
  sections: SettingsReport["sections"]
): WebhookNeed => {
  const settingOf = (name: string) =>
    sections.flatMap(({ settings }) => settings).find((setting) => setting.name === name && setting.is_set)
  if (settingOf(secretNameOf(type)) !== undefined) {
    const ofItsType = ["PAYMENTS", "SMS"].includes(nameOf(type)) ? nameOf(type).toLowerCase() : "code-host"
    return { kind: "signature", scheme: settingOf(`WEBHOOK_SCHEME_${nameOf(type)}`)?.value ?? ofItsType }
  }
  if (type === "team-chat") return { kind: "nothing", isLimited: true }
  return mode === "hosted" ? { kind: "token" } : { kind: "nothing", isLimited: false }
}

/** Each hex digit pair of a key, as openssl takes it. */
const hexKey = `-macopt "hexkey:$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')"`

interface Scheme {
  /** Where the signature is. */
  readonly header: string
  /** Lines of a shell that set HEADERS by signing BODY with SECRET. */
  readonly sign: (address: string) => ReadonlyArray<string>
}

const schemes: Readonly<Record<string, Scheme>> = {
  "code-host": {
    header: "X-Hub-Signature-256",
    sign: () => [
      `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
      `HEADERS=(-H "X-Hub-Signature-256: sha256=$SIGNATURE")`
    ]
  },
  payments: {
    header: "Stripe-Signature",
    sign: () => [
      `T=$(date +%s)`,
      `SIGNATURE=$(printf %s "$T.$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
      `HEADERS=(-H "Stripe-Signature: t=$T,v1=$SIGNATURE")`
    ]
  },
  sms: {
    header: "X-Twilio-Signature",
    sign: (address) => [
      `SIGNATURE=$(printf %s '${address}BodyHelloFrom+4930123' | openssl dgst -sha1 -hmac "$SECRET" -binary | base64)`,
      `HEADERS=(-H "X-Twilio-Signature: $SIGNATURE")`
    ]
  },
  standard: {
    header: "webhook-id, webhook-timestamp and webhook-signature",
    sign: () => [
      `ID=msg_$RANDOM$RANDOM T=$(date +%s)`,
      `SIGNATURE=$(printf %s "$ID.$T.$BODY" | openssl dgst -sha256 -mac HMAC ${hexKey} -binary | base64)`,
      `HEADERS=(-H "webhook-id: $ID" -H "webhook-timestamp: $T" -H "webhook-signature: v1,$SIGNATURE")`
    ]
  }
}

export const signatureHeader = (scheme: string): string =>
  schemes[scheme]?.header ?? `the header of the scheme ${scheme}`

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
        ...(schemes[need.scheme]?.sign(address) ?? [`HEADERS=()  # sign BODY by the scheme ${need.scheme}`]),
        `${post} "\${HEADERS[@]}" -d "$BODY"`
      ].join("\n")
  }
}
