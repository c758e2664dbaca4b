import { formType } from "./FilesServer.ts"
import { request } from "./RawHttp.ts"

export const send = (port: number, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  request(port, { method: "POST", path: "/upload-file", headers: { "content-type": formType, ...headers }, body })

export const user = { name: "user_id", value: "ann" }

export const file = { name: "file", filename: "a.txt", content: "hello" }
