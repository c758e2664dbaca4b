import type { RemoteProvider } from "./ModelSettings.ts"

/** What `MODEL_VISION` may say: a known model's abilities decide, or the operator does. */
type Vision = "auto" | "true" | "false"

/** Families of models that take pictures, by how their names begin, or what is in them. */
const seeing: ReadonlyArray<RegExp> = [
  /^(?:chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-4-turbo|gpt-[5-9]|o1(?!-mini)|o3(?!-mini)|o4)/,
  /^gemini-/,
  /^claude-(?:3|[a-z]+-\d)/,
  /(?:^|[-_.\d])vl(?:$|[-_.:\d])|vision|llava|moondream|minicpm-v|pixtral|internvl/,
  /^gemma-?3(?!n|:1b|:270m|-1b|-270m)|^llama-?4|^mistral-small-?3\.[12]|^phi-?4-multimodal/
]

/** Google takes no animated pictures. */
const still = new Set(["image/png", "image/jpeg", "image/webp"])
const known = new Set([...still, "image/gif"])

/** Whether pictures of this media type may be sent to the provider's model. */
export const seesPictures = (
  vision: Vision,
  provider: Pick<RemoteProvider, "_tag" | "model">,
  mediaType: string
): boolean => {
  if (vision === "false" || !(provider._tag === "gemini" ? still : known).has(mediaType)) return false
  // Gateways write the maker's name before the model's.
  const name = provider.model.toLowerCase().replace(/^.*\//, "")
  return vision === "true" || seeing.some((family) => family.test(name))
}
