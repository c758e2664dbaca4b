import { Layer, Option } from "effect"
import { Outbox } from "../Delivery/Outbox.ts"
import { ChatHandler } from "../Intake/Chat/ChatHandler.ts"
import { ChatSenders } from "../Intake/Chat/ChatSenders.ts"
import { InboundQueue } from "../Intake/InboundQueue.ts"
import { ChannelMessages } from "../People/Channel/ChannelMessages.ts"
import { Channels } from "../People/Channel/Channels.ts"
import { ChannelSync } from "../People/Channel/ChannelSync.ts"
import { Memberships } from "../People/Channel/Memberships.ts"
import { Projects } from "../People/Channel/Projects.ts"
import { ChatHealth } from "../People/ChatHealth.ts"
import { ChatUsers } from "../People/User/ChatUsers.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { TaskThreads } from "../Task/Read/TaskThreads.ts"
import { currentChat } from "./CurrentChat.ts"
import { latest } from "./Latest.ts"

/** The chat platform, its channels with their projects, and its people. */
export const layer = (settings: Settings["Type"], given = currentChat(settings)) => {
  const { isHosted } = settings
  return Layer.mergeAll(
    Projects.layer({ root: settings.projects.path, isolatesUsers: isHosted }),
    ChannelSync.layer(),
    ChatHealth.layer(latest(settings.stored, ({ chat }) => ({ canReceive: Option.isSome(chat.signingSecret) })))
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Memberships.layer, ChannelMessages.layer, ChatUsers.layer({ trustsProfiles: !isHosted }))
    ),
    Layer.provideMerge(Channels.layer({ projectsPath: settings.projects.path })),
    Layer.provideMerge(given)
  )
}

const senders = ({ isHosted }: Settings["Type"]) =>
  Layer.mergeAll(
    ChatSenders.layer({ isHosted }),
    TaskThreads.layer
  )

/** What the requests of the platform need. */
export const requests = (settings: Settings["Type"]) => Layer.merge(InboundQueue.layer, senders(settings))

/** Processes the events of the platform. */
export const handler = (settings: Settings["Type"]) =>
  ChatHandler(latest(settings.stored, ({ chat, storage }) => ({
    tasksPerHour: chat.tasksPerHour,
    tasksPerMinute: chat.tasksPerMinute,
    maxFileBytes: storage.maxUploadBytes,
    console: settings.http.console
  }))).pipe(
    Layer.provide([senders(settings), Outbox.layer])
  )
