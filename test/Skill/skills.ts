import { SkillName } from "@troupe/domain/Skill"

export const name = (text: string) => SkillName.make(text)

export const draft = { name: name("my-skill"), description: "Mine.", instructions: "Do mine." }
