import { Time } from "../../../parts/Time.tsx"
import { viaTexts } from "../../../service/Doer.ts"
import { useNameOf } from "../../../service/UserNames.ts"
import type { DoneBy } from "./ThreadItem.ts"

/** Who wrote or decided something, by which way, and when. */
export const Doer = ({ at, by, did }: {
  readonly by: DoneBy | null
  readonly at: string | null
  /** What they did, after the name: `answered`. */
  readonly did?: string
}) => {
  const nameOf = useNameOf()
  const called = by?.user_id === null || by?.user_id === undefined ? undefined : nameOf(by.user_id)
  // An id that nobody is known by says less than the name at that time.
  const name = called === undefined || called === by?.user_id ? by?.name ?? called ?? "Somebody" : called
  return (
    <>
      <span className="font-medium text-text">{name}</span>
      {did === undefined ? "" : ` ${did}`}
      {by?.via === null || by?.via === undefined ? "" : ` ${viaTexts[by.via]}`}
      {at !== null && (
        <>
          {" "}· <Time at={at} />
        </>
      )}
    </>
  )
}
