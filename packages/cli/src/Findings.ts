import type { HealthReport } from "@troupe/api/SystemApi"
import type { Finding } from "@troupe/domain/Finding"
import { safeText } from "./SafeText.ts"
import type { TextStyle } from "./TextStyle.ts"

const marks: Readonly<Record<Finding["status"], readonly [mark: string, style: keyof TextStyle]>> = {
  ok: ["\u2713", "green"],
  warning: ["!", "yellow"],
  error: ["\u2717", "red"],
  skipped: ["-", "dim"]
}

const nameWidth = 22

/** A finding with its fix below it. */
export const findingLines = ({ check, detail, fix, status }: Finding, paint: TextStyle): string => {
  const [mark, style] = marks[status]
  const indent = " ".repeat(nameWidth + 2)
  const text = (shown: string) => safeText(shown).trim().replaceAll("\n", `\n${indent}`)
  return `${paint[style](mark)} ${paint.bold(safeText(check).padEnd(nameWidth))}${text(detail)}\n`
    + (fix === null ? "" : `${indent}${paint.cyan("Fix:")} ${text(fix)}\n`)
}

const healthStatus = { ok: "ok", degraded: "warning", down: "error", not_configured: "skipped" } as const

/** What the running service says of its parts. */
export const ofHealth = ({ checks }: HealthReport): ReadonlyArray<Finding> =>
  Object.entries(checks).map(([name, { detail, status }]) => ({
    check: `service ${name.replaceAll("_", " ")}`,
    status: healthStatus[status],
    detail,
    fix: null
  }))

/** How many findings there are of each kind that needs attention. */
export const summary = (findings: ReadonlyArray<Finding>): string => {
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length
  const [errors, warnings] = [count("error"), count("warning")]
  const many = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`
  return errors + warnings === 0 ? "No faults found." : `${many(errors, "error")}, ${many(warnings, "warning")}.`
}
