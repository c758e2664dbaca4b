interface About {
  /** Its senders, for people. */
  readonly title: string
  /** Where the signature is. */
  readonly header: string
  /** What is signed and how, where the header does not say it. */
  readonly signs?: string
  /** Webhooks of the type of its name are signed so unless a setting says otherwise. */
  readonly isOfItsType?: true
  /** The senders of this scheme post forms (application/x-www-form-urlencoded) instead of JSON. */
  readonly isForm?: true
}

/** The header is an HMAC SHA-256 with the secret as its key: the service verifies it by this record. */
export interface HmacScheme extends About {
  readonly encoding: "base64" | "hex"
  /** What is before the signature in its header. */
  readonly prefix?: string
  /** Where the sender signs a time in seconds with the body: `header` has the time, and `before(time)` is the text that is signed before the body. */
  readonly time?: { readonly header: string; readonly before: (time: string) => string }
  /** Headers in lower case in which its senders name a delivery: the same one when they repeat it. */
  readonly idHeaders?: ReadonlyArray<string>
}

/** It is verified by a module of its own in `src/Intake/Webhook/Scheme`. */
interface CodedScheme extends About {
  /** Lines of a shell that set HEADERS by signing BODY with SECRET, for a post to the address. */
  readonly sign: (address: string) => ReadonlyArray<string>
}

/** Each pair of hex digits of a key, as openssl takes it. */
const hexKey = `-macopt "hexkey:$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')"`

const hmac = {
  "code-host": {
    title: "Code host",
    header: "X-Hub-Signature-256",
    encoding: "hex",
    prefix: "sha256=",
    idHeaders: ["x-github-delivery"]
  }
} as const satisfies Readonly<Record<string, HmacScheme>>

const coded = {
  payments: {
    title: "Payments",
    header: "Stripe-Signature",
    signs: "t=,v1= in Stripe-Signature",
    isOfItsType: true,
    sign: () => [
      `T=$(date +%s)`,
      `SIGNATURE=$(printf %s "$T.$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
      `HEADERS=(-H "Stripe-Signature: t=$T,v1=$SIGNATURE")`
    ]
  },
  sms: {
    title: "SMS",
    header: "X-Twilio-Signature",
    signs: "X-Twilio-Signature, over the address below BACKEND_API_URL",
    isOfItsType: true,
    isForm: true,
    sign: (address) => [
      `SIGNATURE=$(printf %s '${address}BodyHelloFrom+4930123' | openssl dgst -sha1 -hmac "$SECRET" -binary | base64)`,
      `HEADERS=(-H "X-Twilio-Signature: $SIGNATURE")`
    ]
  },
  standard: {
    title: "Standard Webhooks",
    header: "webhook-id, webhook-timestamp and webhook-signature",
    signs: "Standard Webhooks (webhook- or svix- headers)",
    sign: () => [
      `ID=msg_$RANDOM$RANDOM T=$(date +%s)`,
      `SIGNATURE=$(printf %s "$ID.$T.$BODY" | openssl dgst -sha256 -mac HMAC ${hexKey} -binary | base64)`,
      `HEADERS=(-H "webhook-id: $ID" -H "webhook-timestamp: $T" -H "webhook-signature: v1,$SIGNATURE")`
    ]
  }
} as const satisfies Readonly<Record<string, CodedScheme>>

export type HmacSchemeName = keyof typeof hmac

/** How a sender signs its webhooks. */
export type WebhookScheme = HmacSchemeName | keyof typeof coded

export const hmacSchemes: Readonly<Record<HmacSchemeName, HmacScheme>> = hmac

export const webhookSchemes: Readonly<Record<WebhookScheme, CodedScheme | HmacScheme>> = { ...hmac, ...coded }

export const isWebhookScheme = (name: string): name is WebhookScheme => Object.hasOwn(webhookSchemes, name)

const hmacLines = ({ encoding, header, prefix = "", time }: HmacScheme): ReadonlyArray<string> => {
  const output = encoding === "hex" ? "-r | cut -d' ' -f1" : "-binary | base64"
  return [
    ...(time === undefined ? [] : ["T=$(date +%s)"]),
    `SIGNATURE=$(printf %s "${time?.before("$T") ?? ""}$BODY" | openssl dgst -sha256 -hmac "$SECRET" ${output})`,
    `HEADERS=(${time === undefined ? "" : `-H "${time.header}: $T" `}-H "${header}: ${prefix}$SIGNATURE")`
  ]
}

/** Lines of a shell that set HEADERS by signing BODY with SECRET, for a post to the address. */
export const signingLines = (scheme: CodedScheme | HmacScheme, address: string): ReadonlyArray<string> =>
  "sign" in scheme ? scheme.sign(address) : hmacLines(scheme)

/** What follows the prefix in the names of a type's settings. */
export const settingOf = (type: string): string =>
  type.toUpperCase().split(/[^A-Z0-9]+/).filter((word) => word !== "").join("_")

/** The one spelling of the type with these settings. */
export const spellingOf = (setting: string): string => setting.toLowerCase().replaceAll("_", "-")

/** The scheme of a type whose settings name none. */
export const usualSchemeOf = (type: string): WebhookScheme => {
  const name = spellingOf(settingOf(type))
  return isWebhookScheme(name) && webhookSchemes[name].isOfItsType ? name : "code-host"
}
