import { oneLine, plural } from "@troupe/domain/Text"
import type { UnattendedWork, WorkHealth, WorkKind } from "@troupe/domain/Unattended"

const whatOf = ({ kind, name }: Pick<UnattendedWork, "kind" | "name">): string => {
  const called = oneLine(name, 100)
  switch (kind) {
    case "schedule":
      return `Schedule "${called}"`
    case "webhook_type":
      return `Webhook type ${called}`
    case "mailbox":
      return `Mailbox ${called}`
    case "tool_server":
      return `Tool server ${called}`
  }
}

const places: Readonly<Record<WorkKind, string>> = {
  schedule: "Schedules",
  webhook_type: "Settings, Webhooks",
  mailbox: "Settings, Incoming mail",
  tool_server: "Tool servers"
}

const reasonOf = ({ health, kind }: Pick<UnattendedWork, "health" | "kind">): string => {
  const { failures_in_a_row: failures, last_ok_at: worked, missed, state } = health
  switch (state) {
    case "late":
      return kind === "mailbox"
        ? "No worker reads it. Check that one runs."
        : `${plural(missed, "run")} ${missed === 1 ? "is" : "are"} missing.`
    case "silent":
      return `Nothing was delivered for much longer than ever before${worked === null ? "" : `, since ${worked}`}.`
    default:
      return kind === "mailbox" || kind === "tool_server"
        ? `The connection fails${worked === null ? "" : `; it last worked at ${worked}`}.`
        : `${plural(failures, "failure")} in a row${worked === null ? "" : ` since ${worked}`}.`
  }
}

/** What is said once when unattended work turns from ok, and once when it is ok again. */
export const alarmText = (
  work: UnattendedWork,
  before: WorkHealth | null
): { readonly title: string; readonly body: string } => {
  const what = whatOf(work)
  const { last_error: error, state } = work.health
  if (state === "ok") {
    return {
      title: `${what} is ok again`,
      body: `It was ${before?.state ?? "not ok"}${before?.since ? ` since ${before.since}` : ""}.`
    }
  }
  return {
    title: `${what} is ${state}`,
    body: [
      reasonOf(work),
      ...(error === null ? [] : [`Last error: ${oneLine(error, 500).replace(/[.!?]?$/, ".")}`]),
      `See it in the console under ${places[work.kind]}. You are told once, and again when it works.`
    ].join(" ")
  }
}
