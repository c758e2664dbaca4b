const maxNear = 5
const maxLength = 64

/** Proposes the names that `wanted` may have meant; `otherwise` where there are none. */
export const suggestion = (wanted: string, names: ReadonlyArray<string>, otherwise: string): string => {
  const near = nearNames(wanted, names)
  return near.length > 0 ? `Did you mean ${near.join(" or ")}?` : otherwise
}

const nearNames = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  nearest(wanted, names.toSorted(), (name) => [name]).slice(0, maxNear)

/** The items that `wanted` may have meant, the likeliest first. */
export const nearest = <A>(
  wanted: string,
  items: ReadonlyArray<A>,
  namesOf: (item: A) => ReadonlyArray<string>
): ReadonlyArray<A> => {
  const word = plain(wanted)
  return items
    .map((item) => ({ item, score: Math.min(...namesOf(item).map((name) => distance(word, plain(name)))) }))
    .filter(({ score }) => score <= 0.5)
    .sort((a, b) => a.score - b.score)
    .map(({ item }) => item)
}

/**
 * Whether an environment variable looks like a misspelt setting: at most two wrong letters, or words of the setting left out
 * or cut short (OPENAI_KEY, SMTP_PASS). Strict, because an environment has many variables of other programs.
 */
export const isMisspelt = (given: string, setting: string): boolean => {
  if (given === setting || !/^[A-Z][A-Z0-9_]{5,}$/.test(given)) return false
  const allowed = given.length < 10 ? 1 : 2
  // Each variable is compared with each setting at every start, and hardly ever has its length.
  if (Math.abs(given.length - setting.length) <= allowed && edits(given, setting) <= allowed) return true
  const first = given.indexOf("_") + 1
  if (first === 0 || given.slice(0, first) !== setting.slice(0, first)) return false
  const words = given.slice(first).split("_")
  const wanted = setting.slice(first).split("_")
  let next = 0
  for (const word of wanted) {
    const candidate = words[next]
    if (candidate !== undefined && candidate.length >= 2 && word.startsWith(candidate)) next++
  }
  return next === words.length
}

const plain = (name: string): string => name.slice(0, maxLength).toLowerCase().replace(/[^a-z0-9]/g, "")

/** 0 for the same, 1 for nothing in common; a name that contains the other is close. */
const distance = (a: string, b: string): number => {
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 0.3
  return edits(a, b) / Math.max(a.length, b.length, 1)
}

/** The Levenshtein distance. */
const edits = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
