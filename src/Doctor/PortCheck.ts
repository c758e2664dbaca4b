import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { Welcome } from "@troupe/api/SystemApi"
import type { Finding } from "@troupe/domain/Finding"
import { Effect, Schema } from "effect"
import { createServer } from "node:net"
import { type Check, error, ok } from "./Check.ts"

/** An address that the service listens on, and the settings of its host and port. */
export interface Address {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly settings: { readonly host: string; readonly port: string }
  /** What answers there when the service runs. */
  readonly protocol: "http" | "cluster"
}

/** The code of the error, or null where the address is free. */
const listen = ({ host, port }: Address): Effect.Effect<string | null> =>
  Effect.async((resume) => {
    const server = createServer()
    server.once("error", (cause: NodeJS.ErrnoException) => resume(Effect.succeed(cause.code ?? cause.message)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resume(Effect.succeed(null))))
  })

const reachable = (host: string) =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host

/** The version of the Troupe that answers there, or null. */
const troupeAt = ({ host, port }: Address): Effect.Effect<string | null, never, HttpClient.HttpClient> =>
  HttpClient.get(`http://${reachable(host)}:${port}/`, { headers: { accept: "application/json" } }).pipe(
    Effect.flatMap(({ json }) => json),
    Effect.flatMap(Schema.decodeUnknown(Welcome)),
    Effect.map(({ name, version }) => name === "Troupe" ? version : null),
    Effect.timeout("3 seconds"),
    Effect.scoped,
    Effect.orElseSucceed(() => null)
  )

/** The result of listening there: null, or the code of the error; and the Troupe that uses the port. */
interface Attempt {
  readonly address: Address
  readonly code: string | null
  readonly version: string | null
}

const attempt = (address: Address): Effect.Effect<Attempt, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const code = yield* listen(address)
    const isHttp = code === "EADDRINUSE" && address.protocol === "http"
    return { address, code, version: isHttp ? yield* troupeAt(address) : null }
  })

const findingOf = (
  { address: { host, name, port, protocol, settings }, code, version }: Attempt,
  isRunning: boolean
): Finding => {
  const at = `${host}:${port}`
  switch (code) {
    case null:
      return ok(name, `${at} is free.`)
    case "EADDRINUSE":
      return version !== null
        ? ok(name, `${at} is in use by Troupe ${version}.`)
        : protocol === "cluster" && isRunning
        ? ok(name, `${at} is in use, as it is while Troupe runs.`)
        : error(name, `${at} is in use by another program.`, `End that program, or set another ${settings.port}.`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return error(name, `${host} is no address of this machine.`, `Set ${settings.host} to one that is.`)
    case "EACCES":
      return error(name, `The service's user may not listen on ${at}.`, `Set ${settings.port} to a port from 1024 on.`)
    default:
      return error(
        name,
        `It is not possible to listen on ${at}: ${code}.`,
        `Set another ${settings.host} or ${settings.port}.`
      )
  }
}

/** Whether the ports of the service are free, or in use by Troupe itself. */
export const portCheck = (addresses: ReadonlyArray<Address>): Check => ({
  name: "ports",
  run: Effect.map(Effect.forEach(addresses, attempt), (attempts) => {
    const isRunning = attempts.some(({ version }) => version !== null)
    return attempts.map((attempt) => findingOf(attempt, isRunning))
  }).pipe(Effect.provide(FetchHttpClient.layer))
})
