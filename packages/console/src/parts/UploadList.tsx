import { Button } from "./Button.tsx"
import { X } from "./Icons.ts"
import { Problem } from "./Problem.tsx"

/** How far each upload is, and why one failed. */
export const UploadList = ({ onDismiss, uploads }: {
  readonly uploads: ReadonlyArray<
    { readonly id: string; readonly name: string; readonly share: number; readonly error?: unknown }
  >
  readonly onDismiss: (id: string) => void
}) => (
  <>
    {uploads.map(({ error, id, name, share }) =>
      error === undefined
        ? (
          <label key={id} className="flex items-center gap-3 text-muted">
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <progress value={share} className="w-40 min-w-16 accent-accent-fill" />
            <span className="w-12 text-right whitespace-nowrap tabular-nums">{Math.round(share * 100)} %</span>
          </label>
        )
        : (
          <div key={id} className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <Problem error={error} title={`${name} was not uploaded`} />
            </div>
            <Button
              kind="ghost"
              size="icon"
              aria-label={`Dismiss the error about ${name}`}
              onClick={() => onDismiss(id)}
            >
              <X aria-hidden />
            </Button>
          </div>
        )
    )}
  </>
)
