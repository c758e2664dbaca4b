import { createTroupe } from "@troupe/client"
import { serviceUrl } from "./Address.ts"

/** Every call of the service goes through this client. */
export const service = createTroupe({ url: serviceUrl, client: "console" })
