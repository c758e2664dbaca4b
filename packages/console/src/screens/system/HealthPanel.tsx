import { Link, type LinkProps } from "@tanstack/react-router"
import type { HealthCheck, HealthReport } from "@troupe/client"
import { cva } from "class-variance-authority"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { CircleCheck, CircleMinus, CircleX, type Icon, TriangleAlert } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { clockTime } from "../../parts/Time.tsx"

type Status = HealthCheck["status"]

const states: Readonly<Record<Status, { readonly name: string; readonly icon: Icon }>> = {
  ok: { name: "OK", icon: CircleCheck },
  degraded: { name: "Limited", icon: TriangleAlert },
  down: { name: "Down", icon: CircleX },
  not_configured: { name: "Not set up", icon: CircleMinus }
}

const look = cva("inline-flex items-center gap-1.5 font-medium whitespace-nowrap [&_svg]:size-4", {
  variants: {
    status: { ok: "text-good", degraded: "text-wait", down: "text-bad", not_configured: "text-muted" }
  }
})

const State = ({ status }: { readonly status: Status }) => {
  const { icon: Icon, name } = states[status]
  return (
    <span className={look({ status })}>
      <Icon aria-hidden /> {name}
    </span>
  )
}

const order: ReadonlyArray<Status> = ["down", "degraded", "ok", "not_configured"]

const nameOf = (key: string): string => {
  const words = key.replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** By the name of a check: the screen on which a person sets that part up, or sees its errors. */
const places: Readonly<Record<string, { readonly name: string; readonly link: LinkProps }>> = {
  chat: { name: "Settings", link: { to: "/settings" } },
  mail: { name: "Settings", link: { to: "/settings", search: { view: "mail" } } },
  model: { name: "Models", link: { to: "/models" } },
  tool_servers: { name: "Tool servers", link: { to: "/tool-servers" } }
}

/** The words for programs: where they find the reason, and times that a clock shows. */
const wordsOf = (detail: string): string =>
  detail.replace(/ GET \S+ says why\.$/, "").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => clockTime(at))

/** Every check, the worst first; what is not right says what to set, as text to copy. */
export const HealthPanel = ({ report }: { readonly report: HealthReport }) => {
  const checks = Object.entries(report.checks)
    .toSorted(([, one], [, other]) => order.indexOf(one.status) - order.indexOf(other.status))
  return (
    <Panel title="Health" actions={<State status={report.status} />}>
      <ul className="-m-3 divide-y">
        {checks.map(([key, { detail, latency_ms, status }]) => (
          <li
            key={key}
            className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-3 py-1.5 sm:grid-cols-[7rem_6rem_minmax(0,1fr)_3.5rem_2rem]"
          >
            <h3 className="font-medium">{nameOf(key)}</h3>
            <State status={status} />
            <p className="break-words">
              {wordsOf(detail)}{" "}
              {status !== "ok" && places[key] !== undefined && (
                <Link {...places[key].link} className="text-accent underline underline-offset-2">
                  {places[key].name}
                </Link>
              )}
            </p>
            <span className="text-right text-xs text-muted tabular-nums max-sm:hidden">
              {Math.round(latency_ms)} ms
            </span>
            <span className="justify-self-end">
              <CopyButton name={`the text about ${nameOf(key).toLowerCase()}`} text={detail} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
