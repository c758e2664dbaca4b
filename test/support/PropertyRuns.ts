import { env } from "node:process"

/**
 * How many examples of a costly property to try. With the fixed seed of `npm test` they are the same ones each time: a
 * third of them does. `npm run test:random` tries all of them, and others each time.
 */
export const runsOf = (all: number): number => env["PROPERTY_SEED"] === undefined ? Math.ceil(all / 3) : all
