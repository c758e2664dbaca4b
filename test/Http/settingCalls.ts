import { Effect } from "effect"
import { call, type Json, object } from "./calls.ts"

export const path = "/api/settings"

export const listed = (of: string) => Effect.map(call("GET", of, 200), ({ json }) => json as ReadonlyArray<Json>)

export const settingOf = (name: string) =>
  Effect.map(listed(path), (all) => all.find((one) => one["name"] === name) ?? {})

export const tested = (section: string, values: Json = {}) => object("POST", `${path}/test`, 200, { section, values })
