import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { boundedText } from "@troupe/domain/BoundedText"
import { Schema } from "effect"

/** What readers of the document see of an endpoint. */
export const described = (description: string) => OpenApi.annotations({ description })

/** A body or query in which every mistake is reported, not only the first. */
export const checkedWhole = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ parseOptions: { errors: "all" } })

/** The name of a group of endpoints in the document. */
export const titled = (title: string) => OpenApi.annotations({ title })

/** A parameter of a path. It takes any string: an id of another form gets 404 like an unknown id, not 400. */
export const pathParameter = <Name extends string>(name: Name, description: string) =>
  HttpApiSchema.param(name, Schema.String.annotations({ description }))

export const userId = pathParameter("user_id", "User id")

/** A field that may be absent or null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(schema, { nullable: true, exact: true })

/** A text of a request; blank texts count as empty. */
export const text = (max: number, description: string) => boundedText(max).annotations({ description })
