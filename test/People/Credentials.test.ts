import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { isOwnPage, sessionCookie } from "../../src/People/SignIn/Credentials.ts"

const service = new URL("https://troupe.example.org/team")
const own = { origin: "https://troupe.example.org" }
const foreign = { origin: "https://evil.example" }
const site = (value: string, more = {}) => ({ "sec-fetch-site": value, ...more })

type Sent = readonly [method: string, headers: Readonly<Record<string, string>>]

const accepted: ReadonlyArray<Sent> = [
  ["POST", site("same-origin")],
  ["POST", site("same-origin", own)],
  ["GET", site("none")],
  ["GET", site("cross-site", { "sec-fetch-mode": "navigate" })],
  // Browsers without the header Sec-Fetch-Site.
  ["POST", own],
  ["GET", {}],
  ["HEAD", {}]
]

const refused: ReadonlyArray<Sent> = [
  ["POST", site("cross-site")],
  ["POST", site("same-site", { origin: "https://other.example.org" })],
  ["POST", site("cross-site", { "sec-fetch-mode": "navigate" })],
  ["POST", site("none")],
  ["DELETE", {}],
  ["GET", site("same-site", { "sec-fetch-mode": "no-cors" })],
  ["POST", foreign],
  ["POST", { origin: "null" }],
  ["POST", { origin: "https://troupe.example.org:8443" }],
  ["GET", foreign]
]

describe("The session of a browser", () => {
  it("counts for pages of the service, and for links to it", () => {
    for (const [method, headers] of accepted) {
      assert.isTrue(isOwnPage(service, { method, headers }), `${method} ${JSON.stringify(headers)}`)
    }
    for (const [method, headers] of refused) {
      assert.isFalse(isOwnPage(service, { method, headers }), `${method} ${JSON.stringify(headers)}`)
    }
  })

  it("is in a cookie of this host alone; over http, which is for this machine, in one without the prefix", () => {
    const cookie = sessionCookie(service)
    const sent = cookie.valueOf({ headers: { cookie: "a=b; __Host-troupe_session=secret" } })
    assert.strictEqual(Option.getOrThrow(Option.map(sent, Redacted.value)), "secret")
    // Over http a neighbour could set the name without the prefix.
    assert.isTrue(Option.isNone(cookie.valueOf({ headers: { cookie: "troupe_session=secret" } })))
    const onThisMachine = sessionCookie(new URL("http://localhost:8000"))
    assert.isTrue(Option.isSome(onThisMachine.valueOf({ headers: { cookie: "troupe_session=secret" } })))
  })
})
