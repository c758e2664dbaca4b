import type { SettingsTestReport } from "@troupe/client"
import { CircleCheck, CircleHelp, CircleX } from "../../parts/Icons.ts"

const looks = {
  ok: [CircleCheck, "text-good", "Works"],
  failed: [CircleX, "text-bad", "Failed"],
  unknown: [CircleHelp, "text-muted", "Not tried"]
} as const

/** What a test of settings found, one line for each thing that was tried. */
export const TestReport = ({ report: { latency_ms, ok, steps } }: { readonly report: SettingsTestReport }) => (
  <div role="status" className={`rounded-md px-3 py-2 ${ok ? "bg-good-soft" : "bg-bad-soft"}`}>
    <p>
      <b>{ok ? "It works." : "It does not work."}</b> <span className="text-muted">{latency_ms} ms</span>
    </p>
    <ul className="mt-1 flex flex-col gap-1">
      {steps.map(({ detail, name, status }) => {
        const [Icon, tone, state] = looks[status]
        return (
          <li key={name} className="flex gap-2">
            <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${tone}`} />
            <span className="min-w-0 break-words">
              <span className="sr-only">{state}:{" "}</span>
              <b className="font-semibold">{name}:</b> {detail}
            </span>
          </li>
        )
      })}
    </ul>
  </div>
)
