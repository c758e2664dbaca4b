import type { Compacted, Step } from "@troupe/domain/Step"
import { type ModelRequest, ModelUnavailable } from "../../src/Model/Model.ts"
import { fails } from "../support/ScriptedModel.ts"

export const limits = { threshold: 4, maxRecent: 2, contextTokens: 100_000 }

export const isSummary = ({ tools }: ModelRequest): boolean => tools.tools.length === 0

export const outage = fails(new ModelUnavailable({ provider: "openai", reason: "OpenAI failed (500)." }))

export const compactions = (steps: ReadonlyArray<Step>) =>
  steps.filter((step): step is Compacted => step.kind === "compacted")
