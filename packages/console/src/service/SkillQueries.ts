import { queryOptions, useMutation } from "@tanstack/react-query"
import type { SkillCreateRequest, SkillUpdateRequest } from "@troupe/client"
import { useChange } from "./Change.ts"
import { sendUnsent } from "./Leaving.ts"
import { allPages } from "./Paged.ts"
import { service } from "./Service.ts"

/** All skills; there are seldom more than some dozens. */
export const skillsQuery = queryOptions({
  queryKey: ["skills", "list"],
  queryFn: () => allPages(100, (page) => service.skills.list(page))
})

export const requirementsQuery = queryOptions({
  queryKey: ["skills", "requirements"],
  queryFn: async () => (await service.skills.requirements()).skills
})

export const skillQuery = (name: string) =>
  queryOptions({ queryKey: ["skills", "one", name], queryFn: () => service.skills.find(name) })

/** The score of every skill for a request. */
export const scoresQuery = (request: string) =>
  queryOptions({
    queryKey: ["skills", "scores", request],
    queryFn: () => service.skills.similarity(request),
    enabled: request !== ""
  })

const useSkillChange = <A, B>(change: (input: A) => Promise<B>) => useChange(["skills"], change)

export const useCreateSkill = () =>
  useSkillChange(async (draft: SkillCreateRequest) => {
    await sendUnsent()
    return service.skills.create(draft)
  })

export const useUpdateSkill = (name: string) =>
  useSkillChange(async (change: SkillUpdateRequest) => {
    await sendUnsent()
    return service.skills.update(name, change)
  })

export const useDeleteSkill = () => useSkillChange((name: string) => service.skills.remove(name))

export const useReloadSkills = () => useSkillChange(() => service.skills.reload())

/** A proposal by the language model, which is not saved. */
export const useGenerateSkill = () =>
  useMutation({ mutationFn: (description: string) => service.skills.generate({ description, save: false }) })
