import { DateTime, Duration, Option, Predicate } from "effect"

const inBody = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/

const seconds = (text: unknown): Option.Option<number> =>
  typeof text === "string" && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Option.some(Number(text)) : Option.none()

/** `retry-after-ms`, `Retry-After` in seconds or as an HTTP date, or Google's `retryDelay` in the body. */
export const retryAfterOf = (
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number
): Duration.Duration | undefined => {
  const header = headers["retry-after"]
  return seconds(headers["retry-after-ms"]).pipe(
    Option.map((millis) => millis / 1000),
    Option.orElse(() => seconds(header)),
    Option.orElse(() =>
      Option.liftPredicate(header, Predicate.isString).pipe(
        // Only a zone written as `Z` is taken for one.
        Option.flatMap((date) => DateTime.make(date.endsWith("GMT") ? `${date.slice(0, -3).trimEnd()}Z` : date)),
        Option.map((at) => Math.max(0, (DateTime.toEpochMillis(at) - now) / 1000))
      )
    ),
    Option.orElse(() => seconds(inBody.exec(body)?.[1])),
    Option.map(Duration.seconds),
    Option.getOrUndefined
  )
}
