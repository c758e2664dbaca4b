import { FastCheck } from "effect"
import { env } from "node:process"

/** The seed of all properties and samples: fixed, so that `npm test` never fails by chance; `npm run test:random` varies it. */
const seed = Number(env["PROPERTY_SEED"] ?? 1)

FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), seed })
