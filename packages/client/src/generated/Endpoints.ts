// Generated from the OpenAPI document by `npm run generate`. Do not edit.
import type { CallOptions, EndpointCalls, Page, Query, UserCallOptions } from "../EndpointCalls.ts"
import type * as Schemas from "./OpenApi.ts"

/** A method for each operation of the service, by the groups of its document. */
export const makeEndpoints = ({ done, http, page, read, userOf }: EndpointCalls) => ({
  /**
   * Health and system.
   */
  system: {
    /**
     * Name and version; browsers are redirected to the console, or to the docs while there is none.
     */
    welcome: (options: CallOptions = {}): Promise<Schemas.Welcome> =>
      read(http.GET("/", { ...options })),
    /**
     * Whether the service is available: 503 if the database does not respond within 2 s.
     *
     * Errors:
     * - 503: Unhealthy
     */
    liveness: (options: CallOptions = {}): Promise<Schemas.Healthy> =>
      read(http.GET("/health", { ...options })),
    /**
     * Every part of the service, with what to set to fix it.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    health: (options: CallOptions = {}): Promise<Schemas.HealthReport> =>
      read(http.GET("/api/health", { ...options })),
    /**
     * Version and features.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    version: (options: CallOptions = {}): Promise<Schemas.VersionInfo> =>
      read(http.GET("/api/version", { ...options })),
    /**
     * Whether the programs that tool servers need are installed.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    info: (options: CallOptions = {}): Promise<Schemas.SystemInfo> =>
      read(http.GET("/system/info", { ...options })),
    /**
     * The settings in effect of the process that answers; of a secret, only whether it is set.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    settings: (options: CallOptions = {}): Promise<Schemas.SettingsReport> =>
      read(http.GET("/system/settings", { ...options })),
    /**
     * How many tasks ended, how long they took and what they used, over time.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    history: (query: Query<"/system/history"> = {}, options: CallOptions = {}): Promise<Schemas.TaskHistory> =>
      read(http.GET("/system/history", { ...options, params: { query } })),
    /**
     * How much the database and the users' files take, and how long tasks are kept.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    storage: (options: CallOptions = {}): Promise<Schemas.StorageReport> =>
      read(http.GET("/system/storage", { ...options })),
    /**
     * The metrics of this process, as Prometheus text; requires METRICS_TOKEN if it is set.
     */
    metrics: (options: CallOptions = {}): Promise<string> =>
      read(http.GET("/metrics", { ...options, parseAs: "text" }))
  },
  /**
   * Settings.
   */
  settings: {
    /**
     * Every setting with its value and where that is from; of a secret, whether it is set.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.Setting>> =>
      read(http.GET("/api/settings", { ...options })),
    /**
     * Stores settings, all of them or none, and answers with every setting. They take effect in every process within 10 seconds; no running call is cut. null removes what is stored. 400 names each value that is wrong, that the environment or .env sets, or that is read at the start only.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/secrets-unsealed`: Secrets can't be sealed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    change: (body: Schemas.SettingChanges = {}, options: CallOptions = {}): Promise<ReadonlyArray<Schemas.Setting>> =>
      read(http.PUT("/api/settings", { ...options, body })),
    /**
     * The last 200 changes, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    history: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.SettingChange>> =>
      read(http.GET("/api/settings/history", { ...options })),
    /**
     * Tries the settings of a section, also before they are stored. model: a short call of the given settings, else of the default model. chat: the platform accepts the token, and the addresses for its requests answer. smtp and imap: the server accepts the sign-in; nothing is sent without mail_to. storage: a file is written and deleted.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    test: (body: Schemas.SettingsTestRequest, options: CallOptions = {}): Promise<Schemas.SettingsTestReport> =>
      read(http.POST("/api/settings/test", { ...options, body }))
  },
  /**
   * Sign-in of browsers.
   */
  signIn: {
    /**
     * The user who sends the request, and how they signed in.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    session: (options: CallOptions = {}): Promise<Schemas.SignedIn> =>
      read(http.GET("/auth/session", { ...options })),
    /**
     * Ends the session of the browser; its event streams end too.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/not-found`: Not found
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    logout: (body: Schemas.LogoutRequest = {}, options: CallOptions = {}): Promise<void> =>
      done(http.POST("/auth/logout", { ...options, body }))
  },
  /**
   * Tasks.
   */
  tasks: {
    /**
     * Tasks, newest first, without logs, outputs and webhook data; pages of long texts are shorter. Where few of many tasks match, a page ends after a part of them: it may be short or empty and still have a next one. In hosted mode, a member sees of the tasks of others what GET /task/{task_id} shows of them.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/tasks"> = {}, options: CallOptions = {}): Promise<Page<Schemas.Task>> =>
      page(http.GET("/tasks", { ...options, params: { query } })),
    /**
     * How many tasks of a list have each status, up to 1,000 each; `capped` has the statuses of which there may be more.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    counts: (query: Query<"/tasks/counts"> = {}, options: CallOptions = {}): Promise<Schemas.TaskCounts> =>
      read(http.GET("/tasks/counts", { ...options, params: { query } })),
    /**
     * One task with its logs and outputs. In hosted mode, only its creator, its assignee, the owner and admins see its content; to other members `description`, `question`, `plan`, `error`, `attachments`, webhook data and the data of logs are empty.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (taskId: string, query: Query<"/task/{task_id}"> = {}, options: CallOptions = {}): Promise<Schemas.Task> =>
      read(http.GET("/task/{task_id}", { ...options, params: { path: { task_id: taskId }, query } })),
    /**
     * Archives the task; a second call deletes it.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (taskId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/task/{task_id}", { ...options, params: { path: { task_id: taskId } } })),
    /**
     * The subtasks that the task dispatched, newest first, as GET /tasks shows them.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    subtasks: (taskId: string, query: Query<"/task/{task_id}/subtasks"> = {}, options: CallOptions = {}): Promise<Page<Schemas.Task>> =>
      page(http.GET("/task/{task_id}/subtasks", { ...options, params: { path: { task_id: taskId }, query } })),
    /**
     * Which worker runs the task, and when it is due.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    workerStatus: (taskId: string, options: CallOptions = {}): Promise<Schemas.WorkerStatus> =>
      read(http.GET("/task/{task_id}/worker-status", { ...options, params: { path: { task_id: taskId } } })),
    /**
     * Creates a task from a user's request.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/idempotency-conflict`: The idempotency key can't be used again
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    chat: (body: Schemas.ChatRequest, options: CallOptions = {}): Promise<Schemas.Accepted> =>
      read(http.POST("/chat", { ...options, body })),
    /**
     * Answers the question of a task that waits for input.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 409 `/problems/task-state-conflict`: The task's state does not allow it
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    humanResponse: (body: Schemas.HumanResponse, options: CallOptions = {}): Promise<Schemas.Accepted> =>
      read(http.POST("/human_response", { ...options, body })),
    /**
     * Stops the task and its subtasks.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 409 `/problems/task-state-conflict`: The task's state does not allow it
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    cancel: (taskId: string, body: Schemas.CancelRequest = {}, options: CallOptions = {}): Promise<Schemas.Accepted> =>
      read(http.POST("/task/{task_id}/cancel", { ...options, params: { path: { task_id: taskId } }, body })),
    /**
     * Puts an archived task back into the lists; a task that is not archived stays as it is.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    restore: (taskId: string, options: CallOptions = {}): Promise<Schemas.Task> =>
      read(http.POST("/task/{task_id}/restore", { ...options, params: { path: { task_id: taskId } } })),
    /**
     * Continues a failed task from its last saved step.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 409 `/problems/task-state-conflict`: The task's state does not allow it
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    retry: (taskId: string, options: CallOptions = {}): Promise<Schemas.Accepted> =>
      read(http.POST("/task/{task_id}/retry", { ...options, params: { path: { task_id: taskId } } })),
    /**
     * Sends the agent a message for its next model call. It answers the question of a task that waits for input, and continues a finished task by a new one, whose id is in the response.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 409 `/problems/idempotency-conflict`: The idempotency key can't be used again
     * - 409 `/problems/task-state-conflict`: The task's state does not allow it
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    message: (taskId: string, body: Schemas.MessageRequest, options: CallOptions = {}): Promise<Schemas.Accepted> =>
      read(http.POST("/task/{task_id}/message", { ...options, params: { path: { task_id: taskId } }, body })),
    /**
     * The messages that the next model call gets; with full=true, all messages. In hosted mode, only the task's creator, its assignee, the owner and admins may read them; 403 for other members.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    messages: (taskId: string, query: Query<"/task/{task_id}/messages"> = {}, options: CallOptions = {}): Promise<ReadonlyArray<Schemas.Message>> =>
      read(http.GET("/task/{task_id}/messages", { ...options, params: { path: { task_id: taskId }, query } })),
    /**
     * What the tasks and subtasks of the user used, in total and by day: tokens, calls and cost.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    usage: async (query: Query<"/users/{user_id}/usage"> = {}, { user, ...options }: UserCallOptions = {}): Promise<Schemas.UserUsage> =>
      read(http.GET("/users/{user_id}/usage", { ...options, params: { path: { user_id: await userOf(user) }, query } })),
    /**
     * The workers, the due tasks and the scheduled jobs.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    workerHealth: (options: CallOptions = {}): Promise<Schemas.WorkerHealth> =>
      read(http.GET("/worker/health", { ...options }))
  },
  /**
   * Task steps.
   */
  taskSteps: {
    /**
     * The steps of a task, newest first, with the first 2,000 characters of each text. In hosted mode, whoever may not read the task's content gets no texts, calls and results.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (taskId: string, query: Query<"/task/{task_id}/steps"> = {}, options: CallOptions = {}): Promise<Page<Schemas.TaskStep>> =>
      page(http.GET("/task/{task_id}/steps", { ...options, params: { path: { task_id: taskId }, query } })),
    /**
     * One step with its whole texts.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 404 `/problems/step-not-found`: No such step
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (taskId: string, seq: string, options: CallOptions = {}): Promise<Schemas.TaskStep> =>
      read(http.GET("/task/{task_id}/steps/{seq}", { ...options, params: { path: { task_id: taskId, seq: seq } } })),
    /**
     * What the model saw when it made a step of kind `model`, or sees after one of kind `compacted`: the messages, and of a call the whole system prompt and the tools. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 404 `/problems/step-not-found`: No such step
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    context: (taskId: string, seq: string, options: CallOptions = {}): Promise<Schemas.StepContext> =>
      read(http.GET("/task/{task_id}/steps/{seq}/context", { ...options, params: { path: { task_id: taskId, seq: seq } } })),
    /**
     * The task and all its steps as lines of JSON: first `{"task": ...}`, then `{"step": ...}` for each step, oldest first. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    export: (taskId: string, options: CallOptions = {}): Promise<string> =>
      read(http.GET("/task/{task_id}/export", { ...options, params: { path: { task_id: taskId } }, parseAs: "text" }))
  },
  /**
   * Tasks in bulk.
   */
  taskBulk: {
    /**
     * Cancels, retries or archives all tasks that match a filter, or restores or deletes all archived ones, as the caller: newest first, in the background, once for each task, also through a crash. Tasks that are made later are left alone.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/idempotency-conflict`: The idempotency key can't be used again
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    start: (body: Schemas.BulkRequest, options: CallOptions = {}): Promise<Schemas.BulkOperation> =>
      read(http.POST("/tasks/bulk", { ...options, body })),
    /**
     * How far an operation is. For the one who asked for it, the owner and admins.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/bulk-operation-not-found`: No such bulk operation
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (bulkId: string, options: CallOptions = {}): Promise<Schemas.BulkOperation> =>
      read(http.GET("/tasks/bulk/{bulk_id}", { ...options, params: { path: { bulk_id: bulkId } } }))
  },
  /**
   * Task preview.
   */
  taskPreview: {
    /**
     * The skills and tools that a task with this message would get now; it makes no task and no model call.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    preview: (body: Schemas.TaskPreviewRequest, options: CallOptions = {}): Promise<Schemas.TaskPreview> =>
      read(http.POST("/chat/preview", { ...options, body }))
  },
  /**
   * Agents.
   */
  agents: {
    /**
     * Agents, by name.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/agents"> = {}, options: CallOptions = {}): Promise<Page<Schemas.AgentSummary>> =>
      page(http.GET("/api/agents", { ...options, params: { query } })),
    /**
     * Creates an agent in AGENTS_PATH.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/agent-name-taken`: The agent's name is taken
     * - 503 `/problems/agents-unwritable`: The agents can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    create: (body: Schemas.AgentCreateRequest, options: CallOptions = {}): Promise<Schemas.AgentDetail> =>
      read(http.POST("/api/agents", { ...options, body })),
    /**
     * One agent with its instructions.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/agent-not-found`: No such agent
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (agentName: string, options: CallOptions = {}): Promise<Schemas.AgentDetail> =>
      read(http.GET("/api/agents/{agent_name}", { ...options, params: { path: { agent_name: agentName } } })),
    /**
     * Changes the given fields; a built-in agent is replaced by a changed copy in AGENTS_PATH. Tasks keep the revision that they began with.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/agent-not-found`: No such agent
     * - 409 `/problems/agent-name-taken`: The agent's name is taken
     * - 503 `/problems/agents-unwritable`: The agents can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    update: (agentName: string, body: Schemas.AgentUpdateRequest = {}, options: CallOptions = {}): Promise<Schemas.AgentDetail> =>
      read(http.PUT("/api/agents/{agent_name}", { ...options, params: { path: { agent_name: agentName } }, body })),
    /**
     * Deletes an agent in AGENTS_PATH; a built-in agent that it replaced is used again. Its tasks go on.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/agent-not-found`: No such agent
     * - 409 `/problems/agent-read-only`: The agent is built in
     * - 503 `/problems/agents-unwritable`: The agents can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (agentName: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/agents/{agent_name}", { ...options, params: { path: { agent_name: agentName } } })),
    /**
     * The revisions that tasks of the agent used, the last used first; also of an agent that is gone.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    revisions: (agentName: string, options: CallOptions = {}): Promise<ReadonlyArray<Schemas.AgentUse>> =>
      read(http.GET("/api/agents/{agent_name}/revisions", { ...options, params: { path: { agent_name: agentName } } })),
    /**
     * Scans the folders now, and returns what changed.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    reload: (options: CallOptions = {}): Promise<Schemas.AgentReload> =>
      read(http.POST("/api/agents/reload", { ...options }))
  },
  /**
   * Approvals.
   */
  approvals: {
    /**
     * The calls that ask, or have asked, for approval, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/approvals"> = {}, options: CallOptions = {}): Promise<Page<Schemas.Approval>> =>
      page(http.GET("/api/approvals", { ...options, params: { query } })),
    /**
     * Approves or denies calls of a task; it goes on once all are decided.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/task-not-found`: No such task
     * - 409 `/problems/task-state-conflict`: The task's state does not allow it
     * - 409 `/problems/approval-decided`: The call is decided already
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    decide: (taskId: string, body: Schemas.ApprovalsRequest, options: CallOptions = {}): Promise<Schemas.Accepted> =>
      read(http.POST("/task/{task_id}/approvals", { ...options, params: { path: { task_id: taskId } }, body })),
    /**
     * What needs no approval any more, because somebody said so, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    grants: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.Grant>> =>
      read(http.GET("/api/grants", { ...options })),
    /**
     * Ends a grant.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/grant-not-found`: No such grant
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    removeGrant: (grantId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/grants/{grant_id}", { ...options, params: { path: { grant_id: grantId } } }))
  },
  /**
   * Policy.
   */
  policy: {
    /**
     * The rules about tool calls, and which of them never apply.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (options: CallOptions = {}): Promise<Schemas.PolicyReport> =>
      read(http.GET("/api/policy", { ...options })),
    /**
     * Saves the next revision of the rules; 409 if somebody has saved one since. Every revision is kept.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/policy-changed`: The policy was changed meanwhile
     * - 409 `/problems/preset-locked`: The preset is set in the environment
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    update: (body: Schemas.PolicyChange, options: CallOptions = {}): Promise<Schemas.PolicyReport> =>
      read(http.PUT("/api/policy", { ...options, body })),
    /**
     * What these rules would have decided about the calls of past tasks; it saves nothing. What a task would have done after another decision is not known.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    test: (body: Schemas.PolicyTest = {}, options: CallOptions = {}): Promise<Schemas.PolicyTestReport> =>
      read(http.POST("/api/policy/test", { ...options, body })),
    /**
     * Every tool that agents may have, with its class and where that comes from.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    tools: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.PolicyTool>> =>
      read(http.GET("/api/policy/tools", { ...options })),
    /**
     * Every saved revision, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    revisions: (query: Query<"/api/policy/revisions"> = {}, options: CallOptions = {}): Promise<Page<Schemas.PolicyRevision>> =>
      page(http.GET("/api/policy/revisions", { ...options, params: { query } }))
  },
  /**
   * Skills.
   */
  skills: {
    /**
     * Skills, by name.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/skills/"> = {}, options: CallOptions = {}): Promise<Page<Schemas.SkillSummary>> =>
      page(http.GET("/api/skills/", { ...options, params: { query } })),
    /**
     * Creates a skill in SKILLS_PATH.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/skill-name-taken`: The skill's name is taken
     * - 503 `/problems/skills-unwritable`: The skills can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    create: (body: Schemas.SkillCreateRequest, options: CallOptions = {}): Promise<Schemas.SkillDetail> =>
      read(http.POST("/api/skills/", { ...options, body })),
    /**
     * What each skill lacks on this machine.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    requirements: (options: CallOptions = {}): Promise<Schemas.SkillStatuses> =>
      read(http.GET("/api/skills/requirements", { ...options })),
    /**
     * One skill with its instructions.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/skill-not-found`: No such skill
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (skillName: string, options: CallOptions = {}): Promise<Schemas.SkillDetail> =>
      read(http.GET("/api/skills/{skill_name}", { ...options, params: { path: { skill_name: skillName } } })),
    /**
     * Changes the given fields; a built-in skill is replaced by a changed copy in SKILLS_PATH.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/skill-not-found`: No such skill
     * - 409 `/problems/skill-name-taken`: The skill's name is taken
     * - 503 `/problems/skills-unwritable`: The skills can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    update: (skillName: string, body: Schemas.SkillUpdateRequest = {}, options: CallOptions = {}): Promise<Schemas.SkillDetail> =>
      read(http.PUT("/api/skills/{skill_name}", { ...options, params: { path: { skill_name: skillName } }, body })),
    /**
     * Deletes a skill in SKILLS_PATH; a built-in skill that it replaced is used again.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/skill-not-found`: No such skill
     * - 409 `/problems/skill-read-only`: The skill is built in
     * - 503 `/problems/skills-unwritable`: The skills can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (skillName: string, options: CallOptions = {}): Promise<Schemas.SkillRemoved> =>
      read(http.DELETE("/api/skills/{skill_name}", { ...options, params: { path: { skill_name: skillName } } })),
    /**
     * The skills that fit a request; by tags alone while there are no embeddings.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    match: (body: Schemas.SkillMatchRequest, options: CallOptions = {}): Promise<Schemas.SkillMatches> =>
      read(http.POST("/api/skills/match", { ...options, body })),
    /**
     * Scans the folders now, and returns what changed.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    reload: (options: CallOptions = {}): Promise<Schemas.SkillReload> =>
      read(http.POST("/api/skills/reload", { ...options })),
    /**
     * The score of every skill for a request.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/model-unavailable`: The language model does not answer
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    similarity: (query: string, options: CallOptions = {}): Promise<Schemas.SkillSimilarity> =>
      read(http.GET("/api/skills/debug/similarity/{query}", { ...options, params: { path: { query: query } } })),
    /**
     * Writes a skill with the language model.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/skill-name-taken`: The skill's name is taken
     * - 502 `/problems/skill-not-generated`: The language model wrote no valid skill
     * - 503 `/problems/model-unavailable`: The language model does not answer
     * - 503 `/problems/skills-unwritable`: The skills can't be written now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    generate: (body: Schemas.SkillGenerateRequest, options: CallOptions = {}): Promise<Schemas.SkillGenerated> =>
      read(http.POST("/api/skills/generate", { ...options, body }))
  },
  /**
   * Tool servers.
   */
  toolServers: {
    /**
     * A fixed message: the workers run the tool servers.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    legacyStatus: (options: CallOptions = {}): Promise<Schemas.MCPLegacyStatus> =>
      read(http.GET("/mcp/status", { ...options })),
    /**
     * The state of the tool servers.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    status: (options: CallOptions = {}): Promise<Schemas.MCPConfigResponse> =>
      read(http.GET("/api/mcp/status", { ...options })),
    /**
     * The tools of a server with their definitions, also those that are off; empty before its first list.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/tool-server-not-found`: No such tool server
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    tools: (serverName: string, options: CallOptions = {}): Promise<Schemas.ToolServerTools> =>
      read(http.GET("/api/mcp/servers/{server_name}/tools", { ...options, params: { path: { server_name: serverName } } })),
    /**
     * Accepts tools that are off by the definitions that they had when they were looked at, and no others.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/tool-server-not-found`: No such tool server
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    accept: (serverName: string, body: Schemas.AcceptedTools, options: CallOptions = {}): Promise<Schemas.MCPConfigResponse> =>
      read(http.POST("/api/mcp/servers/{server_name}/accept", { ...options, params: { path: { server_name: serverName } }, body })),
    /**
     * Calls a tool for the caller, within the rules of the policy and the limits of calls: by an owner or admin, or with per_user by each member with their own sign-in. It is a real call, and the log of the service records who made it.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/tool-server-not-found`: No such tool server
     * - 404 `/problems/tool-not-found`: No such tool
     * - 409 `/problems/tool-not-callable`: The tool can't be called now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    test: (serverName: string, toolName: string, body: Schemas.ToolTest = {}, options: CallOptions = {}): Promise<Schemas.ToolTested> =>
      read(http.POST("/api/mcp/servers/{server_name}/tools/{tool_name}/test", { ...options, params: { path: { server_name: serverName, tool_name: toolName } }, body })),
    /**
     * The configuration as it was sent, with ******** for each value of env and headers.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    configuration: (options: CallOptions = {}): Promise<Schemas.MCPConfigRequest> =>
      read(http.GET("/api/mcp/configure", { ...options })),
    /**
     * Replaces the configuration, then waits some seconds for the servers to connect. The value ******** in env or headers keeps the stored secret of that name if the server's command, arguments, folder and url are unchanged. A secret in env is kept only if also no other variable is added or changed, because a variable could make the program send the secret elsewhere. If a secret can't be kept, nothing is changed: 400 names it. References such as ${NAME} are stored as they are and get their values when the server is started; on a hosted instance only the servers of MCP_CONFIG_FILE may refer to the service's environment.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    configure: (body: Schemas.MCPConfigRequest, options: CallOptions = {}): Promise<Schemas.MCPConfigResponse> =>
      read(http.POST("/api/mcp/configure", { ...options, body })),
    /**
     * Deletes the configuration and stops all tool servers.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    clear: (options: CallOptions = {}): Promise<Schemas.MCPConfigResponse> =>
      read(http.DELETE("/api/mcp/configure", { ...options }))
  },
  /**
   * Sign-in at tool servers.
   */
  toolServerSignIn: {
    /**
     * Begins a sign-in at a tool server: by an owner or admin, or with per_user by each member for themselves.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/tool-server-not-found`: No such tool server
     * - 409 `/problems/sign-in-not-possible`: Nobody can sign in at the tool server now
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    connect: (serverName: string, query: Query<"/api/mcp/servers/{server_name}/connect", "post"> = {}, options: CallOptions = {}): Promise<Schemas.ConnectStarted> =>
      read(http.POST("/api/mcp/servers/{server_name}/connect", { ...options, params: { path: { server_name: serverName }, query } })),
    /**
     * Forgets the sign-in at a tool server, with its tokens.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/tool-server-not-found`: No such tool server
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    forget: (serverName: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/mcp/servers/{server_name}/connection", { ...options, params: { path: { server_name: serverName } } })),
    /**
     * Completes the sign-in that a browser began, and shows a page that says what was connected, or why it was not.
     */
    connected: (options: CallOptions = {}): Promise<string> =>
      read(http.GET("/auth/mcp/callback", { ...options, parseAs: "text" })),
    /**
     * The client id metadata document that authorization servers read.
     */
    client: (options: CallOptions = {}): Promise<Schemas.ClientDocument> =>
      read(http.GET("/auth/mcp/client.json", { ...options }))
  },
  /**
   * Models.
   */
  models: {
    /**
     * The models with what their last calls showed; keys are never shown.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (options: CallOptions = {}): Promise<Schemas.LanguageModels> =>
      read(http.GET("/api/models", { ...options })),
    /**
     * Model servers that answer on the machine of the service; none on a hosted instance.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    servers: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.LocalModelServer>> =>
      read(http.GET("/api/models/servers", { ...options })),
    /**
     * The names of the models that a provider lists.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    catalogue: (body: Schemas.LanguageModelCatalogueRequest, options: CallOptions = {}): Promise<Schemas.LanguageModelCatalogue> =>
      read(http.POST("/api/models/catalogue", { ...options, body })),
    /**
     * Makes a real call of a model that is not saved, as small as it can be.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    trial: (body: Schemas.LanguageModelTrial, options: CallOptions = {}): Promise<Schemas.LanguageModelTested> =>
      read(http.POST("/api/models/trial", { ...options, body })),
    /**
     * Chooses the default model and the fallbacks, in every process within a second. Calls under way are not cut; the embeddings of stored memories stay.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    choose: (body: Schemas.DefaultLanguageModel, options: CallOptions = {}): Promise<Schemas.LanguageModels> =>
      read(http.PUT("/api/models/default", { ...options, body })),
    /**
     * Adds a model, or replaces the one of this name.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/key-not-sealable`: Keys can't be stored
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    save: (name: string, body: Schemas.LanguageModelEntry, options: CallOptions = {}): Promise<Schemas.LanguageModel> =>
      read(http.PUT("/api/models/{name}", { ...options, params: { path: { name: name } }, body })),
    /**
     * Deletes a stored model that is neither the default, nor a fallback, nor an agent's.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/model-not-found`: No such model
     * - 409 `/problems/model-in-use`: The model is in use
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (name: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/models/{name}", { ...options, params: { path: { name: name } } })),
    /**
     * Makes a real call of the model, as small as it can be.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/model-not-found`: No such model
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    test: (name: string, options: CallOptions = {}): Promise<Schemas.LanguageModelTested> =>
      read(http.POST("/api/models/{name}/test", { ...options, params: { path: { name: name } } }))
  },
  /**
   * Users.
   */
  users: {
    /**
     * All users, by name, then by id.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/users"> = {}, options: CallOptions = {}): Promise<Page<Schemas.User>> =>
      page(http.GET("/users", { ...options, params: { query } })),
    /**
     * The user of the token; the default user on a self-hosted service.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    me: (options: CallOptions = {}): Promise<Schemas.User> =>
      read(http.GET("/users/me", { ...options })),
    /**
     * Sets fields; a field that was given is not overwritten by a sync, and null clears it. An address that another user has is refused, unless join is true.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 409 `/problems/address-taken`: Another user has the address
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    change: (userId: string, body: Schemas.UserChanges = {}, options: CallOptions = {}): Promise<Schemas.User> =>
      read(http.PUT("/users/{user_id}", { ...options, params: { path: { user_id: userId } }, body })),
    /**
     * Removes all overrides, so that the next sync may write all fields.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    clearOverrides: (userId: string, options: CallOptions = {}): Promise<Schemas.User> =>
      read(http.DELETE("/users/{user_id}/overrides", { ...options, params: { path: { user_id: userId } } }))
  },
  /**
   * Notifications.
   */
  notifications: {
    /**
     * The user's feed, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: async (query: Query<"/users/{user_id}/notifications"> = {}, { user, ...options }: UserCallOptions = {}): Promise<Page<Schemas.Notification>> =>
      page(http.GET("/users/{user_id}/notifications", { ...options, params: { path: { user_id: await userOf(user) }, query } })),
    /**
     * Marks a notification as read; a second call changes nothing.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/notification-not-found`: No such notification
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    markRead: async (notificationId: string, { user, ...options }: UserCallOptions = {}): Promise<Schemas.Notification> =>
      read(http.POST("/users/{user_id}/notifications/{notification_id}/mark_read", { ...options, params: { path: { user_id: await userOf(user), notification_id: notificationId } } })),
    /**
     * Marks a notification as unread again; a second call changes nothing.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/notification-not-found`: No such notification
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    markUnread: async (notificationId: string, { user, ...options }: UserCallOptions = {}): Promise<Schemas.Notification> =>
      read(http.POST("/users/{user_id}/notifications/{notification_id}/mark_unread", { ...options, params: { path: { user_id: await userOf(user), notification_id: notificationId } } })),
    /**
     * Deletes a notification from the feed.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/notification-not-found`: No such notification
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: async (notificationId: string, { user, ...options }: UserCallOptions = {}): Promise<void> =>
      done(http.DELETE("/users/{user_id}/notifications/{notification_id}", { ...options, params: { path: { user_id: await userOf(user), notification_id: notificationId } } }))
  },
  /**
   * Files.
   */
  files: {
    /**
     * All files of a user, those in folders too, by path.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/storage-unavailable`: The file storage is unavailable
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: async (query: Query<"/files/{user_id}"> = {}, { user, ...options }: UserCallOptions = {}): Promise<Page<Schemas.UserFile>> =>
      page(http.GET("/files/{user_id}", { ...options, params: { path: { user_id: await userOf(user) }, query } })),
    /**
     * How much of the storage quota the user's files take; measured once a minute.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/storage-unavailable`: The file storage is unavailable
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    usage: async ({ user, ...options }: UserCallOptions = {}): Promise<Schemas.StorageUsage> =>
      read(http.GET("/users/{user_id}/storage", { ...options, params: { path: { user_id: await userOf(user) } } })),
    /**
     * The content, as an attachment. Range (one range), If-Range, If-None-Match and If-Modified-Since are supported.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 404 `/problems/file-not-found`: No such file
     * - 503 `/problems/storage-unavailable`: The file storage is unavailable
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    download: async (path: string, { user, ...options }: UserCallOptions = {}): Promise<Blob> =>
      read(http.GET("/files/{user_id}/{path}", { ...options, params: { path: { user_id: await userOf(user), path: path } }, parseAs: "blob" })),
    /**
     * Deletes a file.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 404 `/problems/file-not-found`: No such file
     * - 503 `/problems/storage-unavailable`: The file storage is unavailable
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: async (path: string, { user, ...options }: UserCallOptions = {}): Promise<void> =>
      done(http.DELETE("/files/{user_id}/{path}", { ...options, params: { path: { user_id: await userOf(user), path: path } } }))
  },
  /**
   * Team.
   */
  team: {
    /**
     * Invites a member; 200 with the same invitation while one is open.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/seat-limit`: No seats left
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/not-found`: Not found
     * - 409 `/problems/already-member`: Already a member
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    invite: (body: Schemas.TeamInviteRequest, options: CallOptions = {}): Promise<Schemas.TeamInvitation> =>
      read(http.POST("/team/invite", { ...options, body })),
    /**
     * The tier, the seats and the members.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/not-found`: Not found
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    info: (options: CallOptions = {}): Promise<Schemas.TeamInfo> =>
      read(http.GET("/team/info", { ...options })),
    /**
     * Sets the role of a member or of an invitation; it counts from the next request on.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/member-not-found`: No such member
     * - 404 `/problems/not-found`: Not found
     * - 409 `/problems/owner-not-changeable`: The owner can't be changed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    change: (memberId: string, body: Schemas.TeamMemberChange, options: CallOptions = {}): Promise<Schemas.TeamMember> =>
      read(http.PUT("/team/members/{member_id}", { ...options, params: { path: { member_id: memberId } }, body })),
    /**
     * Removes a member or withdraws an invitation, and frees the seat.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/member-not-found`: No such member
     * - 404 `/problems/not-found`: Not found
     * - 409 `/problems/owner-not-changeable`: The owner can't be changed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (memberId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/team/members/{member_id}", { ...options, params: { path: { member_id: memberId } } }))
  },
  /**
   * Tokens.
   */
  tokens: {
    /**
     * The caller's tokens, newest first; never the tokens themselves.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/not-found`: Not found
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/tokens"> = {}, options: CallOptions = {}): Promise<Page<Schemas.AccessToken>> =>
      page(http.GET("/api/tokens", { ...options, params: { query } })),
    /**
     * Creates a token that counts wherever an ID token does, and acts as the caller with at most its role. Only this response contains it. 403 for a caller that uses such a token, and for a role above the caller's.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/not-found`: Not found
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    create: (body: Schemas.AccessTokenRequest, options: CallOptions = {}): Promise<Schemas.CreatedAccessToken> =>
      read(http.POST("/api/tokens", { ...options, body })),
    /**
     * Revokes a token at once, in every process. Owner and admins may revoke the tokens of every member.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/access-token-not-found`: No such token
     * - 404 `/problems/not-found`: Not found
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (tokenId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/tokens/{token_id}", { ...options, params: { path: { token_id: tokenId } } }))
  },
  /**
   * Channels.
   */
  channels: {
    /**
     * All discovered channels, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/channels/"> = {}, options: CallOptions = {}): Promise<Page<Schemas.Channel>> =>
      page(http.GET("/api/channels/", { ...options, params: { query } })),
    /**
     * A channel.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/channel-not-found`: No such channel
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (channelId: string, options: CallOptions = {}): Promise<Schemas.Channel> =>
      read(http.GET("/api/channels/{channel_id}", { ...options, params: { path: { channel_id: channelId } } })),
    /**
     * Syncs users, channels and their members with the chat platform, and responds when that is done.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/chat-not-configured`: Team chat is not set up
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    syncAll: (options: CallOptions = {}): Promise<Schemas.ChannelSyncReport> =>
      read(http.POST("/api/channels/sync", { ...options })),
    /**
     * Syncs a channel and its members.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/channel-not-found`: No such channel
     * - 409 `/problems/chat-not-configured`: Team chat is not set up
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    sync: (channelId: string, options: CallOptions = {}): Promise<Schemas.ChannelSyncReport> =>
      read(http.POST("/api/channels/{channel_id}/sync", { ...options, params: { path: { channel_id: channelId } } })),
    /**
     * The members of a channel with their roles, by name, then by id.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/channel-not-found`: No such channel
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    members: (channelId: string, query: Query<"/api/channels/{channel_id}/members"> = {}, options: CallOptions = {}): Promise<Page<Schemas.ChannelMembership>> =>
      page(http.GET("/api/channels/{channel_id}/members", { ...options, params: { path: { channel_id: channelId }, query } })),
    /**
     * Sets what a member does in the channel; the prompts of agents contain it.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/channel-not-found`: No such channel
     * - 404 `/problems/membership-not-found`: No such member of the channel
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    changeMember: (channelId: string, userId: string, body: Schemas.MembershipChanges = {}, options: CallOptions = {}): Promise<Schemas.ChannelMembership> =>
      read(http.PUT("/api/channels/{channel_id}/members/{user_id}", { ...options, params: { path: { channel_id: channelId, user_id: userId } }, body }))
  },
  /**
   * Team chat.
   */
  teamChat: {
    /**
     * Tests the connection to the chat platform by a call; always 200.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    health: (options: CallOptions = {}): Promise<Schemas.TeamChatHealth> =>
      read(http.GET("/team-chat/health", { ...options }))
  },
  /**
   * Memories.
   */
  memories: {
    /**
     * What the user's agents remember, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: async (query: Query<"/users/{user_id}/memories"> = {}, { user, ...options }: UserCallOptions = {}): Promise<Page<Schemas.Memory>> =>
      page(http.GET("/users/{user_id}/memories", { ...options, params: { path: { user_id: await userOf(user) }, query } })),
    /**
     * Deletes all memories of the user; a second call changes nothing.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    removeAll: async ({ user, ...options }: UserCallOptions = {}): Promise<void> =>
      done(http.DELETE("/users/{user_id}/memories", { ...options, params: { path: { user_id: await userOf(user) } } })),
    /**
     * All memories of the user, one JSON object a line, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    export: async ({ user, ...options }: UserCallOptions = {}): Promise<string> =>
      read(http.GET("/users/{user_id}/memories/export", { ...options, params: { path: { user_id: await userOf(user) } }, parseAs: "text" })),
    /**
     * Deletes a memory; agents no longer find it.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/memory-not-found`: There is no such memory
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: async (memoryId: string, { user, ...options }: UserCallOptions = {}): Promise<void> =>
      done(http.DELETE("/users/{user_id}/memories/{memory_id}", { ...options, params: { path: { user_id: await userOf(user), memory_id: memoryId } } }))
  },
  /**
   * Personal data.
   */
  personalData: {
    /**
     * Cancels the user's tasks, then deletes tasks, notifications, memories, files and profile. A seat in the team stays, with its e-mail address alone. A second call changes nothing; for an id that no user ever had, it is 404.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    erase: (userId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/users/{user_id}/data", { ...options, params: { path: { user_id: userId } } }))
  },
  /**
   * Schedules.
   */
  schedules: {
    /**
     * Schedules, newest first; those that have ended stay for 30 days.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/schedules"> = {}, options: CallOptions = {}): Promise<Page<Schemas.Schedule>> =>
      page(http.GET("/api/schedules", { ...options, params: { query } })),
    /**
     * Creates a schedule.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/channel-not-found`: No such channel
     * - 409 `/problems/schedule-limit`: Too many schedules
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    create: (body: Schemas.ScheduleDraft, options: CallOptions = {}): Promise<Schemas.Schedule> =>
      read(http.POST("/api/schedules", { ...options, body })),
    /**
     * When a schedule with this time would run; nothing is created.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    preview: (body: Schemas.SchedulePreviewRequest = {}, options: CallOptions = {}): Promise<Schemas.SchedulePreview> =>
      read(http.POST("/api/schedules/preview", { ...options, body })),
    /**
     * A schedule with its next runs.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/schedule-not-found`: No such schedule
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    get: (scheduleId: string, options: CallOptions = {}): Promise<Schemas.Schedule> =>
      read(http.GET("/api/schedules/{schedule_id}", { ...options, params: { path: { schedule_id: scheduleId } } })),
    /**
     * Changes what the body names; a new time makes a schedule that has ended active again.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/channel-not-found`: No such channel
     * - 404 `/problems/schedule-not-found`: No such schedule
     * - 409 `/problems/schedule-limit`: Too many schedules
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    change: (scheduleId: string, body: Schemas.ScheduleUpdate = {}, options: CallOptions = {}): Promise<Schemas.Schedule> =>
      read(http.PUT("/api/schedules/{schedule_id}", { ...options, params: { path: { schedule_id: scheduleId } }, body })),
    /**
     * Deletes a schedule; its tasks and reminders stay.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/schedule-not-found`: No such schedule
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (scheduleId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/schedules/{schedule_id}", { ...options, params: { path: { schedule_id: scheduleId } } })),
    /**
     * Stops the runs until it is resumed; a second call changes nothing.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/schedule-not-found`: No such schedule
     * - 409 `/problems/schedule-ended`: The schedule has no further run
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    pause: (scheduleId: string, options: CallOptions = {}): Promise<Schemas.Schedule> =>
      read(http.POST("/api/schedules/{schedule_id}/pause", { ...options, params: { path: { schedule_id: scheduleId } } })),
    /**
     * Continues with the next run from now on; a second call changes nothing.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/schedule-not-found`: No such schedule
     * - 409 `/problems/schedule-ended`: The schedule has no further run
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    resume: (scheduleId: string, options: CallOptions = {}): Promise<Schemas.Schedule> =>
      read(http.POST("/api/schedules/{schedule_id}/resume", { ...options, params: { path: { schedule_id: scheduleId } } })),
    /**
     * Runs it now, in addition to its plan; `last_task_id` is the task.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/schedule-not-found`: No such schedule
     * - 409 `/problems/schedule-ended`: The schedule has no further run
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    run: (scheduleId: string, options: CallOptions = {}): Promise<Schemas.Schedule> =>
      read(http.POST("/api/schedules/{schedule_id}/run", { ...options, params: { path: { schedule_id: scheduleId } } }))
  },
  /**
   * Unattended work.
   */
  unattended: {
    /**
     * The health of every schedule, type of webhooks, mailbox and tool server, what is not ok first, at most 1,000 schedules; a member's list has the own schedules. It is looked at every 15 seconds.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.UnattendedWork>> =>
      read(http.GET("/api/unattended", { ...options }))
  },
  /**
   * Webhooks.
   */
  webhooks: {
    /**
     * Whether the queue of webhooks is available.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    health: (options: CallOptions = {}): Promise<Schemas.WebhookHealth> =>
      read(http.GET("/webhook/health", { ...options })),
    /**
     * How many webhooks are queued and failed, and the last failures.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    stats: (options: CallOptions = {}): Promise<Schemas.WebhookStats> =>
      read(http.GET("/webhook/stats", { ...options })),
    /**
     * Whether a worker processes webhooks.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    status: (options: CallOptions = {}): Promise<Schemas.WebhookStatus> =>
      read(http.GET("/webhook/status", { ...options })),
    /**
     * The webhooks, or events of the team chat, that arrived, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    deliveries: (query: Query<"/webhook/deliveries"> = {}, options: CallOptions = {}): Promise<Page<Schemas.WebhookDelivery>> =>
      page(http.GET("/webhook/deliveries", { ...options, params: { query } })),
    /**
     * A delivery with its headers, without secrets, and its payload.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/webhook-delivery-not-found`: No such delivery
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    delivery: (deliveryId: string, options: CallOptions = {}): Promise<Schemas.WebhookDeliveryContent> =>
      read(http.GET("/webhook/deliveries/{delivery_id}", { ...options, params: { path: { delivery_id: deliveryId } } })),
    /**
     * Makes a new task from the stored body of a webhook; a failed chat event is processed again.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/webhook-delivery-not-found`: No such delivery
     * - 409 `/problems/webhook-delivery-emptied`: The body was deleted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    replay: (deliveryId: string, options: CallOptions = {}): Promise<Schemas.WebhookReplay> =>
      read(http.POST("/webhook/deliveries/{delivery_id}/replay", { ...options, params: { path: { delivery_id: deliveryId } } })),
    /**
     * Accepts a webhook: 200 once it is committed; a worker then makes a task of it. In hosted mode it needs a valid signature of its type (WEBHOOK_SECRET_<TYPE>) or, where the type has no secret, a token. On a self-hosted service, the task of an unsigned webhook from another machine has read-only tools.
     *
     * Errors:
     * - 401 `/problems/webhook-unverified`: The webhook is not signed with its type's secret
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    receive: (webhookType: string, body: unknown, options: CallOptions = {}): Promise<Schemas.WebhookReceipt> =>
      read(http.POST("/webhook/{webhook_type}", { ...options, params: { path: { webhook_type: webhookType } }, body })),
    /**
     * Accepts a webhook of type team-chat: no token, but a rate limit.
     *
     * Errors:
     * - 401 `/problems/webhook-unverified`: The webhook is not signed with its type's secret
     */
    receiveTeamChat: (body: unknown, options: CallOptions = {}): Promise<Schemas.WebhookReceipt> =>
      read(http.POST("/webhook/team-chat", { ...options, body }))
  },
  /**
   * Webhook types.
   */
  webhookTypes: {
    /**
     * The types that are configured, and those of which something was delivered, by name.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.WebhookTypeSettings>> =>
      read(http.GET("/api/webhook-types", { ...options })),
    /**
     * A type of webhooks; of its secret, whether there is one.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/webhook-type-not-found`: No such type of webhooks
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (webhookType: string, options: CallOptions = {}): Promise<Schemas.WebhookTypeSettings> =>
      read(http.GET("/api/webhook-types/{webhook_type}", { ...options, params: { path: { webhook_type: webhookType } } })),
    /**
     * Configures a type, within 10 seconds in every process. What is left out stays as it is. With a secret, deliveries with a valid signature are accepted at POST /webhook/{type} without a token, in hosted mode too.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 409 `/problems/secrets-unsealed`: Secrets can't be sealed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    configure: (webhookType: string, body: Schemas.WebhookTypeChange = {}, options: CallOptions = {}): Promise<Schemas.WebhookTypeSettings> =>
      read(http.PUT("/api/webhook-types/{webhook_type}", { ...options, params: { path: { webhook_type: webhookType } }, body })),
    /**
     * Removes what is stored for a type; deliveries stay. 400 where the environment or .env sets it.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/webhook-type-not-found`: No such type of webhooks
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (webhookType: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/webhook-types/{webhook_type}", { ...options, params: { path: { webhook_type: webhookType } } }))
  },
  /**
   * Subscriptions.
   */
  subscriptions: {
    /**
     * The caller's subscriptions, newest first; an admin's list has those of all users.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/subscriptions"> = {}, options: CallOptions = {}): Promise<Page<Schemas.Subscription>> =>
      page(http.GET("/api/subscriptions", { ...options, params: { query } })),
    /**
     * Posts the events of tasks to an address. Only this response contains the secret.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/user-not-found`: No such user
     * - 409 `/problems/too-many-subscriptions`: Too many subscriptions
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    create: (body: Schemas.SubscriptionRequest, options: CallOptions = {}): Promise<Schemas.CreatedSubscription> =>
      read(http.POST("/api/subscriptions", { ...options, body })),
    /**
     * A subscription with the state of its newest event.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/subscription-not-found`: No such subscription
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    get: (subscriptionId: string, options: CallOptions = {}): Promise<Schemas.Subscription> =>
      read(http.GET("/api/subscriptions/{subscription_id}", { ...options, params: { path: { subscription_id: subscriptionId } } })),
    /**
     * Deletes a subscription with its deliveries, also those that wait.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/subscription-not-found`: No such subscription
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    remove: (subscriptionId: string, options: CallOptions = {}): Promise<void> =>
      done(http.DELETE("/api/subscriptions/{subscription_id}", { ...options, params: { path: { subscription_id: subscriptionId } } })),
    /**
     * Activates a subscription that was disabled. Earlier events are not posted.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/subscription-not-found`: No such subscription
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    resume: (subscriptionId: string, options: CallOptions = {}): Promise<Schemas.Subscription> =>
      read(http.POST("/api/subscriptions/{subscription_id}/resume", { ...options, params: { path: { subscription_id: subscriptionId } } })),
    /**
     * Posts an event subscription.test.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/subscription-not-found`: No such subscription
     * - 409 `/problems/subscription-inactive`: The subscription is not active
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    test: (subscriptionId: string, options: CallOptions = {}): Promise<Schemas.SubscriptionDelivery> =>
      read(http.POST("/api/subscriptions/{subscription_id}/test", { ...options, params: { path: { subscription_id: subscriptionId } } })),
    /**
     * The events that were or will be posted, newest first; for 30 days.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/subscription-not-found`: No such subscription
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    deliveries: (subscriptionId: string, query: Query<"/api/subscriptions/{subscription_id}/deliveries"> = {}, options: CallOptions = {}): Promise<Page<Schemas.SubscriptionDelivery>> =>
      page(http.GET("/api/subscriptions/{subscription_id}/deliveries", { ...options, params: { path: { subscription_id: subscriptionId }, query } })),
    /**
     * Posts an event once more, under the same webhook-id.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/subscription-not-found`: No such subscription
     * - 404 `/problems/delivery-not-found`: No such delivery
     * - 409 `/problems/subscription-inactive`: The subscription is not active
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    replay: (subscriptionId: string, deliveryId: string, options: CallOptions = {}): Promise<Schemas.SubscriptionDelivery> =>
      read(http.POST("/api/subscriptions/{subscription_id}/deliveries/{delivery_id}/replay", { ...options, params: { path: { subscription_id: subscriptionId, delivery_id: deliveryId } } }))
  },
  /**
   * Outbox.
   */
  outbox: {
    /**
     * Messages of the last 30 days with the state of their delivery, newest first.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    list: (query: Query<"/api/outbox"> = {}, options: CallOptions = {}): Promise<Page<Schemas.OutboxMessage>> =>
      page(http.GET("/api/outbox", { ...options, params: { query } })),
    /**
     * Sends a failed message again; one that may have arrived may arrive twice.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 404 `/problems/outbox-message-not-found`: No such message
     * - 409 `/problems/outbox-message-not-failed`: The message has not failed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    retry: (outboxId: string, options: CallOptions = {}): Promise<Schemas.OutboxMessage> =>
      read(http.POST("/api/outbox/{outbox_id}/retry", { ...options, params: { path: { outbox_id: outboxId } } }))
  },
  /**
   * Mail.
   */
  mail: {
    /**
     * The last 200 mails that were not taken, newest first, with the reasons.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/search-unfinished`: The search was aborted
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    ignored: (options: CallOptions = {}): Promise<ReadonlyArray<Schemas.IgnoredMail>> =>
      read(http.GET("/api/mail/ignored", { ...options }))
  },
  /**
   * Limits.
   */
  limits: {
    /**
     * The spending limits; team.day is MAX_COST_PER_DAY where none is stored.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    find: (options: CallOptions = {}): Promise<Schemas.LimitsReport> =>
      read(http.GET("/api/limits", { ...options })),
    /**
     * Replaces the spending limits. At 80 % owner and admins are warned; at 100 % all tasks under a limit wait until somebody answers one of them with Go on or Stop, or the next period begins.
     *
     * Errors:
     * - 401 `/problems/unauthenticated`: Sign in first
     * - 403 `/problems/forbidden`: Not allowed
     * - 503 `/problems/sign-in-unavailable`: The identity provider is unavailable
     */
    update: (body: Schemas.SpendingLimits = {}, options: CallOptions = {}): Promise<Schemas.LimitsReport> =>
      read(http.PUT("/api/limits", { ...options, body }))
  }
})
