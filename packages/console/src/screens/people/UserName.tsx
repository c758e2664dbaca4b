import { useNameOf } from "../../service/UserNames.ts"

/** The name of a person by their id. */
export const UserName = ({ id }: { readonly id: string }) => <>{useNameOf()(id)}</>
