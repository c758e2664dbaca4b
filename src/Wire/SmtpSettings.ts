import type { Mailbox } from "@troupe/domain/Mailbox"
import type { Option, Redacted } from "effect"

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** `true`: TLS from the start. `starttls`: TLS required before sign-in. `false`: no TLS. */
  readonly secure: "true" | "starttls" | "false"
  readonly login: Option.Option<{ readonly user: string; readonly password: Redacted.Redacted }>
  readonly from: Mailbox
}
