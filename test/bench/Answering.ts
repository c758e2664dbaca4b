import type { Question } from "./Protocol.ts"

/** Reports to the parent process that this one is ready, then answers its questions in order. */
export const answerQuestions = (answer: (question: Question) => Promise<object>): void => {
  const tell = (message: object) => void process.send?.(message)
  process.on("message", (question: Question) => {
    answer(question).then(tell, (cause: unknown) => {
      process.stderr.write(`${String(cause)}\n`)
      process.exit(1)
    })
  })
  process.on("disconnect", () => process.exit(0))
  tell({ ready: true })
}

/** The options that the parent process passed. */
export const orderOf = <A>(): A => JSON.parse(process.argv[2] ?? "{}") as A
