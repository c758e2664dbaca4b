interface About {
  /** What is signed and where, for people. */
  readonly signs: string
  /** Webhooks of the type of its name are signed so unless a setting says otherwise. */
  readonly isOfItsType?: true
}

const schemes = {
  "code-host": { signs: "X-Hub-Signature-256" },
  payments: { signs: "t=,v1= in Stripe-Signature", isOfItsType: true },
  sms: { signs: "X-Twilio-Signature, over the address below BACKEND_API_URL", isOfItsType: true },
  standard: { signs: "Standard Webhooks (webhook- or svix- headers)" }
} as const satisfies Readonly<Record<string, About>>

/** How a sender signs its webhooks. */
export type WebhookScheme = keyof typeof schemes

export const webhookSchemes: Readonly<Record<WebhookScheme, About>> = schemes

const isScheme = (name: string): name is WebhookScheme => Object.hasOwn(schemes, name)

/** The scheme of a type whose settings name none. */
export const usualSchemeOf = (type: string): WebhookScheme =>
  isScheme(type) && webhookSchemes[type].isOfItsType ? type : "code-host"
