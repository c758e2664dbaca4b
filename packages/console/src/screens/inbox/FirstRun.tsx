import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link, type LinkProps } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { CircleCheck, CircleDashed, X } from "../../parts/Icons.ts"
import { openConnectModel, openNewTask } from "../../parts/Overlays.ts"
import { peopleQuery } from "../../service/PeopleQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { sessionQuery } from "../../service/SessionQueries.ts"
import { storedText, storeText } from "../../service/Storage.ts"
import { versionQuery } from "../../service/SystemQueries.ts"
import { tasksQuery } from "../../service/TaskQueries.ts"
import { teamQuery } from "../../service/TeamQueries.ts"
import { ConnectHint } from "../models/ConnectHint.tsx"

interface Step {
  readonly name: string
  readonly text: string
  readonly isDone: boolean
  readonly way: ReactNode
}

const To = ({ children, ...link }: LinkProps & { readonly children: string }) => (
  <Link {...link} className={buttonLook({ size: "small" })}>{children}</Link>
)

/** What a new service needs; `undefined`: not known yet. */
const useSteps = (): ReadonlyArray<Step> | undefined => {
  const version = useQuery(versionQuery).data
  const tasks = useInfiniteQuery(tasksQuery({})).data?.pages[0]?.items
  const isHosted = version?.deployment_mode === "hosted"
  const people = useInfiniteQuery(peopleQuery).data?.pages[0]?.items
  const team = useQuery({ ...teamQuery, enabled: isHosted }).data
  const count = isHosted ? team?.members.length : people?.filter((one) => !one.is_system).length
  if (version === undefined || tasks === undefined || count === undefined) return undefined
  const { features } = version
  return [
    {
      name: "Connect a language model",
      text: "It works on the tasks.",
      isDone: features["language_model"] === true,
      way: <Button size="small" onClick={() => openConnectModel()}>Connect</Button>
    },
    {
      name: "Give it a first task",
      text: "In your own words, as you would ask a colleague.",
      isDone: tasks.length > 0,
      way: <Button size="small" onClick={() => openNewTask()}>New task</Button>
    },
    {
      name: "Connect chat or mail",
      text: "Then tasks can begin, ask and end there, too.",
      isDone: features["chat"] === true || features["mail_inbox"] === true,
      way: (
        <>
          <To to="/settings">Chat</To>
          <To to="/settings" search={{ view: "mail" }}>Mail</To>
        </>
      )
    },
    isHosted
      ? {
        name: "Invite a second person",
        text: "Everybody has tasks, files and an inbox of their own.",
        isDone: count > 1,
        way: <To to="/team" search={{ invite: true }}>Invite</To>
      }
      : {
        name: "Bring in a second person",
        text: "Whoever writes in chat or by mail joins. A sign-in for each person needs a team.",
        isDone: count > 1,
        way: <To to="/team">How</To>
      }
  ]
}

const StepRow = ({ step: { isDone, name, text, way } }: { readonly step: Step }) => {
  const Icon = isDone ? CircleCheck : CircleDashed
  return (
    <li className="flex min-h-10 items-center gap-2.5 px-3 py-1.5">
      <Icon aria-hidden className={`size-4 shrink-0 ${isDone ? "text-good" : "text-muted"}`} />
      <span className="min-w-0 flex-1">
        <span className={isDone ? "text-muted line-through" : "font-medium"}>{name}</span>
        <span className="sr-only">{isDone ? " (done)" : ""}</span>
        {!isDone && <span className="text-muted max-sm:block">{" "}{text}</span>}
      </span>
      {!isDone && <span className="flex shrink-0 gap-1.5">{way}</span>}
    </li>
  )
}

const Steps = ({ onLeave }: { readonly onLeave: () => void }) => {
  const steps = useSteps()
  const isDone = steps?.every(({ isDone }) => isDone) === true
  useEffect(() => {
    if (isDone) onLeave()
  })
  return steps === undefined || isDone ? null : (
    <div className="mx-auto max-w-4xl px-3 pt-3">
      <section aria-label="First steps" className="rounded-lg border bg-surface">
        <header className="flex min-h-9 items-center justify-between border-b py-0.5 pr-1 pl-3">
          <h2 className="font-semibold">
            First steps{" "}
            <span className="font-normal text-muted">
              {steps.filter(({ isDone }) => isDone).length} of {steps.length}
            </span>
          </h2>
          <Button kind="ghost" size="icon" aria-label="Dismiss the first steps" title="Dismiss" onClick={onLeave}>
            <X aria-hidden />
          </Button>
        </header>
        <ul className="divide-y">{steps.map((step) => <StepRow key={step.name} step={step} />)}</ul>
      </section>
    </div>
  )
}

const FirstRunOf = ({ place }: { readonly place: string }) => {
  const [isGone, setIsGone] = useState(storedText(place) !== null)
  // What is removed later makes no first run again.
  const leave = () => {
    storeText(place, "gone")
    setIsGone(true)
  }
  return isGone ? <ConnectHint /> : <Steps onLeave={leave} />
}

/** What is missing on a new service, for those who can set it up; once it is done or dismissed, it never comes back. */
export const FirstRun = () => {
  const me = useQuery(sessionQuery).data?.user.id
  const mayOperate = useMayOperate()
  if (me === undefined || mayOperate === undefined) return null
  return mayOperate ? <FirstRunOf place={`troupe.first-steps.${me}`} /> : <ConnectHint />
}
