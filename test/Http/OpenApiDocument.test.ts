import { HttpApi, HttpApiSchema, OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { parameterExamples, requestExamples, schemaExamples } from "@troupe/api/Examples"
import { Problem } from "@troupe/api/Problem"
import * as Problems from "@troupe/api/Problems"
import { BulkRequest } from "@troupe/api/TaskBulkApi"
import { ChatRequest } from "@troupe/api/TaskRequests"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Task } from "@troupe/domain/Task"
import { Either, Option, ParseResult, Predicate, Schema, SchemaAST } from "effect"

const spec = OpenApi.fromApi(TroupeApi)

const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

/** Those of service.md that need no token, the page of the service, and the sign-in of browsers. */
const open = [
  "GET /",
  "GET /auth/callback",
  "GET /auth/login",
  "GET /auth/mcp/callback",
  "GET /auth/mcp/client.json",
  "GET /health",
  "GET /metrics",
  "POST /team-chat/command",
  "POST /team-chat/dm_response",
  "POST /team-chat/interactive",
  "POST /webhook/team-chat"
]

/** What Effect writes where a schema has no description of its own. */
const derived = /^(?:an?|A) (?:string|number|integer|positive|non|finite|boolean|object)\b/

const isWritten = (description: unknown): boolean => typeof description === "string" && !derived.test(description)

const schemas = new Map<string, unknown>(Object.entries(spec.components.schemas))

const isDescribed = (schema: unknown): boolean => {
  if (!Predicate.isRecord(schema)) return false
  const named = schemas.get(String(schema["$ref"]).replace("#/components/schemas/", ""))
  return isWritten(schema["description"]) || (Predicate.isRecord(named) && isWritten(named["description"]))
}

/** The paths to properties and parameters without a description. */
const undescribed = (value: unknown, path: string): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyRecord(value) && !Array.isArray(value)) return []
  const { description, in: place, name, properties }: Readonly<Record<string, unknown>> = { ...value }
  const own = Predicate.isRecord(properties) ? Object.entries(properties) : []
  return [
    ...own.filter(([, schema]) => !isDescribed(schema)).map(([name]) => `${path}.${name}`),
    ...(typeof place === "string" && !isWritten(description) ? [`${path} ${String(name)}`] : []),
    ...Object.entries(value).filter(([key]) => !key.startsWith("example")).flatMap(([key, inner]) =>
      // A property may be named "properties", too.
      key === "properties" && Predicate.isReadonlyRecord(inner)
        ? Object.entries(inner).flatMap(([name, property]) => undescribed(property, `${path}.${name}`))
        : undescribed(inner, `${path}.${key}`)
    )
  ]
}

describe("The OpenAPI document", () => {
  it("has a description, errors, security and examples of input for every operation", () => {
    const lacking = operations.flatMap(({ name, operation }) => {
      const { description, parameters, requestBody, responses, security } = operation
      const body = Object.entries(requestBody?.content ?? {}).find(([type]) => type === "application/json")
      return [
        ...(description === undefined || operation.summary === "" ? [`${name}: description`] : []),
        ...("default" in responses ? [] : [`${name}: errors`]),
        ...((security.length === 0) === open.includes(name) ? [] : [`${name}: security`]),
        ...(body === undefined || "example" in body[1] ? [] : [`${name}: example in packages/api/src/Examples.ts`]),
        ...parameters.filter(({ in: place, name }) => place === "path" && parameterExamples[name] === undefined)
          .map((parameter) => `${name}: example of ${parameter.name} in packages/api/src/Examples.ts`)
      ]
    })
    assert.deepStrictEqual(lacking, [])
  })

  it("describes every property of a request, a response and a problem, and every parameter", () => {
    assert.isAbove(schemas.size, 80)
    assert.deepStrictEqual([...undescribed(spec.components.schemas, ""), ...undescribed(spec.paths, "")], [])
  })

  it("names every body of a request and a response in JSON, so that types of clients have names", () => {
    const unnamed = operations.flatMap(({ name, operation: { requestBody, responses } }) =>
      [requestBody, ...Object.values(responses)].flatMap((body) => {
        const schema: unknown = body?.content?.["application/json"]?.schema
        const entry = Predicate.isRecord(schema) ? schema["items"] ?? schema : schema
        return Predicate.isRecord(entry) && "properties" in entry ? [name] : []
      })
    )
    assert.deepStrictEqual(unnamed, [])
  })

  it("has what linters of documents require: servers, one spelling of each path, descriptions, items, unique ids", () => {
    assert.deepStrictEqual(spec.servers, [{ url: "/", description: "This service" }])
    assert.strictEqual(spec.info.license?.name, "MIT")
    // Paths are those of the specification, of which two end in a slash.
    assert.deepStrictEqual(Object.keys(spec.paths).filter((path) => path !== "/" && path.endsWith("/")), [
      "/api/skills/",
      "/api/channels/"
    ])
    assert.deepStrictEqual(spec.tags.filter(({ description = "" }) => description === ""), [])
    const used = operations.map(({ operation }) => operation.operationId)
    assert.strictEqual(new Set(used).size, used.length)
    const ids: Array<unknown> = []
    const text = JSON.stringify(spec, (_, value: unknown) => {
      if (Predicate.isRecord(value)) {
        if ("$id" in value) ids.push(value["$id"])
        if (value["type"] === "array") assert.property(value, "items")
      }
      return value
    })
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.notInclude(text, "HttpApiDecodeError")
  })

  it("has examples that the service accepts", () => {
    const wrong: Array<string> = []
    const used: Array<string> = []
    HttpApi.reflect(TroupeApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        const id = `${group.identifier}.${endpoint.name}`
        const example = Object.entries(requestExamples).find(([name]) => name === id)?.[1]
        if (Option.isNone(endpoint.payloadSchema) || example === undefined) return
        used.push(id)
        if (!Schema.is(Schema.encodedSchema(Schema.make(endpoint.payloadSchema.value.ast)))(example)) wrong.push(id)
      }
    })
    assert.deepStrictEqual(wrong, [])
    assert.deepStrictEqual(used.toSorted(), Object.keys(requestExamples).toSorted())
    assert.isTrue(Schema.is(Schema.encodedSchema(Task))(schemaExamples["Task"]))
    assert.isTrue(Schema.is(Schema.encodedSchema(Problem))(schemaExamples["Problem"]))
  })

  it("describes each problem with the facts that it has, without the tag of its error", () => {
    assert.nestedPropertyVal(
      spec,
      "components.schemas.TaskNotFoundProblem.properties.facts.properties.id.type",
      "string"
    )
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (!/^[45]/.test(status)) continue
        assert.deepStrictEqual(Object.keys(response.content ?? {}), ["application/problem+json"], `${name} ${status}`)
      }
    }
    for (const [name, schema] of schemas) {
      if (name.endsWith("Problem")) assert.notInclude(JSON.stringify(schema), `"_tag"`, name)
    }
  })
})

it("Every error of the domain has the status of the contract", () => {
  const byStatus: Record<number, string> = {}
  for (const [name, { ast }] of Object.entries(Problems).toSorted()) {
    const status = HttpApiSchema.getStatusErrorAST(ast)
    byStatus[status] = `${byStatus[status] ?? ""} ${name}`.trim()
  }
  assert.deepStrictEqual(byStatus, {
    400:
      "agentInvalid chatRequestInvalid filePathInvalid limitsInvalid modelInvalid personUnknown policyInvalid scheduleInvalid settingsRefused skillInvalid subscriptionInvalid"
      + " taskRequestInvalid toolServersInvalid uploadInvalid",
    401: "signatureInvalid unauthenticated webhookUnverified",
    403: "notAllowed seatsTaken",
    404:
      "accessTokenNotFound agentNotFound bulkOperationNotFound channelNotFound deliveryNotFound fileNotFound grantNotFound memberNotFound"
      + " membershipNotFound memoryNotFound modelNotFound notificationNotFound outboxMessageNotFound scheduleNotFound"
      + " skillNotFound stepNotFound subscriptionNotFound taskNotFound teamNotFound toolNotFound toolServerNotFound"
      + " userNotFound webhookDeliveryNotFound webhookTypeNotFound",
    409:
      "addressTaken agentNameTaken agentReadOnly alreadyMember approvalDecided chatNotConfigured idempotencyConflict keyNotSealable"
      + " modelInUse outboxMessageNotFailed ownerNotChangeable policyChanged presetLocked scheduleEnded secretsUnsealed signInNotPossible skillNameTaken skillReadOnly subscriptionInactive taskStateConflict tooManySchedules"
      + " tooManySubscriptions toolNotCallable webhookDeliveryEmptied",
    413: "fileTooLarge quotaExceeded",
    415: "fileTypeRefused",
    502: "skillNotGenerated",
    503: "agentsUnwritable searchUnfinished signInUnavailable skillModelUnavailable skillsUnwritable storageUnavailable"
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

it("The message of a task has 1 to 100,000 characters", () => {
  for (const message of ["x", "x".repeat(100_000)]) assert.deepStrictEqual(misfits(ChatRequest, { message }), [])
  for (const message of ["", " ", "x".repeat(100_001), 7, null, undefined]) {
    assert.deepStrictEqual(misfits(ChatRequest, { message }), ["message"])
  }
})

it("The filter of a bulk operation has no field that it does not know, which would leave more tasks than were meant", () => {
  const filters = { status: "failed", project_id: "C1", source: "api", created_from: "2026-01-31", q: "words" }
  for (const filter of [{}, filters]) assert.deepStrictEqual(misfits(BulkRequest, { action: "cancel", filter }), [])
  for (
    const filter of [undefined, { projectid: "C1" }, { created_from: "yesterday" }, { created_before: "2026-13-45" }]
  ) {
    assert.match(misfits(BulkRequest, { action: "cancel", filter }).join(), /^filter/)
  }
})

it("Every body and query reports all mistakes", () => {
  const silent: Array<string> = []
  HttpApi.reflect(TroupeApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      for (const { ast } of [endpoint.payloadSchema, endpoint.urlParamsSchema].flatMap(Option.toArray)) {
        const reports = Option.getOrNull(SchemaAST.getParseOptionsAnnotation(ast))?.errors
        if (reports !== "all") silent.push(`${group.identifier}.${endpoint.name}`)
      }
    }
  })
  // Bytes of any kind, a form that is streamed, and messages of a protocol with errors of its own.
  assert.sameMembers(silent, ["files.upload", "mcp.message", "webhooks.receive", "webhooks.receiveTeamChat"])
})
