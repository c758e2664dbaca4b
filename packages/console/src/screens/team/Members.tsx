import { Link } from "@tanstack/react-router"
import type { TeamMember } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { UserMinus } from "../../parts/Icons.ts"
import { announced } from "../../parts/Outcome.ts"
import { Panel } from "../../parts/Panel.tsx"
import { useChangeRole, useRemoveMember } from "../../service/TeamQueries.ts"
import { roleNames } from "../people/PersonNames.ts"

/** The role, and for those who may, its change. */
const RoleOf = ({ canChange, member: { email, id, role } }: {
  readonly member: TeamMember
  readonly canChange: boolean
}) => {
  const change = useChangeRole()
  if (!canChange || role === "owner") return <span className="w-28">{roleNames[role]}</span>
  return (
    <select
      aria-label={`Role of ${email}`}
      className={inputLook("w-28")}
      value={role}
      disabled={change.isPending}
      onChange={({ target }) =>
        change.mutate(
          { id, role: target.value === "admin" ? "admin" : "member" },
          announced("Role changed", "The role was not changed")
        )}
    >
      <option value="member">{roleNames.member}</option>
      <option value="admin">{roleNames.admin}</option>
    </select>
  )
}

const Row = ({ canRemove, isOwn, member }: {
  readonly member: TeamMember
  readonly canRemove: boolean
  readonly isOwn: boolean
}) => {
  const { email, id, name, role, status, user_id } = member
  const remove = useRemoveMember()
  const isPending = status === "pending"
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {user_id === null
            ? <span className="min-w-0 wrap-anywhere">{name ?? email}</span>
            : (
              <Link to="/people" search={{ user: user_id }} className="min-w-0 wrap-anywhere hover:underline">
                {name ?? email}
              </Link>
            )}
          {isOwn && <Badge tone="accent">You</Badge>}
        </p>
        {name !== null && <p className="break-all text-muted">{email}</p>}
      </div>
      <RoleOf member={member} canChange={canRemove} />
      <span className="w-8">
        {canRemove && role !== "owner" && (
          <Delete
            noun={isPending ? "invitation" : "member"}
            verb={isPending ? "Withdraw" : "Remove"}
            name={isPending ? `the invitation of ${email}` : name ?? email}
            icon={UserMinus}
            change={remove}
            input={id}
          >
            {isPending
              ? (
                <>
                  The link in the mail to <b className="break-all">{email}</b> no longer works, and the seat is free.
                </>
              )
              : (
                <>
                  <b className="break-all">{name ?? email}</b>{" "}
                  is signed out at once. Running tasks are cancelled and schedules paused; files, memories and finished
                  tasks stay. An invitation lets the same person in again.
                </>
              )}
          </Delete>
        )}
      </span>
    </li>
  )
}

/** Members or invitations, each with its role and the way out. */
export const Members = ({ canRemove, members, none, own, title }: {
  readonly title: string
  readonly none: string
  readonly members: ReadonlyArray<TeamMember>
  readonly canRemove: boolean
  readonly own: string | undefined
}) => (
  <Panel title={title} actions={<span className="text-muted">{members.length}</span>}>
    {members.length === 0 ? <p className="text-muted">{none}</p> : (
      <ul className="-m-3 divide-y">
        {members.map((member) => (
          <Row key={member.id} member={member} canRemove={canRemove} isOwn={member.user_id === own} />
        ))}
      </ul>
    )}
  </Panel>
)
