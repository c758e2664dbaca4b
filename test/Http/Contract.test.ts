import { HttpApi, HttpApiSchema, OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import * as Problems from "@troupe/api/Problems"
import { SkillGenerateRequest, SkillMatchRequest } from "@troupe/api/SkillsApi"
import { BulkRequest } from "@troupe/api/TaskBulkApi"
import { ChatRequest, HumanResponse } from "@troupe/api/TasksApi"
import { ToolServersRequest } from "@troupe/api/ToolServersApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { SkillChange, SkillDraft } from "@troupe/domain/Skill"
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
    ownerNotRemovable: 409,
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

const text = (length: number) => "x".repeat(length)

/** That a field takes the first values, and none of the others. */
const field = <A, I>(
  schema: Schema.Schema<A, I>,
  name: string,
  body: (value: unknown) => unknown,
  values: { readonly takes: ReadonlyArray<unknown>; readonly refuses: ReadonlyArray<unknown> }
) =>
  it(name, () => {
    const said = (value: unknown) => JSON.stringify(value)?.slice(0, 50)
    for (const value of values.takes) assert.deepStrictEqual(misfits(schema, body(value)), [], said(value))
    for (const value of values.refuses) {
      const wrong = misfits(schema, body(value))
      assert.isTrue(wrong.length > 0 && wrong.every((path) => path.startsWith(name)), `${said(value)}: ${wrong.join()}`)
    }
  })

describe("POST /chat takes within bounds", () => {
  const chat = (name: string) => (value: unknown) => ({ message: "m", [name]: value })
  field(ChatRequest, "message", chat("message"), {
    takes: [text(1), text(100_000)],
    refuses: ["", text(100_001), 7, null, undefined]
  })
  field(ChatRequest, "title", chat("title"), { takes: [null, text(500)], refuses: ["", text(501)] })
  field(ChatRequest, "assignee", chat("assignee"), { takes: [null, "bob"], refuses: ["", "a b", 7] })
  field(ChatRequest, "attachments", chat("attachments"), {
    takes: [[], Array.from({ length: 100 }, () => "a.txt")],
    refuses: [Array.from({ length: 101 }, () => "a.txt"), [""]]
  })
  field(ChatRequest, "max_tokens_total", chat("max_tokens_total"), {
    takes: [null, 4_000, 2_147_483_647],
    refuses: [0, 3_999, 4_000.5, 2_147_483_648]
  })
  field(ChatRequest, "live", chat("live"), { takes: [null, true, false], refuses: ["true", 1] })
})

describe("POST /tasks/bulk takes within bounds", () => {
  field(BulkRequest, "filter", (filter) => ({ action: "cancel", filter }), {
    takes: [{}, { status: "failed", project_id: "C1", source: "api", created_from: "2026-01-31", q: "words" }],
    // A field that it does not know would leave more tasks than were meant.
    refuses: [undefined, { projectid: "C1" }, { created_from: "yesterday" }, { created_before: "2026-13-45" }]
  })
})

describe("POST /human_response takes within bounds", () => {
  field(HumanResponse, "response", (response) => ({ task_id: "t", response }), {
    takes: [text(1), text(100_000)],
    refuses: ["", text(100_001), null, undefined]
  })
  field(HumanResponse, "task_id", (task_id) => ({ task_id, response: "r" }), { takes: ["t"], refuses: [undefined, 7] })
})

describe("POST /api/skills/match takes within bounds", () => {
  const match = (name: string) => (value: unknown) => ({ query: "q", [name]: value })
  field(SkillMatchRequest, "query", match("query"), { takes: [text(1), text(100_000)], refuses: [" ", text(100_001)] })
  field(SkillMatchRequest, "threshold", match("threshold"), { takes: [null, 0, 1], refuses: [-0.1, 1.1, "0.5"] })
  field(SkillMatchRequest, "max_skills", match("max_skills"), { takes: [null, 0, 100], refuses: [-1, 101, 1.5] })

  it("and 0.6 and 3 by default", () => {
    assert.deepStrictEqual(Schema.decodeSync(SkillMatchRequest)({ query: "q" }), {
      query: "q",
      threshold: 0.6,
      max_skills: 3
    })
  })
})

describe("What is written of a skill is within bounds", () => {
  const draft = (name: string) => (value: unknown) => ({
    name: "a-b",
    description: "d",
    instructions: "i",
    [name]: value
  })
  field(SkillDraft, "name", draft("name"), {
    takes: ["a", "1-b", text(64)],
    refuses: ["", text(65), "A", "a--b", "-a", "a_b", "a/b", undefined]
  })
  field(SkillDraft, "description", draft("description"), { takes: [text(1024)], refuses: [" ", text(1025), undefined] })
  field(SkillDraft, "instructions", draft("instructions"), {
    takes: [text(100_000)],
    refuses: [" ", text(100_001), undefined]
  })
  field(SkillDraft, "tags", draft("tags"), {
    takes: [Array.from({ length: 64 }, () => text(128))],
    refuses: [Array.from({ length: 65 }, () => "t"), [text(129)], [" "]]
  })
  field(SkillChange, "author", (author) => ({ author }), { takes: [null, text(256)], refuses: ["", text(257)] })
  field(SkillGenerateRequest, "description", (description) => ({ description }), {
    takes: [text(10_000)],
    refuses: [" ", text(10_001), undefined]
  })

  it("and a generated one is not saved unless that is asked for", () => {
    assert.deepStrictEqual(Schema.decodeSync(SkillGenerateRequest)({ description: "d" }), {
      description: "d",
      save: false
    })
  })

  it("and a change names no other skill", () => {
    assert.notProperty(Schema.decodeUnknownSync(SkillChange)({ name: "other", version: "2" }), "name")
  })
})

describe("POST /api/mcp/configure takes within bounds", () => {
  const entry = (name: string) => (value: unknown) => ({ mcpServers: { a: { command: "c", [name]: value } } })
  const fields = [
    ["timeout_seconds", [null, 1, 600], [0.9, 601, "60"]],
    ["disabled", [null, true], ["yes"]],
    ["command", [text(4096)], ["", text(4097), "a\0b"]],
    ["args", [[], Array.from({ length: 256 }, () => "")], [Array.from({ length: 257 }, () => ""), [text(32_769)]]],
    ["allowed_tools", [Array.from({ length: 500 }, () => "t")], [Array.from({ length: 501 }, () => "t"), [""]]]
  ] as const
  for (const [name, takes, refuses] of fields) {
    field(ToolServersRequest, `mcpServers.a.${name}`, entry(name), { takes, refuses })
  }
  field(ToolServersRequest, "mcpServers", (mcpServers) => ({ mcpServers }), {
    takes: [{}],
    refuses: [null, undefined, 7]
  })
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
