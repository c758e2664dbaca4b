import type { UserId } from "@troupe/domain/Ids"
import { Context, type Effect, type Option } from "effect"

export interface AttachedFile {
  readonly filename: string
  readonly content: Uint8Array
}

/** Reads the files that go with a message, from the folder of a user. */
export class AttachedFiles extends Context.Tag("troupe/Delivery/AttachedFiles")<AttachedFiles, {
  /** As many as have at most `maxBytes` together; the paths of the others, and of those that are gone, are `missing`. */
  readonly read: (userId: UserId, paths: ReadonlyArray<string>, maxBytes: number) => Effect.Effect<{
    readonly files: ReadonlyArray<AttachedFile>
    readonly missing: ReadonlyArray<string>
  }>
  /** The copy of a file that was made when its message was written. */
  readonly copy: (digest: string) => Effect.Effect<Option.Option<Uint8Array>>
}>() {}
