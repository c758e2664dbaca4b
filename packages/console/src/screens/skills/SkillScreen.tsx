import { useQuery } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import type { SkillDetail } from "@troupe/client"
import { useState } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
import { Pencil } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { useMayOperate } from "../../service/Rights.ts"
import { skillQuery, useDeleteSkill } from "../../service/SkillQueries.ts"
import { SkillEditor } from "./SkillEditor.tsx"
import { SkillFacts } from "./SkillFacts.tsx"
import { formOf } from "./SkillForm.ts"

const route = getRouteApi("/skills/$skillName")

const Actions = ({ skill }: { readonly skill: SkillDetail }) => {
  const router = useRouter()
  const [isEdited, setIsEdited] = useState(false)
  const remove = useDeleteSkill()
  return (
    <>
      {skill.source === "custom" && (
        <DeleteLater
          id={`skill.${skill.name}`}
          name={`the skill ${skill.name}`}
          text="Delete"
          send={() => remove.mutateAsync(skill.name)}
          onLeave={() => void router.navigate({ to: "/skills" })}
        />
      )}
      <Button kind="primary" onClick={() => setIsEdited(true)}>
        <Pencil aria-hidden /> {skill.source === "custom" ? "Edit" : "Edit a copy"}
      </Button>
      {isEdited && <SkillEditor given={formOf(skill, true)} onClose={() => setIsEdited(false)} />}
    </>
  )
}

const SkillScreen = () => {
  const { skillName } = route.useParams()
  const skill = useQuery(skillQuery(skillName))
  const mayOperate = useMayOperate() === true
  return (
    <Screen title={skillName} actions={mayOperate && skill.data !== undefined && <Actions skill={skill.data} />}>
      <Body>
        <Loaded name="skill" query={skill}>
          {(skill) => (
            <>
              <p className="text-base break-words">{skill.description}</p>
              <SkillFacts skill={skill} />
              <Panel title="Instructions">
                <RichText text={skill.instructions} />
              </Panel>
            </>
          )}
        </Loaded>
      </Body>
    </Screen>
  )
}

export default SkillScreen
