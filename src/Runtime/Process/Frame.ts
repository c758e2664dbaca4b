import { Effect, type ParseResult, Schema } from "effect"

/** A job or a reply of a guarded process as it is sent: the header as one line of JSON, then the payload. */
export interface Frame<Header> {
  readonly header: Header
  readonly payload: Uint8Array
}

export const frameParts = ({ header, payload }: Frame<unknown>): ReadonlyArray<Uint8Array> => [
  Buffer.from(`${JSON.stringify(header)}\n`),
  payload
]

export const frameOf = <Header, Encoded>(schema: Schema.Schema<Header, Encoded>) => {
  const decode = Schema.decode(Schema.parseJson(schema))
  return (bytes: Uint8Array): Effect.Effect<Frame<Header>, ParseResult.ParseError> => {
    const end = bytes.indexOf(10)
    const header = new TextDecoder().decode(bytes.subarray(0, end))
    return Effect.map(decode(header), (header) => ({ header, payload: bytes.subarray(end + 1) }))
  }
}
