import { X } from "./Icons.ts"

/** The files that go with what is typed. */
export const FilesToSend = ({ names, onRemove }: {
  readonly names: ReadonlyArray<string>
  readonly onRemove: (name: string) => void
}) =>
  names.length === 0 ? null : (
    <ul aria-label="Files to send" className="flex flex-wrap gap-1.5">
      {names.map((name) => (
        <li
          key={name}
          className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-md border bg-raised pl-2 text-xs"
        >
          <span className="break-all">{name}</span>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            className="grid size-6 place-items-center"
            onClick={() => onRemove(name)}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
