import { assert, describe, it } from "@effect/vitest"
import type { LanguageModelInfo, ModelStatus } from "@troupe/domain/LanguageModel"
import { ok, withOtherModels } from "../../src/Http/HealthFindings.ts"

const modelOf = (name: string, status: ModelStatus): LanguageModelInfo => ({
  name,
  provider: "openai-compatible",
  model: `${name}-model`,
  base_url: "http://127.0.0.1:9/v1",
  has_key: false,
  overrides: [],
  context_tokens: 8_000,
  price: null,
  temperature: 0,
  source: "stored",
  status,
  detail: `Detail of ${name}.`
})

describe("The health of the models", () => {
  const report = (backup: ModelStatus, spare: ModelStatus) => ({
    default: "main",
    fallbacks: ["backup"],
    models: [modelOf("main", "answers"), modelOf("backup", backup), modelOf("spare", spare)]
  })

  it("says of each what its last call showed, and when", () => {
    assert.deepStrictEqual(withOtherModels(ok("The default answers."), report("answers", "wrong_key")), {
      status: "ok",
      detail: "The default answers. backup (backup-model, fallback): answers. Detail of backup. spare (spare-model): "
        + "wrong key. Detail of spare."
    })
  })

  it("is degraded where a fallback would not answer", () => {
    assert.strictEqual(withOtherModels(ok(""), report("unknown_model", "answers")).status, "degraded")
    assert.strictEqual(withOtherModels(ok(""), report("untested", "unavailable")).status, "ok")
  })
})
