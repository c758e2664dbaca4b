import { type Call, type ConnectionOptions, makeHttpCalls } from "./HttpCalls.ts"
import { watchAllTasks, type WatchOptions, watchTask } from "./TaskWatch.ts"
import type {
  AnyTaskEvent,
  CreatedSubscription,
  NewSubscription,
  NewTask,
  Notification,
  Page,
  PageQuery,
  Subscription,
  Task,
  TaskEvent,
  TaskQuery,
  UploadedFile,
  User,
  UserFile
} from "./WireTypes.ts"

export type { ConnectionOptions } from "./HttpCalls.ts"
export type { WatchOptions } from "./TaskWatch.ts"
export { ConnectionFailed, type FieldError, TroupeError } from "./TroupeError.ts"
export type * from "./WireTypes.ts"

export interface TroupeOptions extends ConnectionOptions {
  /** The user whose files and notifications are meant; default: the user of the token (`me`). */
  readonly user?: string
}

export interface TroupeFiles {
  /** Replaces a file of the same name once it is complete. */
  readonly upload: (name: string, content: Blob | Uint8Array<ArrayBuffer> | string) => Promise<UploadedFile>
  readonly download: (path: string) => Promise<Blob>
  readonly list: (query?: PageQuery) => Promise<Page<UserFile>>
  readonly remove: (path: string) => Promise<void>
}

/** Outgoing webhooks for the events of tasks. */
export interface TroupeSubscriptions {
  readonly list: (query?: PageQuery & { readonly user_id?: string }) => Promise<Page<Subscription>>
  /** Only this response contains the secret. */
  readonly add: (subscription: NewSubscription) => Promise<CreatedSubscription>
  /** With its deliveries, also those that wait. */
  readonly remove: (id: string) => Promise<void>
}

/** A refused call fails with a `TroupeError`, one without a complete response with `ConnectionFailed`. */
export interface Troupe {
  /** Creates a task. Retried with one `Idempotency-Key`, so it creates one. */
  readonly submit: (task: string | NewTask, options?: { readonly idempotencyKey?: string }) => Promise<Task>
  readonly get: (id: string) => Promise<Task>
  readonly list: (query?: TaskQuery) => Promise<Page<Task>>
  /** Answers the question of a task that waits for input. */
  readonly answer: (id: string, response: string, userId?: string) => Promise<Task>
  /** Sends the agent a message, once, as `submit`. A finished task is continued by a new one, which is the result. */
  readonly message: (
    id: string,
    message: string,
    userId?: string,
    options?: { readonly idempotencyKey?: string }
  ) => Promise<Task>
  readonly cancel: (id: string, reason?: string) => Promise<Task>
  /** Continues a failed task from its last saved step. */
  readonly retry: (id: string) => Promise<Task>
  /** The events of a task until it is finished; resumes when the connection breaks or the service restarts. */
  readonly watch: (id: string, options?: WatchOptions) => AsyncGenerator<TaskEvent, void>
  /** Log lines and statuses of all tasks, from now on or `after` an event; resumes likewise, and never ends. */
  readonly watchAll: (options?: WatchOptions) => AsyncGenerator<AnyTaskEvent, void>
  /** The user of the token; the default user on a self-hosted service. */
  readonly me: () => Promise<User>
  readonly notifications: (query?: PageQuery & { readonly unread?: boolean }) => Promise<Page<Notification>>
  readonly files: TroupeFiles
  readonly subscriptions: TroupeSubscriptions
}

const part = encodeURIComponent

const cursorOf = (response: Response): string | null => {
  const next = /<([^<>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1]
  return next === undefined ? null : new URL(next, "http://localhost").searchParams.get("cursor")
}

/** A client of the service at `url`, for Node 20 and browsers, without dependencies of its runtime. */
export const createTroupe = (options: TroupeOptions): Troupe => {
  const calls = makeHttpCalls(options)
  const read = <A>(call: Call): Promise<A> =>
    calls.send(call, async (response): Promise<A> => JSON.parse(await response.text()))
  const page = <A>(path: string, query: Call["query"] = {}): Promise<Page<A>> =>
    calls.send(
      { method: "GET", path, query, isRepeatable: true },
      async (response) => ({ items: JSON.parse(await response.text()), next: cursorOf(response) })
    )
  const remove = async (path: string) =>
    void (await calls.send({ method: "DELETE", path }, (response) => response.text()))
  const changed = async (path: string, json: unknown, more: Partial<Call> = {}): Promise<Task> =>
    (await read<{ readonly task: Task }>({ method: "POST", path, json, ...more })).task

  const get = (id: string) => read<Task>({ method: "GET", path: `/task/${part(id)}`, isRepeatable: true })
  const me = () => read<User>({ method: "GET", path: "/users/me", isRepeatable: true })

  let known = options.user
  const userPart = async () => part(known ??= (await me()).id)
  const fileAt = async (path: string) => `/files/${await userPart()}/${part(path)}`

  return {
    submit: (task, { idempotencyKey = crypto.randomUUID() } = {}) =>
      changed("/chat", typeof task === "string" ? { message: task } : task, {
        headers: { "idempotency-key": idempotencyKey },
        isRepeatable: true
      }),
    get,
    list: (query) => page("/tasks", { ...query }),
    answer: (id, response, userId) => changed("/human_response", { task_id: id, response, user_id: userId }),
    message: (id, message, userId, { idempotencyKey = crypto.randomUUID() } = {}) =>
      changed(`/task/${part(id)}/message`, { message, user_id: userId }, {
        headers: { "idempotency-key": idempotencyKey },
        isRepeatable: true
      }),
    cancel: (id, reason) => changed(`/task/${part(id)}/cancel`, { reason }),
    retry: (id) => changed(`/task/${part(id)}/retry`, {}),
    watch: (id, watching = {}) => watchTask(calls, get, id, watching),
    watchAll: (watching = {}) => watchAllTasks(calls, watching),
    me,
    notifications: async (query) => page(`/users/${await userPart()}/notifications`, { ...query }),
    files: {
      upload: (name, content) => {
        const body = new FormData()
        if (options.user !== undefined) body.set("user_id", options.user)
        body.set("file", content instanceof Blob ? content : new Blob([content]), name)
        return read({ method: "POST", path: "/upload-file", body })
      },
      download: async (path) =>
        calls.send({ method: "GET", path: await fileAt(path), isRepeatable: true }, (response) => response.blob()),
      list: async (query) => page(`/files/${await userPart()}`, { ...query }),
      remove: async (path) => remove(await fileAt(path))
    },
    subscriptions: {
      list: (query) => page("/api/subscriptions", { ...query }),
      add: (subscription) => read({ method: "POST", path: "/api/subscriptions", json: subscription }),
      remove: (id) => remove(`/api/subscriptions/${part(id)}`)
    }
  }
}
