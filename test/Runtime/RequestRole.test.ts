import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import { v7 } from "uuid"
import { inject } from "vitest"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { query } from "../support/Database.ts"

const server = Redacted.make(inject("databaseUrl"))
const onServer = (statement: string) => query(server, statement)

/** A database whose owner is no superuser, migrated by the owner. */
const givenOwner = (attributes: string) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const name = `owner_${v7().replaceAll("-", "")}`
      yield* onServer(`create role ${name} login password 'secret' ${attributes}`)
      yield* onServer(`create database ${name} owner ${name}`)
      const url = new URL(inject("databaseUrl"))
      Object.assign(url, { username: name, password: "secret", pathname: `/${name}` })
      return { name, url: Redacted.make(url.href), role: `requests_${name}` }
    }),
    ({ name, role }) =>
      Effect.gen(function*() {
        yield* onServer(`drop database ${name} with (force)`)
        yield* onServer(`drop role if exists ${role}`)
        yield* onServer(`drop role ${name}`)
      })
  ).pipe(Effect.tap(({ url }) =>
    Effect.provide(
      Migrations.migrate(),
      Layer.mergeAll(
        NodeContext.layer,
        Layer.succeed(DatabaseUrl, url),
        Logger.minimumLogLevel(LogLevel.Warning)
      )
    )
  ))

const ensure = (url: Redacted.Redacted, role: string) =>
  Effect.provide(
    ensureRequestRole(role),
    Sql.layer({ maxConnections: 1 }).pipe(Layer.provide(Layer.succeed(DatabaseUrl, url)))
  )

/** As the role, which is set before the statement. */
const queryAs = <Row extends object>(url: Redacted.Redacted, role: string, text: string) =>
  query<Row>(Redacted.make(`${Redacted.value(url)}?options=${encodeURIComponent(`-c role=${role}`)}`), text)

it.scopedLive("An owner with CREATEROLE sets up the role, again at each start, and it sees nothing without a caller", () =>
  Effect.gen(function*() {
    const { role, url } = yield* givenOwner("createrole")
    yield* ensure(url, role)
    yield* ensure(url, role)
    yield* query(url, "insert into users (id) values ('ada')")
    assert.lengthOf(yield* query(url, "select * from users"), 1)
    assert.deepStrictEqual(yield* queryAs(url, role, "select * from users"), [])
    const refused = yield* Effect.sandbox(queryAs(url, role, "select * from troupe_migrations")).pipe(Effect.flip)
    assert.include(Cause.pretty(refused), "permission denied")
  }))

it.scopedLive("An owner that may not create roles uses one that it is a member of", () =>
  Effect.gen(function*() {
    const { name, role, url } = yield* givenOwner("nocreaterole")
    const refused = yield* Effect.flip(ensure(url, role))
    assert.include(
      refused.message,
      `Let an administrator of the server run: CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO "${name}";`
    )
    yield* onServer(`create role ${role} nologin`)
    assert.include((yield* Effect.flip(ensure(url, role))).message, "permission denied to grant role")
    yield* onServer(`grant ${role} to "${name}"`)
    yield* ensure(url, role)
  }))

it.scopedLive("A role that could read past the policies is refused", () =>
  Effect.gen(function*() {
    const { name, role, url } = yield* givenOwner("nocreaterole")
    yield* onServer(`create role ${role} nologin bypassrls`)
    yield* onServer(`grant ${role} to "${name}"`)
    assert.include((yield* Effect.flip(ensure(url, role))).message, "BYPASSRLS")
  }))
