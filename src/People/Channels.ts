import {
  type Channel,
  ChannelNotFound,
  type ChannelRecordId,
  type ChatChannelId,
  isChatChannelId
} from "@troupe/domain/Channel"
import { Context, Effect, Layer, Option } from "effect"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { asService } from "../Runtime/Database/Isolation.ts"
import type { Piece } from "../Runtime/Database/Page.ts"
import { ChannelRepo, type ChannelRow } from "./ChannelRepo.ts"

export const channelIdOf = (id: string): Effect.Effect<ChatChannelId, ChannelNotFound> =>
  isChatChannelId(id) ? Effect.succeed(id) : Effect.fail(new ChannelNotFound({ id }))

/** Channels that a caller may not see do not exist for it. */
export class Channels extends Context.Tag("troupe/People/Channels")<Channels, {
  /** Newest first. */
  readonly list: (page: Piece<ChannelRecordId>) => Effect.Effect<ReadonlyArray<Channel>>
  readonly find: (id: string) => Effect.Effect<Channel, ChannelNotFound>
  /** The project of the tasks that come from the channel; null unless our bot is or was in it. */
  readonly projectOf: (id: string) => Effect.Effect<string | null>
  /** Creates the folder of the channel's project, if it has one. A failure is logged: the agents work without it. */
  readonly openProject: (id: string) => Effect.Effect<void>
  /** The channel was archived or deleted on the platform. */
  readonly deactivate: (id: string) => Effect.Effect<void>
  /** Our bot left the channel, which stays a project. */
  readonly leave: (id: string) => Effect.Effect<void>
}>() {
  static readonly layer = (
    options: { readonly projectsPath: string }
  ): Layer.Layer<Channels, never, ChannelRepo> =>
    Layer.effect(
      this,
      Effect.map(ChannelRepo, (repo) => {
        const pathOf = (projectId: string) => join(options.projectsPath, projectId)
        const view = (row: ChannelRow): Channel => ({
          ...row,
          project_path: row.project_id === null ? null : pathOf(row.project_id)
        })
        const ifChannel = <A>(id: string, use: (id: ChatChannelId) => Effect.Effect<A>, otherwise: A) =>
          isChatChannelId(id) ? asService(use(id)) : Effect.succeed(otherwise)
        const projectOf = (id: string) =>
          ifChannel(
            id,
            (known) => Effect.map(repo.find(known), (found) => Option.getOrNull(found)?.project_id ?? null),
            null
          )
        return Channels.of({
          list: (page) => Effect.map(repo.list(page), (rows) => rows.map(view)),
          find: (id) =>
            Effect.flatMap(channelIdOf(id), repo.find).pipe(
              Effect.flatMap(Option.match({ onNone: () => new ChannelNotFound({ id }), onSome: Effect.succeed })),
              Effect.map(view)
            ),
          projectOf,
          openProject: Effect.fn("Channels.openProject")(function*(id: string) {
            const project = yield* projectOf(id)
            if (project === null) return
            yield* Effect.tryPromise(() => mkdir(pathOf(project), { recursive: true })).pipe(
              Effect.catchAll((error) =>
                Effect.logWarning(
                  `Could not create the project folder ${pathOf(project)}; agents work without it`,
                  error
                )
              )
            )
          }),
          deactivate: (id) => ifChannel(id, (known) => Effect.asVoid(repo.deactivate(known)), undefined),
          leave: (id) => ifChannel(id, (known) => repo.setMember(known, false), undefined)
        })
      })
    )
}
