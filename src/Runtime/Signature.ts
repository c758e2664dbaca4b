import { timingSafeEqual } from "node:crypto"

/** In constant time for signatures of the right length, which is no secret. */
export const isSameSignature = (wanted: Buffer, given: Buffer) =>
  given.length === wanted.length && timingSafeEqual(given, wanted)
