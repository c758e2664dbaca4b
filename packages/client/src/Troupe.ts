import type { Client } from "openapi-fetch"
import { type CallOptions, makeEndpointCalls, type Page, type UserCallOptions } from "./EndpointCalls.ts"
import { makeEndpoints } from "./generated/Endpoints.ts"
import type { paths } from "./generated/OpenApi.ts"
import { type ConnectionOptions, makeHttpCalls } from "./HttpCalls.ts"
import { watchAllTasks, type WatchOptions, watchTask } from "./TaskWatch.ts"
import type { AnyTaskEvent, NewTask, Task, TaskEvent, TaskQuery, UploadedFile, User } from "./Types.ts"

export type { CallOptions, Page, Query, UserCallOptions } from "./EndpointCalls.ts"
export type { ConnectionOptions } from "./HttpCalls.ts"
export type { WatchOptions } from "./TaskWatch.ts"
export { ConnectionFailed, type FieldError, TroupeError } from "./TroupeError.ts"
export type * from "./Types.ts"

export interface TroupeOptions extends ConnectionOptions {
  /** The user whose files, memories and notifications are meant; default: the user of the token (`me`). */
  readonly user?: string
}

export interface SubmitOptions extends CallOptions {
  /** Default: a new one. With the same key and task, a call gets the first task again for 24 hours. */
  readonly idempotencyKey?: string
}

export interface AnswerOptions extends CallOptions {
  /** The user who answers; default: the caller, or `default`. */
  readonly user_id?: string
  /** The question that is answered: the task's `last_tool_call_id`. 409 if it asks another one by now. */
  readonly tool_call_id?: string
  /** The fields of the question's `form`; the response may be empty then. */
  readonly fields?: Record<string, unknown>
}

export interface MessageOptions extends SubmitOptions {
  /** The user who sends it; default: the caller, or `default`. */
  readonly user_id?: string
}

type Endpoints = ReturnType<typeof makeEndpoints>

/** One method per operation, `troupe.<group>.<operation>`, and short ones for the most frequent operations. */
export interface Troupe extends Omit<Endpoints, "files"> {
  /** Creates a task. Retried with one `Idempotency-Key`, so it creates one. Errors: those of `tasks.chat`. */
  readonly submit: (task: string | NewTask, options?: SubmitOptions) => Promise<Task>
  /** A task with its logs and outputs. Errors: those of `tasks.find`. */
  readonly get: (id: string, options?: CallOptions) => Promise<Task>
  /** A page of tasks, newest first. Errors: those of `tasks.list`. */
  readonly list: (query?: TaskQuery, options?: CallOptions) => Promise<Page<Task>>
  /**
   * Answers the question of a task that waits for input. Pass its `last_tool_call_id` as `tool_call_id`: without, the
   * answer is one to whatever the task asks when it arrives, and can't approve a mail. Errors: those of
   * `tasks.humanResponse`.
   */
  readonly answer: (id: string, response: string, options?: AnswerOptions) => Promise<Task>
  /**
   * Sends the agent a message, once, as `submit`. A finished task is continued by a new one, which is the result. Errors:
   * those of `tasks.message`.
   */
  readonly message: (id: string, message: string, options?: MessageOptions) => Promise<Task>
  /** Cancels a task and its subtasks. Errors: those of `tasks.cancel`. */
  readonly cancel: (id: string, reason?: string, options?: CallOptions) => Promise<Task>
  /** Continues a failed task from its last saved step. Errors: those of `tasks.retry`. */
  readonly retry: (id: string, options?: CallOptions) => Promise<Task>
  /** The events of a task until it is finished; resumes when the connection breaks or the service restarts. */
  readonly watch: (id: string, options?: WatchOptions) => AsyncGenerator<TaskEvent, void>
  /** Log lines and statuses of all tasks, from now on or `after` an event; resumes likewise, and never ends. */
  readonly watchAll: (options?: WatchOptions) => AsyncGenerator<AnyTaskEvent, void>
  /** The user of the token; the default user on a self-hosted service. */
  readonly me: (options?: CallOptions) => Promise<User>
  readonly files: Endpoints["files"] & {
    /**
     * Uploads a file; one of the same name is replaced once all of it has arrived.
     *
     * Errors:
     * - 400: The name or the user is not valid
     * - 413: The file is too large, or the storage quota is exceeded
     * - 415: Files of this kind are not accepted
     */
    readonly upload: (
      name: string,
      content: Blob | Uint8Array<ArrayBuffer> | string,
      options?: UserCallOptions
    ) => Promise<UploadedFile>
  }
  /** The same operations by path: `troupe.http.GET("/api/skills/")`. It throws as the methods do. */
  readonly http: Client<paths>
}

/** Pages over plain http have no `crypto.randomUUID`. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const aborted = (signal: AbortSignal | undefined): CallOptions => signal === undefined ? {} : { signal }

/** A client of the service at `url`, for Node 20 and browsers. */
export const createTroupe = (options: TroupeOptions): Troupe => {
  const calls = makeHttpCalls(options)
  const { http } = calls
  const endpointCalls = makeEndpointCalls(http, options.user)
  const { read } = endpointCalls
  const endpoints = makeEndpoints(endpointCalls)
  const { files, tasks, users } = endpoints
  const once = (idempotencyKey: string = newKey()) => ({ "idempotency-key": idempotencyKey })

  return {
    ...endpoints,
    http,
    submit: async (task, { idempotencyKey, ...rest } = {}) => {
      const body = typeof task === "string" ? { message: task } : task
      return (await read(http.POST("/chat", { ...rest, params: { header: once(idempotencyKey) }, body }))).task
    },
    get: (id, rest) => tasks.find(id, {}, rest),
    list: tasks.list,
    answer: async (task_id, response, { signal, ...more } = {}) =>
      (await tasks.humanResponse({ task_id, response, ...more }, aborted(signal))).task,
    message: async (task_id, message, { idempotencyKey, signal, ...more } = {}) => {
      const params = { path: { task_id }, header: once(idempotencyKey) }
      return (await read(
        http.POST("/task/{task_id}/message", { ...aborted(signal), params, body: { message, ...more } })
      )).task
    },
    cancel: async (id, reason, rest) => (await tasks.cancel(id, reason === undefined ? {} : { reason }, rest)).task,
    retry: async (id, rest) => (await tasks.retry(id, rest)).task,
    watch: (id, watching = {}) => watchTask(calls, (task) => tasks.find(task, { logs: false }), id, watching),
    watchAll: (watching = {}) => watchAllTasks(calls, watching),
    me: users.me,
    files: {
      ...files,
      upload: (name, content, { user = options.user, ...rest } = {}) => {
        const file = content instanceof Blob ? content : new Blob([content])
        const form = new FormData()
        if (user !== undefined) form.set("user_id", user)
        form.set("file", file, name)
        return read(http.POST("/upload-file", {
          ...rest,
          body: { file },
          bodySerializer: () => form,
          fetch: (request) => calls.upload(request, file.size)
        }))
      }
    }
  }
}
