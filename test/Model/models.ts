export const names = ({ models }: { readonly models: ReadonlyArray<{ readonly name: string }> }) =>
  models.map(({ name }) => name)

export const secret = "sk-a-key-that-nobody-may-see"
