import { FastCheck, Schema } from "effect"

/** What the OpenAPI document says of a value, as far as values are made from it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

const self = Schema.suspend((): Schema.Schema<JsonSchema> => JsonSchema)
const partial = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const JsonSchema: Schema.Schema<JsonSchema> = Schema.Struct({
  $ref: partial(Schema.String),
  type: partial(Schema.String),
  enum: partial(Schema.Array(Schema.Unknown)),
  anyOf: partial(Schema.Array(self)),
  allOf: partial(Schema.Array(self)),
  properties: partial(Schema.Record({ key: Schema.String, value: self })),
  required: partial(Schema.Array(Schema.String)),
  additionalProperties: partial(Schema.Union(Schema.Boolean, self)),
  items: partial(self),
  maxItems: partial(Schema.Int),
  minLength: partial(Schema.Int),
  maxLength: partial(Schema.Int),
  pattern: partial(Schema.String),
  minimum: partial(Schema.Number),
  maximum: partial(Schema.Number)
})

export type Resolve = (schema: JsonSchema) => JsonSchema

/** Merges what a schema refers to into it. */
export const resolverOf = (named: Readonly<Record<string, JsonSchema>>): Resolve => {
  const resolve = ({ $ref, allOf = [], ...own }: JsonSchema): JsonSchema => {
    const from = $ref === undefined ? undefined : named[decodeURIComponent($ref.split("/").at(-1) ?? "")]
    const parts = from === undefined ? allOf : [from, ...allOf]
    return parts.reduce((merged, part) => ({ ...resolve(part), ...merged }), own)
  }
  return resolve
}

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Whether the schema allows a value. */
export const fits = (resolve: Resolve, given: JsonSchema, value: unknown): boolean => {
  const schema = resolve(given)
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => fits(resolve, one, value))
  if (schema.enum !== undefined) return schema.enum.some((one) => one === value)
  const { maximum = Infinity, maxItems = Infinity, maxLength = Infinity, minimum = -Infinity, minLength = 0 } = schema
  switch (schema.type) {
    case "string":
      return typeof value === "string" && value.length >= minLength && value.length <= maxLength
        && (schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value))
    case "integer":
    case "number":
      return typeof value === "number" && value >= minimum && value <= maximum
        && (schema.type === "number" || Number.isInteger(value))
    case "boolean":
      return typeof value === "boolean"
    case "null":
      return value === null
    case "array":
      return Array.isArray(value) && value.length <= maxItems
        && value.every((one) => fits(resolve, schema.items ?? {}, one))
    case "object": {
      if (!isRecord(value) || Array.isArray(value)) return false
      const { additionalProperties: others, properties = {}, required = [] } = schema
      return required.every((name) => name in value)
        && Object.entries(value).every(([name, one]) =>
          fits(resolve, properties[name] ?? (typeof others === "object" ? others : {}), one)
        )
    }
    default:
      return true
  }
}

/** Text with characters of every kind: NUL, quotes, emoji and, in JSON, halves of emoji. */
const textOf = (maxLength: number) =>
  FastCheck.oneof(
    FastCheck.string({ maxLength }),
    FastCheck.fullUnicodeString({ maxLength }),
    FastCheck.string16bits({ maxLength }),
    FastCheck.constantFrom("\0", "a\0b", "\ud800", "'; --", "%_\\", "x".repeat(Math.min(maxLength, 100_000)))
  )

const stringOf = ({ maxLength = 40, minLength = 0, pattern }: JsonSchema): FastCheck.Arbitrary<string> => {
  // Assertions can't be generated: the values are checked against them instead.
  const generated = pattern?.startsWith("^") === true
    ? FastCheck.stringMatching(new RegExp(pattern.replace(/\(\?=[^)]*\)/, ""), "u"))
    : textOf(maxLength)
  return generated.filter((text) =>
    text.length >= minLength && text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(text))
  )
}

/** Values that the schema allows. */
export const valuesOf = (resolve: Resolve, given: JsonSchema): FastCheck.Arbitrary<unknown> => {
  const schema = resolve(given)
  if (schema.anyOf !== undefined) return FastCheck.oneof(...schema.anyOf.map((one) => valuesOf(resolve, one)))
  if (schema.enum !== undefined) return FastCheck.constantFrom(...schema.enum)
  const { maximum: max = 2_147_483_647, minimum: min = -2_147_483_648 } = schema
  switch (schema.type) {
    case "string":
      return stringOf(schema)
    case "integer":
      return FastCheck.integer({ min, max })
    case "number":
      return FastCheck.double({ min, max, noNaN: true })
    case "boolean":
      return FastCheck.boolean()
    case "null":
      return FastCheck.constant(null)
    case "array":
      return FastCheck.array(valuesOf(resolve, schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 5, 5) })
    case "object": {
      const { additionalProperties: others, properties = {}, required = [] } = schema
      const fields = Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, valuesOf(resolve, property)])
      )
      const known = FastCheck.record(fields, { requiredKeys: [...required] })
      if (typeof others !== "object") return known
      const more = FastCheck.dictionary(FastCheck.string({ minLength: 1 }), valuesOf(resolve, others), { maxKeys: 3 })
      return FastCheck.tuple(known, more).map(([some, rest]) => ({ ...rest, ...some }))
    }
    default:
      return FastCheck.jsonValue({ maxDepth: 2 })
  }
}

const candidates = [
  null,
  true,
  -1,
  0,
  0.5,
  101,
  3_000_000_000,
  "",
  " ",
  "!",
  "\0",
  "x".repeat(513),
  "x".repeat(100_001),
  [],
  {},
  [null],
  [""],
  [{}],
  { a: null },
  { a: 7 },
  Array.from({ length: 501 }, () => "a")
]

const kindOf = (value: unknown) => Array.isArray(value) ? "array" : value === null ? "null" : typeof value

/** Values that the schema does not allow: one of each type that it never allows, and all beyond its limits. */
export const invalidValuesOf = (resolve: Resolve, schema: JsonSchema): ReadonlyArray<unknown> => {
  const allowed = new Set(candidates.filter((value) => fits(resolve, schema, value)).map(kindOf))
  const wrong = candidates.filter((value) => !fits(resolve, schema, value))
  return wrong.filter((value, index) =>
    allowed.has(kindOf(value)) || wrong.findIndex((other) => kindOf(other) === kindOf(value)) === index
  )
}
