import { Effect, Layer, Option } from "effect"
import { ChannelMessageRepo } from "../People/ChannelMessageRepo.ts"
import { ChannelMessages } from "../People/ChannelMessages.ts"
import { ChannelRepo } from "../People/ChannelRepo.ts"
import { Channels } from "../People/Channels.ts"
import { ChannelSync } from "../People/ChannelSync.ts"
import { ChatHealth } from "../People/ChatHealth.ts"
import { ChatUserRepo } from "../People/ChatUserRepo.ts"
import { ChatUsers } from "../People/ChatUsers.ts"
import { MembershipRepo } from "../People/MembershipRepo.ts"
import { Memberships } from "../People/Memberships.ts"
import { ProjectChannels } from "../People/ProjectChannels.ts"
import type { Settings } from "../Runtime/Settings.ts"
import { ChatPlatform } from "../Wire/ChatPlatform.ts"

/** Loaded only where the chat platform is called. */
const platform = ({ chat: { apiUrl, token } }: Settings["Type"]) =>
  Option.match(token, {
    onNone: () => ChatPlatform.layerUnconfigured,
    onSome: (given) =>
      Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("../Wire/SlackWebApi.ts")),
          (webApi) => webApi.layer({ apiUrl: Option.getOrNull(apiUrl), token: given })
        )
      )
  })

/** The chat platform, its channels and its people. */
export const layer = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    ChannelMessages.layer,
    Memberships.layer,
    ProjectChannels.layer({ isolatesUsers: settings.deploymentMode === "hosted" }),
    ChannelSync.layer(),
    ChatHealth.layer({ canReceive: Option.isSome(settings.chat.signingSecret) })
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Channels.layer({ projectsPath: settings.projects.path }), ChatUsers.layer)),
    Layer.provide([
      ChannelMessageRepo.layer,
      ChannelRepo.layer,
      MembershipRepo.layer,
      ChatUserRepo.layer({ trustsProfiles: settings.deploymentMode === "self-hosted" })
    ]),
    Layer.provideMerge(platform(settings))
  )
