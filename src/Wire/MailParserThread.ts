import { Effect } from "effect"
import { parentPort } from "node:worker_threads"
import { parseMail } from "./MailParser.ts"
import { mailReply, unreadableReply } from "./MailReading.ts"

parentPort?.once("message", (bytes: Uint8Array) =>
  Effect.runFork(
    parseMail(bytes).pipe(
      Effect.match({ onFailure: ({ reason }) => unreadableReply(reason), onSuccess: mailReply }),
      Effect.map((reply) => parentPort?.postMessage(reply, []))
    )
  ))
