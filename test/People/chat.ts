import { Context, Effect, Layer } from "effect"
import * as SlackWebApi from "../../src/Chat/Slack/SlackWebApi.ts"
import { ChannelMessages } from "../../src/People/Channel/ChannelMessages.ts"
import { Channels } from "../../src/People/Channel/Channels.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { Memberships } from "../../src/People/Channel/Memberships.ts"
import { Projects } from "../../src/People/Channel/Projects.ts"
import { ChatUsers } from "../../src/People/User/ChatUsers.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { type FakePlatform, makeChatPlatform } from "../support/ChatPlatform.ts"
import * as Database from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"

/** The fake platform of a test. */
export class Platform extends Context.Tag("troupe/test/People/chat/Platform")<Platform, FakePlatform>() {}

const onPlatform = Layer.unwrapEffect(
  Effect.map(Platform, ({ token, url }) => SlackWebApi.layer({ apiUrl: url, token, timeout: 2_000 }))
)

const projectsPath = freshFolder

/** Channels, their people and a platform of their own, on a fresh database. */
export const chatWorld = ({ trustsProfiles = true }: { readonly trustsProfiles?: boolean } = {}) =>
  Layer.unwrapScoped(Effect.map(projectsPath, (path) =>
    Layer.mergeAll(
      ChannelSync.layer({ pause: "5 millis" }),
      Projects.layer({ root: path, isolatesUsers: !trustsProfiles }),
      Users.layer
    ).pipe(
      Layer.provideMerge(
        Layer.mergeAll(Memberships.layer, ChannelMessages.layer, ChatUsers.layer({ trustsProfiles }))
      ),
      Layer.provideMerge(Channels.layer({ projectsPath: path }))
    ))).pipe(
      Layer.provideMerge(Layer.merge(UserRepo.layer, onPlatform)),
      Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 }))),
      Layer.provideMerge(Layer.merge(Database.layer, Layer.scoped(Platform, makeChatPlatform)))
    )

export const query = <A extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.flatMap(DatabaseUrl, (url) => Database.query<A>(url, text, values))
