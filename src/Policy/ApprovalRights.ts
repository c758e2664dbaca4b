import { defaultUser, systemUser, type UserId } from "@troupe/domain/Ids"
import type { ToolAccess } from "@troupe/domain/Task"

/** A person who decides. */
export interface Approver {
  /** Null: the operator, self-hosted. */
  readonly by: UserId | null
  readonly role: string | undefined
  /** A program asks for a person: only one whom the rule itself lists counts. */
  readonly isProgram: boolean
}

/** Of the task whose call asks. */
export interface AskingTask {
  readonly creator: UserId
  /** The assignee, unless an answer without a right to the task made it that. */
  readonly approver: UserId | null
  readonly tool_access: ToolAccess
}

interface Asked {
  readonly tool: string
  readonly who: ReadonlyArray<string>
}

/** Whether the person may decide about the call. An unknown sender approves nothing; where a task is nobody's, owner and admins decide. */
export const mayDecide = (
  { who }: Pick<Asked, "who">,
  { approver, creator, tool_access }: AskingTask,
  { by, isProgram, role }: Approver
): boolean => {
  if (who.includes(by ?? defaultUser)) return true
  if (isProgram) return false
  if (by === null) return true
  const isAdmin = role === "owner" || role === "admin"
  const isNobodys = [creator, approver ?? systemUser].every((id) => id === systemUser)
  return (who.includes("requester") && tool_access === "all" && [creator, approver].includes(by))
    || (isAdmin && (who.includes("admin") || isNobodys))
}

const approvers: Readonly<Record<string, string>> = {
  requester: "its creator, its assignee",
  admin: "an owner or an admin"
}

export const notAllowedTo = ({ tool, who }: Asked): string =>
  `The call of ${tool} is an approval that only ${
    who.map((one) => approvers[one] ?? `the user ${one}`).join(", ")
  } may give.`
