import * as Command from "@effect/cli/Command"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { createTroupe, type Troupe } from "@troupe/client"
import * as TroupeClient from "@troupe/client/TroupeClient"
import type { UserId } from "@troupe/domain/Ids"
import { Config, Context, Effect, Layer, Option, Redacted } from "effect"
import { type Connection, defaultUrl } from "./Arguments.ts"
import { callFailed, CommandFailed } from "./CommandFailed.ts"

type Client = Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>

/** A part of a path, whatever is in it. */
export const segment = (text: string): string => encodeURIComponent(text)

/** The service that the command talks to. */
export class Service extends Context.Tag("@troupe/cli/Service")<Service, {
  readonly url: string
  /** Calls an endpoint; a failure says what its user can do. */
  readonly call: <A, E extends { readonly message: string }>(
    use: (client: Client) => Effect.Effect<A, E>
  ) => Effect.Effect<A, CommandFailed>
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
        const bearer = Option.isSome(given.token)
          ? given.token
          : Option.map(yield* setting("TROUPE_TOKEN"), Redacted.make)
        const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
          Option.match(bearer, {
            onNone: () => request,
            onSome: (value) => HttpClientRequest.bearerToken(request, value)
          }))
        const client = yield* TroupeClient.make({ baseUrl: url }).pipe(
          Effect.provideService(HttpClient.HttpClient, http)
        )
        return Service.of({
          url,
          troupe: createTroupe({
            url,
            ...Option.match(bearer, { onNone: () => ({}), onSome: (value) => ({ token: Redacted.value(value) }) })
          }),
          call: (use) => Effect.mapError(use(client), callFailed(url)),
          http: HttpClient.mapRequest(http, HttpClientRequest.prependUrl(url))
        })
      })
    ).pipe(Layer.provide(FetchHttpClient.layer))
}

/** Describes a command and gives it the service that its options name. */
export const forService = (description: string) =>
<Name extends string, R, E, A extends Connection>(
  command: Command.Command<Name, R, E, A>
): Command.Command<Name, Exclude<R, Service>, E | CommandFailed, A> =>
  Command.provide(Command.withDescription(command, description), (given) => Service.layer(given))

/** The given user, else the one of the token, who is the default user on a self-hosted service. */
export const ownerOf: (given: Option.Option<UserId>) => Effect.Effect<UserId, CommandFailed, Service> = Option.match({
  onNone: () => Effect.flatMap(Service, ({ call }) => Effect.map(call(({ users }) => users.me({})), ({ id }) => id)),
  onSome: Effect.succeed
})

/** A variable of the environment; a blank one counts as unset. */
const setting = (name: string): Effect.Effect<Option.Option<string>> =>
  Effect.map(Effect.option(Config.string(name)), Option.filter((value) => value.trim() !== ""))

const urlOf = (given: Option.Option<string>): Effect.Effect<string, CommandFailed> =>
  Effect.gen(function*() {
    const named = Option.isSome(given) ? given : yield* setting("TROUPE_URL")
    const url = Option.getOrElse(named, () => defaultUrl).trim()
    return /^https?:\/\/[^\s/]/.test(url) && URL.canParse(url)
      ? url.replace(/(?<!\/)\/+$/, "")
      : yield* new CommandFailed({
        reason: "usage",
        message: `--url or TROUPE_URL is ${JSON.stringify(url)}; it must be an http or https address.`
      })
  })
