import { type Cause, Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** A secret as it is stored: encrypted, or as given if there is no key. */
export const Sealed = Schema.Union(
  Schema.Struct({ sealed: Schema.String }),
  Schema.Struct({ plain: Schema.String })
)
export type Sealed = typeof Sealed.Type

/** In DATA_DIR, where the service makes a key for itself. */
export const secretsKeyFile = "secrets.key"

/** AES-256-GCM under a key derived from SECRETS_KEY by HKDF. A secret can be decrypted only for the same `place`. */
export class Sealing extends Context.Tag("troupe/Runtime/Sealing")<Sealing, {
  readonly seal: (secret: Redacted.Redacted, place: string) => Sealed
  /** Fails when there is no key, another key, or another place. */
  readonly open: (sealed: Sealed, place: string) => Either.Either<Redacted.Redacted, "unreadable">
  /** Whether there is a key. */
  readonly canSeal: boolean
}>() {
  static readonly layer = (secretsKey: Option.Option<Redacted.Redacted>): Layer.Layer<Sealing> =>
    Layer.sync(this, () => Sealing.of(make(Option.map(secretsKey, keyOf))))

  /** With the key in this file, which is made where it is missing and which only its owner can read. */
  static readonly layerFile = (path: string): Layer.Layer<Sealing> =>
    Layer.effect(
      this,
      Effect.map(Effect.orDie(keyIn(path)), (key) => Sealing.of(make(Option.some(keyOf(Redacted.make(key))))))
    )
}

/** Not half a file, if the process ends while it writes. */
const keyIn = (path: string): Effect.Effect<string, Cause.UnknownException> =>
  Effect.try(() => {
    mkdirSync(dirname(path), { recursive: true })
    if (!existsSync(path)) {
      const made = `${path}.${randomBytes(4).toString("hex")}`
      writeFileSync(made, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flush: true })
      renameSync(made, path)
    }
    return readFileSync(path, "utf8").trim()
  })

const algorithm = "aes-256-gcm"
const ivBytes = 12
const tagBytes = 16

const keyOf = (secret: Redacted.Redacted): Buffer =>
  Buffer.from(hkdfSync("sha256", Redacted.value(secret), "troupe", "secrets v1", 32))

const make = (key: Option.Option<Buffer>): Sealing["Type"] => ({
  canSeal: Option.isSome(key),
  seal: (secret, place) =>
    Option.match(key, {
      onNone: () => ({ plain: Redacted.value(secret) }),
      onSome: (key) => ({ sealed: encrypt(key, Redacted.value(secret), place) })
    }),
  open: (sealed, place) => {
    if ("plain" in sealed) return Either.right(Redacted.make(sealed.plain))
    return Option.match(key, {
      onNone: () => Either.left("unreadable"),
      onSome: (key) =>
        Either.try({ try: () => Redacted.make(decrypt(key, sealed.sealed, place)), catch: () => "unreadable" as const })
    })
  }
})

const encrypt = (key: Buffer, text: string, place: string): string => {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64")
}

const decrypt = (key: Buffer, sealed: string, place: string): string => {
  const bytes = Buffer.from(sealed, "base64")
  const tag = bytes.subarray(ivBytes, ivBytes + tagBytes)
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8")
}
