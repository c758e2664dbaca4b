/** A file of a message, as far as the platform describes it. */
export interface ChatFile {
  /** The platform's; empty: it has none. */
  readonly id: string
  readonly name: string | null
  readonly contentType: string | null
  readonly size: number | null
  readonly downloadUrl: string | null
  /** Why it can't be downloaded, for people; null: nothing is known against it. */
  readonly unavailable: string | null
}

/** What a message shows beside the words of its author: data, whoever wrote it. */
export interface QuotedMessage {
  /** `linked`: the author wrote a link to it, and the platform shows it. `attached`: it is no message of a person. */
  readonly kind: "attached" | "forwarded" | "linked"
  readonly author: { readonly id: string | null; readonly name: string | null }
  readonly channel: { readonly id: string | null; readonly name: string | null }
  /** The platform's time of it, in seconds. */
  readonly ts: string | null
  readonly url: string | null
  /** With the platform's markup; empty: the platform does not show it. */
  readonly text: string
  readonly files: ReadonlyArray<ChatFile>
}

/** What a message says. */
export interface ChatContent {
  /** The author's own words, with the platform's markup. */
  readonly text: string
  readonly quoted: ReadonlyArray<QuotedMessage>
  readonly files: ReadonlyArray<ChatFile>
}
