import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { boundedText } from "@troupe/domain/BoundedText"
import { PersonName } from "@troupe/domain/User"
import { Option, Schema, SchemaAST } from "effect"

/** What readers of the document see of an endpoint. */
export const described = (description: string) => OpenApi.annotations({ description })

/** Adds annotations to a schema that keeps its name in the document: `annotations` removes it. */
const annotated = <A, I>(
  schema: Schema.Schema<A, I>,
  annotations: Schema.Annotations.GenericSchema<A>
): Schema.Schema<A, I> =>
  schema.annotations({
    ...Option.match(SchemaAST.getJSONIdentifier(schema.ast), {
      onNone: () => ({}),
      onSome: (name) => ({ [SchemaAST.JSONIdentifierAnnotationId]: name })
    }),
    ...annotations
  })

/** A body or query in which every mistake is reported, not only the first. */
export const checkedWhole = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  annotated(schema, {
    parseOptions: { ...Option.getOrNull(SchemaAST.getParseOptionsAnnotation(schema.ast)), errors: "all" }
  })

/** The body of a response whose status is not 200. */
export const withStatus = <A, I>(status: 201 | 202, schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  annotated(schema, HttpApiSchema.annotations({ status }))

/** The name of a group of endpoints in the document, and what it is for. */
export const titled = (title: string, description: string) => OpenApi.annotations({ title, description })

/** A parameter of a path. It takes any string: an id of another form gets 404 like an unknown id, not 400. */
export const pathParameter = <Name extends string>(name: Name, description: string) =>
  HttpApiSchema.param(name, Schema.String.annotations({ description }))

export const userId = pathParameter("user_id", "User id")

/** A field that may be absent or null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(schema, { nullable: true, exact: true })

/** Somebody whom a request names; the service finds out who is meant. */
export const person = (description: string) =>
  PersonName.annotations({ description: `${description}: an id, an address, or a name that only one person has` })

/** A query parameter that is `true` or `false`. */
export const flag = (description: string) =>
  Schema.optional(
    Schema.BooleanFromString.annotations({
      jsonSchema: { type: "boolean", description },
      message: () => "true or false"
    })
  )

/** A text of a request; blank texts count as empty. */
export const text = (max: number, description: string) => boundedText(max).annotations({ description })
