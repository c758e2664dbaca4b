import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { User } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Details } from "../../parts/Details.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { Undo2 } from "../../parts/Icons.ts"
import { announced } from "../../parts/Outcome.ts"
import { plural } from "../../parts/Plural.ts"
import { Time } from "../../parts/Time.tsx"
import { personQuery, useClearOverrides, useErasePerson } from "../../service/PeopleQueries.ts"
import { sessionQuery } from "../../service/SessionQueries.ts"
import { personName } from "../../service/UserNames.ts"
import { fieldName, fieldNames, roleNames } from "./PersonNames.ts"
import { PersonUsage } from "./PersonUsage.tsx"
import { ProfileForm } from "./ProfileForm.tsx"

/** What was edited here, and the way to let the sync write it again. */
const Overrides = ({ canChange, user }: { readonly user: User; readonly canChange: boolean }) => {
  const clear = useClearOverrides()
  if (user.overrides.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border bg-raised px-3 py-2">
      <p className="min-w-0 flex-1 basis-64">
        {plural(user.overrides.length, "field")} edited here:{" "}
        {user.overrides.map((field) => fieldName(field).toLowerCase()).join(", ")}.{" "}
        <span className="text-muted">A sync of the team chat leaves them alone.</span>
      </p>
      {canChange && (
        <Button
          size="small"
          disabled={clear.isPending}
          onClick={() => clear.mutate(user.id, announced("The next sync sets them", "Nothing was changed"))}
        >
          <Undo2 aria-hidden /> Let the sync set them again
        </Button>
      )}
    </div>
  )
}

/** Deletes all that is stored of the person. */
const Erase = ({ isOwn, onDone, user }: {
  readonly user: User
  readonly isOwn: boolean
  readonly onDone: () => void
}) => (
  <section className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t pt-3">
    <p className="min-w-0 flex-1 basis-64 text-muted">
      All that the service stores of {isOwn ? "you" : "this person"} can be deleted, as laws on personal data demand.
    </p>
    <Delete
      noun="data"
      label="Delete all data"
      change={useErasePerson()}
      input={user.id}
      onDone={onDone}
    >
      <p>
        All that is stored of <b className="break-words">{personName(user)}</b>{" "}
        is deleted, and nobody can bring it back:
      </p>
      <ul className="my-2 list-disc pl-5">
        <li>tasks with their conversations and results; those that run are cancelled</li>
        <li>files and memories</li>
        <li>schedules, subscriptions and notifications</li>
        <li>the profile</li>
      </ul>
      <p>A seat in the team stays, with the e-mail address alone. What was sent to others stays with them.</p>
    </Delete>
  </section>
)

const Content = ({ onClose, user }: { readonly user: User; readonly onClose: () => void }) => {
  const { data: session } = useQuery(sessionQuery)
  const isOwn = session?.user.id === user.id
  const mayRead = isOwn || session?.role === "owner" || session?.role === "admin"
  const canChange = mayRead && !user.is_system
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Badge>{roleNames[user.role]}</Badge>
        {isOwn && <Badge tone="accent">You</Badge>}
        <Link to="/tasks" search={{ creator: user.id }} className="ml-auto text-accent underline underline-offset-2">
          {isOwn ? "Your tasks" : "Their tasks"}
        </Link>
      </div>
      <Overrides user={user} canChange={canChange} />
      {canChange ? <ProfileForm key={user.id} user={user} /> : (
        <FactList
          facts={{
            [fieldNames.name]: user.name,
            [fieldNames.email]: user.email,
            [fieldNames.title]: user.title,
            [fieldNames.timezone]: user.timezone,
            [fieldNames.responsibilities]: user.responsibilities
          }}
        />
      )}
      {mayRead && <PersonUsage id={user.id} />}
      <FactList
        facts={{
          Id: <code className="font-mono text-xs break-all">{user.id}</code>,
          "Chat id": user.chat_user_id,
          "First seen": <Time at={user.created_at} />,
          Changed: <Time at={user.updated_at} />
        }}
      />
      {canChange && <Erase user={user} isOwn={isOwn} onDone={onClose} />}
    </div>
  )
}

/** The profile of a person, and what their tasks used. */
export const PersonDetails = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => (
  <Details name="person" titleOf={personName} query={useQuery(personQuery(id))} width="max-w-2xl" onClose={onClose}>
    {(user) => <Content user={user} onClose={onClose} />}
  </Details>
)
