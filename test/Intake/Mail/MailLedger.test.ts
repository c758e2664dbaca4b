import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { mailText, outcomes, received } from "./inbox.ts"

inWorld("A mail that an earlier version has taken", (test) => {
  const known = { "Message-ID": "<report@device.example>" }
  const date = Effect.map(DateTime.now, (now) => DateTime.toDateUtc(now).toUTCString())
  /** The key of its row: a digest of Message-ID and sender. */
  const given = Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into mail_ledger (mailbox, uid_validity, uid, outcome, message_key, done_at) values
         ('INBOX', 1, 1, 'task', encode(sha256(convert_to(E'<report@device.example>\nada@example.net\n', 'UTF8')), 'hex'), now())`
    ))

  test("is not taken again under another UID", function*() {
    yield* given
    yield* received([mailText("Level 41 %", { ...known, Date: yield* date }), mailText("Level 41 %", known)])
    assert.deepStrictEqual((yield* outcomes).slice(1), ["duplicate", "duplicate"])
  })

  test("does not keep later mails of its device from being taken, which have its Message-ID", function*() {
    yield* given
    const { query } = yield* Wire
    yield* query("update mail_ledger set done_at = now() - interval '1 day'")
    yield* received([mailText("Level 43 %", { ...known, Date: yield* date })])
    assert.deepStrictEqual((yield* outcomes).slice(1), ["task"])
  })
})
