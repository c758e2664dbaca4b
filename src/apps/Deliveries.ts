import { Layer } from "effect"
import * as MailChannel from "../Delivery/MailChannel.ts"
import { MailThreads } from "../Delivery/MailThreads.ts"
import { OutboxRepo } from "../Delivery/OutboxRepo.ts"
import * as OutboxStream from "../Delivery/OutboxStream.ts"
import * as AttachedFilesLayer from "../File/AttachedFilesLayer.ts"
import type { Settings } from "../Runtime/Settings.ts"

/** Delivers what leaves the service: a stream for each channel, each in one process of the cluster at a time. */
export const layer = ({ http: { publicUrl } }: Settings["Type"]) =>
  OutboxStream.layer(MailChannel.make({ publicUrl, readsAnswers: false })).pipe(
    Layer.provide([AttachedFilesLayer.layer, MailThreads.layer, OutboxRepo.layer])
  )
