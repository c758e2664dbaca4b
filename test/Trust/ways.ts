import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { request } from "../Http/RawHttp.ts"
import { mailText } from "../Intake/Mail/inbox.ts"
import { eventually } from "../support/Eventually.ts"
import { until } from "../support/Processes.ts"
import { type Troupe, untilAvailable, webhookSecret } from "./troupe.ts"

export const deliver = ({ imap }: Troupe, text: string, headers: Readonly<Record<string, string>>) =>
  Effect.sync(() => void imap.deliver(mailText(text, headers)))

export const webhook = (type: string, body: string, headers: Readonly<Record<string, string>>, { port }: Troupe) =>
  Effect.map(
    untilAvailable(request(port, { method: "POST", path: `/webhook/${type}`, body, headers })),
    ({ status, text }) => assert.strictEqual(status, 200, text)
  )

export const signedWebhook = (payload: object, troupe: Troupe) => {
  const body = JSON.stringify(payload)
  const signature = createHmac("sha256", webhookSecret).update(body).digest("hex")
  return webhook("shop", body, { "x-hub-signature-256": `sha256=${signature}` }, troupe)
}

export const inGeneral = ({ platform }: Troupe, user: string, text: string, thread_ts: string | null = null) => ({
  channel: platform.state.channels.get("CGENERAL")?.id ?? "",
  user,
  text,
  thread_ts
})

/** Waits for the thread of the mail that the agent sent to this address; yields the Message-ID. */
export const threadWith = (address: string, troupe: Troupe) =>
  Effect.tap(sentTo(address, troupe), (id) =>
    until(
      "the thread of the mail is known",
      Effect.map(troupe.query("select from task_threads where key = $1", [id]), ({ length }) => length > 0)
    ))

/** The Message-ID of the mail that the agent sent to this address. */
const sentTo = (address: string, { sent }: Troupe) =>
  eventually(
    Effect.sync(() => sent().find(({ to }) => to.includes(address))),
    (mail) => mail !== undefined,
    "120 seconds"
  ).pipe(Effect.map((mail) => /^Message-ID: (\S+)/im.exec(mail?.raw ?? "")?.[1] ?? ""))
