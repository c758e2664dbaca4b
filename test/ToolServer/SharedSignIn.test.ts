import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Authorizations } from "../../src/ToolServer/Authorizations.ts"
import { ToolServerSignIn } from "../../src/ToolServer/ToolServerSignIn.ts"
import { eventually } from "../support/Eventually.ts"
import { ann, begun, ben, caller, calls, connects, failureOf, forgets, owner, team, world } from "./signInTeam.ts"

layer(team, { excludeTestServices: true, timeout: 60_000 })("A tool server that everybody uses", (it) => {
  it.scoped("is connected and forgotten by owner and admins alone", () =>
    Effect.gen(function*() {
      yield* world({})
      assert.strictEqual((yield* Effect.flip(begun(ann)))._tag, "NotAllowed")
      yield* connects(owner)
      assert.strictEqual((yield* Effect.flip(forgets(ann)))._tag, "NotAllowed")
      assert.strictEqual(yield* failureOf(ann), "made")
      const { complete } = yield* ToolServerSignIn
      const { answer } = yield* begun(owner)
      const demoted = yield* Effect.flip(complete(answer, { ...owner, role: "member" }))
      assert.include(demoted.reason, "Only an owner or admin")
      yield* forgets(caller("ada", "admin"))
    }))

  it.scoped("takes the answer of the authorization server from the browser that began, once", () =>
    Effect.gen(function*() {
      const { authority } = yield* world({ per_user: true })
      const { complete } = yield* ToolServerSignIn
      const { answer } = yield* begun(ann)
      assert.deepInclude(yield* Effect.flip(complete(answer, null)), { status: 401 })
      for (const other of [ben, owner]) {
        assert.deepInclude(yield* Effect.flip(complete(answer, other)), { status: 403 })
      }
      assert.deepStrictEqual(authority.asked, [], "no code was exchanged")
      yield* complete(answer, ann)
      assert.deepInclude(yield* Effect.flip(complete(answer, ann)), { status: 400 })
    }))

  it.scoped("gives the id and secret of a configured client encoded, as strict authorization servers read them", () =>
    Effect.gen(function*() {
      const { authority } = yield* world({ client_id: "our app", client_secret: "a+b/c=%:\u00fc" })
      authority.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] }
      // The first token has ended before it is used.
      authority.seconds = 0
      yield* connects(owner)
      authority.seconds = 3600
      const authorization = `Basic ${Buffer.from("our+app:a%2Bb%2Fc%3D%25%3A%C3%BC").toString("base64")}`
      assert.deepInclude(authority.asked[0], { authorization, grant_type: "authorization_code" })
      assert.notProperty(authority.asked[0], "client_id")
      yield* calls(ann)
      assert.deepInclude(authority.asked[1], { authorization, grant_type: "refresh_token" })
      yield* forgets(owner)
      const revoked = yield* eventually(Effect.sync(() => authority.revoked), ({ length }) => length > 0)
      assert.deepInclude(revoked[0], { authorization })
    }))

  it.scoped("refuses a call, and waits for nobody, where a client of its own may do too little", () =>
    Effect.gen(function*() {
      const client = { client_id: "ours", client_secret: "hush", grant_type: "client_credentials" }
      const { tools } = yield* world(client)
      assert.strictEqual(yield* failureOf(ann), "made")
      tools.scope = "mail"
      assert.strictEqual(yield* failureOf(ann), "refused")
      assert.lengthOf(tools.called(), 1)
    }))

  it.scoped("is known to have taken nothing while its token can't be refreshed for now", () =>
    Effect.gen(function*() {
      const { authority, tools } = yield* world({})
      yield* connects(owner)
      assert.strictEqual(yield* failureOf(ann), "made")
      authority.revoke()
      authority.refusal = { status: 503, body: {} }
      assert.strictEqual(yield* failureOf(ann), "refused")
      assert.lengthOf(tools.called(), 1)
    }))

  it.scoped("needs a sign-in where its refresh is refused in the words of a code host or a chat, with a status of 200", () =>
    Effect.gen(function*() {
      for (const error of ["bad_refresh_token", "invalid_refresh_token"]) {
        const { authority, tools } = yield* world({})
        yield* connects(owner)
        assert.strictEqual(yield* failureOf(ann), "made")
        authority.revoke()
        authority.refusal = {
          status: 200,
          body: { ok: false, error, error_description: "It is incorrect or expired." }
        }
        assert.strictEqual(yield* failureOf(ann), "unauthorized")
        assert.lengthOf(tools.called(), 1)
        const found = yield* Effect.flatMap(Authorizations, ({ find }) => find({ server: "srv", user: null }))
        assert.isFalse(Option.getOrThrow(found).isValid)
      }
    }))

  it.scoped("knows the service by the address of its metadata document", () =>
    Effect.gen(function*() {
      const { authority } = yield* world({})
      const document = "https://troupe.example.org/team/auth/mcp/client.json"
      authority.metadata = { client_id_metadata_document_supported: true }
      const { page } = yield* begun(owner)
      assert.strictEqual(page.searchParams.get("client_id"), document)
      assert.strictEqual(page.searchParams.get("redirect_uri"), "https://troupe.example.org/team/auth/mcp/callback")
      yield* connects(owner)
      assert.strictEqual(authority.registered(), 0)
      assert.deepInclude(authority.asked[0], { client_id: document })
      assert.notProperty(authority.asked[0], "client_secret")
    }))
})
