import type { Client } from "openapi-fetch"
import type { paths } from "./generated/OpenApi.ts"
import { ConnectionFailed } from "./TroupeError.ts"

export interface CallOptions {
  /** Ends the call, which then fails with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface UserCallOptions extends CallOptions {
  /** The user that is meant; default: the client's `user`, or else the user of the token. */
  readonly user?: string
}

/** One page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The `cursor` of the next page; null: this is the last one. */
  readonly next: string | null
}

/** The query parameters of an operation. */
export type Query<Path extends keyof paths, Method extends "get" | "post" = "get"> = paths[Path] extends
  Readonly<Record<Method, { readonly parameters: { readonly query?: infer Parameters } }>> ? NonNullable<Parameters>
  : never

interface Received<A> {
  readonly data?: A
  readonly response: Response
}

/** What the methods of the operations are made of. */
export interface EndpointCalls {
  readonly http: Client<paths>
  readonly read: <A>(call: Promise<Received<A>>) => Promise<A>
  readonly page: <A>(call: Promise<Received<ReadonlyArray<A>>>) => Promise<Page<A>>
  readonly done: (call: Promise<unknown>) => Promise<void>
  readonly userOf: (user: string | undefined) => Promise<string>
}

const received = async <A>(call: Promise<Received<A>>): Promise<Required<Received<A>>> => {
  const { data, response } = await call.catch((error: unknown) => {
    throw error instanceof SyntaxError ? new ConnectionFailed(error) : error
  })
  if (data === undefined) throw new ConnectionFailed(`the response with status ${response.status} is empty`)
  return { data, response }
}

const cursorOf = (response: Response): string | null => {
  const next = /<([^<>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1]
  return next === undefined ? null : new URL(next, "http://localhost").searchParams.get("cursor")
}

export const makeEndpointCalls = (http: Client<paths>, user: string | undefined): EndpointCalls => {
  const read: EndpointCalls["read"] = async (call) => (await received(call)).data
  let known = user
  return {
    http,
    read,
    page: async (call) => {
      const { data, response } = await received(call)
      return { items: data, next: cursorOf(response) }
    },
    done: async (call) => void (await call),
    userOf: async (given) => given ?? (known ??= (await read(http.GET("/users/me"))).id)
  }
}
