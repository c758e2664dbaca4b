import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import { Either, Predicate } from "effect"
import { createContext, Script } from "node:vm"
import { errorText } from "../Runtime/ErrorText.ts"

/** The arguments as the schema takes them, or what is wrong with them. */
export type ArgumentsCheck = (args: Readonly<Record<string, unknown>>) => Either.Either<unknown, string>

/** The check of a tool's arguments by its JSON Schema, or why the schema can't be used. */
export const argumentsCheckOf = (parameters: unknown): Either.Either<ArgumentsCheck, string> => {
  if (!Predicate.isRecord(parameters) || !describesObject(parameters)) {
    return Either.left(
      "they are no JSON Schema of an object, such as {type: object, properties: {city: {type: string}}}"
    )
  }
  // The words of other versions of JSON Schema have the same meaning, or are refused.
  const { $id: _, $schema: __, ...schema } = parameters
  return Either.try({ try: () => compiled(schema), catch: (cause) => errorText(cause, "message") }).pipe(
    Either.map((validate): ArgumentsCheck => (args) => {
      const fitting = [args, withoutNulls(args, schema)].find((given) => validate(given))
      return fitting === undefined ? Either.left(faultsOf(validate.errors ?? [])) : Either.right(fitting)
    })
  )
}

const describesObject = (schema: Readonly<Record<string, unknown>>): boolean =>
  schema["type"] === undefined
    ? Object.keys(schema).length === 0 || objectWords.some((word) => Predicate.isObject(schema[word]))
    : schema["type"] === "object"

const objectWords = ["properties", "anyOf", "oneOf", "allOf"]

let ajv: Ajv2020 | null = null

/** Not kept in the library, so that nothing is left of a skill that is gone. */
const compiled = (schema: AnySchemaObject): ValidateFunction => {
  ajv ??= new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(boundedExpression, { code: "" }) }
  })
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema)
  return validate
}

const matching = new Script("expression.test(text)")
const matchMillis = 100

/** An expression that takes too long matches nothing: a text of a model must not stop this process. */
const boundedExpression = (pattern: string, flags: string) => {
  const expression = new RegExp(pattern, flags)
  const context = createContext({ expression, text: "" })
  return {
    // By this the library knows one expression from another.
    toString: () => String(expression),
    test: (text: string): boolean => {
      context["text"] = text
      return Either.getOrElse(
        Either.try(() => matching.runInContext(context, { timeout: matchMillis }) === true),
        () => false
      )
    }
  }
}

/** Models write null for an optional argument that they leave out. */
const withoutNulls = (args: Readonly<Record<string, unknown>>, schema: AnySchemaObject) => {
  const required: unknown = schema["required"]
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || isRequired(name)))
}

const maxFaults = 5

const faultsOf = (errors: ReadonlyArray<ErrorObject>): string =>
  [...new Set(errors.map(faultOf))].slice(0, maxFaults).join("; ")

const faultOf = ({ instancePath, message, params }: ErrorObject): string => {
  const place = instancePath === "" ? "the arguments" : `"${instancePath.slice(1).replaceAll("/", ".")}"`
  const details = Object.entries(params).filter(([word]) => word === "allowedValues" || word === "additionalProperty")
    .map(([, value]) => `: ${JSON.stringify(value).slice(0, 200)}`)
  return `${place} ${message ?? "are wrong"}${details.join("")}`
}
