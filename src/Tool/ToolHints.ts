import * as Tool from "@effect/ai/Tool"
import { Context } from "effect"
import type { ToolEffect } from "./AgentTool.ts"

export const readOnly = Context.make(Tool.Readonly, true).pipe(
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true),
  Context.add(Tool.OpenWorld, false)
)

export const idempotent = Context.make(Tool.Idempotent, true).pipe(Context.add(Tool.OpenWorld, false))

/** For tools whose calls must not be run twice. */
export const outside = Context.make(Tool.Destructive, true).pipe(Context.add(Tool.OpenWorld, true))

export interface ToolHints {
  readonly isReadOnly: boolean
  readonly isIdempotent: boolean
}

/** A tool that declares itself both read-only and destructive counts as destructive. */
export const hintsOf = ({ annotations }: Tool.Any): ToolHints => ({
  isReadOnly: Context.get(annotations, Tool.Readonly) && !Context.get(annotations, Tool.Destructive),
  isIdempotent: Context.get(annotations, Tool.Idempotent)
})

export const effectOf = ({ isIdempotent, isReadOnly }: ToolHints): ToolEffect =>
  isReadOnly ? "read" : isIdempotent ? "idempotent" : "outside"

export const doubt = (effect: ToolEffect): string =>
  effect === "outside" ? " It may have taken effect all the same: check before you repeat it." : ""
