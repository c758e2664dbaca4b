import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { UserNotFound } from "@troupe/domain/User"
import { Effect, Layer, type Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { Files } from "../../src/File/Files.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import type { BodyLimits } from "../../src/Http/Body.ts"
import { Identity, withoutSeats } from "../../src/People/Identity.ts"
import { Users } from "../../src/People/Users.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { makeFakes } from "./Fakes.ts"
import { started } from "./TestServer.ts"

/** Small, so that a test stays quick. */
export const maxUploadBytes = 1024 * 1024

export interface FilesServer {
  readonly port: number
  readonly root: string
  /** Every file on the disk, temporary ones too. */
  readonly onDisk: () => ReadonlyArray<string>
}

/** A service with real files in a folder of its own, and users who all exist, except `nobody`. */
export const filesServer = (
  options: { readonly quotaBytes?: number; readonly caller?: Caller } = {}
): Effect.Effect<FilesServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const root = yield* freshFolder
    const files = Files.layer({ maxUploadBytes }).pipe(
      Layer.provide(Sandbox.layer({ root, quotaBytes: 64 * 1024 * 1024, ...options })),
      Layer.provide(Layer.mock(Users, {
        ensureExists: () => Effect.void,
        check: () => Effect.void,
        checkNamed: (id) => id === "nobody" ? new UserNotFound({ id }) : Effect.void
      }))
    )
    const identity = Layer.succeed(Identity, {
      ...withoutSeats,
      authenticate: () => Effect.succeed(options.caller ?? selfHostedCaller)
    })
    const port = yield* Effect.orDie(started(makeFakes(), { MAX_UPLOAD_MB: "1" }, Layer.merge(identity, files)))
    return {
      port,
      root,
      onDisk: () =>
        fs.readdirSync(root, { recursive: true, encoding: "utf8" })
          .filter((name) => fs.lstatSync(join(root, name)).isFile())
          .sort()
    }
  })

/** As in production, but a sender may pause only briefly. */
export const shortTimeouts: BodyLimits["Type"] = {
  jsonBytes: 1024 * 1024,
  idleMillis: 300,
  totalMillis: 60_000,
  discardBytes: 64 * 1024 * 1024
}

const boundary = "a-boundary"

export const formType = `multipart/form-data; boundary=${boundary}`

export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly content: string | Uint8Array }

/** The body of a form as browsers write it. */
export const formOf = (...parts: ReadonlyArray<FormPart>): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${
          "filename" in part ? `; filename="${part.filename}"\r\nContent-Type: application/octet-stream` : ""
        }\r\n\r\n`
      ),
      Buffer.from("filename" in part ? part.content : part.value),
      Buffer.from("\r\n")
    ]),
    Buffer.from(`--${boundary}--\r\n`)
  ])

export const fileOf = (filename: string, content: string | Uint8Array = "hello"): Buffer =>
  formOf({ name: "file", filename, content })
