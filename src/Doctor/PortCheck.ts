import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { Welcome } from "@troupe/api/SystemApi"
import { error, type Finding, ok } from "@troupe/domain/Finding"
import { Effect, Schema } from "effect"
import { createServer } from "node:net"
import { hostInUrl } from "../Runtime/NetworkAddress.ts"
import { ListenFailed } from "../Runtime/Process/ListenFailed.ts"
import type { Check } from "./Check.ts"

/** An address that the service listens on, and the settings of its host and port. */
export interface Address {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly settings: { readonly host: string; readonly port: string }
  /** What answers there when the service runs. */
  readonly protocol: "http" | "cluster"
}

const listen = ({ host, port, settings }: Address): Effect.Effect<void, ListenFailed> =>
  Effect.async((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(new ListenFailed({ host, port, settings, cause })))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resume(Effect.void)))
  })

/** The version of the Troupe that answers there, or null. */
const troupeAt = (address: Address): Effect.Effect<string | null, never, HttpClient.HttpClient> =>
  HttpClient.get(`${urlOf(address)}/`, { headers: { accept: "application/json" } }).pipe(
    Effect.flatMap(({ json }) => json),
    Effect.flatMap(Schema.decodeUnknown(Welcome)),
    Effect.map(({ name, version }) => name === "Troupe" ? version : null),
    Effect.timeout("3 seconds"),
    Effect.scoped,
    Effect.orElseSucceed(() => null)
  )

/** The result of listening there, and the Troupe that uses the port. */
interface Attempt {
  readonly address: Address
  readonly failed: ListenFailed | null
  readonly version: string | null
}

const attempt = (address: Address): Effect.Effect<Attempt, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const failed = yield* Effect.match(listen(address), { onFailure: (error) => error, onSuccess: () => null })
    const isHttp = failed?.code === "EADDRINUSE" && address.protocol === "http"
    return { address, failed, version: isHttp ? yield* troupeAt(address) : null }
  })

/** A service that listens on all addresses answers at the loopback one. */
const urlOf = ({ host, port }: Address): string =>
  `http://${hostInUrl(host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host)}:${port}`

const findingOf = (
  { address: { host, name, port, protocol }, failed, version }: Attempt,
  isRunning: boolean
): Finding => {
  const at = `${host}:${port}`
  if (failed === null) return ok(name, `${at} is free.`)
  if (version !== null) return ok(name, `${at} is in use by Troupe ${version}.`)
  return protocol === "cluster" && isRunning && failed.code === "EADDRINUSE"
    ? ok(name, `${at} is in use, as it is while Troupe runs.`)
    : error(name, ...failed.advice)
}

/** Whether the ports of the service are free, or in use by Troupe itself. */
export const portCheck = (addresses: ReadonlyArray<Address>): Check => ({
  name: "ports",
  run: Effect.map(Effect.forEach(addresses, attempt), (attempts) => {
    const isRunning = attempts.some(({ version }) => version !== null)
    return attempts.map((attempt): Finding => ({
      ...findingOf(attempt, isRunning),
      ...(attempt.address.protocol === "http" ? { url: urlOf(attempt.address) } : {})
    }))
  }).pipe(Effect.provide(FetchHttpClient.layer))
})
