import { assert, it } from "@effect/vitest"
import { seesImages } from "../../src/Model/ModelSettings.ts"

const sees = (_tag: "gemini" | "local" | "openai", model: string, mediaType = "image/png") =>
  seesImages("auto", { _tag, model }, mediaType)

const seeing = [
  ["openai", "gpt-5.1"],
  ["openai", "gpt-4o-mini"],
  ["openai", "gpt-4.1"],
  ["openai", "o4-mini"],
  ["openai", "anthropic/claude-3.5-sonnet"],
  ["openai", "anthropic/claude-sonnet-4"],
  ["gemini", "gemini-2.5-flash"],
  ["gemini", "models/gemini-2.5-pro"],
  ["local", "qwen2.5vl:7b"],
  ["local", "Qwen/Qwen2.5-VL-7B-Instruct"],
  ["local", "llama3.2-vision:11b"],
  ["local", "gemma3:4b"],
  ["local", "llava:13b"]
] as const

const blind = [
  ["openai", "gpt-3.5-turbo"],
  ["openai", "o3-mini"],
  ["openai", "fake"],
  ["local", "qwen3:8b"],
  ["local", "gemma3:1b"],
  ["local", "gemma3n:e4b"],
  ["local", "nevling:7b"]
] as const

it("Models that are known to see pictures are shown them, and no others", () => {
  for (const [provider, model] of seeing) assert.isTrue(sees(provider, model), model)
  for (const [provider, model] of blind) assert.isFalse(sees(provider, model), model)
})

it("MODEL_VISION overrules the model's name, but not what a provider can take", () => {
  assert.isTrue(seesImages("true", { _tag: "local", model: "qwen3:8b" }, "image/gif"))
  assert.isFalse(seesImages("false", { _tag: "openai", model: "gpt-5.1" }, "image/png"))
  assert.isFalse(seesImages("true", { _tag: "gemini", model: "gemini-2.5-pro" }, "image/gif"))
  assert.isFalse(seesImages("true", { _tag: "openai", model: "gpt-5.1" }, "image/svg+xml"))
})
