import { HttpApi, HttpApiSchema, OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import * as Problems from "@troupe/api/Problems"
import { SkillGenerateRequest, SkillMatchRequest } from "@troupe/api/SkillsApi"
import { BulkRequest } from "@troupe/api/TaskBulkApi"
import { ChatRequest } from "@troupe/api/TaskRequests"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { SkillChange } from "@troupe/domain/Skill"
import { Either, Option, ParseResult, Predicate, Schema, SchemaAST } from "effect"

describe("The OpenAPI document", () => {
  const spec = OpenApi.fromApi(TroupeApi)

  it("describes every endpoint", () => {
    const undescribed = Object.entries(spec.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { description }]) =>
        description === undefined ? [`${method} ${path}`] : []
      )
    )
    assert.deepStrictEqual(undescribed, [], "Describe them by OpenApi.annotations")
  })

  it("has what linters of documents require: servers, one spelling of each path, descriptions, items, unique ids", () => {
    assert.deepStrictEqual(spec.servers, [{ url: "/", description: "This service" }])
    assert.strictEqual(spec.info.license?.name, "MIT")
    assert.deepStrictEqual(Object.keys(spec.paths).filter((path) => path !== "/" && path.endsWith("/")), [])
    assert.include(Object.keys(spec.paths), "/api/skills")
    assert.deepStrictEqual(spec.tags.filter(({ description = "" }) => description === ""), [])
    const used = Object.values(spec.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId))
    assert.deepStrictEqual(used.filter((id, index) => used.indexOf(id) !== index), [])
    const ids: Array<unknown> = []
    JSON.stringify(spec, (_, value: unknown) => {
      if (Predicate.isRecord(value)) {
        if ("$id" in value) ids.push(value["$id"])
        if (value["type"] === "array") assert.property(value, "items")
      }
      return value
    })
    assert.deepStrictEqual(ids.filter((id, index) => ids.indexOf(id) !== index), [])
  })

  it("refers only to schemas that it has", () => {
    const text = JSON.stringify(spec)
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      assert.property(spec.components.schemas, decodeURIComponent(name))
    }
    assert.notInclude(text, "HttpApiDecodeError")
  })
})

it("every error of the domain has the status of the contract", () => {
  const statuses = Object.fromEntries(
    Object.entries(Problems).map(([name, { ast }]) => [name, HttpApiSchema.getStatusErrorAST(ast)])
  )
  assert.deepStrictEqual(statuses, {
    unauthenticated: 401,
    notAllowed: 403,
    signInUnavailable: 503,
    alreadyMember: 409,
    seatsTaken: 403,
    memberNotFound: 404,
    ownerNotChangeable: 409,
    teamNotFound: 404,
    taskNotFound: 404,
    stepNotFound: 404,
    bulkOperationNotFound: 404,
    taskStateConflict: 409,
    idempotencyConflict: 409,
    taskRequestInvalid: 400,
    searchUnfinished: 503,
    skillNotFound: 404,
    skillNameTaken: 409,
    skillReadOnly: 409,
    skillInvalid: 400,
    skillsUnwritable: 503,
    skillModelUnavailable: 503,
    skillNotGenerated: 502,
    toolServerNotFound: 404,
    toolServersInvalid: 400,
    userNotFound: 404,
    channelNotFound: 404,
    membershipNotFound: 404,
    chatNotConfigured: 409,
    signatureInvalid: 401,
    chatRequestInvalid: 400,
    scheduleNotFound: 404,
    scheduleInvalid: 400,
    scheduleEnded: 409,
    tooManySchedules: 409,
    memoryNotFound: 404,
    notificationNotFound: 404,
    outboxMessageNotFound: 404,
    outboxMessageNotFailed: 409,
    fileNotFound: 404,
    filePathInvalid: 400,
    uploadInvalid: 400,
    fileTypeRefused: 415,
    fileTooLarge: 413,
    quotaExceeded: 413,
    storageUnavailable: 503,
    webhookUnverified: 401,
    webhookDeliveryNotFound: 404,
    webhookDeliveryEmptied: 409,
    deliveryNotFound: 404,
    subscriptionInactive: 409,
    subscriptionInvalid: 400,
    subscriptionNotFound: 404,
    tooManySubscriptions: 409
  })
})

/** The fields that don't fit. */
const misfits = <A, I>(schema: Schema.Schema<A, I>, body: unknown): ReadonlyArray<string> =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(body), {
    onLeft: (error) => [
      ...new Set(ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.map(String).join(".")))
    ],
    onRight: () => []
  })

it("the message of a task has 1 to 100,000 characters", () => {
  for (const message of ["x", "x".repeat(100_000)]) assert.deepStrictEqual(misfits(ChatRequest, { message }), [])
  for (const message of ["", "x".repeat(100_001), 7, null, undefined]) {
    assert.deepStrictEqual(misfits(ChatRequest, { message }), ["message"])
  }
})

it("the filter of a bulk operation has no field that it does not know, which would leave more tasks than were meant", () => {
  const filters = { status: "failed", project_id: "C1", source: "api", created_from: "2026-01-31", q: "words" }
  for (const filter of [{}, filters]) assert.deepStrictEqual(misfits(BulkRequest, { action: "cancel", filter }), [])
  for (
    const filter of [undefined, { projectid: "C1" }, { created_from: "yesterday" }, { created_before: "2026-13-45" }]
  ) {
    assert.match(misfits(BulkRequest, { action: "cancel", filter }).join(), /^filter/)
  }
})

it("a match of skills has the defaults of the contract, a generated skill is not saved, and a change names no other one", () => {
  assert.deepStrictEqual(Schema.decodeSync(SkillMatchRequest)({ query: "q" }), {
    query: "q",
    threshold: 0.6,
    max_skills: 3
  })
  assert.isFalse(Schema.decodeSync(SkillGenerateRequest)({ description: "d" }).save)
  assert.notProperty(Schema.decodeUnknownSync(SkillChange)({ name: "other", version: "2" }), "name")
})

it("every body and query reports all mistakes, and no problem shows the tag of an error", () => {
  const schemas = [] as Array<{ readonly at: string; readonly reports: string | undefined }>
  HttpApi.reflect(TroupeApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      for (const { ast } of [endpoint.payloadSchema, endpoint.urlParamsSchema].flatMap(Option.toArray)) {
        const reports = Option.getOrNull(SchemaAST.getParseOptionsAnnotation(ast))?.errors
        schemas.push({ at: `${group.identifier}.${endpoint.name}`, reports })
      }
    }
  })
  // Bytes of any kind, a form that is streamed, and messages of a protocol with errors of its own.
  const others = ["files.upload", "mcp.message", "webhooks.receive", "webhooks.receiveTeamChat"]
  assert.deepStrictEqual(
    schemas.filter(({ at, reports }) => reports !== "all" && !others.includes(at)).map(({ at }) => at),
    []
  )
  for (const [name, schema] of Object.entries(OpenApi.fromApi(TroupeApi).components.schemas)) {
    if (name.endsWith("Problem")) assert.notInclude(JSON.stringify(schema), `"_tag"`, name)
  }
})
