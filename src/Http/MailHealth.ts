import type { HealthCheck } from "@troupe/api/SystemApi"
import type { WorkerHealthReport } from "@troupe/api/Worker"
import { inboxJob } from "../Intake/Mail/InboxJob.ts"

type Finding = Omit<HealthCheck, "latency_ms">

export const inboxOff: Finding = {
  status: "not_configured",
  detail: "Incoming mail is off: set IMAP_HOST, IMAP_USER and IMAP_PASSWORD."
}

export const inboxFinding = ({ scheduled_jobs }: Pick<WorkerHealthReport, "scheduled_jobs">): Finding => {
  const job = scheduled_jobs.find(({ name }) => name === inboxJob)
  if (job === undefined || job.last_run_at === null) {
    return { status: "ok", detail: "The inbox has not been read yet; a worker with the IMAP_ settings reads it." }
  }
  return job.last_error === null
    ? { status: "ok", detail: `The inbox was last read at ${job.last_run_at}.` }
    : { status: "degraded", detail: `Reading the inbox failed at ${job.last_run_at}: ${job.last_error}` }
}

/** Combines the findings of sending and of reading mail: the worse one, of those that are set up. */
export const both = (sending: Finding, reading: Finding): Finding => {
  const isEither = (status: Finding["status"]) => sending.status === status || reading.status === status
  return {
    status: isEither("down") ? "down" : isEither("degraded") ? "degraded" : isEither("ok") ? "ok" : "not_configured",
    detail: `${sending.detail} ${reading.detail}`
  }
}
