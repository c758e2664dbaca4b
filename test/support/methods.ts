import { it, makeMethods } from "@effect/vitest"

/** Undoes what `layer` of the file before did: it gives `it` methods that run tests in that layer. */
makeMethods(it)
