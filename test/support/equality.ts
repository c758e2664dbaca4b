import { Option, Redacted } from "effect"
import { chai } from "vitest"

/**
 * Makes `assert.deepStrictEqual` and its kin see what chai alone takes for equal: an option that holds something and
 * one that holds nothing (their iterators fool it), and two secrets (their values are no properties).
 */
chai.config.deepEqual = (expected, actual) =>
  chai.util.eql(expected, actual, {
    comparator: (one: unknown, other: unknown) => {
      if (Option.isOption(one) && Option.isOption(other) && one._tag !== other._tag) return false
      if (Redacted.isRedacted(one) && Redacted.isRedacted(other)) return Redacted.value(one) === Redacted.value(other)
      return null
    }
  })
