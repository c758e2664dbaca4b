import { Effect, Layer } from "effect"
import { posix } from "node:path"
import { type AttachedFile, AttachedFiles } from "../Delivery/AttachedFiles.ts"
import { Sandbox } from "./Sandbox.ts"
import { Snapshots } from "./Snapshots.ts"

export const layer: Layer.Layer<AttachedFiles, never, Sandbox | Snapshots> = Layer.effect(
  AttachedFiles,
  Effect.zipWith(Sandbox, Snapshots, (sandbox, snapshots) =>
    AttachedFiles.of({
      copy: snapshots.read,
      read: Effect.fn("AttachedFiles.read")(function*(userId, paths, maxBytes) {
        const files: Array<AttachedFile> = []
        const missing: Array<string> = []
        let room = maxBytes
        for (const path of paths) {
          const content = yield* Effect.option(sandbox.readBytes(userId, path, { maxBytes: Math.max(room, 1) }))
          if (content._tag === "None" || content.value.length > room) {
            missing.push(path)
          } else {
            room -= content.value.length
            files.push({ filename: posix.basename(posix.normalize(path)), content: content.value })
          }
        }
        return { files, missing }
      })
    }))
)
