import { isUserId, type UserId } from "./Ids.ts"

const prefix = "sign_in:"

/** The sign-in at a tool server for which tasks wait; `user`: null where one is for everybody. */
export interface SignInWait {
  readonly server: string
  readonly user: UserId | null
}

/** The end of such a call: whose sign-in it is. */
export const signInEndOf = (user: UserId | null): string => `/${encodeURIComponent(user ?? "")}`

/** The call that a task waits for, in place of that of a tool. No name of a server has a slash at its end and a user behind it. */
export const signInCallOf = ({ server, user }: SignInWait): string =>
  `${prefix}${encodeURIComponent(server)}${signInEndOf(user)}`

/** Null: the task waits for something else. */
export const signInOfCall = (call: string | null): SignInWait | null => {
  const [, server, user = ""] = /^sign_in:([^/]+)\/(.*)$/.exec(call ?? "") ?? []
  if (server === undefined) return null
  const person = decodeURIComponent(user)
  return { server: decodeURIComponent(server), user: isUserId(person) ? person : null }
}

export const signInPrefix = prefix
