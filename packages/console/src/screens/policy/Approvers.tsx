import { useQuery } from "@tanstack/react-query"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { X } from "../../parts/Icons.ts"
import { userNamesQuery } from "../../service/UserNames.ts"

const groups = [["requester", "The requester (creator or assignee)"], ["admin", "Owner and admins"]] as const

/** Who may approve a call that the rule asks about. */
export const Approvers = ({ error, onChange, who }: {
  readonly who: ReadonlyArray<string>
  readonly error: string | undefined
  readonly onChange: (who: ReadonlyArray<string>) => void
}) => {
  const names = useQuery(userNamesQuery).data ?? new Map<string, string>()
  const people = who.filter((one) => !groups.some(([name]) => name === one))
  const others = [...names].filter(([id]) => !who.includes(id))
  const without = (one: string) => who.filter((each) => each !== one)
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">Who may approve</legend>
      {groups.map(([name, title]) => (
        <Checkbox
          key={name}
          isChecked={who.includes(name)}
          onChange={(isChecked) => onChange(isChecked ? [...who, name] : without(name))}
        >
          {title}
        </Checkbox>
      ))}
      {people.map((id) => (
        <span key={id} className="flex items-center gap-2">
          {names.get(id) ?? id}
          <Button
            kind="ghost"
            size="icon"
            aria-label={`Remove ${names.get(id) ?? id}`}
            onClick={() => onChange(without(id))}
          >
            <X aria-hidden />
          </Button>
        </span>
      ))}
      {others.length > 0 && (
        <select
          aria-label="Add a person who may approve"
          className={inputLook("w-full")}
          value=""
          onChange={({ target }) => target.value !== "" && onChange([...who, target.value])}
        >
          <option value="">Add a person …</option>
          {others.map(([id, name]) => <option key={id} value={id}>{name}</option>)}
        </select>
      )}
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
    </fieldset>
  )
}
