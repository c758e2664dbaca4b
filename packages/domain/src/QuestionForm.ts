import { Either, ParseResult, Predicate, Schema } from "effect"

/** A field that may be left out, described. */
const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema.annotations({ description }), { exact: true })

const Labelled = Schema.Array(Schema.Struct({
  const: Schema.String.annotations({ description: "The value" }),
  title: optional(Schema.String, "How people see it")
}))

const Values = Schema.Array(Schema.String)

/** A field as the protocol of tool servers defines it: one value, or one or several of a list. */
export const FormField = Schema.Struct({
  type: Schema.Literal("string", "number", "integer", "boolean", "array").annotations({
    description: "The kind of value; array: several of `items`"
  }),
  title: optional(Schema.String, "Label of the field; without it, its name"),
  description: optional(Schema.String, "What to fill in"),
  default: optional(Schema.Unknown, "The value if it is left out"),
  format: optional(Schema.String, "Of a string: email, uri, date or date-time"),
  pattern: optional(Schema.String, "Regular expression; the tool server checks it"),
  minLength: optional(Schema.Number, "Minimum number of characters"),
  maxLength: optional(Schema.Number, "Maximum number of characters"),
  minimum: optional(Schema.Number, "The smallest number"),
  maximum: optional(Schema.Number, "The largest number"),
  enum: optional(Values, "The values to choose from"),
  enumNames: optional(Values, "How people see the values of `enum`"),
  oneOf: optional(Labelled, "The values to choose from, with titles"),
  items: optional(
    Schema.Struct({
      type: optional(Schema.Literal("string"), "Always string"),
      enum: optional(Values, "The values to choose from"),
      anyOf: optional(Labelled, "The values to choose from, with titles"),
      oneOf: optional(Labelled, "The values to choose from, with titles")
    }),
    "Of an array: what each value is"
  ),
  minItems: optional(Schema.Number, "Minimum number of values"),
  maxItems: optional(Schema.Number, "Maximum number of values")
}).annotations({ identifier: "FormField" })
export type FormField = typeof FormField.Type

/** What a tool server asks a person to fill in: the JSON Schema of a flat object. */
export const QuestionForm = Schema.Struct({
  type: Schema.Literal("object").annotations({ description: "Always object" }),
  properties: Schema.Record({ key: Schema.String, value: FormField }).annotations({
    description: "The fields by name"
  }),
  required: Values.annotations({ description: "The fields that must be filled in" })
}).annotations({ identifier: "QuestionForm" })
export type QuestionForm = typeof QuestionForm.Type

/** What a field is filled in with. */
const FieldValue = Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Array(Schema.String))
export const isFieldValue = Schema.is(FieldValue)

export const Fields = Schema.Record({ key: Schema.String, value: FieldValue })
export type Fields = typeof Fields.Type

const maxFields = 50
const maxFormLength = 64_000

const decodeForm = Schema.decodeUnknownEither(QuestionForm)

/** The form in a server's schema, or why people can't be shown one. */
export const formOf = (schema: unknown): Either.Either<QuestionForm, string> =>
  decodeForm(withTypes(schema)).pipe(
    Either.mapLeft((error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return `its form can't be shown: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "it is no form"}`.slice(
        0,
        500
      )
    }),
    Either.filterOrLeft(
      ({ properties }) => Object.keys(properties).length <= maxFields,
      () => `its form has more than ${maxFields} fields`
    ),
    Either.filterOrLeft(
      (form) => JSON.stringify(form).length <= maxFormLength,
      () => `its form has more than ${maxFormLength} characters`
    ),
    Either.filterOrLeft(
      ({ properties }) =>
        Object.values(properties).every((field) => field.type !== "array" || optionsOf(field) !== null),
      () => "its form has a list without values to choose from"
    )
  )

/** Some servers leave out the type where it follows from the rest. */
const withTypes = (schema: unknown): unknown => {
  if (!Predicate.isReadonlyRecord(schema)) return schema
  const properties = schema["properties"] ?? {}
  return {
    ...schema,
    type: schema["type"] ?? "object",
    required: schema["required"] ?? [],
    properties: Predicate.isReadonlyRecord(properties)
      ? Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, withType(field)]))
      : properties
  }
}

const withType = (field: unknown): unknown =>
  Predicate.isReadonlyRecord(field) && field["type"] === undefined && ("enum" in field || "oneOf" in field)
    ? { ...field, type: "string" }
    : field

export interface FieldOption {
  readonly value: string
  readonly label: string
}

/** The values of a field that has a list of them, else null. */
export const optionsOf = ({ enum: values, enumNames, items, oneOf }: FormField): ReadonlyArray<FieldOption> | null => {
  const labelled = oneOf ?? items?.anyOf ?? items?.oneOf
  if (labelled !== undefined) return labelled.map((one) => ({ value: one.const, label: one.title ?? one.const }))
  const listed = values ?? items?.enum
  return listed?.map((value, index) => ({ value, label: enumNames?.[index] ?? value })) ?? null
}

export const labelOf = (name: string, { title }: FormField): string =>
  title === undefined || title.trim() === "" ? name : title

/** The only field of a form, which an answer in words can fill in. */
export const onlyField = ({ properties }: QuestionForm): readonly [string, FormField] | null => {
  const [only, another] = Object.entries(properties)
  return only === undefined || another !== undefined ? null : only
}
