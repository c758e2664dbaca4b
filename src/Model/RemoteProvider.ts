import type { ModelSettings } from "../Runtime/Settings.ts"

/** A provider that is reached over the network. */
export type RemoteProvider = Exclude<ModelSettings["provider"], { readonly _tag: "offline" }>

/** What a person calls the provider, and the settings that speak of it: errors name the fix. */
export const names = {
  gemini: { title: "Google", key: "GEMINI_API_KEY", url: "GEMINI_BASE_URL", model: "GEMINI_MODEL" },
  local: { title: "The local model server", key: "LOCAL_MODEL_URL", url: "LOCAL_MODEL_URL", model: "LOCAL_MODEL" },
  openai: { title: "OpenAI", key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL", model: "OPENAI_MODEL" }
} as const
