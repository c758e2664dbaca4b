import type { Redacted } from "effect"

export interface ImapSettings {
  readonly host: string
  readonly port: number
  /** `true`: TLS from the start. `starttls`: TLS required before sign-in. `false`: no TLS. */
  readonly secure: "true" | "starttls" | "false"
  readonly user: string
  readonly password: Redacted.Redacted
  readonly mailbox: string
}
