import { Button } from "../../../parts/Button.tsx"
import type { useAnswer } from "../../../service/TaskQueries.ts"

/** The answers that a question offers. */
export const ChoiceButtons = ({ answer, choices }: {
  readonly answer: ReturnType<typeof useAnswer>
  readonly choices: ReadonlyArray<string>
}) =>
  choices.length === 0 ? null : (
    <div className="flex flex-wrap gap-2" role="group" aria-label="Choices">
      {choices.map((choice) => (
        <Button key={choice} disabled={answer.isPending} onClick={() => answer.mutate(choice)}>
          {choice}
        </Button>
      ))}
    </div>
  )
