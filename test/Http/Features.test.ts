import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeFakes } from "./Fakes.ts"
import { request } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

const inbox = { IMAP_HOST: "imap.example.org", IMAP_USER: "agent", IMAP_PASSWORD: "secret" }

describe("The features of a service", () => {
  it.scopedLive("say whether mails become tasks, and that schedules run", () =>
    Effect.gen(function*() {
      for (const settings of [{}, inbox]) {
        const port = yield* started(makeFakes(), settings)
        const { features } = JSON.parse((yield* request(port, { path: "/api/version" })).text)
        assert.deepInclude(features, { mail_inbox: settings === inbox, schedules: true })
      }
    }))
})
