import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { Models } from "./Models.ts"

export const ModelsHttp = HttpApiBuilder.group(
  TroupeApi,
  "models",
  (handlers) =>
    Effect.map(Models, ({ catalogue, choose, remove, report, save, servers, test, trial }) =>
      handlers
        .handle("list", () => report)
        .handle("servers", () => servers)
        .handle("catalogue", ({ payload }) => catalogue(payload))
        .handle("trial", ({ payload }) => trial(payload))
        .handle("choose", ({ payload }) => choose(payload))
        .handle("save", ({ path, payload }) => save(path.name, payload))
        .handle("remove", ({ path }) => remove(path.name))
        .handle("test", ({ path }) => test(path.name)))
)
