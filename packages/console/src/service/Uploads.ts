import type { UploadedFile } from "@troupe/client"
import { useState } from "react"
import { useUpload } from "./FileQueries.ts"
import { randomKey } from "./RandomKey.ts"

/** A file on its way, or why it did not arrive. */
interface Upload {
  readonly id: string
  readonly name: string
  /** How much of it was sent, 0 to 1. */
  readonly share: number
  readonly error?: unknown
}

/** Uploads files side by side. Those that failed stay until they are dismissed. */
export const useUploads = (onUploaded: (file: UploadedFile) => void = () => {}) => {
  const [all, setAll] = useState<ReadonlyArray<Upload>>([])
  const { mutateAsync } = useUpload()
  const change = (id: string, made: Partial<Upload>) =>
    setAll((all) => all.map((one) => one.id === id ? { ...one, ...made } : one))
  const dismiss = (id: string) => setAll((all) => all.filter((one) => one.id !== id))
  const begin = (files: ReadonlyArray<File>) => {
    for (const file of files) {
      const id = randomKey()
      setAll((all) => [...all, { id, name: file.name, share: 0 }])
      mutateAsync({ file, onProgress: (share) => change(id, { share }) }).then((uploaded) => {
        dismiss(id)
        return onUploaded(uploaded)
      }, (error: unknown) => change(id, { error }))
    }
  }
  return { all, begin, dismiss, isBusy: all.some(({ error }) => error === undefined) }
}
