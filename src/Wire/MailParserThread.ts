import { Effect } from "effect"
import { parentPort } from "node:worker_threads"
import { parseMail } from "./MailParser.ts"
import { mailReply } from "./MailReading.ts"

parentPort?.once(
  "message",
  (bytes: Uint8Array) =>
    Effect.runFork(Effect.map(mailReply(parseMail(bytes)), (reply) => parentPort?.postMessage(reply, [])))
)
