import * as Command from "@effect/cli/Command"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { createTroupe, type Troupe } from "@troupe/client"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { Connection } from "./Arguments.ts"
import { callFailed, type CommandFailed, wrongUsage } from "./CommandFailed.ts"

type Client = Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>

/** A part of a path, whatever is in it. */
export const segment = (text: string): string => encodeURIComponent(text)

/** The service that the command talks to. */
export class Service extends Context.Tag("@troupe/cli/Service")<Service, {
  readonly url: string
  readonly client: Client
  /** Watches, which resume by themselves. */
  readonly troupe: Troupe
  /** Requests relative to the address, with the token. */
  readonly http: HttpClient.HttpClient
}>() {
  static readonly layer = (given: Connection): Layer.Layer<Service, CommandFailed> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const url = yield* urlOf(given.url)
        const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
          Option.match(given.token, {
            onNone: () => request,
            onSome: (value) => HttpClientRequest.bearerToken(request, value)
          }).pipe(HttpClientRequest.setHeader("troupe-client", "command-line")))
        return Service.of({
          url,
          client: yield* Effect.provideService(TroupeClient.make({ baseUrl: url }), HttpClient.HttpClient, http),
          troupe: createTroupe({
            url,
            ...Option.match(given.token, { onNone: () => ({}), onSome: (value) => ({ token: Redacted.value(value) }) })
          }),
          http: HttpClient.mapRequest(http, HttpClientRequest.prependUrl(url))
        })
      })
    ).pipe(Layer.provide(FetchHttpClient.layer))
}

/** Calls an endpoint; a failure says what its user can do. */
export const call = <A, E extends { readonly message: string }>(
  use: (client: Client) => Effect.Effect<A, E>
): Effect.Effect<A, CommandFailed, Service> =>
  Effect.flatMap(Service, ({ client, url }) => Effect.mapError(use(client), callFailed(url)))

/** Describes a command and gives it the service that its options name. */
export const forService = (description: string) =>
<Name extends string, R, E, A extends Connection>(
  command: Command.Command<Name, R, E, A>
): Command.Command<Name, Exclude<R, Service>, E | CommandFailed, A> =>
  Command.provide(Command.withDescription(command, description), (given) => Service.layer(given))

/** The id of the given person, else of the user of the token, who is the default user on a self-hosted service. */
export const ownerOf: (given: Option.Option<string>) => Effect.Effect<string, CommandFailed, Service> = Option.match({
  onNone: () => Effect.map(call(({ users }) => users.me({})), ({ id }) => id),
  onSome: (user_id) =>
    Effect.map(call(({ users }) => users.list({ urlParams: { user_id } })), ([user]) => user?.id ?? user_id)
})

const urlOf = (given: string): Effect.Effect<string, CommandFailed> => {
  const url = given.trim()
  return /^https?:\/\/[^\s/]/.test(url) && URL.canParse(url)
    ? Effect.succeed(url.replace(/(?<!\/)\/+$/, ""))
    : wrongUsage(`--url or TROUPE_URL is ${JSON.stringify(url)}; it must be an http or https address.`)
}
