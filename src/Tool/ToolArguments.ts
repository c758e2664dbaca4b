import { Either, Predicate, Schema } from "effect"
import { depthExceeds } from "../Runtime/Database/StorableText.ts"

const maxArgumentsLength = 1_048_576

/** Maximum nesting of arguments; deeper ones would exhaust the stack of code that walks them. */
const maxArgumentsDepth = 64

const parseJson = Schema.decodeUnknownEither(Schema.parseJson())

/** The parsed arguments of a call, or why they are invalid. An empty text and `null` count as `{}`. */
export const parseArguments = (text: string): Either.Either<Readonly<Record<string, unknown>>, string> => {
  if (text.length > maxArgumentsLength) {
    return Either.left(
      `the arguments have ${text.length} characters; at most ${maxArgumentsLength} are taken. Do it in smaller parts.`
    )
  }
  if (text.trim() === "") return Either.right({})
  return parseJson(text).pipe(
    Either.mapLeft(() => "the arguments are not valid JSON. Give one JSON object."),
    Either.flatMap((parsed) => {
      if (parsed === null) return Either.right({})
      if (depthExceeds(text, maxArgumentsDepth)) {
        return Either.left(
          `the arguments are nested deeper than the ${maxArgumentsDepth} levels that JSON may have here.`
        )
      }
      return Predicate.isReadonlyRecord(parsed)
        ? Either.right(parsed)
        : Either.left("the arguments must be one JSON object.")
    })
  )
}
