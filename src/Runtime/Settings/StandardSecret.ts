const prefix = "whsec_"

const minBytes = 24
const minCharacters = 16

export const standardSecret =
  "whsec_ and the base64 of at least 24 bytes, or a text of at least 16 characters, such as the output of: "
  + "openssl rand -base64 32"

const decoded = (text: string): ReadonlyArray<Buffer> => {
  const key = Buffer.from(text, "base64")
  return key.length >= minBytes && key.toString("base64").replace(/(?<!=)=+$/, "") === text.replace(/(?<!=)=+$/, "")
    ? [key]
    : []
}

/** The keys with which a sender may sign: some decode base64 without the prefix. None: the secret is not accepted. */
export const standardKeys = (secret: string): ReadonlyArray<Buffer> => {
  if (secret.startsWith(prefix)) return decoded(secret.slice(prefix.length))
  return secret.length < minCharacters ? [] : [Buffer.from(secret), ...decoded(secret)]
}
