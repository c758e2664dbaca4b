import { oneLine } from "./Text.ts"
import { visibleLine } from "./VisibleSigns.ts"

/** The sentences of a question that name the creator of its task. */
const sentences = (who: string): ReadonlyArray<string> => [
  `The task belongs to ${who}.`,
  `The spending limit of ${who} for `,
  ` ${who}, for whom the task works, can connect it`
]

/** Signs with which a name would be read as a link, a picture or code. */
const formatting = /[[\]<>`\\]|\/\/|www\./i

/** A word of which programs make a link by themselves, unless it is an address of mail. */
const isDomain = (word: string): boolean => /.\.\p{L}{2,}(?![\p{L}@])/u.test(word.replace(/@.*/s, "@"))

const isText = (name: string): boolean => !formatting.test(name) && !name.split(/[\s(]/).some(isDomain)

/** A question with the name of its task's creator, which is stored with the id: a name may change, and is the text of a person. */
export const withCreatorName = (question: string, creator: string, name: string | null): string => {
  if (name === null || !isText(name)) return question
  const named = sentences(oneLine(visibleLine(name), 80))
  return sentences(visibleLine(creator)).reduce(
    (text, sentence, at) => text.replace(sentence, () => named[at] ?? sentence),
    question
  )
}
