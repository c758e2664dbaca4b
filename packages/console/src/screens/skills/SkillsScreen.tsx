import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { GraduationCap, Plus, Sparkles } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { leaving } from "../../service/Leaving.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { requirementsQuery, scoresQuery, skillsQuery } from "../../service/SkillQueries.ts"
import { GenerateSkill } from "./GenerateSkill.tsx"
import { MatchTester } from "./MatchTester.tsx"
import { ReloadSkills } from "./ReloadSkills.tsx"
import { SkillEditor } from "./SkillEditor.tsx"
import { emptySkill, type SkillForm } from "./SkillForm.ts"
import { SkillRow } from "./SkillRow.tsx"

const route = getRouteApi("/skills")

const SkillsScreen = () => {
  const { query = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const skills = useQuery(skillsQuery)
  const gone = leaving.use()
  const scores = useQuery(scoresQuery(query))
  const mayOperate = useMayOperate() === true
  const { data: statuses } = useQuery(requirementsQuery)
  const lacks = new Map(statuses?.map(({ missing, name }) => [name, missing]))
  const [dialog, setDialog] = useState<SkillForm | "generate">()
  const close = () => setDialog(undefined)
  const found = new Map(scores.data?.scores.map((score) => [score.name, score]))
  const scoreOf = (name: string) => found.get(name)?.score ?? -1
  return (
    <Screen
      title="Skills"
      actions={mayOperate && (
        <>
          <ReloadSkills />
          <Button onClick={() => setDialog("generate")}>
            <Sparkles aria-hidden /> Generate
          </Button>
          <Button kind="primary" onClick={() => setDialog(emptySkill)}>
            <Plus aria-hidden /> New skill
          </Button>
        </>
      )}
    >
      <Body>
        <MatchTester
          query={query}
          threshold={scores.data?.threshold}
          onTest={(next) => void navigate({ search: next === "" ? {} : { query: next }, replace: true })}
        />
        {scores.error !== null && <Problem error={scores.error} title="The skills could not be compared" />}
        <Loaded name="skills" query={skills}>
          {(all) => {
            const skills = all.filter(({ name }) => !gone.has(`skill.${name}`))
            return skills.length === 0
              ? (
                <Empty icon={GraduationCap} title="No skills yet">
                  <p>
                    A skill is a page of instructions. When a request fits it, the agent gets them. {mayOperate
                      ? "Write one, or describe what it is for and let the model write it."
                      : "The owner and admins write them."}
                  </p>
                  {mayOperate && (
                    <Button kind="primary" className="mt-3" onClick={() => setDialog(emptySkill)}>New skill</Button>
                  )}
                </Empty>
              )
              : (
                <ul className="divide-y rounded-lg border bg-surface">
                  {skills.toSorted((one, other) => scoreOf(other.name) - scoreOf(one.name)).map((skill) => (
                    <SkillRow
                      key={skill.name}
                      skill={skill}
                      missing={Object.values(lacks.get(skill.name) ?? {}).flat()}
                      score={found.get(skill.name)}
                      threshold={scores.data?.threshold ?? 0}
                    />
                  ))}
                </ul>
              )
          }}
        </Loaded>
      </Body>
      {dialog === "generate" && <GenerateSkill onClose={close} onWritten={setDialog} />}
      {dialog !== undefined && dialog !== "generate" && <SkillEditor given={dialog} onClose={close} />}
    </Screen>
  )
}

export default SkillsScreen
