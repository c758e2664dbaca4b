/** A part of what we say. A string is shown as it is; what it has between backticks as code, where the platform can. */
export type Piece =
  | string
  | { readonly _tag: "Bold" | "Italic"; readonly text: string }
  | { readonly _tag: "Link"; readonly url: string; readonly label: string }
  | {
    readonly _tag: "Markdown"
    readonly text: string
    /** In place of `text`, where no buttons show all choices. */
    readonly listed: string
    /** Somebody typed it as plain text, whose lines stay apart. */
    readonly keepsLines: boolean
  }
  /** Notifies the user. */
  | { readonly _tag: "Mention"; readonly user: string }
  /** In the time zone of the reader, where the platform knows it. */
  | { readonly _tag: "Time"; readonly epochSeconds: number; readonly words: string }

/** What is pressed instead of an answer in words. */
export interface Button {
  readonly action: string
  readonly label: string
  readonly value: string
}

/** A message for any chat platform. */
export interface ChatMessage {
  readonly text: ReadonlyArray<Piece>
  readonly buttons?: ReadonlyArray<Button>
}

export const bold = (text: string): Piece => ({ _tag: "Bold", text })
export const italic = (text: string): Piece => ({ _tag: "Italic", text })
export const link = (url: string, label: string): Piece => ({ _tag: "Link", url, label })
export const mention = (user: string): Piece => ({ _tag: "Mention", user })
/** Markdown; `listed` in its place where no buttons show all choices. */
export const formatted = (text: string, listed = text): Piece => ({ _tag: "Markdown", text, listed, keepsLines: false })
export const typedLines = (text: string): Piece => ({ _tag: "Markdown", text, listed: text, keepsLines: true })

export const saying = (...text: ReadonlyArray<Piece>): ChatMessage => ({ text })
