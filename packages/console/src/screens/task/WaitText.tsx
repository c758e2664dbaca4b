import type { Task } from "@troupe/client"
import { clockTime, Time } from "../../parts/Time.tsx"
import { useUserName } from "../../service/UserNames.ts"

const instants = /(?:at )?(\d{4}-\d\d-\d\dT[\d:.]+Z)/

/** Why a task waits and for whom, with the name of the person, and times as everywhere. */
export const WaitText = ({ wait: { detail, reason, until, who } }: {
  readonly wait: NonNullable<Task["waiting_for"]>
}) => {
  const name = useUserName(who)
  if (reason === "timer" && until !== null) {
    return (
      <>
        Sleeps until {clockTime(until)} (<Time at={until} />)
      </>
    )
  }
  const isForPerson = who !== null && name !== null && detail.endsWith(` of ${who}`)
  const what = isForPerson ? detail.slice(0, -` of ${who}`.length) : detail
  const whose = name === "you" ? "your" : `${name}'s`
  const text = isForPerson ? what.replace(/ (?:an|the) /, ` ${whose} `) : detail
  return (
    <>
      {text.split(instants).map((part, index) => index % 2 === 1 ? <Time key={index} at={part} /> : part)}
    </>
  )
}
