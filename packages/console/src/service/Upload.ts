import { ConnectionFailed, TroupeError, type UploadedFile } from "@troupe/client"
import { serviceUrl } from "./Address.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isUploaded = (value: unknown): value is UploadedFile =>
  isObject(value) && typeof value["path"] === "string" && isObject(value["quota"])

/** Uploads a file and says how much of it has been sent, which `fetch` can't. */
export const uploadFile = (file: File, onProgress: (share: number) => void): Promise<UploadedFile> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.responseType = "json"
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener("error", () => reject(new ConnectionFailed("the upload was interrupted")))
    request.addEventListener("load", () => {
      const body: unknown = request.response
      if (request.status < 300 && isUploaded(body)) resolve(body)
      else reject(new TroupeError(request.status, null, isObject(body) ? body : {}))
    })
    const form = new FormData()
    form.set("file", file, file.name)
    request.open("POST", `${serviceUrl}/upload-file`)
    request.send(form)
  })
