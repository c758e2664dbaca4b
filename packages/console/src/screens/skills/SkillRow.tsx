import { Link } from "@tanstack/react-router"
import type { SkillScore, SkillSummary } from "@troupe/client"
import { CircleCheck, TriangleAlert } from "../../parts/Icons.ts"
import { plural } from "../../parts/Plural.ts"
import { Tags } from "../../parts/Tags.tsx"

const Score = ({ score: { keyword_boost, score }, threshold }: {
  readonly score: SkillScore
  readonly threshold: number
}) => {
  const isMatch = score >= threshold
  return (
    <span className="flex w-36 shrink-0 flex-col items-end text-xs max-sm:items-start">
      <span className={isMatch ? "flex items-center gap-1 font-medium text-good" : "text-muted"}>
        {isMatch && <CircleCheck aria-hidden className="size-3.5" />}
        {isMatch ? "Matches" : "Too low"} {Math.max(0, score).toFixed(2)}
      </span>
      <meter
        aria-label="Score"
        min={0}
        max={1}
        value={Math.max(0, score)}
        className="h-2 w-full"
      />
      {keyword_boost > 0 && <span className="text-muted">{keyword_boost.toFixed(2)} by a tag</span>}
    </span>
  )
}

export const SkillRow = ({ missing, score, skill, threshold }: {
  readonly skill: SkillSummary
  /** What this machine lacks. */
  readonly missing: ReadonlyArray<string>
  readonly score: SkillScore | undefined
  readonly threshold: number
}) => (
  <li data-entry className="flex items-start gap-x-3 gap-y-1 px-3 py-2 hover:bg-raised max-sm:flex-col">
    <div className="min-w-0 flex-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/skills/$skillName"
          params={{ skillName: skill.name }}
          className="row-target font-medium break-all hover:underline"
        >
          {skill.name}
        </Link>
        <span className="text-xs text-muted">{skill.source === "custom" ? "Your own" : "Built in"}</span>
        {skill.warnings.length > 0 && (
          <span className="inline-flex items-center gap-1 text-xs text-wait" title={skill.warnings.join("\n")}>
            <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
            {plural(skill.warnings.length, "warning")}
          </span>
        )}
        {!skill.requirements_met && (
          <span className="inline-flex items-center gap-1 text-xs text-wait">
            <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
            {missing.length === 0 ? "Something is missing" : `Missing: ${missing.join(", ")}`}
          </span>
        )}
      </div>
      <p className="line-clamp-2 break-words text-muted">{skill.description}</p>
      <div className="mt-1">
        <Tags names={skill.tags} />
      </div>
    </div>
    {score !== undefined && <Score score={score} threshold={threshold} />}
  </li>
)
