import { useEffect, useRef } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "../../parts/Keys.ts"

const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9]

/** Each of the first nine choices is taken by the key of its number. */
export const useChoiceKeys = (choices: ReadonlyArray<string>, choose: (choice: string) => void): void => {
  const latest = useRef({ choices, choose })
  useEffect(() => {
    latest.current = { choices, choose }
  })
  useEffect(() =>
    tinykeys(
      window,
      Object.fromEntries(digits.map((digit) => [
        String(digit),
        unlessTyping(() => {
          const choice = latest.current.choices[digit - 1]
          if (choice !== undefined) latest.current.choose(choice)
        })
      ]))
    ), [])
}
