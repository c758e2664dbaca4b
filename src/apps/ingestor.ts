import { Layer } from "effect"
import * as Ingestor from "../Http/Ingestor.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as Database from "./Database.ts"
import { httpOptions, rateLimits, server } from "./Http.ts"
import * as Intake from "./Intake.ts"

/** Accepts webhooks for the workers. It needs only the database. */
export const layer = (settings: Settings["Type"]) => {
  const options = { ...httpOptions(settings), port: settings.ingestor.port }
  return Ingestor.serve(options).pipe(
    Layer.provide(Intake.webhooks(settings)),
    Layer.provide(rateLimits(settings)),
    Layer.provide(server(options)),
    Layer.provide(Database.layer(settings))
  )
}
