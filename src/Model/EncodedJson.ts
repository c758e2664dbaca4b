import { memoized } from "../Runtime/Memoized.ts"

/** JSON text of a value, to be put into a larger text as it is. */
export class Encoded {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** JSON without lone halves of surrogate pairs, as a cut leaves them: providers refuse them, so they are replaced. */
export const encode = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.includes("\\ud") ? JSON.stringify(value, replacer) : json
}

export const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\uFFFD")

const replacer = (_: string, value: unknown): unknown => typeof value === "string" ? wellFormed(value) : value

/** The elements that a message or a tool set adds to a list, encoded once for as long as it lives. */
export const elementsOnce = <A extends object>(
  elementsOf: (value: A) => ReadonlyArray<unknown>
): (value: A) => string => memoized((value) => elementsOf(value).map(encode).join(","))

export const listOf = (elements: ReadonlyArray<string>): Encoded =>
  new Encoded(`[${elements.filter((json) => json !== "").join(",")}]`)

export const encodeBody = (body: object): string => {
  const members = Object.entries(body).filter(([, value]) => value !== undefined)
  return `{${
    members.map(([name, value]) => `${JSON.stringify(name)}:${value instanceof Encoded ? value.json : encode(value)}`)
      .join(",")
  }}`
}
