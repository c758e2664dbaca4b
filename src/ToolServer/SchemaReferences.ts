import { Predicate } from "effect"

/** Parts that a schema may have with its references replaced; further ones accept anything. */
const maxParts = 2_000

/**
 * The schema with each local reference replaced by what it refers to. A part that contains itself, and a reference that
 * leads out of the document, accept anything.
 */
export const inlined = (root: unknown, depth: number): unknown => {
  let parts = 0

  const walk = (node: unknown, left: number, within: ReadonlySet<string>): unknown => {
    if (!Predicate.isObject(node)) return node
    parts += 1
    if (left < 0 || parts > maxParts) return {}
    if (Array.isArray(node)) return node.map((part) => walk(part, left - 1, within))
    if (!Predicate.isReadonlyRecord(node)) return {}
    const { $ref, ...siblings } = node
    const own = Object.fromEntries(
      Object.entries(siblings).flatMap(([word, value]) =>
        definitions.has(word) ? [] : [[word, walkValue(word, value, left, within)]]
      )
    )
    if (!Predicate.isString($ref)) return own
    const target = within.has($ref) ? undefined : targetOf(root, $ref)
    const found = walk(target, left, new Set([...within, $ref]))
    return Predicate.isReadonlyRecord(found) ? { ...found, ...own } : own
  }

  /** The names in a map of schemas are no keywords. */
  const walkValue = (word: string, value: unknown, left: number, within: ReadonlySet<string>): unknown => {
    if (values.has(word)) return isShallow(value, depth) ? value : undefined
    if (!maps.has(word)) return walk(value, left - (Array.isArray(value) ? 0 : 1), within)
    return Predicate.isReadonlyRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, walk(schema, left - 1, within)]))
      : value
  }

  return walk(root, depth, new Set())
}

const definitions = new Set(["$defs", "definitions"])
const maps = new Set(["properties", "patternProperties", "dependentSchemas"])
const values = new Set(["const", "default", "enum", "required", "type"])

const targetOf = (root: unknown, reference: string): unknown => {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  const names = reference.slice(2).split("/")
  return names.reduce<unknown>((node, name) => {
    const key = decoded(name).replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(node)) return node[Number(key)]
    return Predicate.isReadonlyRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined
  }, root)
}

const decoded = (text: string): string => /%(?![0-9a-f]{2})/i.test(text) ? text : decodeURIComponent(text)

const isShallow = (value: unknown, levels: number): boolean => {
  if (!Predicate.isObject(value)) return true
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1))
}
