import { Data } from "effect"

/** Where the requests to a tool server get their access token. */
export interface TokenSource {
  /** The value of the header Authorization; null: none. Fails with `SignInNeeded` where it is known that nothing would be taken. */
  readonly authorization: () => Promise<string | null>
  /**
   * The server refused a request with a status of 401 or 403. Succeeds if there is a token with which it can be sent again; fails
   * with `SignInNeeded` if somebody has to sign in first.
   */
  readonly refused: (
    response: { readonly status: number; readonly challenge: string | null },
    used: string | null
  ) => Promise<boolean>
  /** The server has taken a request. */
  readonly accepted: () => void
  /** Whether the last request failed for want of a sign-in. */
  readonly needsSignIn: () => boolean
  /** Whether a token was sent. */
  readonly isUsed: () => boolean
  /** The text without the tokens that were sent last. */
  readonly redacted: (text: string) => string
}

/** The server took nothing: somebody has to sign in at it first. */
export class SignInNeeded extends Data.TaggedError("SignInNeeded")<{ readonly server: string }> {
  override get message() {
    return `it needs a sign-in: connect it on the page Tool servers, or with troupe tools connect ${this.server}`
  }
}
