import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { User } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { buttonLook } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { UserPlus, Users } from "../../parts/Icons.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { plural } from "../../parts/Plural.ts"
import { Screen } from "../../parts/Screen.tsx"
import { type Column, rowTargetLook } from "../../parts/Table.tsx"
import { peopleQuery } from "../../service/PeopleQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { sessionQuery } from "../../service/SessionQueries.ts"
import { versionQuery } from "../../service/SystemQueries.ts"
import { personName } from "../../service/UserNames.ts"
import { PersonDetails } from "./PersonDetails.tsx"
import { fieldName, roleNames } from "./PersonNames.ts"

const route = getRouteApi("/people")

const columnsFor = (own: string | undefined): ReadonlyArray<Column<User>> => [
  {
    name: "Name",
    cell: (user) => (
      <span className="flex items-center gap-2">
        <Link to="/people" search={{ user: user.id }} replace className={`${rowTargetLook} truncate`}>
          {personName(user)}
        </Link>
        {user.id === own && <Badge tone="accent">You</Badge>}
        {user.is_system && <Badge>System user</Badge>}
      </span>
    )
  },
  { name: "Title", className: "w-48 max-lg:hidden text-muted", cell: ({ title }) => title ?? "–" },
  { name: "E-mail address", className: "w-64 max-md:hidden text-muted", cell: ({ email }) => email ?? "–" },
  {
    name: "Edited here",
    hint: "Fields of the profile that a person set here; a sync of the team chat leaves them as they are",
    className: "w-28 max-lg:hidden",
    cell: ({ overrides }) =>
      overrides.length === 0
        ? <span className="text-muted">–</span>
        : (
          <span title={overrides.map((field) => fieldName(field)).join(", ")}>
            {plural(overrides.length, "field")}
          </span>
        )
  },
  { name: "Role", className: "w-20", cell: ({ role }) => roleNames[role] }
]

/** How people come here: by an invitation on a hosted service, else by what connects them. */
const NobodyElse = () => {
  const isHosted = useQuery(versionQuery).data?.deployment_mode === "hosted"
  const mayOperate = useMayOperate() === true
  return (
    <Empty icon={Users} title="Nobody else yet">
      <p>People appear here when they sign in, write to the service, or are found by a sync of the team chat.</p>
      {mayOperate && (
        <Link to={isHosted ? "/team" : "/settings"} className={buttonLook({ kind: "primary", className: "mt-3" })}>
          {isHosted ? "Invite people" : "Connect the team chat"}
        </Link>
      )}
    </Empty>
  )
}

const PeopleScreen = () => {
  const { user: opened } = route.useSearch()
  const navigate = route.useNavigate()
  // Read again whenever the screen opens: an invitation that was accepted has no event.
  const people = useInfiniteQuery({ ...peopleQuery, staleTime: 0 })
  const session = useQuery(sessionQuery)
  const all = people.data?.pages.flatMap(({ items }) => items) ?? []
  const isAlone = all.length > 0 && all.filter(({ is_system }) => !is_system).length === 1
  const mayOperate = useMayOperate() === true
  const isHosted = useQuery(versionQuery).data?.deployment_mode === "hosted"
  return (
    <Screen
      title="People"
      actions={mayOperate && (
        <Link to="/team" search={isHosted ? { invite: true } : {}} className={buttonLook({ kind: "primary" })}>
          <UserPlus aria-hidden /> {isHosted ? "Invite" : "Add a person"}
        </Link>
      )}
      tabs={
        <p className="border-b px-4 py-2 text-muted">Open a name to see the profile and what the person's work cost.</p>
      }
    >
      <PagedTable
        label="People"
        query={people}
        columns={columnsFor(session.data?.user.id)}
        empty={<NobodyElse />}
        footer={isAlone && <NobodyElse />}
      />
      {opened !== undefined && (
        <PersonDetails
          id={opened}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </Screen>
  )
}

export default PeopleScreen
