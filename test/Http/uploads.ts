import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { request } from "./RawHttp.ts"
import { Service } from "./service.ts"

/** That of `startService`. */
export const maxUploadBytes = 1024 * 1024

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

export const user = (value: string) => ({ name: "user_id", value })

export const file = (filename = "a.txt", content: string | Uint8Array = "hello") => ({
  name: "file",
  filename,
  content
})

/** Sends the body of a form, which is of the default user unless it names another one. */
export const upload = (body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(
    Service,
    ({ port }) =>
      request(port, { method: "POST", path: "/upload-file", headers: { "content-type": formType, ...headers }, body })
  )

/** The files of a user on the disk; without one, those of uploads that are not complete. */
export const onDisk = (owner = ".uploads") =>
  Effect.map(Service, ({ files }) => {
    const folder = join(files, owner)
    return fs.existsSync(folder)
      ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => fs.lstatSync(join(folder, name)).isFile())
        .sort()
      : []
  })
