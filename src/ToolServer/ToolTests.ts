import type { CurrentUser } from "@troupe/api/Authentication"
import type { ToolTest, ToolTested } from "@troupe/api/ToolTest"
import type { NotAllowed } from "@troupe/domain/Caller"
import type { ToolNotCallable, ToolNotFound, ToolServerNotFound } from "@troupe/domain/ToolServer"
import { Context, type Effect } from "effect"

/** Calls of tools that a person makes to see what they do. Its layer is above, because the policy decides about them. */
export class ToolTests extends Context.Tag("troupe/ToolServer/ToolTests")<ToolTests, {
  /** Makes the call if the policy allows it, or asks and the caller approves it. */
  readonly test: (
    server: string,
    tool: string,
    test: ToolTest
  ) => Effect.Effect<ToolTested, NotAllowed | ToolNotCallable | ToolNotFound | ToolServerNotFound, CurrentUser>
}>() {}
