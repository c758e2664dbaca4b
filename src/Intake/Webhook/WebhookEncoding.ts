import { Effect } from "effect"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"

const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

const decoderOf = (encoding: string) => {
  const name = encoding.trim().toLowerCase().replace(/^x-/, "")
  return name === "gzip" || name === "deflate" || name === "br" ? decoders[name] : null
}

/**
 * The body without its `Content-Encoding`; as it arrived where the header is wrong, or where the decoded body has more
 * than `maxOutputLength` bytes.
 */
export const decodedBody = (
  { body, headers }: { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> },
  maxOutputLength: number
): Effect.Effect<Uint8Array> => {
  const decode = decoderOf(headers["content-encoding"] ?? "")
  return decode === null
    ? Effect.succeed(body)
    : Effect.orElseSucceed(Effect.tryPromise((): Promise<Uint8Array> => decode(body, { maxOutputLength })), () => body)
}
