import { NotificationsRpc } from "./NotificationsRpc.ts"
import { TasksRpc } from "./TasksRpc.ts"

/** Where the procedures are served: POST with a body of JSON lines, GET as a WebSocket. */
export const rpcPath = "/rpc"

/** All remote procedures: server and client derive from this group. Its names are a wire format. */
export class TroupeRpcs extends TasksRpc.merge(NotificationsRpc) {}
