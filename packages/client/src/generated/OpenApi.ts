// Generated from the OpenAPI document by `npm run generate`. Do not edit.

export interface paths {
  "/": {
    /** Name and version; browsers are redirected to the console, or to the docs while there is none */
    get: operations["system.welcome"];
  };
  "/health": {
    /** Whether the service is available: 503 if the database does not respond within 2 s */
    get: operations["system.liveness"];
  };
  "/api/health": {
    /** Every part of the service, with what to set to fix it */
    get: operations["system.health"];
  };
  "/api/version": {
    /** Version and features */
    get: operations["system.version"];
  };
  "/system/info": {
    /** Whether the programs that tool servers need are installed */
    get: operations["system.info"];
  };
  "/system/settings": {
    /** The settings in effect of the process that answers; of a secret, only whether it is set */
    get: operations["system.settings"];
  };
  "/system/history": {
    /** How many tasks ended, how long they took and what they used, over time */
    get: operations["system.history"];
  };
  "/system/storage": {
    /** How much the database and the users' files take, and how long tasks are kept */
    get: operations["system.storage"];
  };
  "/metrics": {
    /** The metrics of this process, as Prometheus text; requires METRICS_TOKEN if it is set */
    get: operations["system.metrics"];
  };
  "/api/settings": {
    /** Every setting with its value and where that is from; of a secret, whether it is set */
    get: operations["settings.list"];
    /** Stores settings, all of them or none, and answers with every setting. They take effect in every process within 10 seconds; no running call is cut. null removes what is stored. 400 names each value that is wrong, that the environment or .env sets, or that is read at the start only */
    put: operations["settings.change"];
  };
  "/api/settings/history": {
    /** The last 200 changes, newest first */
    get: operations["settings.history"];
  };
  "/api/settings/test": {
    /** Tries the settings of a section, also before they are stored. model: a short call of the given settings, else of the default model. chat: the platform accepts the token, and the addresses for its requests answer. smtp and imap: the server accepts the sign-in; nothing is sent without mail_to. storage: a file is written and deleted */
    post: operations["settings.test"];
  };
  "/auth/login": {
    /** Leads a browser to the identity provider's sign-in; an error is an HTML page */
    get: operations["signIn.login"];
  };
  "/auth/callback": {
    /** Completes the sign-in that the browser began, and sets the cookie of its session; an error is an HTML page */
    get: operations["signIn.callback"];
  };
  "/auth/session": {
    /** The user who sends the request, and how they signed in */
    get: operations["signIn.session"];
  };
  "/auth/logout": {
    /** Ends the session of the browser; its event streams end too */
    post: operations["signIn.logout"];
  };
  "/tasks": {
    /** Tasks, newest first, without logs, outputs and webhook data; pages of long texts are shorter. Where few of many tasks match, a page ends after a part of them: it may be short or empty and still have a next one. In hosted mode, a member sees of the tasks of others what GET /task/{task_id} shows of them */
    get: operations["tasks.list"];
  };
  "/tasks/counts": {
    /** How many tasks of a list have each status, up to 1,000 each; `capped` has the statuses of which there may be more */
    get: operations["tasks.counts"];
  };
  "/task/{task_id}": {
    /** One task with its logs and outputs. In hosted mode, only its creator, its assignee, the owner and admins see its content; to other members `description`, `question`, `plan`, `error`, `attachments`, webhook data and the data of logs are empty */
    get: operations["tasks.find"];
    /** Archives the task; a second call deletes it */
    delete: operations["tasks.remove"];
  };
  "/task/{task_id}/subtasks": {
    /** The subtasks that the task dispatched, newest first, as GET /tasks shows them */
    get: operations["tasks.subtasks"];
  };
  "/task/{task_id}/worker-status": {
    /** Which worker runs the task, and when it is due */
    get: operations["tasks.workerStatus"];
  };
  "/chat": {
    /** Creates a task from a user's request */
    post: operations["tasks.chat"];
  };
  "/human_response": {
    /** Answers the question of a task that waits for input */
    post: operations["tasks.humanResponse"];
  };
  "/task/{task_id}/cancel": {
    /** Stops the task and its subtasks */
    post: operations["tasks.cancel"];
  };
  "/task/{task_id}/restore": {
    /** Puts an archived task back into the lists; a task that is not archived stays as it is */
    post: operations["tasks.restore"];
  };
  "/task/{task_id}/retry": {
    /** Continues a failed task from its last saved step */
    post: operations["tasks.retry"];
  };
  "/task/{task_id}/message": {
    /** Sends the agent a message for its next model call. It answers the question of a task that waits for input, and continues a finished task by a new one, whose id is in the response */
    post: operations["tasks.message"];
  };
  "/task/{task_id}/events": {
    /** Server-sent events: log, status, text, usage; ends after the terminal status. Whoever may not read the task's content gets no text, and logs without data */
    get: operations["tasks.events"];
  };
  "/events": {
    /** Server-sent events of all tasks: `log`, `status`, `archived`, `restored` and `deleted`, each with its `task_id`, after Last-Event-ID or from now on; the first one, `position`, says where. The stream has no end. Logs have no data where the caller may not read the task's content */
    get: operations["tasks.allEvents"];
  };
  "/task/{task_id}/messages": {
    /** The messages that the next model call gets; with full=true, all messages. In hosted mode, only the task's creator, its assignee, the owner and admins may read them; 403 for other members */
    get: operations["tasks.messages"];
  };
  "/users/{user_id}/usage": {
    /** What the tasks and subtasks of the user used, in total and by day: tokens, calls and cost */
    get: operations["tasks.usage"];
  };
  "/worker/health": {
    /** The workers, the due tasks and the scheduled jobs */
    get: operations["tasks.workerHealth"];
  };
  "/task/{task_id}/steps": {
    /** The steps of a task, newest first, with the first 2,000 characters of each text. In hosted mode, whoever may not read the task's content gets no texts, calls and results */
    get: operations["taskSteps.list"];
  };
  "/task/{task_id}/steps/{seq}": {
    /** One step with its whole texts */
    get: operations["taskSteps.find"];
  };
  "/task/{task_id}/steps/{seq}/context": {
    /** What the model saw when it made a step of kind `model`, or sees after one of kind `compacted`: the messages, and of a call the whole system prompt and the tools. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
    get: operations["taskSteps.context"];
  };
  "/task/{task_id}/export": {
    /** The task and all its steps as lines of JSON: first `{"task": ...}`, then `{"step": ...}` for each step, oldest first. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
    get: operations["taskSteps.export"];
  };
  "/tasks/bulk": {
    /** Cancels, retries or archives all tasks that match a filter, or restores or deletes all archived ones, as the caller: newest first, in the background, once for each task, also through a crash. Tasks that are made later are left alone */
    post: operations["taskBulk.start"];
  };
  "/tasks/bulk/{bulk_id}": {
    /** How far an operation is. For the one who asked for it, the owner and admins */
    get: operations["taskBulk.find"];
  };
  "/chat/preview": {
    /** The skills and tools that a task with this message would get now; it makes no task and no model call */
    post: operations["taskPreview.preview"];
  };
  "/api/agents": {
    /** Agents, by name */
    get: operations["agents.list"];
    /** Creates an agent in AGENTS_PATH */
    post: operations["agents.create"];
  };
  "/api/agents/{agent_name}": {
    /** One agent with its instructions */
    get: operations["agents.find"];
    /** Changes the given fields; a built-in agent is replaced by a changed copy in AGENTS_PATH. Tasks keep the revision that they began with */
    put: operations["agents.update"];
    /** Deletes an agent in AGENTS_PATH; a built-in agent that it replaced is used again. Its tasks go on */
    delete: operations["agents.remove"];
  };
  "/api/agents/{agent_name}/revisions": {
    /** The revisions that tasks of the agent used, the last used first; also of an agent that is gone */
    get: operations["agents.revisions"];
  };
  "/api/agents/reload": {
    /** Scans the folders now, and returns what changed */
    post: operations["agents.reload"];
  };
  "/api/approvals": {
    /** The calls that ask, or have asked, for approval, newest first */
    get: operations["approvals.list"];
  };
  "/task/{task_id}/approvals": {
    /** Approves or denies calls of a task; it goes on once all are decided */
    post: operations["approvals.decide"];
  };
  "/api/grants": {
    /** What needs no approval any more, because somebody said so, newest first */
    get: operations["approvals.grants"];
  };
  "/api/grants/{grant_id}": {
    /** Ends a grant */
    delete: operations["approvals.removeGrant"];
  };
  "/api/policy": {
    /** The rules about tool calls, and which of them never apply */
    get: operations["policy.find"];
    /** Saves the next revision of the rules; 409 if somebody has saved one since. Every revision is kept */
    put: operations["policy.update"];
  };
  "/api/policy/test": {
    /** What these rules would have decided about the calls of past tasks; it saves nothing. What a task would have done after another decision is not known */
    post: operations["policy.test"];
  };
  "/api/policy/tools": {
    /** Every tool that agents may have, with its class and where that comes from */
    get: operations["policy.tools"];
  };
  "/api/policy/revisions": {
    /** Every saved revision, newest first */
    get: operations["policy.revisions"];
  };
  "/api/skills/": {
    /** Skills, by name */
    get: operations["skills.list"];
    /** Creates a skill in SKILLS_PATH */
    post: operations["skills.create"];
  };
  "/api/skills/requirements": {
    /** What each skill lacks on this machine */
    get: operations["skills.requirements"];
  };
  "/api/skills/{skill_name}": {
    /** One skill with its instructions */
    get: operations["skills.find"];
    /** Changes the given fields; a built-in skill is replaced by a changed copy in SKILLS_PATH */
    put: operations["skills.update"];
    /** Deletes a skill in SKILLS_PATH; a built-in skill that it replaced is used again */
    delete: operations["skills.remove"];
  };
  "/api/skills/match": {
    /** The skills that fit a request; by tags alone while there are no embeddings */
    post: operations["skills.match"];
  };
  "/api/skills/reload": {
    /** Scans the folders now, and returns what changed */
    post: operations["skills.reload"];
  };
  "/api/skills/debug/similarity/{query}": {
    /** The score of every skill for a request */
    get: operations["skills.similarity"];
  };
  "/api/skills/generate": {
    /** Writes a skill with the language model */
    post: operations["skills.generate"];
  };
  "/mcp/status": {
    /** A fixed message: the workers run the tool servers */
    get: operations["toolServers.legacyStatus"];
  };
  "/api/mcp/status": {
    /** The state of the tool servers */
    get: operations["toolServers.status"];
  };
  "/api/mcp/servers/{server_name}/tools": {
    /** The tools of a server with their definitions, also those that are off; empty before its first list */
    get: operations["toolServers.tools"];
  };
  "/api/mcp/servers/{server_name}/accept": {
    /** Accepts tools that are off by the definitions that they had when they were looked at, and no others */
    post: operations["toolServers.accept"];
  };
  "/api/mcp/servers/{server_name}/tools/{tool_name}/test": {
    /** Calls a tool for the caller, within the rules of the policy and the limits of calls: by an owner or admin, or with per_user by each member with their own sign-in. It is a real call, and the log of the service records who made it */
    post: operations["toolServers.test"];
  };
  "/api/mcp/configure": {
    /** The configuration as it was sent, with ******** for each value of env and headers */
    get: operations["toolServers.configuration"];
    /** Replaces the configuration, then waits some seconds for the servers to connect. The value ******** in env or headers keeps the stored secret of that name if the server's command, arguments, folder and url are unchanged. A secret in env is kept only if also no other variable is added or changed, because a variable could make the program send the secret elsewhere. If a secret can't be kept, nothing is changed: 400 names it. References such as ${NAME} are stored as they are and get their values when the server is started; on a hosted instance only the servers of MCP_CONFIG_FILE may refer to the service's environment */
    post: operations["toolServers.configure"];
    /** Deletes the configuration and stops all tool servers */
    delete: operations["toolServers.clear"];
  };
  "/api/mcp/servers/{server_name}/connect": {
    /** Begins a sign-in at a tool server: by an owner or admin, or with per_user by each member for themselves */
    post: operations["toolServerSignIn.connect"];
  };
  "/api/mcp/servers/{server_name}/connection": {
    /** Forgets the sign-in at a tool server, with its tokens */
    delete: operations["toolServerSignIn.forget"];
  };
  "/auth/mcp/callback": {
    /** Completes the sign-in that a browser began, and shows a page that says what was connected, or why it was not */
    get: operations["toolServerSignIn.connected"];
  };
  "/auth/mcp/client.json": {
    /** The client id metadata document that authorization servers read */
    get: operations["toolServerSignIn.client"];
  };
  "/api/models": {
    /** The models with what their last calls showed; keys are never shown */
    get: operations["models.list"];
  };
  "/api/models/servers": {
    /** Model servers that answer on the machine of the service; none on a hosted instance */
    get: operations["models.servers"];
  };
  "/api/models/catalogue": {
    /** The names of the models that a provider lists */
    post: operations["models.catalogue"];
  };
  "/api/models/trial": {
    /** Makes a real call of a model that is not saved, as small as it can be */
    post: operations["models.trial"];
  };
  "/api/models/default": {
    /** Chooses the default model and the fallbacks, in every process within a second. Calls under way are not cut; the embeddings of stored memories stay */
    put: operations["models.choose"];
  };
  "/api/models/{name}": {
    /** Adds a model, or replaces the one of this name */
    put: operations["models.save"];
    /** Deletes a stored model that is neither the default, nor a fallback, nor an agent's */
    delete: operations["models.remove"];
  };
  "/api/models/{name}/test": {
    /** Makes a real call of the model, as small as it can be */
    post: operations["models.test"];
  };
  "/users": {
    /** All users, by name, then by id */
    get: operations["users.list"];
  };
  "/users/me": {
    /** The user of the token; the default user on a self-hosted service */
    get: operations["users.me"];
  };
  "/users/{user_id}": {
    /** Sets fields; a field that was given is not overwritten by a sync, and null clears it. An address that another user has is refused, unless join is true */
    put: operations["users.change"];
  };
  "/users/{user_id}/overrides": {
    /** Removes all overrides, so that the next sync may write all fields */
    delete: operations["users.clearOverrides"];
  };
  "/users/{user_id}/notifications": {
    /** The user's feed, newest first */
    get: operations["notifications.list"];
  };
  "/users/{user_id}/notifications/{notification_id}/mark_read": {
    /** Marks a notification as read; a second call changes nothing */
    post: operations["notifications.markRead"];
  };
  "/users/{user_id}/notifications/{notification_id}/mark_unread": {
    /** Marks a notification as unread again; a second call changes nothing */
    post: operations["notifications.markUnread"];
  };
  "/users/{user_id}/notifications/{notification_id}": {
    /** Deletes a notification from the feed */
    delete: operations["notifications.remove"];
  };
  "/upload-file": {
    /** Uploads a file, for the attachments of a task and the tools of the agent */
    post: operations["files.upload"];
  };
  "/files/{user_id}": {
    /** All files of a user, those in folders too, by path */
    get: operations["files.list"];
  };
  "/users/{user_id}/storage": {
    /** How much of the storage quota the user's files take; measured once a minute */
    get: operations["files.usage"];
  };
  "/files/{user_id}/{path}": {
    /** The content, as an attachment. Range (one range), If-Range, If-None-Match and If-Modified-Since are supported */
    get: operations["files.download"];
    /** Deletes a file */
    delete: operations["files.remove"];
  };
  "/mcp": {
    /** One message of an MCP client (streamable HTTP, without sessions). A call that waits, or asks for progress, is answered with server-sent events */
    post: operations["mcp.message"];
  };
  "/team/invite": {
    /** Invites a member; 200 with the same invitation while one is open */
    post: operations["team.invite"];
  };
  "/team/info": {
    /** The tier, the seats and the members */
    get: operations["team.info"];
  };
  "/team/members/{member_id}": {
    /** Sets the role of a member or of an invitation; it counts from the next request on */
    put: operations["team.change"];
    /** Removes a member or withdraws an invitation, and frees the seat */
    delete: operations["team.remove"];
  };
  "/api/tokens": {
    /** The caller's tokens, newest first; never the tokens themselves */
    get: operations["tokens.list"];
    /** Creates a token that counts wherever an ID token does, and acts as the caller with at most its role. Only this response contains it. 403 for a caller that uses such a token, and for a role above the caller's */
    post: operations["tokens.create"];
  };
  "/api/tokens/{token_id}": {
    /** Revokes a token at once, in every process. Owner and admins may revoke the tokens of every member */
    delete: operations["tokens.remove"];
  };
  "/api/channels/": {
    /** All discovered channels, newest first */
    get: operations["channels.list"];
  };
  "/api/channels/{channel_id}": {
    /** A channel */
    get: operations["channels.find"];
  };
  "/api/channels/sync": {
    /** Syncs users, channels and their members with the chat platform, and responds when that is done */
    post: operations["channels.syncAll"];
  };
  "/api/channels/{channel_id}/sync": {
    /** Syncs a channel and its members */
    post: operations["channels.sync"];
  };
  "/api/channels/{channel_id}/members": {
    /** The members of a channel with their roles, by name, then by id */
    get: operations["channels.members"];
  };
  "/api/channels/{channel_id}/members/{user_id}": {
    /** Sets what a member does in the channel; the prompts of agents contain it */
    put: operations["channels.changeMember"];
  };
  "/team-chat/health": {
    /** Tests the connection to the chat platform by a call; always 200 */
    get: operations["teamChat.health"];
  };
  "/team-chat/dm_response": {
    /** Accepts an event, which is processed later: 200, or 503 if it could not be stored. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
    post: operations["chatRequests.event"];
  };
  "/team-chat/interactive": {
    /** Handles a button: stop reminders, make tasks of them, answer a question. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
    post: operations["chatRequests.interaction"];
  };
  "/team-chat/command": {
    /** The slash command: tasks, status, answers, cancellation. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
    post: operations["chatRequests.command"];
  };
  "/users/{user_id}/memories": {
    /** What the user's agents remember, newest first */
    get: operations["memories.list"];
    /** Deletes all memories of the user; a second call changes nothing */
    delete: operations["memories.removeAll"];
  };
  "/users/{user_id}/memories/export": {
    /** All memories of the user, one JSON object a line, newest first */
    get: operations["memories.export"];
  };
  "/users/{user_id}/memories/{memory_id}": {
    /** Deletes a memory; agents no longer find it */
    delete: operations["memories.remove"];
  };
  "/users/{user_id}/data": {
    /** Cancels the user's tasks, then deletes tasks, notifications, memories, files and profile. A seat in the team stays, with its e-mail address alone. A second call changes nothing; for an id that no user ever had, it is 404 */
    delete: operations["personalData.erase"];
  };
  "/api/schedules": {
    /** Schedules, newest first; those that have ended stay for 30 days */
    get: operations["schedules.list"];
    /** Creates a schedule */
    post: operations["schedules.create"];
  };
  "/api/schedules/preview": {
    /** When a schedule with this time would run; nothing is created */
    post: operations["schedules.preview"];
  };
  "/api/schedules/{schedule_id}": {
    /** A schedule with its next runs */
    get: operations["schedules.get"];
    /** Changes what the body names; a new time makes a schedule that has ended active again */
    put: operations["schedules.change"];
    /** Deletes a schedule; its tasks and reminders stay */
    delete: operations["schedules.remove"];
  };
  "/api/schedules/{schedule_id}/pause": {
    /** Stops the runs until it is resumed; a second call changes nothing */
    post: operations["schedules.pause"];
  };
  "/api/schedules/{schedule_id}/resume": {
    /** Continues with the next run from now on; a second call changes nothing */
    post: operations["schedules.resume"];
  };
  "/api/schedules/{schedule_id}/run": {
    /** Runs it now, in addition to its plan; `last_task_id` is the task */
    post: operations["schedules.run"];
  };
  "/api/unattended": {
    /** The health of every schedule, type of webhooks, mailbox and tool server, what is not ok first, at most 1,000 schedules; a member's list has the own schedules. It is looked at every 15 seconds */
    get: operations["unattended.list"];
  };
  "/webhook/health": {
    /** Whether the queue of webhooks is available */
    get: operations["webhooks.health"];
  };
  "/webhook/stats": {
    /** How many webhooks are queued and failed, and the last failures */
    get: operations["webhooks.stats"];
  };
  "/webhook/status": {
    /** Whether a worker processes webhooks */
    get: operations["webhooks.status"];
  };
  "/webhook/deliveries": {
    /** The webhooks, or events of the team chat, that arrived, newest first */
    get: operations["webhooks.deliveries"];
  };
  "/webhook/deliveries/{delivery_id}": {
    /** A delivery with its headers, without secrets, and its payload */
    get: operations["webhooks.delivery"];
  };
  "/webhook/deliveries/{delivery_id}/replay": {
    /** Makes a new task from the stored body of a webhook; a failed chat event is processed again */
    post: operations["webhooks.replay"];
  };
  "/webhook/{webhook_type}": {
    /** Accepts a webhook: 200 once it is committed; a worker then makes a task of it. In hosted mode it needs a valid signature of its type (WEBHOOK_SECRET_<TYPE>) or, where the type has no secret, a token. On a self-hosted service, the task of an unsigned webhook from another machine has read-only tools */
    post: operations["webhooks.receive"];
  };
  "/webhook/team-chat": {
    /** Accepts a webhook of type team-chat: no token, but a rate limit */
    post: operations["webhooks.receiveTeamChat"];
  };
  "/api/webhook-types": {
    /** The types that are configured, and those of which something was delivered, by name */
    get: operations["webhookTypes.list"];
  };
  "/api/webhook-types/{webhook_type}": {
    /** A type of webhooks; of its secret, whether there is one */
    get: operations["webhookTypes.find"];
    /** Configures a type, within 10 seconds in every process. What is left out stays as it is. With a secret, deliveries with a valid signature are accepted at POST /webhook/{type} without a token, in hosted mode too */
    put: operations["webhookTypes.configure"];
    /** Removes what is stored for a type; deliveries stay. 400 where the environment or .env sets it */
    delete: operations["webhookTypes.remove"];
  };
  "/api/subscriptions": {
    /** The caller's subscriptions, newest first; an admin's list has those of all users */
    get: operations["subscriptions.list"];
    /** Posts the events of tasks to an address. Only this response contains the secret */
    post: operations["subscriptions.create"];
  };
  "/api/subscriptions/{subscription_id}": {
    /** A subscription with the state of its newest event */
    get: operations["subscriptions.get"];
    /** Deletes a subscription with its deliveries, also those that wait */
    delete: operations["subscriptions.remove"];
  };
  "/api/subscriptions/{subscription_id}/resume": {
    /** Activates a subscription that was disabled. Earlier events are not posted */
    post: operations["subscriptions.resume"];
  };
  "/api/subscriptions/{subscription_id}/test": {
    /** Posts an event subscription.test */
    post: operations["subscriptions.test"];
  };
  "/api/subscriptions/{subscription_id}/deliveries": {
    /** The events that were or will be posted, newest first; for 30 days */
    get: operations["subscriptions.deliveries"];
  };
  "/api/subscriptions/{subscription_id}/deliveries/{delivery_id}/replay": {
    /** Posts an event once more, under the same webhook-id */
    post: operations["subscriptions.replay"];
  };
  "/api/outbox": {
    /** Messages of the last 30 days with the state of their delivery, newest first */
    get: operations["outbox.list"];
  };
  "/api/outbox/{outbox_id}/retry": {
    /** Sends a failed message again; one that may have arrived may arrive twice */
    post: operations["outbox.retry"];
  };
  "/api/mail/ignored": {
    /** The last 200 mails that were not taken, newest first, with the reasons */
    get: operations["mail.ignored"];
  };
  "/api/limits": {
    /** The spending limits; team.day is MAX_COST_PER_DAY where none is stored */
    get: operations["limits.find"];
    /** Replaces the spending limits. At 80 % owner and admins are warned; at 100 % all tasks under a limit wait until somebody answers one of them with Go on or Stop, or the next period begins */
    put: operations["limits.update"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    readonly Welcome: {
      /** Name of the service */
      readonly name: string;
      /** A greeting */
      readonly message: string;
      /** Version of the service */
      readonly version: string;
      /** Path of the API explorer; null in hosted mode */
      readonly docs: string | null;
      /** Path of the web console; null while there is none */
      readonly console: string | null;
    };
    readonly Healthy: {
      /**
       * The database answers
       * @enum {string}
       */
      readonly status: "ok";
      /** Version of the service */
      readonly version: string;
      /** Seconds since the start */
      readonly uptime_seconds: number;
    };
    readonly HealthReport: {
      /**
       * The worst state of a required part
       * @enum {string}
       */
      readonly status: "ok" | "degraded" | "down";
      /** One check for each part */
      readonly checks: {
        readonly database: components["schemas"]["HealthCheck"];
        readonly workers: components["schemas"]["HealthCheck"];
        readonly model: components["schemas"]["HealthCheck"];
        readonly embeddings: components["schemas"]["HealthCheck"];
        readonly tool_servers: components["schemas"]["HealthCheck"];
        readonly chat: components["schemas"]["HealthCheck"];
        readonly mail: components["schemas"]["HealthCheck"];
        readonly storage: components["schemas"]["HealthCheck"];
      };
    };
    /** The state of one part of the service */
    readonly HealthCheck: {
      /**
       * State of the part
       * @enum {string}
       */
      readonly status: "ok" | "degraded" | "down" | "not_configured";
      /** What is in use, or what to set to fix it */
      readonly detail: string;
      /** Duration of the check in milliseconds */
      readonly latency_ms: number;
    };
    readonly VersionInfo: {
      /** Version of the service */
      readonly version: string;
      /** Version of the HTTP interface */
      readonly api_version: string;
      /**
       * DEPLOYMENT_MODE
       * @enum {string}
       */
      readonly deployment_mode: "self-hosted" | "hosted";
      /** Whether each feature is available */
      readonly features: {
        [key: string]: boolean;
      };
    };
    readonly SystemInfo: {
      /** Operating system */
      readonly platform: string;
      /** Processor architecture */
      readonly arch: string;
      /** Programs that tool servers are started with */
      readonly tools: {
        readonly node: components["schemas"]["ToolAvailability"];
        readonly npm: components["schemas"]["ToolAvailability"];
        readonly npx: components["schemas"]["ToolAvailability"];
        readonly uvx: components["schemas"]["ToolAvailability"];
      };
    };
    /** Whether a program is installed */
    readonly ToolAvailability: {
      /** Whether it can be started */
      readonly available: boolean;
      /** Its version */
      readonly version: string | null;
      /** Where it was found */
      readonly path: string | null;
    };
    readonly SettingsReport: {
      /** All settings, as .env.example groups them */
      readonly sections: readonly {
          /** What its settings are about */
          readonly title: string;
          /** In the order of .env.example */
          readonly settings: readonly components["schemas"]["SettingInEffect"][];
        }[];
    };
    readonly SettingInEffect: {
      /** The environment variable */
      readonly name: string;
      /** What it does */
      readonly description: string;
      /** Whether its value is never shown */
      readonly is_secret: boolean;
      /** Whether the environment or .env sets it */
      readonly is_set: boolean;
      /** The value in effect; null for a secret, and where other settings decide (the description says how) */
      readonly value: string | null;
      /** The value while it is not set */
      readonly default: string | null;
    };
    readonly TaskHistory: {
      /**
       * The period that was asked for
       * @enum {string}
       */
      readonly period: "day" | "week" | "month";
      /** Length of an interval */
      readonly interval_seconds: number;
      /** False if more tasks ended in the period than are read: then the oldest are left out */
      readonly is_complete: boolean;
      /** Every interval of the period, oldest first; the last one is under way */
      readonly intervals: readonly components["schemas"]["HistoryInterval"][];
      /** What calls of models cost in the period, by the day of the call, person, agent, model and source, newest first; at most 5,000 */
      readonly spending?: readonly components["schemas"]["Spending"][];
    };
    readonly HistoryInterval: {
      /**
       * Format: date-time
       * Where the interval begins
       */
      readonly at: string;
      /** Tasks that completed, without subtasks */
      readonly completed: number;
      /** Tasks that failed or were cancelled, without subtasks */
      readonly failed: number;
      /** Median time from the request to the start; null without a task */
      readonly queued_seconds: number | null;
      /** Median time from the start to the end, waits for people included; null without a task */
      readonly duration_seconds: number | null;
      /** The duration that 95 % of the tasks did not exceed; null without a task */
      readonly slow_duration_seconds: number | null;
      /** Model calls of these tasks and of subtasks that ended */
      readonly model_calls: number;
      /** Tokens that the model read */
      readonly input_tokens: number;
      /** Tokens that the model wrote */
      readonly output_tokens: number;
      /** What they cost, as far as the calls had a price */
      readonly cost: number;
      /** Tasks and subtasks without a cost, because a model call had no price */
      readonly unpriced_tasks: number;
    };
    readonly Spending: {
      /** The day of the calls in UTC */
      readonly date: string;
      /** Whose tasks */
      readonly user_id: string;
      /** The agent; null: the default one */
      readonly agent: string | null;
      /** The model */
      readonly model: string;
      /** What made the tasks; null: requests to the API */
      readonly source: string | null;
      /** Calls of the model */
      readonly calls: number;
      /** Those without a price, which count as 0 */
      readonly unpriced_calls: number;
      /** What they cost */
      readonly cost: number;
    };
    readonly StorageReport: {
      /** Size of the whole database */
      readonly database_bytes: number;
      /** Every table, the largest first */
      readonly tables: readonly {
          /** Name of the table */
          readonly name: string;
          /** Its size with its indexes */
          readonly bytes: number;
          /** Its rows, as the database estimates them */
          readonly rows: number;
        }[];
      /** Size of all users' files on disk, as of the last five minutes */
      readonly files_bytes: number;
      /** When the oldest task was made; null without one */
      readonly oldest_task: string | null;
      /** TASK_RETENTION_DAYS; 0: finished tasks are kept */
      readonly retention_days: number;
    };
    readonly Setting: {
      /** The environment variable */
      readonly name: string;
      /**
       * What it is about
       * @enum {string}
       */
      readonly section: "core" | "storage" | "model" | "agent" | "agent-files" | "skills" | "chat" | "smtp" | "imap" | "schedules" | "webhooks" | "tool-servers" | "memory" | "policy" | "workers" | "telemetry" | "hosted";
      /** Its name as people read it */
      readonly title: string;
      /** What it does */
      readonly description: string;
      /** What its value must be */
      readonly expected: string;
      /** The value in effect; null for a secret, and where other settings decide (the description says how) */
      readonly value: string | null;
      /** Whether anything but its default is in effect */
      readonly is_set: boolean;
      /**
       * Where its value is from: the environment, the file .env, stored by this interface, or its default
       * @enum {string}
       */
      readonly source: "environment" | "file" | "stored" | "default";
      /** Whether its value is never shown */
      readonly secret: boolean;
      /** The environment or .env sets it, so it can't be stored */
      readonly locked: boolean;
      /**
       * nothing: a stored value takes effect within 10 seconds. start: it is read at the start, and can't be stored
       * @enum {string}
       */
      readonly needs: "nothing" | "start";
    };
    /** Values by the names of their settings; null removes what is stored */
    readonly SettingChanges: {
      [key: string]: (string | number | boolean) | null;
    };
    readonly SettingChange: {
      /** The setting */
      readonly name: string;
      /** What was stored; null: a secret, or it was removed */
      readonly value: string | null;
      /** false: what was stored was removed */
      readonly is_set: boolean;
      /** Id of the user who changed it */
      readonly changed_by: string | null;
      /**
       * Format: date-time
       * When it was changed
       */
      readonly changed_at: string;
    };
    readonly SettingsTestRequest: {
      /**
       * What is tried
       * @enum {string}
       */
      readonly section: "model" | "chat" | "smtp" | "imap" | "storage";
      /** Values to try instead of those in effect; they are not stored. What the environment or .env sets stays */
      readonly values?: ({
        [key: string]: (string | number | boolean) | null;
      }) | null;
      /** smtp: also sends a mail to this address. Where receiving is set, it goes to the service itself, too, and is read back */
      readonly mail_to?: string | null;
    };
    readonly SettingsTestReport: {
      /** Whether it works */
      readonly ok: boolean;
      /** What was found, and what to do about it; without secrets */
      readonly detail: string;
      /** How long the test took */
      readonly latency_ms: number;
      /** What was tried, in order */
      readonly steps: readonly components["schemas"]["SettingsTestStep"][];
    };
    readonly SettingsTestStep: {
      /** What was tried */
      readonly name: string;
      /**
       * unknown: it can't be tried from here, and does not count
       * @enum {string}
       */
      readonly status: "ok" | "failed" | "unknown";
      /** What was found */
      readonly detail: string;
    };
    readonly SignedIn: {
      readonly user: components["schemas"]["User"];
      /**
       * What the user may do in the team
       * @enum {string}
       */
      readonly role: "owner" | "admin" | "member";
      /**
       * none: a self-hosted service has no sign-in. token: an ID token. session: the cookie of a browser
       * @enum {string}
       */
      readonly signed_in_by: "none" | "token" | "session";
      /** From when on a browser renews its session: it opens sign_in with prompt=none. null without a session */
      readonly renew_at: string | null;
      /** The path at which browsers sign in; null where OIDC_CLIENT_ID is not set */
      readonly sign_in: string | null;
    };
    /** A person, or the service itself */
    readonly User: {
      /** User id */
      readonly id: string;
      /** Full name */
      readonly name: string | null;
      /** What to call the user */
      readonly display_name: string | null;
      /** E-mail address */
      readonly email: string | null;
      /** The user's id on the chat platform */
      readonly chat_user_id: string | null;
      /** What the user does in the team */
      readonly title: string | null;
      /** IANA time zone */
      readonly timezone: string | null;
      /**
       * What the user may do in the team
       * @enum {string}
       */
      readonly role: "owner" | "admin" | "member";
      /** What the user is responsible for */
      readonly responsibilities: string | null;
      /** A picture of the user */
      readonly avatar_url: string | null;
      /** Not a person: it owns the tasks of webhooks */
      readonly is_system: boolean;
      /** How the user is notified beside the feed; empty: where the task came from */
      readonly notify_by: readonly ("chat" | "email" | "ui")[];
      /** Fields set by hand, which no sync writes */
      readonly overrides: readonly ("name" | "display_name" | "email" | "title" | "timezone" | "responsibilities" | "notify_by")[];
      /**
       * Format: date-time
       * When the user was created
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * When a field last changed
       */
      readonly updated_at: string;
    };
    readonly LogoutRequest: {
      /** Ends all sessions of the user, in every browser; default: false */
      readonly everywhere?: boolean | null;
    };
    /** A task, or a subtask that another task dispatched */
    readonly Task: {
      /** Task id: a time-sortable UUIDv7 */
      readonly id: string;
      /** Title */
      readonly title: string;
      /** The request */
      readonly description: string;
      /**
       * Status of the task
       * @enum {string}
       */
      readonly status: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
      /**
       * Format: date-time
       * When it was created
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * When it last changed
       */
      readonly updated_at: string;
      /** Percent, 0 to 100; it never falls */
      readonly progress: number;
      /** The pending question, when status is waiting_input */
      readonly question: string | null;
      /** What the pending question offers to choose from; other answers are possible */
      readonly choices: readonly string[];
      /** The form that answers the pending question: `fields` of POST /human_response; null: none */
      readonly form: components["schemas"]["QuestionForm"] | null;
      /** The page that the pending question asks a person to open, of a tool server; null: none */
      readonly url: string | null;
      /** The calls that it asks a person to approve, and those that were decided */
      readonly approvals: readonly components["schemas"]["Approval"][];
      /** Why the task does nothing now; null while it runs, is about to start or is finished */
      readonly waiting_for: components["schemas"]["WaitingFor"] | null;
      /** The agent's plan */
      readonly plan: string | null;
      /** The waiting tool call: its id, or a JSON array of ids as text */
      readonly last_tool_call_id: string | null;
      /** Thread of the saved state: task-<id> from the first run until the task is completed */
      readonly checkpoint_thread_id: string | null;
      /** Log lines; empty in lists */
      readonly logs: readonly components["schemas"]["TaskLogEntry"][];
      /** Results and files; empty in lists */
      readonly outputs: readonly components["schemas"]["TaskOutput"][];
      /** The owner */
      readonly creator: string;
      /** The user who answers its questions */
      readonly assignee: string | null;
      /** What made it: team chat, mail, a schedule or a webhook; null for a request to the API */
      readonly source: ("chat" | "email" | "schedule" | "webhook") | null;
      /** The schedule that made it */
      readonly schedule_id: string | null;
      /** The type of webhook that created it */
      readonly webhook_type: string | null;
      /** The payload of the webhook; null in lists */
      readonly webhook_payload: unknown;
      /** The webhook's headers, secrets redacted; null in lists */
      readonly webhook_headers: unknown;
      /** Where the webhook came from */
      readonly source_ip: string | null;
      /** Id of the wake-up that started the current run */
      readonly celery_task_id: string | null;
      /** The task that dispatched this subtask */
      readonly parent_task_id: string | null;
      /**
       * task or subtask
       * @enum {string}
       */
      readonly task_type: "task" | "subtask";
      /** The kind of subagent */
      readonly agent_type: ("general" | "research" | "tool-specialist") | null;
      /** The agent that works on it; null: none in particular */
      readonly agent: string | null;
      /** The revision of the agent's file that it began with, and goes on with when the file changes */
      readonly agent_revision: string | null;
      /** Tokens it may use; null: no limit */
      readonly token_budget: components["schemas"]["Int"] | null;
      /** Input and output tokens used so far */
      readonly tokens_used: number;
      /** Why it failed, and what to do about it */
      readonly error: string | null;
      /** Why it ended: with the agent's answer; at its limit of iterations; at its budget, also where the agent closed in the last call that fitted; cancelled; or a failure. null: it has not ended */
      readonly ended_by: ("answer" | "limit" | "budget" | "cancelled" | "failure") | null;
      /** `ended_by` in words, such as "Stopped at its limit of 10 model calls"; null: it ended with the agent's answer, or has not ended */
      readonly end_label: string | null;
      /** Its own hard limit of iterations; null: the default */
      readonly max_iterations: components["schemas"]["Int"] | null;
      /** What it and its subtasks may cost, in the currency of MODEL_PRICES; null: no limit */
      readonly max_cost: components["schemas"]["Finite"] | null;
      /** When it was archived */
      readonly archived_at: string | null;
      /** Channel or project it belongs to */
      readonly project_id: string | null;
      /** Names of the files that came with it */
      readonly attachments: readonly string[];
      /** Model steps so far */
      readonly iteration_count: number;
      /** Tokens and calls so far */
      readonly usage: {
        /** Tokens sent to the model */
        readonly input_tokens: number;
        /** Tokens the model wrote */
        readonly output_tokens: number;
        /** Calls of the model */
        readonly model_calls: number;
        /** Calls of tools */
        readonly tool_calls: number;
        /** Cost of the model calls in the currency of MODEL_PRICES; null while a call has no price, and without calls */
        readonly cost: components["schemas"]["Finite"] | null;
        /** The same with all subtasks */
        readonly total: {
          /** Tokens sent to the model */
          readonly input_tokens: number;
          /** Tokens the model wrote */
          readonly output_tokens: number;
          /** Calls of the model */
          readonly model_calls: number;
          /** Calls of tools */
          readonly tool_calls: number;
          /** Cost of the model calls in the currency of MODEL_PRICES; null while a call has no price, and without calls */
          readonly cost: components["schemas"]["Finite"] | null;
        };
      };
      /** When a worker first took it */
      readonly started_at: string | null;
      /** When it ended */
      readonly completed_at: string | null;
      /** The task that it follows up */
      readonly continued_from: string | null;
    };
    readonly QuestionForm: {
      /**
       * Always object
       * @enum {string}
       */
      readonly type: "object";
      /** The fields by name */
      readonly properties: {
        [key: string]: components["schemas"]["FormField"];
      };
      /** The fields that must be filled in */
      readonly required: readonly string[];
    };
    readonly FormField: {
      /**
       * The kind of value; array: several of `items`
       * @enum {string}
       */
      readonly type: "string" | "number" | "integer" | "boolean" | "array";
      /** Label of the field; without it, its name */
      readonly title?: string;
      /** What to fill in */
      readonly description?: string;
      /** The value if it is left out */
      readonly default?: unknown;
      /** Of a string: email, uri, date or date-time */
      readonly format?: string;
      /** Regular expression; the tool server checks it */
      readonly pattern?: string;
      /** Minimum number of characters */
      readonly minLength?: number;
      /** Maximum number of characters */
      readonly maxLength?: number;
      /** The smallest number */
      readonly minimum?: number;
      /** The largest number */
      readonly maximum?: number;
      /** The values to choose from */
      readonly enum?: readonly string[];
      /** How people see the values of `enum` */
      readonly enumNames?: readonly string[];
      /** The values to choose from, with titles */
      readonly oneOf?: readonly {
          /** The value */
          readonly const: string;
          /** How people see it */
          readonly title?: string;
        }[];
      /** Of an array: what each value is */
      readonly items?: {
        /**
         * Always string
         * @enum {string}
         */
        readonly type?: "string";
        /** The values to choose from */
        readonly enum?: readonly string[];
        /** The values to choose from, with titles */
        readonly anyOf?: readonly {
            /** The value */
            readonly const: string;
            /** How people see it */
            readonly title?: string;
          }[];
        /** The values to choose from, with titles */
        readonly oneOf?: readonly {
            /** The value */
            readonly const: string;
            /** How people see it */
            readonly title?: string;
          }[];
      };
      /** Minimum number of values */
      readonly minItems?: number;
      /** Maximum number of values */
      readonly maxItems?: number;
    };
    /** A tool call that a person is asked to approve */
    readonly Approval: {
      /** Approval id: a time-sortable UUIDv7 */
      readonly id: string;
      /** Task id: a time-sortable UUIDv7 */
      readonly task_id: string;
      /** The call */
      readonly tool_call_id: string;
      /** The tool's name as the model sees it */
      readonly tool: string;
      /** The tool server; null: a built-in tool */
      readonly server: string | null;
      /**
       * Class of the tool
       * @enum {string}
       */
      readonly class: "read" | "own" | "outside" | "destructive";
      /**
       * Context of the call
       * @enum {string}
       */
      readonly context: "trusted" | "outside";
      /** The step that made the context outside; 0: the request; null: it is trusted */
      readonly outside_since: components["schemas"]["Int"] | null;
      /** What made the context outside */
      readonly outside_because: string | null;
      /** The step that made the context private */
      readonly private_since: components["schemas"]["Int"] | null;
      /** All arguments, as they were approved if a person edited them */
      readonly arguments: {
        [key: string]: unknown;
      };
      /** Files that the call would send */
      readonly files: readonly components["schemas"]["ApprovalFile"][];
      /** The rule that asks; null: the preset */
      readonly rule: ({
        /** Place of the rule */
        readonly index: number;
        /** What the rule says */
        readonly because: string | null;
      }) | null;
      /** What asks: rule; preset; mail: a recipient whom nobody named; leaves: private things to people outside of the team */
      readonly cause: ("rule" | "preset" | "mail" | "leaves") | null;
      /**
       * The preset when it was asked
       * @enum {string}
       */
      readonly preset: "quiet" | "balanced" | "strict";
      /** Whose task it is */
      readonly requester: string;
      /** Who may decide: requester (creator or assignee), admin (owner and admins), or ids of users */
      readonly who: readonly string[];
      /**
       * open, approved, denied or cancelled
       * @enum {string}
       */
      readonly status: "open" | "approved" | "denied" | "cancelled";
      /** Who decided */
      readonly decided_by: string | null;
      /** When */
      readonly decided_at: string | null;
      /** By which way */
      readonly via: string | null;
      /** What the approver said about it */
      readonly reason: string | null;
      /** The approver changed the arguments */
      readonly edited: boolean;
      /**
       * Format: date-time
       * When it was asked
       */
      readonly created_at: string;
    };
    /** an integer */
    readonly Int: number;
    readonly ApprovalFile: {
      /** Path in the requester's folder */
      readonly path: string;
      /** Bytes */
      readonly size: number;
      /** Digest of its content */
      readonly sha256: string;
    };
    readonly WaitingFor: {
      /**
       * answer: of a person; approval: of calls; sign_in: at a tool server; spending: a spending limit is reached; subtasks: their ends; timer: a time that the agent chose; retry: the next attempt after a crash or a failed call of the model; place: a free place on a worker; shard: a worker
       * @enum {string}
       */
      readonly reason: "answer" | "approval" | "sign_in" | "spending" | "subtasks" | "timer" | "retry" | "place" | "shard";
      /**
       * Format: date-time
       * Since when it waits
       */
      readonly since: string;
      /** When it goes on by itself; null: on an event */
      readonly until: string | null;
      /** Who is to answer; null where no person is waited for */
      readonly who: string | null;
      /** place: tasks that the worker runs; retry: the number of the next attempt; subtasks: those still open; else, or unknown: null */
      readonly count: components["schemas"]["Int"] | null;
      /** The maximum of `count`: place: tasks that one worker runs (MAX_ACTIVE_TASKS of the process that responds); retry: attempts; else, or unknown: null */
      readonly limit: components["schemas"]["Int"] | null;
      /** The same in words */
      readonly detail: string;
    };
    readonly TaskLogEntry: {
      /** Orders the lines and resumes an event stream */
      readonly id: string;
      /**
       * Format: date-time
       * When it happened
       */
      readonly timestamp: string;
      /**
       * debug, info, warning or error
       * @enum {string}
       */
      readonly level: "debug" | "info" | "warning" | "error";
      /**
       * What kind of thing happened
       * @enum {string}
       */
      readonly event: "status" | "model" | "tool_call" | "tool_result" | "compaction" | "skill" | "subagent" | "notification" | "budget" | "error";
      /** What happened, in words */
      readonly message: string;
      /** Its facts */
      readonly data: unknown;
    };
    readonly TaskOutput: {
      /** Output id */
      readonly id: string;
      /**
       * text or file
       * @enum {string}
       */
      readonly type: "text" | "file";
      /** The text */
      readonly content: string | null;
      /** The file, in the user's sandbox */
      readonly filename: string | null;
      /** Bytes of the file */
      readonly size: components["schemas"]["Int"] | null;
      /**
       * Format: date-time
       * When it was created
       */
      readonly created_at: string;
    };
    /** a finite number */
    readonly Finite: number;
    readonly TaskCounts: {
      /** Tasks with this status, up to 1000 */
      readonly pending: number;
      /** Tasks with this status, up to 1000 */
      readonly running: number;
      /** Tasks with this status, up to 1000 */
      readonly waiting_input: number;
      /** Tasks with this status, up to 1000 */
      readonly waiting_subagents: number;
      /** Tasks with this status, up to 1000 */
      readonly completed: number;
      /** Tasks with this status, up to 1000 */
      readonly failed: number;
      /** Of the running tasks that are counted, those that sleep until a time */
      readonly sleeping: number;
      /** Of the failed tasks that are counted, those that somebody cancelled */
      readonly cancelled: number;
      /** Statuses of which there may be more tasks than counted */
      readonly capped: readonly ("pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents")[];
    };
    readonly WorkerStatus: {
      /** Task id: a time-sortable UUIDv7 */
      readonly task_id: string;
      /**
       * The task's status
       * @enum {string}
       */
      readonly status: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
      /** Whether a worker is running the task */
      readonly active: boolean;
      /** The worker that runs the task */
      readonly runner: {
        /** host:port of the worker */
        readonly address: string;
      } | null;
      /** Id of the wake-up that started the current run */
      readonly queue_job_id: string | null;
      /** Model steps so far */
      readonly iteration_count: number;
      /** When the last step was saved */
      readonly last_step_at: string | null;
      /** When the task is due next, or a failed call of the model is made again; null: on an event */
      readonly next_wakeup_at: string | null;
    };
    readonly ChatRequest: {
      /** What the agent should do */
      readonly message: string;
      /** The owner of the task; default: the caller, or `default`; self-hosted, an unknown id is a new user: an id, an address, or a name that only one person has */
      readonly user_id?: string | null;
      /** Who answers the task's questions; default: `user_id`: an id, an address, or a name that only one person has */
      readonly assignee?: string | null;
      /** Title; default: taken from the message */
      readonly title?: string | null;
      /** Channel or project */
      readonly project_id?: string | null;
      /** Names of files that the user has uploaded */
      readonly attachments?: (readonly string[]) | null;
      /** The task that this one continues; the agent sees the requests and outcomes of that task and of those it continues */
      readonly continue_task_id?: string | null;
      /** Token budget of the task and its subtasks, at least 4000; default: none */
      readonly max_tokens_total?: components["schemas"]["Int"] | null;
      /** Hard limit of the task's iterations (rounds of model call and tool calls), at most AGENT_MAX_ITERATIONS; default: AGENT_HARD_ITERATIONS */
      readonly max_iterations?: components["schemas"]["Int"] | null;
      /** What the task and its subtasks may cost, in the currency of MODEL_PRICES; calls of a model without a price count as 0; default: no limit */
      readonly max_cost?: components["schemas"]["Finite"] | null;
      /** With continue_task_id: `outcome` (default) tells the agent of the requests and outcomes so far; with `conversation`, the messages of that task come before the new one, as if it went on. Only whoever may read the conversation may continue it */
      readonly continue_from?: ("outcome" | "conversation") | null;
      /** The agent that works on it; default: the one of the task that it continues, or none in particular */
      readonly agent?: string | null;
      /** true: the caller is about to watch the task, so that the model's text is streamed from the first call on */
      readonly live?: boolean | null;
    };
    readonly Accepted: {
      /** Task id: a time-sortable UUIDv7 */
      readonly task_id: string;
      /**
       * Status of the task
       * @enum {string}
       */
      readonly status: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
      readonly task: components["schemas"]["Task"];
    };
    readonly HumanResponse: {
      /** The task that waits for input */
      readonly task_id: string;
      /** The answer to its question; may be left out with `fields`. A question with a `form` or `url` is also answered by Decline or Cancel, by Done for a `url`, and one field by its value */
      readonly response?: string;
      /** The fields of the question's `form`; what does not fit is 400 with `errors` by field */
      readonly fields?: {
        [key: string]: unknown;
      } | null;
      /** Who answers; becomes the assignee if there is none: an id, an address, or a name that only one person has */
      readonly user_id?: string | null;
      /** Id of the question: last_tool_call_id of the task. If the task asks another question by now, the answer is refused. Required to approve an action with the answer Send */
      readonly tool_call_id?: string | null;
    };
    readonly CancelRequest: {
      /** The reason, for the task's error */
      readonly reason?: string | null;
    };
    readonly MessageRequest: {
      /** What the agent should know or do */
      readonly message: string;
      /** Who sends it, and the owner of a continuation; default: the owner of the task: an id, an address, or a name that only one person has */
      readonly user_id?: string | null;
    };
    readonly Message: ({
      /**
       * The request, or a later message of a person
       * @enum {string}
       */
      readonly role: "user";
      /** The text */
      readonly content: string;
      /** Pictures that are sent with it */
      readonly images?: readonly ({
          /** Path in the user's sandbox */
          readonly path: string;
          /** Such as image/png */
          readonly media_type: string;
          /** Bytes; null until it is first sent */
          readonly size: components["schemas"]["Int"] | null;
          /** SHA-256 in hex; null until it is first sent */
          readonly digest: string | null;
        })[];
    }) | {
      /**
       * A note of the service to the model
       * @enum {string}
       */
      readonly role: "system";
      /** The text */
      readonly content: string;
    } | {
      /**
       * What the model wrote
       * @enum {string}
       */
      readonly role: "assistant";
      /** The text */
      readonly content: string;
      /** The tools that it calls */
      readonly tool_calls: readonly {
          /** Id of the call */
          readonly id: string;
          /** Name of the tool */
          readonly name: string;
          /** The model's text, usually JSON */
          readonly arguments: string;
        }[];
    } | {
      /**
       * The result of a tool call
       * @enum {string}
       */
      readonly role: "tool";
      /** Id of the call */
      readonly tool_call_id: string;
      /** Name of the tool */
      readonly name: string;
      /** The result of the call; if the call failed, it begins with `Error:` */
      readonly content: string;
    };
    readonly UserUsage: {
      /** User id */
      readonly user_id: string;
      /** Tasks of the user, without subtasks */
      readonly tasks: number;
      /** Tasks and subtasks without a cost, because a model call had no price */
      readonly unpriced_tasks: number;
      /** Tokens sent to the model */
      readonly input_tokens: number;
      /** Tokens the model wrote */
      readonly output_tokens: number;
      /** Calls of the model */
      readonly model_calls: number;
      /** Calls of tools */
      readonly tool_calls: number;
      /** Cost of the model calls in the currency of MODEL_PRICES; null while a call has no price, and without calls */
      readonly cost: components["schemas"]["Finite"] | null;
      /** The same for each day with tasks, newest first */
      readonly days: readonly components["schemas"]["DayUsage"][];
      /** What calls of models cost, by the day of the call, agent, model and source, newest first; at most 5,000 */
      readonly spending?: readonly components["schemas"]["Spending"][];
    };
    readonly DayUsage: {
      /** The day in UTC on which the tasks were created */
      readonly date: string;
      /** Tasks of the user, without subtasks */
      readonly tasks: number;
      /** Tasks and subtasks without a cost, because a model call had no price */
      readonly unpriced_tasks: number;
      /** Tokens sent to the model */
      readonly input_tokens: number;
      /** Tokens the model wrote */
      readonly output_tokens: number;
      /** Calls of the model */
      readonly model_calls: number;
      /** Calls of tools */
      readonly tool_calls: number;
      /** Cost of the model calls in the currency of MODEL_PRICES; null while a call has no price, and without calls */
      readonly cost: components["schemas"]["Finite"] | null;
    };
    readonly WorkerHealth: {
      /**
       * down: no live worker; degraded: a due task has waited for more than 30 s, a heartbeat is late, or the last run of a job failed
       * @enum {string}
       */
      readonly status: "healthy" | "degraded" | "down";
      /** The workers, including those whose heartbeat is late */
      readonly runners: readonly ({
          /** host:port of the worker */
          readonly address: string;
          /** Shards that it owns */
          readonly shards: number;
          /** Tasks that it runs */
          readonly active_tasks: number;
          /** Due tasks that are queued to it, up to 1000 */
          readonly queued_tasks: number;
          /** Its last heartbeat */
          readonly last_seen_at: string | null;
        })[];
      /** Due tasks that no worker has claimed, up to 1000 */
      readonly pending_jobs: number;
      /** The due task that has waited the longest; of more than are counted, one of the oldest */
      readonly oldest_pending: {
        /** Task id: a time-sortable UUIDv7 */
        readonly task_id: string;
        /**
         * Format: date-time
         * When it was due
         */
        readonly since: string;
      } | null;
      /** How long the due tasks take at the pace of the last ten minutes, estimated from 1000 on; null: tasks are due, and none has ended in that time */
      readonly backlog_seconds: components["schemas"]["Int"] | null;
      /** The scheduled jobs of all processes */
      readonly scheduled_jobs: readonly ({
          /** Name of the job */
          readonly name: string;
          /**
           * process: each process runs it; cluster: one process runs it for all
           * @enum {string}
           */
          readonly scope: "process" | "cluster";
          /** Its last run */
          readonly last_run_at: string | null;
          /** Its next run */
          readonly next_run_at: string | null;
          /** Why the last run failed */
          readonly last_error: string | null;
        })[];
    };
    readonly TaskStep: {
      /** Number of the step, from 1 */
      readonly seq: number;
      /**
       * woken: a worker took the task; prepared: skills and work steps were selected; model: the model answered; started: calls with outside effects began; dispatched: subtasks were made; results: tools returned; compacted: older messages were replaced by a summary; forced: a limit ended the task; steered: somebody sent a message; answered: somebody answered its question; model_failed: a call of the model is made again; interrupted: one was cut off, with estimates of its tokens; progressed: a tool server reported how far a call is; cancelled, retried, crashed, failed: as their names say
       * @enum {string}
       */
      readonly kind: "woken" | "prepared" | "model" | "started" | "dispatched" | "results" | "compacted" | "forced" | "steered" | "answered" | "cancelled" | "retried" | "crashed" | "model_failed" | "interrupted" | "progressed" | "failed";
      /**
       * Format: date-time
       * When the step was journalled, at the end of its work
       */
      readonly at: string;
      /** Milliseconds that the model call, or the longest of the tool calls, took; null: nothing was measured */
      readonly duration_ms: number | null;
      /** Status of the task since this step; null: unchanged */
      readonly status: ("pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents") | null;
      /** Why the task ended with this step; null: it did not */
      readonly ended_by: ("answer" | "limit" | "budget" | "cancelled" | "failure") | null;
      /** What happened, in one line */
      readonly title: string;
      /** What the model wrote, the summary, the message, the question or the reason of an end; null: none */
      readonly text: string | null;
      /** Who sent the message, answered, decided about an approval or cancelled; null: none, or several persons */
      readonly by: components["schemas"]["DoneBy"] | null;
      /** What the model thought before it answered, where its provider shows that; null: none */
      readonly thinking: string | null;
      /** Tokens sent to the model; null: no call */
      readonly input_tokens: components["schemas"]["Int"] | null;
      /** Tokens that the model wrote; null: no call */
      readonly output_tokens: components["schemas"]["Int"] | null;
      /** Cost of the call by MODEL_PRICES; null: no call, or no price */
      readonly cost: components["schemas"]["Finite"] | null;
      /** Name of the stored model that answered; null: no call, or the model of the settings */
      readonly model?: string | null;
      /** Tool calls that the model asked for */
      readonly calls: readonly {
          /** Id of the call */
          readonly id: string;
          /** Name of the tool */
          readonly name: string;
          /** What the model wrote as arguments, usually JSON */
          readonly arguments: string;
        }[];
      /** Results of tool calls */
      readonly results: readonly {
          /** Id of the call */
          readonly id: string;
          /** Name of the tool */
          readonly name: string;
          /** The result of the call; if the call failed, it begins with `Error:` */
          readonly content: string;
          /** Milliseconds that the call took */
          readonly duration_ms: number;
        }[];
      /** Subtasks that the step made */
      readonly subtasks: readonly ({
          /** Id of the call */
          readonly call_id: string;
          /** The subtask */
          readonly task_id: string;
          /**
           * The kind of subagent
           * @enum {string}
           */
          readonly agent_type: "general" | "research" | "tool-specialist";
        })[];
      /** When the task goes on after this step; null: at once, or on an event */
      readonly until: string | null;
      /** Whether a text is cut; GET /task/{task_id}/steps/{seq} has the whole texts */
      readonly truncated: boolean;
    };
    readonly DoneBy: {
      /** The user; null: none, or not known */
      readonly user_id: string | null;
      /** The name at that time; null: not known */
      readonly name: string | null;
      /** By which way: the console, the command line, MCP, another request to the API, chat or mail; null: not known */
      readonly via: ("api" | "chat" | "command_line" | "console" | "email" | "mcp") | null;
    };
    readonly StepContext: {
      /** Number of the model step */
      readonly seq: number;
      /** The messages that the call got, the newest last; a summary is a system message. Results of tools and summaries are between the marks that tell the model that they are data */
      readonly messages: readonly components["schemas"]["Message"][];
      /** The system prompt of the call. Texts about other people (colleagues, messages of a channel) are left out. Null if the step is no model call, or if an earlier version made it */
      readonly system: string | null;
      /** The tools that the call offered; null where `system` is */
      readonly tools: (readonly {
          /** Name of the tool */
          readonly name: string;
          /** What it does */
          readonly description: string;
          /** JSON Schema of its arguments */
          readonly parameters: unknown;
        }[]) | null;
      /** Older messages that a summary replaced in this call; GET /task/{task_id}/messages?full=true has them */
      readonly replaced: number;
      /** Skills whose instructions were in the system prompt */
      readonly skills: readonly string[];
      /** Memories that were in the system prompt; none for a reader who is not the task's creator, an owner or admin */
      readonly memories: readonly string[];
      /** Work steps that were in the system prompt */
      readonly work_steps: readonly string[];
    };
    readonly BulkRequest: {
      /**
       * What to do to each task; restore and delete are for archived ones, delete for good
       * @enum {string}
       */
      readonly action: "cancel" | "retry" | "archive" | "restore" | "delete";
      /** Which tasks; without a field, all that are not archived, or all that are */
      readonly filter: {
        /**
         * Only tasks with this status
         * @enum {string}
         */
        readonly status?: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
        /** Only tasks of this user: an id, an address, or a name that only one person has */
        readonly creator?: string;
        /** Only tasks assigned to this user: an id, an address, or a name that only one person has */
        readonly assignee?: string;
        /** Only tasks of this channel or project */
        readonly project_id?: string;
        /**
         * Only tasks made by this: team chat, mail, a schedule or a webhook, or by a request to the API
         * @enum {string}
         */
        readonly source?: "chat" | "email" | "schedule" | "webhook" | "api";
        /** Only tasks that this schedule made */
        readonly schedule_id?: string;
        /** Only tasks created by this type of webhook */
        readonly webhook_type?: string;
        /** Only tasks of this agent */
        readonly agent?: string;
        /**
         * Subtasks are listed only when asked for
         * @enum {string}
         */
        readonly task_type?: "task" | "subtask";
        /** Only subtasks of this task */
        readonly parent_task_id?: string;
        /** Only tasks made at this time or later, as 2026-01-31 or 2026-01-31T09:30:00Z */
        readonly created_from?: string;
        /** Only tasks made before this time, as 2026-01-31 or 2026-01-31T09:30:00Z */
        readonly created_before?: string;
        /** Text in the title or the description; of tasks whose content the caller may not read, in the title. A text of one or two characters is sought among some thousand tasks at a time */
        readonly q?: string;
        /** Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled */
        readonly cancelled?: boolean;
        /** Only running tasks that sleep until a time; false: only tasks that do not sleep */
        readonly sleeping?: boolean;
        /** Only these tasks, as a person selected them in a list; at most 1,000 */
        readonly ids?: readonly string[];
      };
      /** The reason, for the task's error */
      readonly reason?: string | null;
    };
    readonly BulkOperation: {
      /**
       * Format: uuid
       * Id of the operation
       */
      readonly id: string;
      /**
       * What is done to each task
       * @enum {string}
       */
      readonly action: "cancel" | "retry" | "archive" | "restore" | "delete";
      /** Tasks that matched the filter, of those looked at so far */
      readonly matched: number;
      /** Tasks that have been changed */
      readonly done: number;
      /** Tasks that could not be changed: their status did not allow it, or the caller may not change them */
      readonly failed: number;
      /** Why the operation ended before its time; null: it did not */
      readonly error: string | null;
      /**
       * Format: date-time
       * When it was asked for
       */
      readonly created_at: string;
      /** When all tasks had been looked at; null: not yet */
      readonly finished_at: string | null;
    };
    readonly TaskPreviewRequest: {
      /** What the agent should do */
      readonly message: string;
      /** The agent that works on it; default: the one of the task that it continues, or none in particular */
      readonly agent?: string | null;
      readonly agent_draft?: components["schemas"]["PreviewAgent"];
    };
    /** An agent that is not saved; instead of `agent` */
    readonly PreviewAgent: {
      /** Markdown that is added to the system prompt */
      readonly instructions?: string;
      /** The tools that it has: names or globs such as `github__*`; null: all */
      readonly tools?: (readonly string[]) | null;
      /** Tools that it does not have, of those above: names or globs */
      readonly disallowed_tools?: readonly string[];
      /** The skills that it may use; null: all that fit a request */
      readonly skills?: (readonly string[]) | null;
      /**
       * shared: the memories of the user; none: it is given none, and has no memory tools
       * @enum {string}
       */
      readonly memory?: "shared" | "none";
    };
    readonly TaskPreview: {
      /** The skills that the agent would get, best first */
      readonly skills: readonly components["schemas"]["SkillMatch"][];
      /** Skills that match, but can't be used on this machine */
      readonly lacking: readonly components["schemas"]["LackingSkill"][];
      /** The tools that the agent would get */
      readonly tools: readonly components["schemas"]["PreviewTool"][];
      /** The system prompt, without what differs between tasks, skills included */
      readonly prompt: string;
      /** Tools of tool servers that the agent would not get */
      readonly unbound_tools: number;
      /** Whether the tools of tool servers are chosen by the work steps that the model finds when the task starts (ENABLE_INTENT_PREPROCESSING): then these are the candidates */
      readonly depends_on_steps: boolean;
    };
    readonly SkillMatch: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** What the skill does */
      readonly description: string;
      /** How well it fits, up to 1 */
      readonly score: number;
      /** What it matched by */
      readonly matched_by: readonly ("tag" | "semantic")[];
    };
    readonly LackingSkill: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** What this machine lacks */
      readonly missing: readonly string[];
    };
    readonly PreviewTool: {
      /** The name under which the agent calls it */
      readonly name: string;
      /** Its tool server; null: built in */
      readonly server: string | null;
    };
    readonly AgentSummary: {
      /** Agent name, kebab-case */
      readonly name: string;
      /** What the agent is for, and when to use it */
      readonly description: string;
      /** The model that it uses; null: the default one */
      readonly model: string | null;
      /** The tools that it has: names or globs; null: all */
      readonly tools: (readonly string[]) | null;
      /** Tools that it does not have: names or globs */
      readonly disallowed_tools: readonly string[];
      /** The skills that it may use; null: all that fit a request */
      readonly skills: (readonly string[]) | null;
      /** Token budget of a task of it; null: none */
      readonly max_tokens_total: components["schemas"]["Int"] | null;
      /** Hard limit of model calls of a task; never above the service's own. null: that one */
      readonly max_iterations: components["schemas"]["Int"] | null;
      /** Sampling temperature; null: the model's */
      readonly temperature: number | null;
      /**
       * shared: the memories of the user; none: it is given none, and has no memory tools
       * @enum {string}
       */
      readonly memory: "shared" | "none";
      /** Channels of the team chat whose requests it gets */
      readonly channels: readonly string[];
      /** Types of webhooks that it gets */
      readonly webhooks: readonly string[];
      /** Mail addresses whose mail it gets */
      readonly mailboxes: readonly string[];
      /** What a task of it may cost; null: no limit */
      readonly max_cost: number | null;
      /** The model that summarizes; null: the default */
      readonly summary_model: string | null;
      /** Its conversations are not compacted below this length; null: the service's setting */
      readonly compaction_min_tokens: components["schemas"]["Int"] | null;
      /** 12 hex digits of the SHA-256 of its file */
      readonly revision: string;
      /**
       * built-in: comes with the service; folder: of AGENTS_PATH
       * @enum {string}
       */
      readonly source: "built-in" | "folder";
      /** Where its file differs from the format, and names in it that this service does not know */
      readonly warnings: readonly string[];
    };
    /** An agent with its instructions */
    readonly AgentDetail: {
      /** Agent name, kebab-case */
      readonly name: string;
      /** What the agent is for, and when to use it */
      readonly description: string;
      /** The model that it uses; null: the default one */
      readonly model: string | null;
      /** The tools that it has: names or globs; null: all */
      readonly tools: (readonly string[]) | null;
      /** Tools that it does not have: names or globs */
      readonly disallowed_tools: readonly string[];
      /** The skills that it may use; null: all that fit a request */
      readonly skills: (readonly string[]) | null;
      /** Token budget of a task of it; null: none */
      readonly max_tokens_total: components["schemas"]["Int"] | null;
      /** Hard limit of model calls of a task; never above the service's own. null: that one */
      readonly max_iterations: components["schemas"]["Int"] | null;
      /** Sampling temperature; null: the model's */
      readonly temperature: number | null;
      /**
       * shared: the memories of the user; none: it is given none, and has no memory tools
       * @enum {string}
       */
      readonly memory: "shared" | "none";
      /** Channels of the team chat whose requests it gets */
      readonly channels: readonly string[];
      /** Types of webhooks that it gets */
      readonly webhooks: readonly string[];
      /** Mail addresses whose mail it gets */
      readonly mailboxes: readonly string[];
      /** What a task of it may cost; null: no limit */
      readonly max_cost: number | null;
      /** The model that summarizes; null: the default */
      readonly summary_model: string | null;
      /** Its conversations are not compacted below this length; null: the service's setting */
      readonly compaction_min_tokens: components["schemas"]["Int"] | null;
      /** 12 hex digits of the SHA-256 of its file */
      readonly revision: string;
      /**
       * built-in: comes with the service; folder: of AGENTS_PATH
       * @enum {string}
       */
      readonly source: "built-in" | "folder";
      /** Where its file differs from the format, and names in it that this service does not know */
      readonly warnings: readonly string[];
      /** Markdown that is added to the system prompt */
      readonly instructions: string;
      /** Path of the agent's file within AGENTS_PATH, or within the folder of the built-in agents */
      readonly path: string;
    };
    readonly AgentUse: {
      /** The revision */
      readonly revision: string;
      /** How many tasks used it, of the newest thousand of the agent */
      readonly tasks: number;
      /**
       * Format: date-time
       * When the last of them was created
       */
      readonly last_used_at: string;
      /** The agent's file at that time */
      readonly content: string;
    };
    readonly AgentReload: {
      /** Number of agents */
      readonly count: number;
      /** New ones */
      readonly added: readonly string[];
      /** Those that changed */
      readonly updated: readonly string[];
      /** Removed ones */
      readonly removed: readonly string[];
      /** Files that are not valid agents, and why */
      readonly errors: readonly components["schemas"]["SkillFault"][];
    };
    readonly SkillFault: {
      /** The file or folder */
      readonly path: string;
      /** What is wrong with it */
      readonly message: string;
    };
    readonly AgentCreateRequest: {
      /** Agent name, kebab-case */
      readonly name: string;
      /** What the agent is for, and when to use it */
      readonly description: string;
      /** Markdown that is added to the system prompt */
      readonly instructions: string;
      /** The model that it uses; null: the default one */
      readonly model?: string | null;
      /** The tools that it has: names or globs such as `github__*`; null: all */
      readonly tools?: (readonly string[]) | null;
      /** Tools that it does not have, of those above: names or globs */
      readonly disallowed_tools?: readonly string[];
      /** The skills that it may use; null: all that fit a request */
      readonly skills?: (readonly string[]) | null;
      /** Token budget of a task of it; null: none */
      readonly max_tokens_total?: components["schemas"]["Int"] | null;
      /** Hard limit of model calls of a task; never above the service's own. null: that one */
      readonly max_iterations?: components["schemas"]["Int"] | null;
      /** Sampling temperature; null: the model's */
      readonly temperature?: number | null;
      /**
       * shared: the memories of the user; none: it is given none, and has no memory tools
       * @enum {string}
       */
      readonly memory?: "shared" | "none";
      /** Channels of the team chat, by name or id, whose requests it gets */
      readonly channels?: readonly string[];
      /** Types of webhooks that it gets */
      readonly webhooks?: readonly string[];
      /** Mail addresses whose mail it gets */
      readonly mailboxes?: readonly string[];
      /** What a task of it may cost; null: no limit */
      readonly max_cost?: number | null;
      /** The model that summarizes its conversations; null: the default one */
      readonly summary_model?: string | null;
      /** Its conversations are not compacted below this length; null: the service's setting */
      readonly compaction_min_tokens?: components["schemas"]["Int"] | null;
    };
    readonly AgentUpdateRequest: {
      /** What the agent is for, and when to use it */
      readonly description?: string;
      /** Markdown that is added to the system prompt */
      readonly instructions?: string;
      /** The model that it uses; null: the default one */
      readonly model?: string | null;
      /** The tools that it has: names or globs such as `github__*`; null: all */
      readonly tools?: (readonly string[]) | null;
      /** Tools that it does not have, of those above: names or globs */
      readonly disallowed_tools?: readonly string[];
      /** The skills that it may use; null: all that fit a request */
      readonly skills?: (readonly string[]) | null;
      /** Token budget of a task of it; null: none */
      readonly max_tokens_total?: components["schemas"]["Int"] | null;
      /** Hard limit of model calls of a task; never above the service's own. null: that one */
      readonly max_iterations?: components["schemas"]["Int"] | null;
      /** Sampling temperature; null: the model's */
      readonly temperature?: number | null;
      /**
       * shared: the memories of the user; none: it is given none, and has no memory tools
       * @enum {string}
       */
      readonly memory?: "shared" | "none";
      /** Channels of the team chat, by name or id, whose requests it gets */
      readonly channels?: readonly string[];
      /** Types of webhooks that it gets */
      readonly webhooks?: readonly string[];
      /** Mail addresses whose mail it gets */
      readonly mailboxes?: readonly string[];
      /** What a task of it may cost; null: no limit */
      readonly max_cost?: number | null;
      /** The model that summarizes its conversations; null: the default one */
      readonly summary_model?: string | null;
      /** Its conversations are not compacted below this length; null: the service's setting */
      readonly compaction_min_tokens?: components["schemas"]["Int"] | null;
    };
    readonly ApprovalsRequest: {
      /** All apply, or none */
      readonly decisions: readonly components["schemas"]["ApprovalDecision"][];
    };
    readonly ApprovalDecision: {
      /** The call */
      readonly tool_call_id: string;
      /** Id of the approval that was shown: if the call was asked anew since then, nothing is decided (409) */
      readonly approval?: string | null;
      /**
       * approve or deny
       * @enum {string}
       */
      readonly decision: "approve" | "deny";
      /** Why it is denied; the agent reads it */
      readonly reason?: string | null;
      /** Other arguments with which the call is approved */
      readonly arguments?: {
        [key: string]: unknown;
      } | null;
      /** Equal calls need no approval any more */
      readonly remember?: ({
        /**
         * task; schedule: later runs of the one that made it; agent: its later tasks, without one this person's of that project
         * @enum {string}
         */
        readonly scope: "task" | "schedule" | "agent";
        /** Arguments that must stay as they are now */
        readonly same?: (readonly string[]) | null;
      }) | null;
    };
    readonly Grant: {
      /** Grant id: a time-sortable UUIDv7 */
      readonly id: string;
      /** The tool's name as the model sees it */
      readonly tool: string;
      /**
       * task, schedule or agent
       * @enum {string}
       */
      readonly scope: "task" | "schedule" | "agent";
      /** Arguments that must stay as they were, by JSON pointer */
      readonly same: readonly string[];
      /** Their values */
      readonly values: {
        [key: string]: unknown;
      };
      /** The task, with scope task */
      readonly task_id: string | null;
      /** The schedule, with scope schedule */
      readonly schedule_id: string | null;
      /** The agent, with scope agent; null: without one */
      readonly agent: string | null;
      /** Who granted it */
      readonly granted_by: string;
      /**
       * Format: date-time
       * When
       */
      readonly created_at: string;
      /** When it last applied */
      readonly used_at: string | null;
      /** How often it applied */
      readonly uses: number;
    };
    readonly PolicyReport: {
      /** Rises with each change */
      readonly revision: number;
      /**
       * What decides where no rule does
       * @enum {string}
       */
      readonly preset: "quiet" | "balanced" | "strict";
      /** Deny beats ask beats allow, wherever they stand */
      readonly rules: readonly components["schemas"]["Rule"][];
      /** Classes of tools of tool servers, by globs of their names */
      readonly classes: {
        [key: string]: "read" | "own" | "outside" | "destructive";
      };
      /** Rules that never apply, as the tools are now */
      readonly dead: readonly components["schemas"]["DeadRule"][];
    };
    readonly Rule: {
      /**
       * allow, ask or deny
       * @enum {string}
       */
      readonly effect: "allow" | "ask" | "deny";
      /** The tool's name as the model sees it; * is any text, ? one character */
      readonly tool: string;
      readonly when?: components["schemas"]["RuleCondition"];
      /** Who may approve: requester, admin, or ids of users. Default: requester and admin */
      readonly who?: readonly components["schemas"]["NonEmptyString"][];
      /** Why; shown to the approver and, where it denies, to the agent */
      readonly because?: string;
    };
    /** What must hold of a call, all of it */
    readonly RuleCondition: {
      /** Tests of arguments, by their JSON pointers */
      readonly args?: {
        [key: string]: components["schemas"]["ArgumentTest"];
      };
      /** Class of the tool */
      readonly class?: ("read" | "own" | "outside" | "destructive") | (readonly ("read" | "own" | "outside" | "destructive")[]);
      /** Context of the call */
      readonly context?: ("trusted" | "outside") | (readonly ("trusted" | "outside")[]);
      /** Where the request came from */
      readonly source?: ("api" | "chat" | "email" | "schedule" | "webhook") | (readonly ("api" | "chat" | "email" | "schedule" | "webhook")[]);
      /** Who asked for the task */
      readonly requester?: ("owner" | "admin" | "member" | "guest" | "unknown" | "system") | (readonly ("owner" | "admin" | "member" | "guest" | "unknown" | "system")[]);
      /** The agent, by its name */
      readonly agent?: components["schemas"]["NonEmptyString"] | (readonly components["schemas"]["NonEmptyString"][]);
      /** The channel or project */
      readonly project?: components["schemas"]["NonEmptyString"] | (readonly components["schemas"]["NonEmptyString"][]);
      /** The schedule, by its id */
      readonly schedule?: components["schemas"]["NonEmptyString"] | (readonly components["schemas"]["NonEmptyString"][]);
    };
    readonly ArgumentTest: {
      /** Equal to this JSON value */
      readonly is?: unknown;
      /** Equal to one of these */
      readonly in?: readonly unknown[];
      /** A text that this fits: * any text, ? one character */
      readonly glob?: string;
      /** An address, link or domain whose domain is one of these; *.example.org: those below it */
      readonly domain_in?: readonly components["schemas"]["NonEmptyString"][];
      /** Above this number */
      readonly over?: number;
      /** Below this number */
      readonly under?: number;
    };
    /** a non empty string */
    readonly NonEmptyString: string;
    readonly DeadRule: {
      /** Place of the rule, from 0 */
      readonly index: number;
      /** Why it never applies */
      readonly reason: string;
    };
    readonly PolicyChange: {
      /** The revision that the change was made from */
      readonly revision: number;
      /**
       * What decides where no rule does. Left out: as it is
       * @enum {string}
       */
      readonly preset?: "quiet" | "balanced" | "strict";
      /** All rules. Left out: as they are */
      readonly rules?: readonly components["schemas"]["Rule"][];
      /** All classes. Left out: as they are */
      readonly classes?: {
        [key: string]: "read" | "own" | "outside" | "destructive";
      };
      /** Not used: what was read may be sent back as a whole */
      readonly dead?: unknown;
    };
    readonly PolicyTest: {
      /** Not used, as dead */
      readonly revision?: unknown;
      /**
       * What decides where no rule does. Left out: as it is
       * @enum {string}
       */
      readonly preset?: "quiet" | "balanced" | "strict";
      /** All rules. Left out: as they are */
      readonly rules?: readonly components["schemas"]["Rule"][];
      /** All classes. Left out: as they are */
      readonly classes?: {
        [key: string]: "read" | "own" | "outside" | "destructive";
      };
      /** Not used: what was read may be sent back as a whole */
      readonly dead?: unknown;
      /** How many past days of tasks to test, 1 to 365 */
      readonly days?: components["schemas"]["Int"];
    };
    readonly PolicyTestReport: {
      /** Tasks that were read, without their subtasks */
      readonly tasks: number;
      /** Their calls, and those of their subtasks, about which was decided */
      readonly calls: number;
      /** Calls that the tested rules allow */
      readonly allowed: number;
      /** Calls that they ask about */
      readonly asked: number;
      /** Calls that they deny */
      readonly denied: number;
      /** Calls that they decide otherwise, newest task first */
      readonly changed: readonly components["schemas"]["ChangedCall"][];
      /** What was not read or is not listed, in a sentence; null: nothing */
      readonly left_out: string | null;
    };
    readonly ChangedCall: {
      /** The task, or the subtask, that made the call */
      readonly task_id: string;
      /** The call */
      readonly tool_call_id: string;
      /** The tool's name as the model sees it */
      readonly tool: string;
      /**
       * What was decided then; ask: also if a person has approved it
       * @enum {string}
       */
      readonly before: "allow" | "ask" | "deny";
      /**
       * What the tested rules decide
       * @enum {string}
       */
      readonly after: "allow" | "ask" | "deny";
      /** Place of the tested rule that decides, from 0; null: the preset, or the rules for mail */
      readonly rule: components["schemas"]["Int"] | null;
    };
    readonly PolicyTool: {
      /** Its name as the model sees it */
      readonly name: string;
      /** Its tool server; null: built in, or of a skill */
      readonly server: string | null;
      /**
       * What it changes
       * @enum {string}
       */
      readonly class: "read" | "own" | "outside" | "destructive";
      /**
       * Who says so: the service, the skill, the accepted hints of its server (outside where they don't say), or the classes of the policy
       * @enum {string}
       */
      readonly class_from: "built_in" | "skill" | "hints" | "admin";
    };
    readonly PolicyRevision: {
      /** Rises with each change */
      readonly revision: number;
      /**
       * What decides where no rule does
       * @enum {string}
       */
      readonly preset: "quiet" | "balanced" | "strict";
      /** Deny beats ask beats allow, wherever they stand */
      readonly rules: readonly components["schemas"]["Rule"][];
      /** Classes of tools of tool servers, by globs of their names */
      readonly classes: {
        [key: string]: "read" | "own" | "outside" | "destructive";
      };
      /** Who saved it; null: POLICY_FILE */
      readonly author: string | null;
      /**
       * Format: date-time
       * When it was saved
       */
      readonly created_at: string;
    };
    readonly SkillSummary: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** What the skill does and when to use it */
      readonly description: string;
      /** A request that contains one of them matches */
      readonly tags: readonly string[];
      /** Who wrote it */
      readonly author: string | null;
      /** Its author's version */
      readonly version: string | null;
      /** Tools that the skill needs; parts of names are enough */
      readonly allowed_tools: readonly string[];
      /** This machine has everything that it requires */
      readonly requirements_met: boolean;
      /**
       * built-in: comes with the service; custom: of SKILLS_PATH
       * @enum {string}
       */
      readonly source: "built-in" | "custom";
      /** Its scripts that are tools in every task */
      readonly tools: readonly components["schemas"]["SkillTool"][];
      /** What its SKILL.md has otherwise than the format says, and how it was read */
      readonly warnings: readonly string[];
    };
    /** A script of a skill that is offered as a tool */
    readonly SkillTool: {
      /** Agents call it as <skill>__<name> */
      readonly name: string;
      /** What it does and when to use it, for the model */
      readonly description: string;
      /** A file in scripts/, by its path in it */
      readonly script: string;
      /** The JSON Schema of its arguments, an object */
      readonly parameters: {
        [key: string]: unknown;
      };
      /**
       * What a call changes
       * @enum {string}
       */
      readonly class: "read" | "own" | "outside" | "destructive";
    };
    readonly SkillStatuses: {
      /** All skills, by name */
      readonly skills: readonly components["schemas"]["SkillStatus"][];
    };
    readonly SkillStatus: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** Nothing is missing */
      readonly met: boolean;
      /** What this machine lacks */
      readonly missing: {
        /** Programs on the PATH */
        readonly bins: readonly string[];
        /** Environment variables that must be set */
        readonly env: readonly string[];
        /** Python packages */
        readonly python: readonly string[];
        /** Node packages */
        readonly node: readonly string[];
        /** Platforms, one of which is enough: linux, darwin, win32 */
        readonly platform: readonly string[];
      };
    };
    /** A skill with its instructions */
    readonly SkillDetail: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** What the skill does and when to use it */
      readonly description: string;
      /** A request that contains one of them matches */
      readonly tags: readonly string[];
      /** Who wrote it */
      readonly author: string | null;
      /** Its author's version */
      readonly version: string | null;
      /** Tools that the skill needs; parts of names are enough */
      readonly allowed_tools: readonly string[];
      /** This machine has everything that it requires */
      readonly requirements_met: boolean;
      /**
       * built-in: comes with the service; custom: of SKILLS_PATH
       * @enum {string}
       */
      readonly source: "built-in" | "custom";
      /** Its scripts that are tools in every task */
      readonly tools: readonly components["schemas"]["SkillTool"][];
      /** What its SKILL.md has otherwise than the format says, and how it was read */
      readonly warnings: readonly string[];
      /** Markdown that is added to the system prompt */
      readonly instructions: string;
      /** Files in scripts/, by their path in it */
      readonly scripts: readonly string[];
      /** What its scripts need */
      readonly requirements: {
        /** Programs on the PATH */
        readonly bins: readonly string[];
        /** Environment variables that must be set */
        readonly env: readonly string[];
        /** Python packages */
        readonly python: readonly string[];
        /** Node packages */
        readonly node: readonly string[];
        /** Platforms, one of which is enough: linux, darwin, win32 */
        readonly platform: readonly string[];
      };
      /** The skill's SKILL.md */
      readonly path: string;
      /**
       * Format: date-time
       * When it was created
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * When it last changed
       */
      readonly updated_at: string;
    };
    readonly SkillMatchRequest: {
      /** What somebody would ask the agent */
      readonly query: string;
      /** Minimum score of a match, 0 to 1 */
      readonly threshold?: number | null;
      /** Maximum number of skills */
      readonly max_skills?: components["schemas"]["Int"] | null;
    };
    readonly SkillMatches: {
      /** The request */
      readonly query: string;
      /** The threshold that was applied */
      readonly threshold: number;
      /** Best first */
      readonly matches: readonly components["schemas"]["SkillMatch"][];
    };
    readonly SkillReload: {
      /** Number of skills */
      readonly count: number;
      /** New ones */
      readonly added: readonly string[];
      /** Those that changed */
      readonly updated: readonly string[];
      /** Removed ones */
      readonly removed: readonly string[];
      /** Files that are not valid skills, and why */
      readonly errors: readonly components["schemas"]["SkillFault"][];
    };
    readonly SkillSimilarity: {
      /** The request */
      readonly query: string;
      /** The threshold that agents use */
      readonly threshold: number;
      /** All skills, best first */
      readonly scores: readonly components["schemas"]["SkillScore"][];
    };
    readonly SkillScore: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** Cosine similarity of the query with description and tags */
      readonly semantic: number;
      /** What a tag in the query added */
      readonly keyword_boost: number;
      /** The sum, which is compared with the threshold */
      readonly score: number;
    };
    readonly SkillCreateRequest: {
      /** Skill name, kebab-case */
      readonly name: string;
      /** What the skill does and when to use it */
      readonly description: string;
      /** Markdown that is added to the system prompt */
      readonly instructions: string;
      /** Its licence */
      readonly license?: string | null;
      /** The environments it is made for */
      readonly compatibility?: string | null;
      /** Other fields, unchanged */
      readonly metadata?: {
        [key: string]: unknown;
      };
      /** Tools that the skill needs; parts of names are enough */
      readonly allowed_tools?: readonly string[];
      /** A request that contains one of them matches */
      readonly tags?: readonly string[];
      /** Who wrote it */
      readonly author?: string | null;
      /** Its author's version */
      readonly version?: string | null;
      /** What its scripts need */
      readonly requirements?: {
        /** Programs on the PATH */
        readonly bins?: readonly string[];
        /** Environment variables that must be set */
        readonly env?: readonly string[];
        /** Python packages */
        readonly python?: readonly string[];
        /** Node packages */
        readonly node?: readonly string[];
        /** Platforms, one of which is enough: linux, darwin, win32 */
        readonly platform?: readonly string[];
      };
    };
    readonly SkillUpdateRequest: {
      /** What the skill does and when to use it */
      readonly description?: string;
      /** Markdown that is added to the system prompt */
      readonly instructions?: string;
      /** Its licence */
      readonly license?: string | null;
      /** The environments it is made for */
      readonly compatibility?: string | null;
      /** Other fields, unchanged */
      readonly metadata?: {
        [key: string]: unknown;
      };
      /** Tools that the skill needs; parts of names are enough */
      readonly allowed_tools?: readonly string[];
      /** A request that contains one of them matches */
      readonly tags?: readonly string[];
      /** Who wrote it */
      readonly author?: string | null;
      /** Its author's version */
      readonly version?: string | null;
      /** What its scripts need */
      readonly requirements?: {
        /** Programs on the PATH */
        readonly bins?: readonly string[];
        /** Environment variables that must be set */
        readonly env?: readonly string[];
        /** Python packages */
        readonly python?: readonly string[];
        /** Node packages */
        readonly node?: readonly string[];
        /** Platforms, one of which is enough: linux, darwin, win32 */
        readonly platform?: readonly string[];
      };
    };
    readonly SkillRemoved: {
      /** Skill name, kebab-case */
      readonly name: string;
      /**
       * The skill was deleted
       * @enum {boolean}
       */
      readonly deleted: true;
    };
    readonly SkillGenerateRequest: {
      /** What the skill is for, in plain words */
      readonly description: string;
      /** Also save it; default: false */
      readonly save?: boolean | null;
    };
    readonly SkillGenerated: {
      readonly skill: components["schemas"]["SkillDetail"];
      /** Whether it was saved; false: it is only a proposal */
      readonly saved: boolean;
    };
    readonly MCPLegacyStatus: {
      /**
       * Always delegated
       * @enum {string}
       */
      readonly status: "delegated";
      /** The endpoint to use instead */
      readonly message: string;
    };
    readonly MCPConfigResponse: {
      /** Configured servers */
      readonly total_servers: number;
      /** Connected servers */
      readonly connected_servers: number;
      /** Servers without a connection; each is retried */
      readonly failed_servers: number;
      /** Disabled servers */
      readonly disabled_servers: number;
      /** Tools of all servers that agents can use */
      readonly total_tools: number;
      /** The servers, by name */
      readonly servers: readonly components["schemas"]["ToolServerState"][];
    };
    readonly ToolServerState: {
      /** Its name in the configuration */
      readonly name: string;
      /**
       * stdio, http or sse
       * @enum {string}
       */
      readonly transport: "stdio" | "http" | "sse";
      /**
       * connected, failed, disabled, connecting or needs_sign_in
       * @enum {string}
       */
      readonly status: "connected" | "failed" | "disabled" | "connecting" | "needs_sign_in";
      /** How many tools it offers to agents */
      readonly tool_count: number;
      /** Their names on the server */
      readonly tools: readonly string[];
      /** Tools that agents can't use until an owner or admin accepts them as they are */
      readonly tools_off?: readonly components["schemas"]["HeldTool"][];
      /** What of its list of tools or of its configuration could not be used, with the reasons */
      readonly warnings?: readonly string[];
      /** What is wrong with it, if anything */
      readonly error: string | null;
      /** Since when it is connected */
      readonly connected_at: string | null;
      /** Attempts to connect after the first one since it was configured; of several workers, the highest number */
      readonly restarts?: components["schemas"]["Int"];
      /** The last failure, also when it works again */
      readonly last_error?: {
        /** Why it ended or did not connect */
        readonly message: string;
        /**
         * Format: date-time
         * When
         */
        readonly at: string;
      } | null;
      /** Whether its connection works, as the last look found it */
      readonly health?: components["schemas"]["WorkHealth"];
      /** Whether each person signs in; status and connection are the caller's then */
      readonly per_user?: boolean;
      /** The sign-in at it; null: none */
      readonly connection?: components["schemas"]["ToolServerConnection"] | null;
    };
    readonly HeldTool: {
      /** Its name on the server */
      readonly name: string;
      /**
       * changed: its definition is not the accepted one. new: it was not there when the server was accepted
       * @enum {string}
       */
      readonly reason: "changed" | "new";
    };
    readonly WorkHealth: {
      /**
       * ok; late: a run is missing; failing: three tasks in a row failed, or the connection does; silent: no delivery for three times the longest gap so far
       * @enum {string}
       */
      readonly state: "ok" | "late" | "failing" | "silent";
      /** Since when; null: nobody has looked yet */
      readonly since: string | null;
      /** When it last worked; null: not known */
      readonly last_ok_at: string | null;
      /** Why it failed the last time; null: it did not */
      readonly last_error: string | null;
      /** Failures since it last worked, at most 20 */
      readonly failures_in_a_row: number;
      /** Of a schedule that is late: the runs that are missing, at most 100 */
      readonly missed: number;
    };
    readonly ToolServerConnection: {
      /** The authorization server */
      readonly issuer: string;
      /** What it allows, as far as the server says so */
      readonly scopes: readonly string[];
      /** Who signed in */
      readonly connected_by: string;
      /**
       * Format: date-time
       * When
       */
      readonly connected_at: string;
      /** When the present token expires; it is refreshed before. null: unknown */
      readonly expires_at: string | null;
      /** When the token was refreshed last */
      readonly last_refresh: string | null;
      /** The last failure; null after a refresh that succeeded */
      readonly last_error: {
        /** Why the last refresh failed */
        readonly message: string;
        /**
         * Format: date-time
         * When
         */
        readonly at: string;
      } | null;
      /** Whether it can't be used any more without a new sign-in */
      readonly needs_sign_in: boolean;
    };
    readonly ToolServerTools: {
      /** In the order of the server's last list */
      readonly tools: readonly components["schemas"]["ToolServerTool"][];
    };
    readonly ToolServerTool: {
      /** Its name on the server */
      readonly name: string;
      /** The name under which agents call it */
      readonly bound_name: string;
      /** What it does, in the words of the server */
      readonly description: string;
      /** The JSON schema of its arguments */
      readonly input_schema: {
        [key: string]: unknown;
      };
      /** Whether the server says that it changes nothing */
      readonly is_read_only: boolean;
      /**
       * usable, or off until it is accepted: its definition has changed, or the tool is new
       * @enum {string}
       */
      readonly state: "usable" | "changed" | "new";
      /** Of the definition; whoever accepts the tool sends it */
      readonly digest: string;
    };
    readonly AcceptedTools: {
      /** The digest of each definition that is accepted, by the name of the tool on the server */
      readonly tools: {
        [key: string]: string;
      };
    };
    readonly ToolTest: {
      /** The arguments of the call, as the tool's input schema describes them; default: none */
      readonly arguments?: {
        [key: string]: unknown;
      };
      /** true: the caller approves the call with these arguments, if the policy asks about it */
      readonly approved?: boolean;
    };
    readonly ToolTested: {
      /** Whether the tool answered without an error */
      readonly ok: boolean;
      /**
       * answered or failed: the call was made, or tried. Else it was not made. asks: the policy wants an approval, and the same request with approved gives it. denied: by a rule. needs_sign_in: somebody has to connect the server first
       * @enum {string}
       */
      readonly outcome: "answered" | "failed" | "asks" | "denied" | "needs_sign_in";
      /** The same in words: why it failed, which rule asks or denies; empty for an answer */
      readonly detail: string;
      /**
       * What the policy takes the tool to change
       * @enum {string}
       */
      readonly class: "read" | "own" | "outside" | "destructive";
      /** asks: whether the caller may approve it; else false */
      readonly may_approve: boolean;
      /** The result as agents read it, shortened; pictures by their type and size. null: none */
      readonly text: string | null;
      /** The structured content of the result; null: none */
      readonly structured: unknown;
      /** How long the call took, with the connection that it opened; null: it was not made */
      readonly latency_ms: components["schemas"]["Int"] | null;
    };
    readonly MCPConfigRequest: {
      /** All tool servers by name; servers that are not listed are stopped */
      readonly mcpServers: {
        [key: string]: components["schemas"]["ToolServerEntry"];
      };
    };
    readonly ToolServerEntry: {
      /** Program to start; it communicates over standard input and output */
      readonly command?: string | null;
      /** Its arguments; ${NAME} refers to a variable of env, or else as in env */
      readonly args?: (readonly string[]) | null;
      /** Environment of the program, beside a few harmless variables; never shown again. ${NAME}, ${NAME:-default} or ${env:NAME} refers to a variable of the service's environment */
      readonly env?: {
        [key: string]: string;
      } | null;
      /** Folder to start it in */
      readonly cwd?: string | null;
      /** Address of a remote server; may refer to variables, as headers may */
      readonly url?: string | null;
      /** http (streamable, the default for an address) or sse; stdio for a command */
      readonly type?: string | null;
      /** Headers of every request to it; never shown again. ${NAME} refers to a variable of the service's environment */
      readonly headers?: {
        [key: string]: string;
      } | null;
      /** oauth: somebody signs in at the server (POST /api/mcp/servers/{server_name}/connect). A server that asks for it needs no such entry */
      readonly auth?: "oauth" | null;
      /** true: each person signs in, and a task uses the sign-in of its creator; default: one for everybody */
      readonly per_user?: boolean | null;
      /** Client that is registered at its authorization server; default: the service registers itself */
      readonly client_id?: string | null;
      /** Secret of that client; never shown again. May refer to variables, as headers may */
      readonly client_secret?: string | null;
      /** client_credentials: the client signs in itself, without a person; default: authorization_code */
      readonly grant_type?: ("authorization_code" | "client_credentials") | null;
      /** Scopes to ask for, with blanks between; default: those that the server names */
      readonly scope?: string | null;
      /** true: keep the server, but do not use it */
      readonly disabled?: boolean | null;
      /** Seconds a call of one of its tools may take, 1 to 600; a call also ends before the time-out of its step. Default: MCP_CALL_TIMEOUT */
      readonly timeout_seconds?: number | null;
      /** The only tools that agents may use; default: all */
      readonly allowed_tools?: (readonly string[]) | null;
    };
    readonly ConnectStarted: {
      /** Page of the authorization server to open in a browser; it comes back within ten minutes */
      readonly url: string;
    };
    readonly ClientDocument: {
      /** The address of this document */
      readonly client_id: string;
      /** Name that authorization servers show to people */
      readonly client_name: string;
      /** First page of this service */
      readonly client_uri: string;
      /** Where browsers come back */
      readonly redirect_uris: readonly string[];
      /** How it gets tokens */
      readonly grant_types: readonly string[];
      /** What browsers bring back */
      readonly response_types: readonly string[];
      /** none: it has no secret */
      readonly token_endpoint_auth_method: string;
    };
    readonly LanguageModels: {
      /** The model that works where no other one is named */
      readonly default: string;
      /** Called in this order where a model is unavailable */
      readonly fallbacks: readonly string[];
      /** That of the settings, then the stored ones by name */
      readonly models: readonly components["schemas"]["LanguageModel"][];
    };
    readonly LanguageModel: {
      /** Its name: settings for the model of the settings */
      readonly name: string;
      /**
       * openai, anthropic, gemini or openai-compatible; offline: the built-in model
       * @enum {string}
       */
      readonly provider: "openai" | "anthropic" | "gemini" | "openai-compatible" | "offline";
      /** The model's name at its provider */
      readonly model: string;
      /** Address of the provider; null: built in */
      readonly base_url: string | null;
      /** Whether it has a key, which is never shown */
      readonly has_key: boolean;
      /** Its context window */
      readonly context_tokens: number;
      /** Per million tokens; null: not known */
      readonly price: {
        /** Per million tokens of input */
        readonly input: components["schemas"]["Finite"];
        /** Per million tokens of output */
        readonly output: components["schemas"]["Finite"];
        /** Per million tokens of input that the provider had cached */
        readonly cached_input?: components["schemas"]["Finite"];
      } | null;
      /** Its sampling temperature */
      readonly temperature: number;
      /**
       * Where it is defined
       * @enum {string}
       */
      readonly source: "settings" | "stored";
      /** Which of these a stored model was given; the others are the usual ones of its provider and model, and follow these */
      readonly overrides: readonly ("base_url" | "context_tokens" | "price" | "temperature")[];
      /**
       * What the last call that this process knows of showed: answers, wrong_key, unknown_model, unavailable, refused (the provider refused the call for another reason); untested: none was made
       * @enum {string}
       */
      readonly status: "answers" | "wrong_key" | "unknown_model" | "unavailable" | "refused" | "untested";
      /** What the provider said, and how long ago */
      readonly detail: string;
    };
    readonly LocalModelServer: {
      /** What answers there */
      readonly title: string;
      /** Its address for a model */
      readonly base_url: string;
      /** The models that it has */
      readonly models: readonly string[];
    };
    readonly LanguageModelCatalogueRequest: {
      /**
       * openai, anthropic, gemini or openai-compatible; openai-compatible: any server with /chat/completions
       * @enum {string}
       */
      readonly provider: "openai" | "anthropic" | "gemini" | "openai-compatible";
      /** Address of the provider, up to /v1; openai-compatible needs it */
      readonly base_url?: string | null;
      /** Key of the provider; left out: that of the model `name` */
      readonly api_key?: string | null;
      /** A stored model at the same address, whose key is used where none is given */
      readonly name?: string | null;
    };
    readonly LanguageModelCatalogue: {
      /** Names of models, as the provider lists them */
      readonly models: readonly string[];
      /** Why there is no list; null: there is one */
      readonly detail: string | null;
    };
    readonly LanguageModelTrial: {
      /**
       * openai, anthropic, gemini or openai-compatible; openai-compatible: any server with /chat/completions
       * @enum {string}
       */
      readonly provider: "openai" | "anthropic" | "gemini" | "openai-compatible";
      /** The model's name at its provider */
      readonly model: string;
      /** Address of the provider, up to /v1; openai-compatible needs it */
      readonly base_url?: string | null;
      /** Key of the provider; never shown again. Left out: the stored one stays; null: it is deleted */
      readonly api_key?: string | null;
      /** Its context window; default: the usual one of the provider */
      readonly context_tokens?: components["schemas"]["Int"] | null;
      /** Per million tokens, as MODEL_PRICES */
      readonly price?: {
        /** Per million tokens of input */
        readonly input: components["schemas"]["Finite"];
        /** Per million tokens of output */
        readonly output: components["schemas"]["Finite"];
        /** Per million tokens of input that the provider had cached */
        readonly cached_input?: components["schemas"]["Finite"];
      } | null;
      /** Sampling temperature; default: MODEL_TEMPERATURE, else the usual one of the provider */
      readonly temperature?: number | null;
      /** A stored model at the same address, whose key is used where none is given */
      readonly name?: string | null;
    };
    readonly LanguageModelTested: {
      /** Whether the model answered */
      readonly ok: boolean;
      /** What it answered with, or why it did not */
      readonly detail: string;
      /** Milliseconds that the call took */
      readonly latency_ms: number;
    };
    readonly DefaultLanguageModel: {
      /** Name of a model, or settings */
      readonly default: string;
      /** Names of models in the order in which they are tried; left out: as before */
      readonly fallbacks?: (readonly string[]) | null;
    };
    readonly LanguageModelEntry: {
      /**
       * openai, anthropic, gemini or openai-compatible; openai-compatible: any server with /chat/completions
       * @enum {string}
       */
      readonly provider: "openai" | "anthropic" | "gemini" | "openai-compatible";
      /** The model's name at its provider */
      readonly model: string;
      /** Address of the provider, up to /v1; openai-compatible needs it */
      readonly base_url?: string | null;
      /** Key of the provider; never shown again. Left out: the stored one stays; null: it is deleted */
      readonly api_key?: string | null;
      /** Its context window; default: the usual one of the provider */
      readonly context_tokens?: components["schemas"]["Int"] | null;
      /** Per million tokens, as MODEL_PRICES */
      readonly price?: {
        /** Per million tokens of input */
        readonly input: components["schemas"]["Finite"];
        /** Per million tokens of output */
        readonly output: components["schemas"]["Finite"];
        /** Per million tokens of input that the provider had cached */
        readonly cached_input?: components["schemas"]["Finite"];
      } | null;
      /** Sampling temperature; default: MODEL_TEMPERATURE, else the usual one of the provider */
      readonly temperature?: number | null;
    };
    readonly UserChanges: {
      /** Full name */
      readonly name?: string | null;
      /** What to call the user */
      readonly display_name?: string | null;
      /** E-mail address */
      readonly email?: string | null;
      /** What the user does in the team */
      readonly title?: string | null;
      /** IANA time zone */
      readonly timezone?: string | null;
      /** What the user is responsible for */
      readonly responsibilities?: string | null;
      /** How to notify the user beside the feed; null or empty: where the task came from */
      readonly notify_by?: (readonly ("chat" | "email" | "ui")[]) | null;
      /** true: another user who has the address becomes this one, with everything of theirs. Hosted: owner and admin */
      readonly join?: boolean | null;
    };
    readonly Notification: {
      /** Notification id: a time-sortable UUIDv7 */
      readonly id: string;
      /** The user whose feed it is in */
      readonly user_id: string;
      /** The task it is about */
      readonly task_id: string | null;
      /**
       * completion, question, failure, reminder or alarm
       * @enum {string}
       */
      readonly kind: "completion" | "question" | "failure" | "reminder" | "alarm";
      /** The task's title; of one that was completed at a limit, this says so first */
      readonly title: string;
      /** The result, question, message or reason of failure; truncated if long */
      readonly body: string;
      /** Why the task ended, as in the task; null: it is about no end */
      readonly ended_by: ("answer" | "limit" | "budget" | "cancelled" | "failure") | null;
      /** Whether it is marked as read */
      readonly read: boolean;
      /**
       * Format: date-time
       * When the event happened
       */
      readonly created_at: string;
      /** When it was first marked as read */
      readonly read_at: string | null;
      /** Where it goes beside the feed; a sent one is listed for 30 days */
      readonly deliveries: readonly components["schemas"]["Delivery"][];
    };
    readonly Delivery: {
      /**
       * chat or email
       * @enum {string}
       */
      readonly channel: "chat" | "email" | "webhook";
      /**
       * failed: it is not tried again, unless an operator retries it
       * @enum {string}
       */
      readonly state: "pending" | "sent" | "failed";
      /** Attempts so far */
      readonly attempts: number;
      /** Why the last attempt failed, or which recipients of a sent message were refused */
      readonly last_error: string | null;
      /** When it was sent */
      readonly sent_at: string | null;
    };
    readonly UploadedFile: {
      /** The user whose file it is */
      readonly user_id: string;
      /** Name of the file, in Unicode's composed form (NFC) */
      readonly filename: string;
      /** Path in the user's folder, such as notes/plan.md */
      readonly path: string;
      /** Bytes */
      readonly size: number;
      /** Media type, by the extension of the name */
      readonly content_type: string;
      readonly quota: components["schemas"]["StorageUsage"];
    };
    /** How much of the quota a user's files take */
    readonly StorageUsage: {
      /** Bytes of all files, in blocks of 4 KiB */
      readonly used_bytes: number;
      /** The user's storage quota; null: no limit */
      readonly limit_bytes: components["schemas"]["Int"] | null;
    };
    readonly UserFile: {
      /** Path in the user's folder, such as notes/plan.md */
      readonly path: string;
      /** The last part of the path */
      readonly filename: string;
      /** Bytes */
      readonly size: number;
      /** Media type, by the extension of the name */
      readonly content_type: string;
      /**
       * Format: date-time
       * When it last changed
       */
      readonly modified_at: string;
    };
    readonly McpMessage: {
      /**
       * The version of JSON-RPC
       * @enum {string}
       */
      readonly jsonrpc: "2.0";
      /** The client's id of a request */
      readonly id?: string | components["schemas"]["Int"];
      /** The method, such as tools/call */
      readonly method?: string;
      /** Its parameters */
      readonly params?: {
        [key: string]: unknown;
      };
      /** Of a response: the result */
      readonly result?: unknown;
      /** Of a response: the error */
      readonly error?: unknown;
    };
    readonly McpAnswer: {
      /**
       * The version of JSON-RPC
       * @enum {string}
       */
      readonly jsonrpc: "2.0";
      /** The id of the request */
      readonly id: (string | components["schemas"]["Int"]) | null;
      /** The result */
      readonly result?: unknown;
      /** Code and message of a JSON-RPC error */
      readonly error?: unknown;
    };
    readonly TeamInviteRequest: {
      /**
       * Format: email
       * The address that the invited person signs in with
       */
      readonly email: string;
      /** Full name */
      readonly name?: string | null;
      /** What the invited person may do; default: member */
      readonly role?: ("admin" | "member") | null;
    };
    readonly TeamInvitation: {
      /** Id of the invitation */
      readonly id: string;
      /** The address that the invited person signs in with */
      readonly email: string;
      /** Full name */
      readonly name: string | null;
      /**
       * What the member may do in the team
       * @enum {string}
       */
      readonly role: "owner" | "admin" | "member";
      /**
       * pending: has not signed in yet
       * @enum {string}
       */
      readonly status: "pending" | "active";
      /** Who invited; null for the owner */
      readonly invited_by: string | null;
      /**
       * Format: date-time
       * When
       */
      readonly invited_at: string;
    };
    readonly TeamInfo: {
      /**
       * TIER
       * @enum {string}
       */
      readonly tier: "free" | "team" | "enterprise";
      /** Seats of the team; null: no limit */
      readonly max_users: components["schemas"]["Int"] | null;
      /** Seats that are taken; an open invitation takes one */
      readonly user_count: number;
      /** Free seats; null: no limit */
      readonly seats_remaining: components["schemas"]["Int"] | null;
      /** The members and the invited, by name */
      readonly members: readonly components["schemas"]["TeamMember"][];
    };
    readonly TeamMember: {
      /** Id of the invitation */
      readonly id: string;
      /** The user; null until the first sign-in */
      readonly user_id: string | null;
      /** The address that the invited person signs in with */
      readonly email: string;
      /** Full name */
      readonly name: string | null;
      /**
       * What the member may do in the team
       * @enum {string}
       */
      readonly role: "owner" | "admin" | "member";
      /**
       * pending: has not signed in yet
       * @enum {string}
       */
      readonly status: "pending" | "active";
    };
    readonly TeamMemberChange: {
      /**
       * What the member may do
       * @enum {string}
       */
      readonly role: "admin" | "member";
    };
    readonly AccessToken: {
      /** Token id: a time-sortable UUIDv7 */
      readonly id: string;
      /** What it is for */
      readonly name: string;
      /** How the token begins, to recognise it */
      readonly prefix: string;
      /**
       * The most that it may do; never more than its member may
       * @enum {string}
       */
      readonly role: "owner" | "admin" | "member";
      /**
       * Format: date-time
       * When it was created
       */
      readonly created_at: string;
      /** When it was last used, to about a minute; null: never */
      readonly last_used_at: string | null;
      /** When it ends; null: with the seat */
      readonly expires_at: string | null;
    };
    readonly AccessTokenRequest: {
      /** What it is for */
      readonly name: string;
      /** The most that it may do, up to the caller's own role; default: member */
      readonly role?: ("owner" | "admin" | "member") | null;
      /** Days until it ends; default: it ends with the seat */
      readonly expires_in_days?: components["schemas"]["Int"] | null;
    };
    readonly CreatedAccessToken: {
      /** Token id: a time-sortable UUIDv7 */
      readonly id: string;
      /** What it is for */
      readonly name: string;
      /** How the token begins, to recognise it */
      readonly prefix: string;
      /**
       * The most that it may do; never more than its member may
       * @enum {string}
       */
      readonly role: "owner" | "admin" | "member";
      /**
       * Format: date-time
       * When it was created
       */
      readonly created_at: string;
      /** When it was last used, to about a minute; null: never */
      readonly last_used_at: string | null;
      /** When it ends; null: with the seat */
      readonly expires_at: string | null;
      /** The token, which is not shown again: `trp_` and 40 characters */
      readonly token: string;
    };
    readonly Channel: {
      /** Our id of the channel: a time-sortable UUIDv7 */
      readonly id: string;
      /** The chat platform's id of the channel */
      readonly channel_id: string;
      /** Name without the # */
      readonly name: string;
      /** Topic */
      readonly topic: string;
      /** Purpose */
      readonly purpose: string;
      /** Only its members, owner and admins see it */
      readonly is_private: boolean;
      /** False once it is archived or deleted on the platform */
      readonly is_active: boolean;
      /** Whether the service's bot is in it */
      readonly is_member: boolean;
      /** Project of the tasks that come from it; null until the bot is invited */
      readonly project_id: string | null;
      /** Folder of the project */
      readonly project_path: string | null;
      /** What was said in it, summarised by the model */
      readonly summary: string | null;
      /** People in it, at the last sync */
      readonly member_count: number;
      /** When it was last synced */
      readonly last_synced_at: string | null;
    };
    readonly ChannelSyncReport: {
      /** Channels that were read */
      readonly synced: number;
      /** Channels that are new */
      readonly created: number;
      /** Channels of which something changed */
      readonly updated: number;
      /** Channels that were archived or deleted on the platform */
      readonly deactivated: number;
      /** What could not be synced, at most 100 */
      readonly errors: readonly {
          /** users, channels, channels/{channel_id} or its /members */
          readonly path: string;
          /** What failed, and what to do */
          readonly message: string;
        }[];
    };
    readonly ChannelMembership: {
      /** The chat platform's id of the channel */
      readonly channel_id: string;
      /** User id */
      readonly user_id: string;
      /** The user's id on the chat platform */
      readonly chat_user_id: string | null;
      /** Full name */
      readonly name: string | null;
      /** What the user does in the channel */
      readonly role: string | null;
      /** What the user is responsible for in the channel */
      readonly responsibilities: string | null;
      /**
       * Format: date-time
       * When a sync first found the user in the channel
       */
      readonly joined_at: string;
    };
    readonly MembershipChanges: {
      /** What the user does in the channel; null clears it */
      readonly role?: string | null;
      /** What the user is responsible for in the channel; null clears it */
      readonly responsibilities?: string | null;
    };
    readonly TeamChatHealth: {
      /**
       * State of the connection to the chat platform
       * @enum {string}
       */
      readonly status: "ok" | "not_configured" | "unreachable" | "unauthorized";
      /** Name of the workspace */
      readonly team: string | null;
      /** The chat platform's id of the bot */
      readonly bot_user_id: string | null;
      /** Duration of the check in milliseconds */
      readonly latency_ms: number;
      /** What was found, or what to set to fix it */
      readonly detail: string;
    };
    readonly ChatEventRequest: {
      /** event_callback or url_verification */
      readonly type: string;
      /** Of url_verification: the text to return */
      readonly challenge?: string;
      /** The same in each delivery of the event */
      readonly event_id?: string;
      /** The event */
      readonly event?: unknown;
    };
    readonly ChatAnswer: {
      /**
       * Only the user sees it
       * @enum {string}
       */
      readonly response_type: "ephemeral";
      /** Whether it replaces the message with the button */
      readonly replace_original: boolean;
      /** The answer, with the platform's markup */
      readonly text: string;
      /** The answer with a button, in the platform's form */
      readonly blocks?: readonly unknown[];
    };
    readonly Memory: {
      /** Memory id */
      readonly id: string;
      /** The user whose agents remember it */
      readonly user_id: string;
      /** What is remembered */
      readonly content: string;
      /** Words to find it by */
      readonly tags: readonly string[];
      /** The task whose end it tells; null if an agent saved it */
      readonly task_id: string | null;
      /**
       * Format: date-time
       * ISO 8601 UTC, milliseconds, Z
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * ISO 8601 UTC, milliseconds, Z
       */
      readonly updated_at: string;
    };
    readonly Schedule: {
      /** Schedule id: a time-sortable UUIDv7 */
      readonly id: string;
      /**
       * Whether a run makes a task or notifies the user
       * @enum {string}
       */
      readonly kind: "task" | "reminder";
      /** The message of the task, or the text of the reminder */
      readonly message: string;
      /** Title of its tasks and notifications */
      readonly title: string;
      /** When it runs, if it runs once */
      readonly at: string | null;
      /** When it runs, if it recurs: a five-field cron; `%2+1` after its weekdays: only in every second week, after `*` for its days: only on every second day */
      readonly cron: string | null;
      /** The words that the recurrence was given in */
      readonly every: string | null;
      /** IANA time zone of the cron */
      readonly timezone: string;
      /**
       * active, paused, or done: it does not run again
       * @enum {string}
       */
      readonly status: "active" | "paused" | "done";
      /** The next runs, at most 5 */
      readonly next_runs: readonly string[];
      /** When it last ran */
      readonly last_run_at: string | null;
      /** The task that the last run made */
      readonly last_task_id: string | null;
      /** The creator of its tasks, and the user who is reminded */
      readonly user_id: string;
      /** The chat platform's id of the channel for results and reminders */
      readonly channel_id: string | null;
      /** The agent of its tasks; null: none in particular */
      readonly agent: string | null;
      /** output: a run with an empty result, or the same one as the run before, counts as failed in `health`; null: any result will do */
      readonly expects: "output" | null;
      /** What each of its tasks may cost with its subtasks, in the currency of MODEL_PRICES; null: no limit */
      readonly max_cost: components["schemas"]["Finite"] | null;
      /** Whether its runs come and work */
      readonly health: {
        /**
         * ok; late: a run is missing; failing: three tasks in a row failed, or the connection does; silent: no delivery for three times the longest gap so far
         * @enum {string}
         */
        readonly state: "ok" | "late" | "failing" | "silent";
        /** Since when; null: nobody has looked yet */
        readonly since: string | null;
        /** When it last worked; null: not known */
        readonly last_ok_at: string | null;
        /** Why it failed the last time; null: it did not */
        readonly last_error: string | null;
        /** Failures since it last worked, at most 20 */
        readonly failures_in_a_row: number;
        /** Of a schedule that is late: the runs that are missing, at most 100 */
        readonly missed: number;
      };
      /**
       * Format: date-time
       * When it was created
       */
      readonly created_at: string;
    };
    readonly ScheduleDraft: {
      /** What the agent should do, or the text of the reminder */
      readonly message: string;
      /** task: each run makes a task; reminder: each run notifies the user. Default of a new schedule: task */
      readonly kind?: ("task" | "reminder") | null;
      /** When it runs once: ISO 8601, or words such as `tomorrow at 9`; either this or `every` */
      readonly at?: string | null;
      /** When it recurs: a five-field cron, or words such as `every weekday at 9`, `every evening at 6`, `every other week` or `last friday of the month`; words that mean one time, such as `in the morning`, are refused */
      readonly every?: string | null;
      /** The chat platform's id of the channel for results and reminders */
      readonly channel_id?: string | null;
      /** The agent of its tasks; null: none in particular */
      readonly agent?: string | null;
      /** output: a run with an empty result, or the same one as the run before, counts as failed; null: any result will do */
      readonly expects?: "output" | null;
      /** What each of its tasks may cost with its subtasks, in the currency of MODEL_PRICES; null: no limit */
      readonly max_cost?: components["schemas"]["Finite"] | null;
      /** Title; default: taken from the message */
      readonly title?: string | null;
      /** IANA time zone; default: the user's, or else UTC */
      readonly timezone?: string | null;
      /** Whose it is; default: the caller, or `default`: an id, an address, or a name that only one person has */
      readonly user_id?: string | null;
    };
    readonly SchedulePreviewRequest: {
      /** When it runs once: ISO 8601, or words such as `tomorrow at 9`; either this or `every` */
      readonly at?: string | null;
      /** When it recurs: a five-field cron, or words such as `every weekday at 9`, `every evening at 6`, `every other week` or `last friday of the month`; words that mean one time, such as `in the morning`, are refused */
      readonly every?: string | null;
      /** IANA time zone; default: UTC */
      readonly timezone?: string | null;
    };
    readonly SchedulePreview: {
      /** When it runs, if it runs once */
      readonly at: string | null;
      /** When it runs, if it recurs: a five-field cron; `%2+1` after its weekdays: only in every second week, after `*` for its days: only on every second day */
      readonly cron: string | null;
      /** The words that the recurrence was given in */
      readonly every: string | null;
      /** IANA time zone of the cron */
      readonly timezone: string;
      /** The next runs, at most 5 */
      readonly next_runs: readonly string[];
    };
    readonly ScheduleUpdate: {
      /** What the agent should do, or the text of the reminder */
      readonly message?: string | null;
      /** task: each run makes a task; reminder: each run notifies the user. Default of a new schedule: task */
      readonly kind?: ("task" | "reminder") | null;
      /** When it runs once: ISO 8601, or words such as `tomorrow at 9`; either this or `every` */
      readonly at?: string | null;
      /** When it recurs: a five-field cron, or words such as `every weekday at 9`, `every evening at 6`, `every other week` or `last friday of the month`; words that mean one time, such as `in the morning`, are refused */
      readonly every?: string | null;
      /** The chat platform's id of the channel for results and reminders */
      readonly channel_id?: string | null;
      /** The agent of its tasks; null: none in particular */
      readonly agent?: string | null;
      /** output: a run with an empty result, or the same one as the run before, counts as failed; null: any result will do */
      readonly expects?: "output" | null;
      /** What each of its tasks may cost with its subtasks, in the currency of MODEL_PRICES; null: no limit */
      readonly max_cost?: components["schemas"]["Finite"] | null;
      /** Title; default: taken from the message */
      readonly title?: string | null;
      /** IANA time zone; a recurrence keeps its local time */
      readonly timezone?: string | null;
    };
    readonly UnattendedWork: {
      /**
       * schedule, webhook_type, mailbox or tool_server
       * @enum {string}
       */
      readonly kind: "schedule" | "webhook_type" | "mailbox" | "tool_server";
      /** Id of the schedule, or the name */
      readonly id: string;
      /** What people call it */
      readonly name: string;
      /** As the last look found it */
      readonly health: {
        /**
         * ok; late: a run is missing; failing: three tasks in a row failed, or the connection does; silent: no delivery for three times the longest gap so far
         * @enum {string}
         */
        readonly state: "ok" | "late" | "failing" | "silent";
        /** Since when; null: nobody has looked yet */
        readonly since: string | null;
        /** When it last worked; null: not known */
        readonly last_ok_at: string | null;
        /** Why it failed the last time; null: it did not */
        readonly last_error: string | null;
        /** Failures since it last worked, at most 20 */
        readonly failures_in_a_row: number;
        /** Of a schedule that is late: the runs that are missing, at most 100 */
        readonly missed: number;
      };
    };
    readonly WebhookHealth: {
      /**
       * The queue answers
       * @enum {string}
       */
      readonly status: "ok";
      /** Deliveries by state */
      readonly queue_stats: {
        /** Deliveries that wait for a worker, or for their next attempt, up to 1000 */
        readonly pending: number;
        /** Deliveries that a worker makes a task of, up to 1000 */
        readonly processing: number;
        /** Deliveries that failed five times, or can't become a task, up to 1000 */
        readonly failed: number;
      };
      /** troupe-webhooks */
      readonly service: string;
    };
    readonly WebhookStats: {
      /** Deliveries by state */
      readonly queue_stats: {
        /** Deliveries that wait for a worker, or for their next attempt, up to 1000 */
        readonly pending: number;
        /** Deliveries that a worker makes a task of, up to 1000 */
        readonly processing: number;
        /** Deliveries that failed five times, or can't become a task, up to 1000 */
        readonly failed: number;
      };
      /** The 20 deliveries that failed last, newest first */
      readonly recent_failed_messages: readonly components["schemas"]["FailedWebhook"][];
    };
    readonly FailedWebhook: {
      /** Id of the delivery */
      readonly id: string;
      /** Why it failed the last time */
      readonly error: string;
      /**
       * Format: date-time
       * When it failed
       */
      readonly timestamp: string;
    };
    readonly WebhookStatus: {
      /**
       * running: a worker processes the queue. stopped: no worker is alive. not_initialized: no worker was ever
       * @enum {string}
       */
      readonly status: "running" | "stopped" | "not_initialized";
      /** Deliveries by state */
      readonly queue_stats: {
        /** Deliveries that wait for a worker, or for their next attempt, up to 1000 */
        readonly pending: number;
        /** Deliveries that a worker makes a task of, up to 1000 */
        readonly processing: number;
        /** Deliveries that failed five times, or can't become a task, up to 1000 */
        readonly failed: number;
      };
    };
    readonly WebhookDelivery: {
      /** Id of the delivery */
      readonly id: string;
      /** The source: webhook, chat (an event of the team chat), or the name of another source */
      readonly source: string;
      /** The type in the path; of chat, the type of the event */
      readonly webhook_type: string;
      /** The sender's id of the delivery */
      readonly delivery_id: string | null;
      /**
       * pending, processing, failed or done
       * @enum {string}
       */
      readonly state: "pending" | "processing" | "failed" | "done";
      /** Attempts to process it */
      readonly attempts: number;
      /** Why the last attempt failed */
      readonly error: string | null;
      /** The task it became */
      readonly task_id: string | null;
      /** Content type of the body */
      readonly content_type: string | null;
      /** Bytes of the body; null once it was deleted: with its task, of chat when it is done */
      readonly size: components["schemas"]["Int"] | null;
      /** The beginning of the body; null if it is no text, once it was deleted, and of sources other than webhook */
      readonly beginning: string | null;
      /** Whether its sender is known, by a signature, a token or this machine; else its task has tools that only read */
      readonly verified: boolean;
      /** Where it came from */
      readonly source_ip: string | null;
      /**
       * Format: date-time
       * When it arrived
       */
      readonly received_at: string;
      /** When it is processed next, while it is pending */
      readonly next_attempt_at: string | null;
      /** When it became a task, or failed */
      readonly ended_at: string | null;
    };
    readonly WebhookDeliveryContent: {
      /** Id of the delivery */
      readonly id: string;
      /** The source: webhook, chat (an event of the team chat), or the name of another source */
      readonly source: string;
      /** The type in the path; of chat, the type of the event */
      readonly webhook_type: string;
      /** The sender's id of the delivery */
      readonly delivery_id: string | null;
      /**
       * pending, processing, failed or done
       * @enum {string}
       */
      readonly state: "pending" | "processing" | "failed" | "done";
      /** Attempts to process it */
      readonly attempts: number;
      /** Why the last attempt failed */
      readonly error: string | null;
      /** The task it became */
      readonly task_id: string | null;
      /** Content type of the body */
      readonly content_type: string | null;
      /** Bytes of the body; null once it was deleted: with its task, of chat when it is done */
      readonly size: components["schemas"]["Int"] | null;
      /** The beginning of the body; null if it is no text, once it was deleted, and of sources other than webhook */
      readonly beginning: string | null;
      /** Whether its sender is known, by a signature, a token or this machine; else its task has tools that only read */
      readonly verified: boolean;
      /** Where it came from */
      readonly source_ip: string | null;
      /**
       * Format: date-time
       * When it arrived
       */
      readonly received_at: string;
      /** When it is processed next, while it is pending */
      readonly next_attempt_at: string | null;
      /** When it became a task, or failed */
      readonly ended_at: string | null;
      /** Path and query; secrets are redacted */
      readonly url: string;
      /** Headers by their lower-case names; secrets are redacted */
      readonly headers: {
        [key: string]: string;
      };
      /** The body: JSON as it is, the fields of a form, other text under raw_body. null once it was deleted, and of sources other than webhook */
      readonly payload: unknown;
    };
    readonly WebhookReplay: {
      /** Id of the new delivery; of chat, the same one */
      readonly message_id: string;
      /** Id of the delivery whose body it has */
      readonly replay_of: string;
    };
    readonly WebhookReceipt: {
      /**
       * The webhook is committed; its task follows
       * @enum {string}
       */
      readonly status: "received";
      /** Id of the delivery; of a repeated one, the id of the first */
      readonly message_id: string;
      /** The type in the path */
      readonly webhook_type: string;
    };
    readonly WebhookTypeSettings: {
      /** Its name, as in the path */
      readonly type: string;
      /** Where senders deliver */
      readonly address: string;
      /**
       * How its deliveries are signed
       * @enum {string}
       */
      readonly scheme: "code-host" | "payments" | "sms" | "standard";
      /** Whether signatures are verified */
      readonly has_secret: boolean;
      /** The agent of its tasks: the one that is set, or that claims the type in its file; null: the usual one */
      readonly agent: string | null;
      /** Whether tasks of its unsigned deliveries have all tools */
      readonly trusted: boolean;
      /** Whether its deliveries come, and their tasks work */
      readonly health: {
        /**
         * ok; late: a run is missing; failing: three tasks in a row failed, or the connection does; silent: no delivery for three times the longest gap so far
         * @enum {string}
         */
        readonly state: "ok" | "late" | "failing" | "silent";
        /** Since when; null: nobody has looked yet */
        readonly since: string | null;
        /** When it last worked; null: not known */
        readonly last_ok_at: string | null;
        /** Why it failed the last time; null: it did not */
        readonly last_error: string | null;
        /** Failures since it last worked, at most 20 */
        readonly failures_in_a_row: number;
        /** Of a schedule that is late: the runs that are missing, at most 100 */
        readonly missed: number;
      };
      /** When its last delivery arrived that is still kept */
      readonly last_delivery_at: string | null;
    };
    readonly WebhookTypeChange: {
      /** Verifies the signatures of its deliveries; null removes it, left out keeps it */
      readonly secret?: string | null;
      /** How they are signed; null: as usual for the type */
      readonly scheme?: ("code-host" | "payments" | "sms" | "standard") | null;
      /** The agent of its tasks; null: the usual one */
      readonly agent?: string | null;
      /** Whether tasks of unsigned deliveries have all tools; null: as WEBHOOK_TRUST_UNSIGNED */
      readonly trusted?: boolean | null;
    };
    readonly Subscription: {
      /** Subscription id: a time-sortable UUIDv7 */
      readonly id: string;
      /** The user to whom it belongs */
      readonly user_id: string;
      /** Where the events are posted */
      readonly url: string;
      /** The events that are posted */
      readonly events: readonly ("task.created" | "task.started" | "task.waiting" | "task.resumed" | "task.completed" | "task.failed" | "task.archived")[];
      /**
       * own: of tasks that the user created or is the assignee of. all: of every task
       * @enum {string}
       */
      readonly tasks: "own" | "all";
      /** false: nothing is posted until it is resumed */
      readonly active: boolean;
      /** Why it is not active */
      readonly disabled_reason: string | null;
      /**
       * Format: date-time
       * ISO 8601 UTC, milliseconds, Z
       */
      readonly created_at: string;
      /** The newest event, if any */
      readonly last_delivery: components["schemas"]["SubscriptionDelivery"] | null;
      /** When the oldest event was queued that the receiver has not accepted yet; null: there is none */
      readonly oldest_pending_at: string | null;
    };
    readonly SubscriptionDelivery: {
      /** Delivery id, and the webhook-id of its requests */
      readonly id: string;
      /**
       * What happened
       * @enum {string}
       */
      readonly event: "task.created" | "task.started" | "task.waiting" | "task.resumed" | "task.completed" | "task.failed" | "task.archived" | "subscription.test";
      /** To which task; null for a test */
      readonly task_id: string | null;
      /**
       * pending: not accepted yet; failed: not retried any more, only a replay sends it
       * @enum {string}
       */
      readonly state: "pending" | "sent" | "failed";
      /** Requests so far, since the last replay */
      readonly attempts: number;
      /** Why the last request failed */
      readonly last_error: string | null;
      /**
       * Format: date-time
       * When it was queued
       */
      readonly created_at: string;
      /** When the receiver accepted it */
      readonly sent_at: string | null;
    };
    readonly SubscriptionRequest: {
      /**
       * Format: uri
       * Where to post the events: http or https
       */
      readonly url: string;
      /** Which events to post; default: all */
      readonly events?: (readonly ("task.created" | "task.started" | "task.waiting" | "task.resumed" | "task.completed" | "task.failed" | "task.archived")[]) | null;
      /** Signs the requests: whsec_ and 24 to 64 bytes in base64. Default: a new one */
      readonly secret?: string | null;
      /** own (default): of tasks that the user created or is the assignee of. all: of every task; for admins */
      readonly tasks?: ("own" | "all") | null;
      /** Whose subscription it is; default: the caller's. Only admins name others: an id, an address, or a name that only one person has */
      readonly user_id?: string | null;
    };
    readonly CreatedSubscription: {
      /** Subscription id: a time-sortable UUIDv7 */
      readonly id: string;
      /** The user to whom it belongs */
      readonly user_id: string;
      /** Where the events are posted */
      readonly url: string;
      /** The events that are posted */
      readonly events: readonly ("task.created" | "task.started" | "task.waiting" | "task.resumed" | "task.completed" | "task.failed" | "task.archived")[];
      /**
       * own: of tasks that the user created or is the assignee of. all: of every task
       * @enum {string}
       */
      readonly tasks: "own" | "all";
      /** false: nothing is posted until it is resumed */
      readonly active: boolean;
      /** Why it is not active */
      readonly disabled_reason: string | null;
      /**
       * Format: date-time
       * ISO 8601 UTC, milliseconds, Z
       */
      readonly created_at: string;
      /** The newest event, if any */
      readonly last_delivery: components["schemas"]["SubscriptionDelivery"] | null;
      /** When the oldest event was queued that the receiver has not accepted yet; null: there is none */
      readonly oldest_pending_at: string | null;
      /** Verifies the signatures (Standard Webhooks). Store it: it is not shown again */
      readonly secret: string;
    };
    readonly OutboxMessage: {
      /** Id of the message: a time-sortable UUIDv7 */
      readonly id: string;
      /**
       * chat, email or webhook
       * @enum {string}
       */
      readonly channel: "chat" | "email" | "webhook";
      /** To whom; messages to one recipient leave in their order */
      readonly recipient: string;
      /** What it is: notification, mail, invitation, ... */
      readonly kind: string;
      /** The user whose message it is */
      readonly user_id: string | null;
      /** The task that caused it */
      readonly task_id: string | null;
      /** The notification that it delivers */
      readonly notification_id: string | null;
      /**
       * failed: a dead letter, which is not retried automatically
       * @enum {string}
       */
      readonly state: "pending" | "sending" | "sent" | "failed";
      /** Attempts so far */
      readonly attempts: number;
      /** When it is due, if it is pending */
      readonly next_attempt_at: string | null;
      /** Why the last attempt failed, or which recipients of a sent message were refused */
      readonly last_error: string | null;
      /**
       * Format: date-time
       * When it was written
       */
      readonly created_at: string;
      /** When it was sent */
      readonly sent_at: string | null;
    };
    readonly IgnoredMail: {
      /** Id of the entry: a time-sortable UUIDv7 */
      readonly id: string;
      /**
       * Format: date-time
       * When the mail server received it; if that is not known, when it was ignored
       */
      readonly received_at: string;
      /**
       * Format: date-time
       * When it was ignored
       */
      readonly ignored_at: string;
      /** Its sender, with the name; null if it could not be read */
      readonly from: string | null;
      /** Its subject; null if it could not be read */
      readonly subject: string | null;
      /** Its Message-ID; null if it has none */
      readonly message_id: string | null;
      /** Account and mailbox in which it is */
      readonly mailbox: string;
      /**
       * automatic: an automatic answer or notice. report: a bounce or receipt. list: a mailing list or newsletter. own: from this service. no_sender: not exactly one sender. unauthenticated: the mail server does not confirm its sender. unknown_sender: not a member of the team. not_allowed: its sender has no right to the task that it answers. duplicate: it arrived before. empty: it has no text. unreadable: it can't be parsed. failed: five attempts failed. too_old: unread for more than 7 days. deleted: it was gone before it was read
       * @enum {string}
       */
      readonly reason: "automatic" | "report" | "list" | "own" | "no_sender" | "unauthenticated" | "unknown_sender" | "not_allowed" | "duplicate" | "empty" | "unreadable" | "failed" | "too_old" | "deleted";
      /** The reason in words */
      readonly detail: string;
    };
    readonly LimitsReport: {
      /** Of all tasks together */
      readonly team: {
        /** In a day; null: no limit */
        readonly day: components["schemas"]["Finite"] | null;
        /** In a month; null: no limit */
        readonly month: components["schemas"]["Finite"] | null;
      };
      /** Of the tasks of each person */
      readonly person: {
        /** In a day; null: no limit */
        readonly day: components["schemas"]["Finite"] | null;
        /** In a month; null: no limit */
        readonly month: components["schemas"]["Finite"] | null;
      };
      /** Of the tasks of an agent, by its name */
      readonly agents: {
        [key: string]: {
          /** In a day; null: no limit */
          readonly day: components["schemas"]["Finite"] | null;
          /** In a month; null: no limit */
          readonly month: components["schemas"]["Finite"] | null;
        };
      };
      /** What was spent in UTC */
      readonly spent: {
        /** By all tasks together */
        readonly team: {
          /** Today */
          readonly day: number;
          /** In this month */
          readonly month: number;
        };
        /** By the tasks of each person, by id */
        readonly people: {
          [key: string]: components["schemas"]["Spent"];
        };
        /** By the tasks of each agent, by its name */
        readonly agents: {
          [key: string]: components["schemas"]["Spent"];
        };
      };
      /** Calls of models without a price, which count as 0 */
      readonly unpriced_calls: {
        /** Today */
        readonly day: number;
        /** In this month */
        readonly month: number;
      };
    };
    readonly Spent: {
      /** Today */
      readonly day: number;
      /** In this month */
      readonly month: number;
    };
    /** team: of all tasks together; person: of the tasks of each person; agents: of the tasks of an agent, by its name */
    readonly SpendingLimits: {
      /** Of all tasks together */
      readonly team?: {
        /** In a day; null: no limit */
        readonly day?: components["schemas"]["Finite"] | null;
        /** In a month; null: no limit */
        readonly month?: components["schemas"]["Finite"] | null;
      };
      /** Of the tasks of each person */
      readonly person?: {
        /** In a day; null: no limit */
        readonly day?: components["schemas"]["Finite"] | null;
        /** In a month; null: no limit */
        readonly month?: components["schemas"]["Finite"] | null;
      };
      /** Of the tasks of an agent, by its name */
      readonly agents?: {
        [key: string]: components["schemas"]["PeriodLimits"];
      };
    };
    readonly PeriodLimits: {
      /** In a day; null: no limit */
      readonly day?: components["schemas"]["Finite"] | null;
      /** In a month; null: no limit */
      readonly month?: components["schemas"]["Finite"] | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  /** Name and version; browsers are redirected to the console, or to the docs while there is none */
  "system.welcome": {
    responses: {
      /** Welcome */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Welcome"];
        };
      };
    };
  };
  /** Whether the service is available: 503 if the database does not respond within 2 s */
  "system.liveness": {
    responses: {
      /** Healthy */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Healthy"];
        };
      };
    };
  };
  /** Every part of the service, with what to set to fix it */
  "system.health": {
    responses: {
      /** HealthReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["HealthReport"];
        };
      };
    };
  };
  /** Version and features */
  "system.version": {
    responses: {
      /** VersionInfo */
      200: {
        content: {
          readonly "application/json": components["schemas"]["VersionInfo"];
        };
      };
    };
  };
  /** Whether the programs that tool servers need are installed */
  "system.info": {
    responses: {
      /** SystemInfo */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SystemInfo"];
        };
      };
    };
  };
  /** The settings in effect of the process that answers; of a secret, only whether it is set */
  "system.settings": {
    responses: {
      /** SettingsReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SettingsReport"];
        };
      };
    };
  };
  /** How many tasks ended, how long they took and what they used, over time */
  "system.history": {
    parameters: {
      query?: {
        /** day: by the hour (default); week: by six hours; month: by the day */
        period?: "day" | "week" | "month";
      };
    };
    responses: {
      /** TaskHistory */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TaskHistory"];
        };
      };
    };
  };
  /** How much the database and the users' files take, and how long tasks are kept */
  "system.storage": {
    responses: {
      /** StorageReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["StorageReport"];
        };
      };
    };
  };
  /** The metrics of this process, as Prometheus text; requires METRICS_TOKEN if it is set */
  "system.metrics": {
    responses: {
      /** a string */
      200: {
        content: {
          readonly "text/plain; version=0.0.4; charset=utf-8": string;
        };
      };
    };
  };
  /** Every setting with its value and where that is from; of a secret, whether it is set */
  "settings.list": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Setting"][];
        };
      };
    };
  };
  /** Stores settings, all of them or none, and answers with every setting. They take effect in every process within 10 seconds; no running call is cut. null removes what is stored. 400 names each value that is wrong, that the environment or .env sets, or that is read at the start only */
  "settings.change": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SettingChanges"];
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Setting"][];
        };
      };
    };
  };
  /** The last 200 changes, newest first */
  "settings.history": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["SettingChange"][];
        };
      };
    };
  };
  /** Tries the settings of a section, also before they are stored. model: a short call of the given settings, else of the default model. chat: the platform accepts the token, and the addresses for its requests answer. smtp and imap: the server accepts the sign-in; nothing is sent without mail_to. storage: a file is written and deleted */
  "settings.test": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SettingsTestRequest"];
      };
    };
    responses: {
      /** SettingsTestReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SettingsTestReport"];
        };
      };
    };
  };
  /** Leads a browser to the identity provider's sign-in; an error is an HTML page */
  "signIn.login": {
    parameters: {
      query?: {
        /** Path of this service to which the browser goes afterwards; default: its first page */
        return_to?: string;
        /** none: renews the session of the browser if the identity provider need not ask the person anything; otherwise the session stays as it is, and the browser goes to return_to */
        prompt?: "none";
      };
    };
    responses: {
    };
  };
  /** Completes the sign-in that the browser began, and sets the cookie of its session; an error is an HTML page */
  "signIn.callback": {
    responses: {
    };
  };
  /** The user who sends the request, and how they signed in */
  "signIn.session": {
    responses: {
      /** SignedIn */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SignedIn"];
        };
      };
    };
  };
  /** Ends the session of the browser; its event streams end too */
  "signIn.logout": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["LogoutRequest"];
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Tasks, newest first, without logs, outputs and webhook data; pages of long texts are shorter. Where few of many tasks match, a page ends after a part of them: it may be short or empty and still have a next one. In hosted mode, a member sees of the tasks of others what GET /task/{task_id} shows of them */
  "tasks.list": {
    parameters: {
      query?: {
        /** Only tasks with this status */
        status?: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
        /** Only tasks of this user: an id, an address, or a name that only one person has */
        creator?: string;
        /** Only tasks assigned to this user: an id, an address, or a name that only one person has */
        assignee?: string;
        /** Only tasks of this channel or project */
        project_id?: string;
        /** Only tasks made by this: team chat, mail, a schedule or a webhook, or by a request to the API */
        source?: "chat" | "email" | "schedule" | "webhook" | "api";
        /** Only tasks that this schedule made */
        schedule_id?: string;
        /** Only tasks created by this type of webhook */
        webhook_type?: string;
        /** Only tasks of this agent */
        agent?: string;
        /** Subtasks are listed only when asked for */
        task_type?: "task" | "subtask";
        /** Only subtasks of this task */
        parent_task_id?: string;
        /** Only tasks made at this time or later, as 2026-01-31 or 2026-01-31T09:30:00Z */
        created_from?: string;
        /** Only tasks made before this time, as 2026-01-31 or 2026-01-31T09:30:00Z */
        created_before?: string;
        /** Text in the title or the description; of tasks whose content the caller may not read, in the title. A text of one or two characters is sought among some thousand tasks at a time */
        q?: string;
        /** Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled */
        cancelled?: boolean;
        /** Only running tasks that sleep until a time; false: only tasks that do not sleep */
        sleeping?: boolean;
        /** Archived tasks too */
        include_archived?: boolean;
        /** Only archived tasks; false: as without it */
        archived?: boolean;
        /** Only tasks that continue this one */
        continued_from?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Task"][];
        };
      };
    };
  };
  /** How many tasks of a list have each status, up to 1,000 each; `capped` has the statuses of which there may be more */
  "tasks.counts": {
    parameters: {
      query?: {
        /** Only tasks of this user: an id, an address, or a name that only one person has */
        creator?: string;
        /** Only tasks assigned to this user: an id, an address, or a name that only one person has */
        assignee?: string;
        /** Only tasks of this channel or project */
        project_id?: string;
        /** Only tasks made by this: team chat, mail, a schedule or a webhook, or by a request to the API */
        source?: "chat" | "email" | "schedule" | "webhook" | "api";
        /** Only tasks that this schedule made */
        schedule_id?: string;
        /** Only tasks created by this type of webhook */
        webhook_type?: string;
        /** Only tasks of this agent */
        agent?: string;
        /** Subtasks are listed only when asked for */
        task_type?: "task" | "subtask";
        /** Only subtasks of this task */
        parent_task_id?: string;
        /** Only tasks made at this time or later, as 2026-01-31 or 2026-01-31T09:30:00Z */
        created_from?: string;
        /** Only tasks made before this time, as 2026-01-31 or 2026-01-31T09:30:00Z */
        created_before?: string;
        /** Text in the title or the description; of tasks whose content the caller may not read, in the title. A text of one or two characters is sought among some thousand tasks at a time */
        q?: string;
        /** Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled */
        cancelled?: boolean;
        /** Only running tasks that sleep until a time; false: only tasks that do not sleep */
        sleeping?: boolean;
        /** Archived tasks too */
        include_archived?: boolean;
        /** Only archived tasks; false: as without it */
        archived?: boolean;
      };
    };
    responses: {
      /** TaskCounts */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TaskCounts"];
        };
      };
    };
  };
  /** One task with its logs and outputs. In hosted mode, only its creator, its assignee, the owner and admins see its content; to other members `description`, `question`, `plan`, `error`, `attachments`, webhook data and the data of logs are empty */
  "tasks.find": {
    parameters: {
      query?: {
        /** false: without the log lines, of which a long task has many */
        logs?: boolean;
      };
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** A task, or a subtask that another task dispatched */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Task"];
        };
      };
    };
  };
  /** Archives the task; a second call deletes it */
  "tasks.remove": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** The subtasks that the task dispatched, newest first, as GET /tasks shows them */
  "tasks.subtasks": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Task"][];
        };
      };
    };
  };
  /** Which worker runs the task, and when it is due */
  "tasks.workerStatus": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** WorkerStatus */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WorkerStatus"];
        };
      };
    };
  };
  /** Creates a task from a user's request */
  "tasks.chat": {
    parameters: {
      header?: {
        /** The same key and body get the first response again for 24 hours */
        "idempotency-key"?: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ChatRequest"];
      };
    };
    responses: {
      /** Accepted */
      202: {
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
    };
  };
  /** Answers the question of a task that waits for input */
  "tasks.humanResponse": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["HumanResponse"];
      };
    };
    responses: {
      /** Accepted */
      202: {
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
    };
  };
  /** Stops the task and its subtasks */
  "tasks.cancel": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["CancelRequest"];
      };
    };
    responses: {
      /** Accepted */
      202: {
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
    };
  };
  /** Puts an archived task back into the lists; a task that is not archived stays as it is */
  "tasks.restore": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** A task, or a subtask that another task dispatched */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Task"];
        };
      };
    };
  };
  /** Continues a failed task from its last saved step */
  "tasks.retry": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** Accepted */
      202: {
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
    };
  };
  /** Sends the agent a message for its next model call. It answers the question of a task that waits for input, and continues a finished task by a new one, whose id is in the response */
  "tasks.message": {
    parameters: {
      header?: {
        /** The same key and body get the first response again for 24 hours */
        "idempotency-key"?: string;
      };
      path: {
        /** Task id */
        task_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["MessageRequest"];
      };
    };
    responses: {
      /** Accepted */
      202: {
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
    };
  };
  /** Server-sent events: log, status, text, usage; ends after the terminal status. Whoever may not read the task's content gets no text, and logs without data */
  "tasks.events": {
    parameters: {
      query?: {
        /** The same, for clients that can't set headers */
        last_event_id?: string;
      };
      header?: {
        /** Resume after this event */
        "last-event-id"?: string;
      };
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** a string */
      200: {
        content: {
          readonly "text/event-stream": string;
        };
      };
    };
  };
  /** Server-sent events of all tasks: `log`, `status`, `archived`, `restored` and `deleted`, each with its `task_id`, after Last-Event-ID or from now on; the first one, `position`, says where. The stream has no end. Logs have no data where the caller may not read the task's content */
  "tasks.allEvents": {
    parameters: {
      query?: {
        /** Resume after this event */
        last_event_id?: string;
      };
      header?: {
        /** Resume after this event */
        "last-event-id"?: string;
      };
    };
    responses: {
      /** a string */
      200: {
        content: {
          readonly "text/event-stream": string;
        };
      };
    };
  };
  /** The messages that the next model call gets; with full=true, all messages. In hosted mode, only the task's creator, its assignee, the owner and admins may read them; 403 for other members */
  "tasks.messages": {
    parameters: {
      query?: {
        /** true: with the older messages that are sent only as a summary */
        full?: boolean;
      };
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Message"][];
        };
      };
    };
  };
  /** What the tasks and subtasks of the user used, in total and by day: tokens, calls and cost */
  "tasks.usage": {
    parameters: {
      query?: {
        /** Only tasks created on this day in UTC or later */
        from?: string;
        /** Only tasks created on this day in UTC or earlier */
        to?: string;
      };
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** UserUsage */
      200: {
        content: {
          readonly "application/json": components["schemas"]["UserUsage"];
        };
      };
    };
  };
  /** The workers, the due tasks and the scheduled jobs */
  "tasks.workerHealth": {
    responses: {
      /** WorkerHealth */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WorkerHealth"];
        };
      };
    };
  };
  /** The steps of a task, newest first, with the first 2,000 characters of each text. In hosted mode, whoever may not read the task's content gets no texts, calls and results */
  "taskSteps.list": {
    parameters: {
      query?: {
        /** Only steps after this number */
        after?: number;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["TaskStep"][];
        };
      };
    };
  };
  /** One step with its whole texts */
  "taskSteps.find": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
        /** Number of the step */
        seq: string;
      };
    };
    responses: {
      /** TaskStep */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TaskStep"];
        };
      };
    };
  };
  /** What the model saw when it made a step of kind `model`, or sees after one of kind `compacted`: the messages, and of a call the whole system prompt and the tools. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
  "taskSteps.context": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
        /** Number of the step */
        seq: string;
      };
    };
    responses: {
      /** StepContext */
      200: {
        content: {
          readonly "application/json": components["schemas"]["StepContext"];
        };
      };
    };
  };
  /** The task and all its steps as lines of JSON: first `{"task": ...}`, then `{"step": ...}` for each step, oldest first. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
  "taskSteps.export": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    responses: {
      /** a string */
      200: {
        content: {
          readonly "application/x-ndjson": string;
        };
      };
    };
  };
  /** Cancels, retries or archives all tasks that match a filter, or restores or deletes all archived ones, as the caller: newest first, in the background, once for each task, also through a crash. Tasks that are made later are left alone */
  "taskBulk.start": {
    parameters: {
      header?: {
        /** The same key and body get the first response again for 24 hours */
        "idempotency-key"?: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["BulkRequest"];
      };
    };
    responses: {
      /** Success */
      202: {
        content: {
          readonly "application/json": components["schemas"]["BulkOperation"];
        };
      };
    };
  };
  /** How far an operation is. For the one who asked for it, the owner and admins */
  "taskBulk.find": {
    parameters: {
      path: {
        /** Id of the operation */
        bulk_id: string;
      };
    };
    responses: {
      /** BulkOperation */
      200: {
        content: {
          readonly "application/json": components["schemas"]["BulkOperation"];
        };
      };
    };
  };
  /** The skills and tools that a task with this message would get now; it makes no task and no model call */
  "taskPreview.preview": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["TaskPreviewRequest"];
      };
    };
    responses: {
      /** TaskPreview */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TaskPreview"];
        };
      };
    };
  };
  /** Agents, by name */
  "agents.list": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["AgentSummary"][];
        };
      };
    };
  };
  /** Creates an agent in AGENTS_PATH */
  "agents.create": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["AgentCreateRequest"];
      };
    };
    responses: {
      /** An agent with its instructions */
      201: {
        content: {
          readonly "application/json": components["schemas"]["AgentDetail"];
        };
      };
    };
  };
  /** One agent with its instructions */
  "agents.find": {
    parameters: {
      path: {
        /** Agent name */
        agent_name: string;
      };
    };
    responses: {
      /** An agent with its instructions */
      200: {
        content: {
          readonly "application/json": components["schemas"]["AgentDetail"];
        };
      };
    };
  };
  /** Changes the given fields; a built-in agent is replaced by a changed copy in AGENTS_PATH. Tasks keep the revision that they began with */
  "agents.update": {
    parameters: {
      path: {
        /** Agent name */
        agent_name: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["AgentUpdateRequest"];
      };
    };
    responses: {
      /** An agent with its instructions */
      200: {
        content: {
          readonly "application/json": components["schemas"]["AgentDetail"];
        };
      };
    };
  };
  /** Deletes an agent in AGENTS_PATH; a built-in agent that it replaced is used again. Its tasks go on */
  "agents.remove": {
    parameters: {
      path: {
        /** Agent name */
        agent_name: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** The revisions that tasks of the agent used, the last used first; also of an agent that is gone */
  "agents.revisions": {
    parameters: {
      path: {
        /** Agent name */
        agent_name: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["AgentUse"][];
        };
      };
    };
  };
  /** Scans the folders now, and returns what changed */
  "agents.reload": {
    responses: {
      /** AgentReload */
      200: {
        content: {
          readonly "application/json": components["schemas"]["AgentReload"];
        };
      };
    };
  };
  /** The calls that ask, or have asked, for approval, newest first */
  "approvals.list": {
    parameters: {
      query?: {
        /** Only those with this status */
        status?: "open" | "approved" | "denied" | "cancelled";
        /** Only those of this task */
        task_id?: string;
        /** Only those of this tool */
        tool?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Approval"][];
        };
      };
    };
  };
  /** Approves or denies calls of a task; it goes on once all are decided */
  "approvals.decide": {
    parameters: {
      path: {
        /** Task id */
        task_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ApprovalsRequest"];
      };
    };
    responses: {
      /** Accepted */
      202: {
        content: {
          readonly "application/json": components["schemas"]["Accepted"];
        };
      };
    };
  };
  /** What needs no approval any more, because somebody said so, newest first */
  "approvals.grants": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Grant"][];
        };
      };
    };
  };
  /** Ends a grant */
  "approvals.removeGrant": {
    parameters: {
      path: {
        /** Id of the grant */
        grant_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** The rules about tool calls, and which of them never apply */
  "policy.find": {
    responses: {
      /** PolicyReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["PolicyReport"];
        };
      };
    };
  };
  /** Saves the next revision of the rules; 409 if somebody has saved one since. Every revision is kept */
  "policy.update": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["PolicyChange"];
      };
    };
    responses: {
      /** PolicyReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["PolicyReport"];
        };
      };
    };
  };
  /** What these rules would have decided about the calls of past tasks; it saves nothing. What a task would have done after another decision is not known */
  "policy.test": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["PolicyTest"];
      };
    };
    responses: {
      /** PolicyTestReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["PolicyTestReport"];
        };
      };
    };
  };
  /** Every tool that agents may have, with its class and where that comes from */
  "policy.tools": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["PolicyTool"][];
        };
      };
    };
  };
  /** Every saved revision, newest first */
  "policy.revisions": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["PolicyRevision"][];
        };
      };
    };
  };
  /** Skills, by name */
  "skills.list": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["SkillSummary"][];
        };
      };
    };
  };
  /** Creates a skill in SKILLS_PATH */
  "skills.create": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SkillCreateRequest"];
      };
    };
    responses: {
      /** A skill with its instructions */
      201: {
        content: {
          readonly "application/json": components["schemas"]["SkillDetail"];
        };
      };
    };
  };
  /** What each skill lacks on this machine */
  "skills.requirements": {
    responses: {
      /** SkillStatuses */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillStatuses"];
        };
      };
    };
  };
  /** One skill with its instructions */
  "skills.find": {
    parameters: {
      path: {
        /** Skill name */
        skill_name: string;
      };
    };
    responses: {
      /** A skill with its instructions */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillDetail"];
        };
      };
    };
  };
  /** Changes the given fields; a built-in skill is replaced by a changed copy in SKILLS_PATH */
  "skills.update": {
    parameters: {
      path: {
        /** Skill name */
        skill_name: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SkillUpdateRequest"];
      };
    };
    responses: {
      /** A skill with its instructions */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillDetail"];
        };
      };
    };
  };
  /** Deletes a skill in SKILLS_PATH; a built-in skill that it replaced is used again */
  "skills.remove": {
    parameters: {
      path: {
        /** Skill name */
        skill_name: string;
      };
    };
    responses: {
      /** SkillRemoved */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillRemoved"];
        };
      };
    };
  };
  /** The skills that fit a request; by tags alone while there are no embeddings */
  "skills.match": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SkillMatchRequest"];
      };
    };
    responses: {
      /** SkillMatches */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillMatches"];
        };
      };
    };
  };
  /** Scans the folders now, and returns what changed */
  "skills.reload": {
    responses: {
      /** SkillReload */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillReload"];
        };
      };
    };
  };
  /** The score of every skill for a request */
  "skills.similarity": {
    parameters: {
      path: {
        /** A request, URL-encoded */
        query: string;
      };
    };
    responses: {
      /** SkillSimilarity */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillSimilarity"];
        };
      };
    };
  };
  /** Writes a skill with the language model */
  "skills.generate": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SkillGenerateRequest"];
      };
    };
    responses: {
      /** SkillGenerated */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SkillGenerated"];
        };
      };
    };
  };
  /** A fixed message: the workers run the tool servers */
  "toolServers.legacyStatus": {
    responses: {
      /** MCPLegacyStatus */
      200: {
        content: {
          readonly "application/json": components["schemas"]["MCPLegacyStatus"];
        };
      };
    };
  };
  /** The state of the tool servers */
  "toolServers.status": {
    responses: {
      /** MCPConfigResponse */
      200: {
        content: {
          readonly "application/json": components["schemas"]["MCPConfigResponse"];
        };
      };
    };
  };
  /** The tools of a server with their definitions, also those that are off; empty before its first list */
  "toolServers.tools": {
    parameters: {
      path: {
        /** Name of the tool server, URL-encoded */
        server_name: string;
      };
    };
    responses: {
      /** ToolServerTools */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ToolServerTools"];
        };
      };
    };
  };
  /** Accepts tools that are off by the definitions that they had when they were looked at, and no others */
  "toolServers.accept": {
    parameters: {
      path: {
        /** Name of the tool server, URL-encoded */
        server_name: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["AcceptedTools"];
      };
    };
    responses: {
      /** MCPConfigResponse */
      200: {
        content: {
          readonly "application/json": components["schemas"]["MCPConfigResponse"];
        };
      };
    };
  };
  /** Calls a tool for the caller, within the rules of the policy and the limits of calls: by an owner or admin, or with per_user by each member with their own sign-in. It is a real call, and the log of the service records who made it */
  "toolServers.test": {
    parameters: {
      path: {
        /** Name of the tool server, URL-encoded */
        server_name: string;
        /** Name of the tool on the server, URL-encoded */
        tool_name: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ToolTest"];
      };
    };
    responses: {
      /** ToolTested */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ToolTested"];
        };
      };
    };
  };
  /** The configuration as it was sent, with ******** for each value of env and headers */
  "toolServers.configuration": {
    responses: {
      /** MCPConfigRequest */
      200: {
        content: {
          readonly "application/json": components["schemas"]["MCPConfigRequest"];
        };
      };
    };
  };
  /** Replaces the configuration, then waits some seconds for the servers to connect. The value ******** in env or headers keeps the stored secret of that name if the server's command, arguments, folder and url are unchanged. A secret in env is kept only if also no other variable is added or changed, because a variable could make the program send the secret elsewhere. If a secret can't be kept, nothing is changed: 400 names it. References such as ${NAME} are stored as they are and get their values when the server is started; on a hosted instance only the servers of MCP_CONFIG_FILE may refer to the service's environment */
  "toolServers.configure": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["MCPConfigRequest"];
      };
    };
    responses: {
      /** MCPConfigResponse */
      200: {
        content: {
          readonly "application/json": components["schemas"]["MCPConfigResponse"];
        };
      };
    };
  };
  /** Deletes the configuration and stops all tool servers */
  "toolServers.clear": {
    responses: {
      /** MCPConfigResponse */
      200: {
        content: {
          readonly "application/json": components["schemas"]["MCPConfigResponse"];
        };
      };
    };
  };
  /** Begins a sign-in at a tool server: by an owner or admin, or with per_user by each member for themselves */
  "toolServerSignIn.connect": {
    parameters: {
      query?: {
        /** Path of this service to which the last page leads back; default: the page of the tool server */
        return_to?: string;
      };
      path: {
        /** Name of the tool server, URL-encoded */
        server_name: string;
      };
    };
    responses: {
      /** ConnectStarted */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ConnectStarted"];
        };
      };
    };
  };
  /** Forgets the sign-in at a tool server, with its tokens */
  "toolServerSignIn.forget": {
    parameters: {
      path: {
        /** Name of the tool server, URL-encoded */
        server_name: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Completes the sign-in that a browser began, and shows a page that says what was connected, or why it was not */
  "toolServerSignIn.connected": {
    responses: {
      /** a string */
      200: {
        content: {
          readonly "text/html": string;
        };
      };
    };
  };
  /** The client id metadata document that authorization servers read */
  "toolServerSignIn.client": {
    responses: {
      /** ClientDocument */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ClientDocument"];
        };
      };
    };
  };
  /** The models with what their last calls showed; keys are never shown */
  "models.list": {
    responses: {
      /** LanguageModels */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LanguageModels"];
        };
      };
    };
  };
  /** Model servers that answer on the machine of the service; none on a hosted instance */
  "models.servers": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["LocalModelServer"][];
        };
      };
    };
  };
  /** The names of the models that a provider lists */
  "models.catalogue": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["LanguageModelCatalogueRequest"];
      };
    };
    responses: {
      /** LanguageModelCatalogue */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LanguageModelCatalogue"];
        };
      };
    };
  };
  /** Makes a real call of a model that is not saved, as small as it can be */
  "models.trial": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["LanguageModelTrial"];
      };
    };
    responses: {
      /** LanguageModelTested */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LanguageModelTested"];
        };
      };
    };
  };
  /** Chooses the default model and the fallbacks, in every process within a second. Calls under way are not cut; the embeddings of stored memories stay */
  "models.choose": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["DefaultLanguageModel"];
      };
    };
    responses: {
      /** LanguageModels */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LanguageModels"];
        };
      };
    };
  };
  /** Adds a model, or replaces the one of this name */
  "models.save": {
    parameters: {
      path: {
        /** Name of the model, URL-encoded */
        name: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["LanguageModelEntry"];
      };
    };
    responses: {
      /** LanguageModel */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LanguageModel"];
        };
      };
    };
  };
  /** Deletes a stored model that is neither the default, nor a fallback, nor an agent's */
  "models.remove": {
    parameters: {
      path: {
        /** Name of the model, URL-encoded */
        name: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Makes a real call of the model, as small as it can be */
  "models.test": {
    parameters: {
      path: {
        /** Name of the model, URL-encoded */
        name: string;
      };
    };
    responses: {
      /** LanguageModelTested */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LanguageModelTested"];
        };
      };
    };
  };
  /** All users, by name, then by id */
  "users.list": {
    parameters: {
      query?: {
        /** Only this user: an id, an address, or a name that only one person has */
        user_id?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["User"][];
        };
      };
    };
  };
  /** The user of the token; the default user on a self-hosted service */
  "users.me": {
    responses: {
      /** A person, or the service itself */
      200: {
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  /** Sets fields; a field that was given is not overwritten by a sync, and null clears it. An address that another user has is refused, unless join is true */
  "users.change": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["UserChanges"];
      };
    };
    responses: {
      /** A person, or the service itself */
      200: {
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  /** Removes all overrides, so that the next sync may write all fields */
  "users.clearOverrides": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** A person, or the service itself */
      200: {
        content: {
          readonly "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  /** The user's feed, newest first */
  "notifications.list": {
    parameters: {
      query?: {
        /** Only unread ones */
        unread?: boolean;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Notification"][];
        };
      };
    };
  };
  /** Marks a notification as read; a second call changes nothing */
  "notifications.markRead": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
        /** Notification id */
        notification_id: string;
      };
    };
    responses: {
      /** Notification */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Notification"];
        };
      };
    };
  };
  /** Marks a notification as unread again; a second call changes nothing */
  "notifications.markUnread": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
        /** Notification id */
        notification_id: string;
      };
    };
    responses: {
      /** Notification */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Notification"];
        };
      };
    };
  };
  /** Deletes a notification from the feed */
  "notifications.remove": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
        /** Notification id */
        notification_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Uploads a file, for the attachments of a task and the tools of the agent */
  "files.upload": {
    readonly requestBody: {
      readonly content: {
        readonly "multipart/form-data": {
          /** The owner of the file; default: the caller, or `default`. Send it before the file: until then the file counts against the caller's quota: an id, an address, or a name that only one person has */
          readonly user_id?: string;
          /**
           * Format: binary
           * The file, with its name. An existing file of that name is replaced once all of it has arrived
           */
          readonly file: Blob;
        };
      };
    };
    responses: {
      /** Success */
      201: {
        content: {
          readonly "application/json": components["schemas"]["UploadedFile"];
        };
      };
    };
  };
  /** All files of a user, those in folders too, by path */
  "files.list": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["UserFile"][];
        };
      };
    };
  };
  /** How much of the storage quota the user's files take; measured once a minute */
  "files.usage": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** How much of the quota a user's files take */
      200: {
        content: {
          readonly "application/json": components["schemas"]["StorageUsage"];
        };
      };
    };
  };
  /** The content, as an attachment. Range (one range), If-Range, If-None-Match and If-Modified-Since are supported */
  "files.download": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
        /** Path of the file; a / may be written as it is or as %2F */
        path: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/octet-stream": Blob;
        };
      };
    };
  };
  /** Deletes a file */
  "files.remove": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
        /** Path of the file; a / may be written as it is or as %2F */
        path: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** One message of an MCP client (streamable HTTP, without sessions). A call that waits, or asks for progress, is answered with server-sent events */
  "mcp.message": {
    parameters: {
      header?: {
        /** The version that client and server have agreed on */
        "mcp-protocol-version"?: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["McpMessage"];
      };
    };
    responses: {
      /** McpAnswer */
      200: {
        content: {
          readonly "application/json": components["schemas"]["McpAnswer"];
        };
      };
      /** Success */
      202: {
        content: never;
      };
    };
  };
  /** Invites a member; 200 with the same invitation while one is open */
  "team.invite": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["TeamInviteRequest"];
      };
    };
    responses: {
      /** TeamInvitation */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TeamInvitation"];
        };
      };
      /** Success */
      201: {
        content: {
          readonly "application/json": components["schemas"]["TeamInvitation"];
        };
      };
    };
  };
  /** The tier, the seats and the members */
  "team.info": {
    responses: {
      /** TeamInfo */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TeamInfo"];
        };
      };
    };
  };
  /** Sets the role of a member or of an invitation; it counts from the next request on */
  "team.change": {
    parameters: {
      path: {
        /** Id of the invitation, also once it is accepted */
        member_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["TeamMemberChange"];
      };
    };
    responses: {
      /** TeamMember */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TeamMember"];
        };
      };
    };
  };
  /** Removes a member or withdraws an invitation, and frees the seat */
  "team.remove": {
    parameters: {
      path: {
        /** Id of the invitation, also once it is accepted */
        member_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** The caller's tokens, newest first; never the tokens themselves */
  "tokens.list": {
    parameters: {
      query?: {
        /** Only admins name others; default: the caller: an id, an address, or a name that only one person has */
        user_id?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["AccessToken"][];
        };
      };
    };
  };
  /** Creates a token that counts wherever an ID token does, and acts as the caller with at most its role. Only this response contains it. 403 for a caller that uses such a token, and for a role above the caller's */
  "tokens.create": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["AccessTokenRequest"];
      };
    };
    responses: {
      /** Success */
      201: {
        content: {
          readonly "application/json": components["schemas"]["CreatedAccessToken"];
        };
      };
    };
  };
  /** Revokes a token at once, in every process. Owner and admins may revoke the tokens of every member */
  "tokens.remove": {
    parameters: {
      path: {
        /** Token id */
        token_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** All discovered channels, newest first */
  "channels.list": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Channel"][];
        };
      };
    };
  };
  /** A channel */
  "channels.find": {
    parameters: {
      path: {
        /** The chat platform's id of the channel */
        channel_id: string;
      };
    };
    responses: {
      /** Channel */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Channel"];
        };
      };
    };
  };
  /** Syncs users, channels and their members with the chat platform, and responds when that is done */
  "channels.syncAll": {
    responses: {
      /** ChannelSyncReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ChannelSyncReport"];
        };
      };
    };
  };
  /** Syncs a channel and its members */
  "channels.sync": {
    parameters: {
      path: {
        /** The chat platform's id of the channel */
        channel_id: string;
      };
    };
    responses: {
      /** ChannelSyncReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ChannelSyncReport"];
        };
      };
    };
  };
  /** The members of a channel with their roles, by name, then by id */
  "channels.members": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** The chat platform's id of the channel */
        channel_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["ChannelMembership"][];
        };
      };
    };
  };
  /** Sets what a member does in the channel; the prompts of agents contain it */
  "channels.changeMember": {
    parameters: {
      path: {
        /** The chat platform's id of the channel */
        channel_id: string;
        /** User id, or the chat platform's id of the user */
        user_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["MembershipChanges"];
      };
    };
    responses: {
      /** ChannelMembership */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ChannelMembership"];
        };
      };
    };
  };
  /** Tests the connection to the chat platform by a call; always 200 */
  "teamChat.health": {
    responses: {
      /** TeamChatHealth */
      200: {
        content: {
          readonly "application/json": components["schemas"]["TeamChatHealth"];
        };
      };
    };
  };
  /** Accepts an event, which is processed later: 200, or 503 if it could not be stored. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
  "chatRequests.event": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ChatEventRequest"];
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": {
            /** The challenge of url_verification */
            readonly challenge: string;
          } | ({
            /** Whether the event was accepted */
            readonly ok: boolean;
            /**
             * Why it was not
             * @enum {string}
             */
            readonly error?: "invalid_signature" | "invalid_request";
          });
        };
      };
    };
  };
  /** Handles a button: stop reminders, make tasks of them, answer a question. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
  "chatRequests.interaction": {
    readonly requestBody: {
      readonly content: {
        readonly "application/x-www-form-urlencoded": {
          /** JSON of the interaction: user, actions, response_url */
          readonly payload: string;
        };
      };
    };
    responses: {
      /** ChatAnswer */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ChatAnswer"];
        };
      };
    };
  };
  /** The slash command: tasks, status, answers, cancellation. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
  "chatRequests.command": {
    readonly requestBody: {
      readonly content: {
        readonly "application/x-www-form-urlencoded": {
          /** The platform's id of the user */
          readonly user_id: string;
          /** The platform's id of the channel */
          readonly channel_id: string;
          /** What the user wrote behind the command */
          readonly text?: string;
          /** Where a late answer goes */
          readonly response_url?: string;
        };
      };
    };
    responses: {
      /** ChatAnswer */
      200: {
        content: {
          readonly "application/json": components["schemas"]["ChatAnswer"];
        };
      };
    };
  };
  /** What the user's agents remember, newest first */
  "memories.list": {
    parameters: {
      query?: {
        /** Text in the memory or in a tag of it. It is sought among 4,000 memories at a time: a page may be short or empty and still have a next one */
        q?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Memory"][];
        };
      };
    };
  };
  /** Deletes all memories of the user; a second call changes nothing */
  "memories.removeAll": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** All memories of the user, one JSON object a line, newest first */
  "memories.export": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** a string */
      200: {
        content: {
          readonly "application/x-ndjson": string;
        };
      };
    };
  };
  /** Deletes a memory; agents no longer find it */
  "memories.remove": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
        /** Memory id */
        memory_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Cancels the user's tasks, then deletes tasks, notifications, memories, files and profile. A seat in the team stays, with its e-mail address alone. A second call changes nothing; for an id that no user ever had, it is 404 */
  "personalData.erase": {
    parameters: {
      path: {
        /** User id */
        user_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Schedules, newest first; those that have ended stay for 30 days */
  "schedules.list": {
    parameters: {
      query?: {
        /** Only schedules of this user: an id, an address, or a name that only one person has */
        user_id?: string;
        /** Only schedules with this status */
        status?: "active" | "paused" | "done";
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Schedule"][];
        };
      };
    };
  };
  /** Creates a schedule */
  "schedules.create": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ScheduleDraft"];
      };
    };
    responses: {
      /** Success */
      201: {
        content: {
          readonly "application/json": components["schemas"]["Schedule"];
        };
      };
    };
  };
  /** When a schedule with this time would run; nothing is created */
  "schedules.preview": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SchedulePreviewRequest"];
      };
    };
    responses: {
      /** SchedulePreview */
      200: {
        content: {
          readonly "application/json": components["schemas"]["SchedulePreview"];
        };
      };
    };
  };
  /** A schedule with its next runs */
  "schedules.get": {
    parameters: {
      path: {
        /** Schedule id */
        schedule_id: string;
      };
    };
    responses: {
      /** Schedule */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Schedule"];
        };
      };
    };
  };
  /** Changes what the body names; a new time makes a schedule that has ended active again */
  "schedules.change": {
    parameters: {
      path: {
        /** Schedule id */
        schedule_id: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["ScheduleUpdate"];
      };
    };
    responses: {
      /** Schedule */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Schedule"];
        };
      };
    };
  };
  /** Deletes a schedule; its tasks and reminders stay */
  "schedules.remove": {
    parameters: {
      path: {
        /** Schedule id */
        schedule_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Stops the runs until it is resumed; a second call changes nothing */
  "schedules.pause": {
    parameters: {
      path: {
        /** Schedule id */
        schedule_id: string;
      };
    };
    responses: {
      /** Schedule */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Schedule"];
        };
      };
    };
  };
  /** Continues with the next run from now on; a second call changes nothing */
  "schedules.resume": {
    parameters: {
      path: {
        /** Schedule id */
        schedule_id: string;
      };
    };
    responses: {
      /** Schedule */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Schedule"];
        };
      };
    };
  };
  /** Runs it now, in addition to its plan; `last_task_id` is the task */
  "schedules.run": {
    parameters: {
      path: {
        /** Schedule id */
        schedule_id: string;
      };
    };
    responses: {
      /** Schedule */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Schedule"];
        };
      };
    };
  };
  /** The health of every schedule, type of webhooks, mailbox and tool server, what is not ok first, at most 1,000 schedules; a member's list has the own schedules. It is looked at every 15 seconds */
  "unattended.list": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["UnattendedWork"][];
        };
      };
    };
  };
  /** Whether the queue of webhooks is available */
  "webhooks.health": {
    responses: {
      /** WebhookHealth */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookHealth"];
        };
      };
    };
  };
  /** How many webhooks are queued and failed, and the last failures */
  "webhooks.stats": {
    responses: {
      /** WebhookStats */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookStats"];
        };
      };
    };
  };
  /** Whether a worker processes webhooks */
  "webhooks.status": {
    responses: {
      /** WebhookStatus */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookStatus"];
        };
      };
    };
  };
  /** The webhooks, or events of the team chat, that arrived, newest first */
  "webhooks.deliveries": {
    parameters: {
      query?: {
        /** webhook (the default), chat (events of the team chat), or the name of another source */
        source?: string;
        /** Only deliveries of this type */
        type?: string;
        /** Only deliveries in this state */
        state?: "pending" | "processing" | "failed" | "done";
        /** Only the delivery that became this task */
        task_id?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["WebhookDelivery"][];
        };
      };
    };
  };
  /** A delivery with its headers, without secrets, and its payload */
  "webhooks.delivery": {
    parameters: {
      path: {
        /** Delivery id */
        delivery_id: string;
      };
    };
    responses: {
      /** WebhookDeliveryContent */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookDeliveryContent"];
        };
      };
    };
  };
  /** Makes a new task from the stored body of a webhook; a failed chat event is processed again */
  "webhooks.replay": {
    parameters: {
      path: {
        /** Delivery id */
        delivery_id: string;
      };
    };
    responses: {
      /** WebhookReplay */
      202: {
        content: {
          readonly "application/json": components["schemas"]["WebhookReplay"];
        };
      };
    };
  };
  /** Accepts a webhook: 200 once it is committed; a worker then makes a task of it. In hosted mode it needs a valid signature of its type (WEBHOOK_SECRET_<TYPE>) or, where the type has no secret, a token. On a self-hosted service, the task of an unsigned webhook from another machine has read-only tools */
  "webhooks.receive": {
    parameters: {
      path: {
        /** Type of the webhook: code-host, payments, sms, team-chat or any other name */
        webhook_type: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": unknown;
      };
    };
    responses: {
      /** WebhookReceipt */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  /** Accepts a webhook of type team-chat: no token, but a rate limit */
  "webhooks.receiveTeamChat": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": unknown;
      };
    };
    responses: {
      /** WebhookReceipt */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  /** The types that are configured, and those of which something was delivered, by name */
  "webhookTypes.list": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["WebhookTypeSettings"][];
        };
      };
    };
  };
  /** A type of webhooks; of its secret, whether there is one */
  "webhookTypes.find": {
    parameters: {
      path: {
        /** Type of the webhook: code-host, payments, sms, team-chat or any other name */
        webhook_type: string;
      };
    };
    responses: {
      /** WebhookTypeSettings */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookTypeSettings"];
        };
      };
    };
  };
  /** Configures a type, within 10 seconds in every process. What is left out stays as it is. With a secret, deliveries with a valid signature are accepted at POST /webhook/{type} without a token, in hosted mode too */
  "webhookTypes.configure": {
    parameters: {
      path: {
        /** Type of the webhook: code-host, payments, sms, team-chat or any other name */
        webhook_type: string;
      };
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["WebhookTypeChange"];
      };
    };
    responses: {
      /** WebhookTypeSettings */
      200: {
        content: {
          readonly "application/json": components["schemas"]["WebhookTypeSettings"];
        };
      };
    };
  };
  /** Removes what is stored for a type; deliveries stay. 400 where the environment or .env sets it */
  "webhookTypes.remove": {
    parameters: {
      path: {
        /** Type of the webhook: code-host, payments, sms, team-chat or any other name */
        webhook_type: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** The caller's subscriptions, newest first; an admin's list has those of all users */
  "subscriptions.list": {
    parameters: {
      query?: {
        /** Only those of this user: an id, an address, or a name that only one person has */
        user_id?: string;
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["Subscription"][];
        };
      };
    };
  };
  /** Posts the events of tasks to an address. Only this response contains the secret */
  "subscriptions.create": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SubscriptionRequest"];
      };
    };
    responses: {
      /** Success */
      201: {
        content: {
          readonly "application/json": components["schemas"]["CreatedSubscription"];
        };
      };
    };
  };
  /** A subscription with the state of its newest event */
  "subscriptions.get": {
    parameters: {
      path: {
        /** Subscription id */
        subscription_id: string;
      };
    };
    responses: {
      /** Subscription */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Subscription"];
        };
      };
    };
  };
  /** Deletes a subscription with its deliveries, also those that wait */
  "subscriptions.remove": {
    parameters: {
      path: {
        /** Subscription id */
        subscription_id: string;
      };
    };
    responses: {
      /** Success */
      204: {
        content: never;
      };
    };
  };
  /** Activates a subscription that was disabled. Earlier events are not posted */
  "subscriptions.resume": {
    parameters: {
      path: {
        /** Subscription id */
        subscription_id: string;
      };
    };
    responses: {
      /** Subscription */
      200: {
        content: {
          readonly "application/json": components["schemas"]["Subscription"];
        };
      };
    };
  };
  /** Posts an event subscription.test */
  "subscriptions.test": {
    parameters: {
      path: {
        /** Subscription id */
        subscription_id: string;
      };
    };
    responses: {
      /** Success */
      202: {
        content: {
          readonly "application/json": components["schemas"]["SubscriptionDelivery"];
        };
      };
    };
  };
  /** The events that were or will be posted, newest first; for 30 days */
  "subscriptions.deliveries": {
    parameters: {
      query?: {
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
      path: {
        /** Subscription id */
        subscription_id: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["SubscriptionDelivery"][];
        };
      };
    };
  };
  /** Posts an event once more, under the same webhook-id */
  "subscriptions.replay": {
    parameters: {
      path: {
        /** Subscription id */
        subscription_id: string;
        /** Delivery id */
        delivery_id: string;
      };
    };
    responses: {
      /** Success */
      202: {
        content: {
          readonly "application/json": components["schemas"]["SubscriptionDelivery"];
        };
      };
    };
  };
  /** Messages of the last 30 days with the state of their delivery, newest first */
  "outbox.list": {
    parameters: {
      query?: {
        /** Only those in this state */
        state?: "pending" | "sending" | "sent" | "failed";
        /** Only those of this channel */
        channel?: "chat" | "email" | "webhook";
        /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
        limit?: number;
        /** Where the previous page ended; from its Link header */
        cursor?: string;
      };
    };
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["OutboxMessage"][];
        };
      };
    };
  };
  /** Sends a failed message again; one that may have arrived may arrive twice */
  "outbox.retry": {
    parameters: {
      path: {
        /** Id of the message */
        outbox_id: string;
      };
    };
    responses: {
      /** OutboxMessage */
      200: {
        content: {
          readonly "application/json": components["schemas"]["OutboxMessage"];
        };
      };
    };
  };
  /** The last 200 mails that were not taken, newest first, with the reasons */
  "mail.ignored": {
    responses: {
      /** Success */
      200: {
        content: {
          readonly "application/json": readonly components["schemas"]["IgnoredMail"][];
        };
      };
    };
  };
  /** The spending limits; team.day is MAX_COST_PER_DAY where none is stored */
  "limits.find": {
    responses: {
      /** LimitsReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LimitsReport"];
        };
      };
    };
  };
  /** Replaces the spending limits. At 80 % owner and admins are warned; at 100 % all tasks under a limit wait until somebody answers one of them with Go on or Stop, or the next period begins */
  "limits.update": {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["SpendingLimits"];
      };
    };
    responses: {
      /** LimitsReport */
      200: {
        content: {
          readonly "application/json": components["schemas"]["LimitsReport"];
        };
      };
    };
  };
}
export type Welcome = components["schemas"]["Welcome"];
export type Healthy = components["schemas"]["Healthy"];
export type HealthReport = components["schemas"]["HealthReport"];
export type HealthCheck = components["schemas"]["HealthCheck"];
export type VersionInfo = components["schemas"]["VersionInfo"];
export type SystemInfo = components["schemas"]["SystemInfo"];
export type ToolAvailability = components["schemas"]["ToolAvailability"];
export type SettingsReport = components["schemas"]["SettingsReport"];
export type SettingInEffect = components["schemas"]["SettingInEffect"];
export type TaskHistory = components["schemas"]["TaskHistory"];
export type HistoryInterval = components["schemas"]["HistoryInterval"];
export type Spending = components["schemas"]["Spending"];
export type StorageReport = components["schemas"]["StorageReport"];
export type Setting = components["schemas"]["Setting"];
export type SettingChanges = components["schemas"]["SettingChanges"];
export type SettingChange = components["schemas"]["SettingChange"];
export type SettingsTestRequest = components["schemas"]["SettingsTestRequest"];
export type SettingsTestReport = components["schemas"]["SettingsTestReport"];
export type SettingsTestStep = components["schemas"]["SettingsTestStep"];
export type SignedIn = components["schemas"]["SignedIn"];
export type User = components["schemas"]["User"];
export type LogoutRequest = components["schemas"]["LogoutRequest"];
export type Task = components["schemas"]["Task"];
export type QuestionForm = components["schemas"]["QuestionForm"];
export type FormField = components["schemas"]["FormField"];
export type Approval = components["schemas"]["Approval"];
export type Int = components["schemas"]["Int"];
export type ApprovalFile = components["schemas"]["ApprovalFile"];
export type WaitingFor = components["schemas"]["WaitingFor"];
export type TaskLogEntry = components["schemas"]["TaskLogEntry"];
export type TaskOutput = components["schemas"]["TaskOutput"];
export type Finite = components["schemas"]["Finite"];
export type TaskCounts = components["schemas"]["TaskCounts"];
export type WorkerStatus = components["schemas"]["WorkerStatus"];
export type ChatRequest = components["schemas"]["ChatRequest"];
export type Accepted = components["schemas"]["Accepted"];
export type HumanResponse = components["schemas"]["HumanResponse"];
export type CancelRequest = components["schemas"]["CancelRequest"];
export type MessageRequest = components["schemas"]["MessageRequest"];
export type Message = components["schemas"]["Message"];
export type UserUsage = components["schemas"]["UserUsage"];
export type DayUsage = components["schemas"]["DayUsage"];
export type WorkerHealth = components["schemas"]["WorkerHealth"];
export type TaskStep = components["schemas"]["TaskStep"];
export type DoneBy = components["schemas"]["DoneBy"];
export type StepContext = components["schemas"]["StepContext"];
export type BulkRequest = components["schemas"]["BulkRequest"];
export type BulkOperation = components["schemas"]["BulkOperation"];
export type TaskPreviewRequest = components["schemas"]["TaskPreviewRequest"];
export type PreviewAgent = components["schemas"]["PreviewAgent"];
export type TaskPreview = components["schemas"]["TaskPreview"];
export type SkillMatch = components["schemas"]["SkillMatch"];
export type LackingSkill = components["schemas"]["LackingSkill"];
export type PreviewTool = components["schemas"]["PreviewTool"];
export type AgentSummary = components["schemas"]["AgentSummary"];
export type AgentDetail = components["schemas"]["AgentDetail"];
export type AgentUse = components["schemas"]["AgentUse"];
export type AgentReload = components["schemas"]["AgentReload"];
export type SkillFault = components["schemas"]["SkillFault"];
export type AgentCreateRequest = components["schemas"]["AgentCreateRequest"];
export type AgentUpdateRequest = components["schemas"]["AgentUpdateRequest"];
export type ApprovalsRequest = components["schemas"]["ApprovalsRequest"];
export type ApprovalDecision = components["schemas"]["ApprovalDecision"];
export type Grant = components["schemas"]["Grant"];
export type PolicyReport = components["schemas"]["PolicyReport"];
export type Rule = components["schemas"]["Rule"];
export type RuleCondition = components["schemas"]["RuleCondition"];
export type ArgumentTest = components["schemas"]["ArgumentTest"];
export type NonEmptyString = components["schemas"]["NonEmptyString"];
export type DeadRule = components["schemas"]["DeadRule"];
export type PolicyChange = components["schemas"]["PolicyChange"];
export type PolicyTest = components["schemas"]["PolicyTest"];
export type PolicyTestReport = components["schemas"]["PolicyTestReport"];
export type ChangedCall = components["schemas"]["ChangedCall"];
export type PolicyTool = components["schemas"]["PolicyTool"];
export type PolicyRevision = components["schemas"]["PolicyRevision"];
export type SkillSummary = components["schemas"]["SkillSummary"];
export type SkillTool = components["schemas"]["SkillTool"];
export type SkillStatuses = components["schemas"]["SkillStatuses"];
export type SkillStatus = components["schemas"]["SkillStatus"];
export type SkillDetail = components["schemas"]["SkillDetail"];
export type SkillMatchRequest = components["schemas"]["SkillMatchRequest"];
export type SkillMatches = components["schemas"]["SkillMatches"];
export type SkillReload = components["schemas"]["SkillReload"];
export type SkillSimilarity = components["schemas"]["SkillSimilarity"];
export type SkillScore = components["schemas"]["SkillScore"];
export type SkillCreateRequest = components["schemas"]["SkillCreateRequest"];
export type SkillUpdateRequest = components["schemas"]["SkillUpdateRequest"];
export type SkillRemoved = components["schemas"]["SkillRemoved"];
export type SkillGenerateRequest = components["schemas"]["SkillGenerateRequest"];
export type SkillGenerated = components["schemas"]["SkillGenerated"];
export type MCPLegacyStatus = components["schemas"]["MCPLegacyStatus"];
export type MCPConfigResponse = components["schemas"]["MCPConfigResponse"];
export type ToolServerState = components["schemas"]["ToolServerState"];
export type HeldTool = components["schemas"]["HeldTool"];
export type WorkHealth = components["schemas"]["WorkHealth"];
export type ToolServerConnection = components["schemas"]["ToolServerConnection"];
export type ToolServerTools = components["schemas"]["ToolServerTools"];
export type ToolServerTool = components["schemas"]["ToolServerTool"];
export type AcceptedTools = components["schemas"]["AcceptedTools"];
export type ToolTest = components["schemas"]["ToolTest"];
export type ToolTested = components["schemas"]["ToolTested"];
export type MCPConfigRequest = components["schemas"]["MCPConfigRequest"];
export type ToolServerEntry = components["schemas"]["ToolServerEntry"];
export type ConnectStarted = components["schemas"]["ConnectStarted"];
export type ClientDocument = components["schemas"]["ClientDocument"];
export type LanguageModels = components["schemas"]["LanguageModels"];
export type LanguageModel = components["schemas"]["LanguageModel"];
export type LocalModelServer = components["schemas"]["LocalModelServer"];
export type LanguageModelCatalogueRequest = components["schemas"]["LanguageModelCatalogueRequest"];
export type LanguageModelCatalogue = components["schemas"]["LanguageModelCatalogue"];
export type LanguageModelTrial = components["schemas"]["LanguageModelTrial"];
export type LanguageModelTested = components["schemas"]["LanguageModelTested"];
export type DefaultLanguageModel = components["schemas"]["DefaultLanguageModel"];
export type LanguageModelEntry = components["schemas"]["LanguageModelEntry"];
export type UserChanges = components["schemas"]["UserChanges"];
export type Notification = components["schemas"]["Notification"];
export type Delivery = components["schemas"]["Delivery"];
export type UploadedFile = components["schemas"]["UploadedFile"];
export type StorageUsage = components["schemas"]["StorageUsage"];
export type UserFile = components["schemas"]["UserFile"];
export type McpMessage = components["schemas"]["McpMessage"];
export type McpAnswer = components["schemas"]["McpAnswer"];
export type TeamInviteRequest = components["schemas"]["TeamInviteRequest"];
export type TeamInvitation = components["schemas"]["TeamInvitation"];
export type TeamInfo = components["schemas"]["TeamInfo"];
export type TeamMember = components["schemas"]["TeamMember"];
export type TeamMemberChange = components["schemas"]["TeamMemberChange"];
export type AccessToken = components["schemas"]["AccessToken"];
export type AccessTokenRequest = components["schemas"]["AccessTokenRequest"];
export type CreatedAccessToken = components["schemas"]["CreatedAccessToken"];
export type Channel = components["schemas"]["Channel"];
export type ChannelSyncReport = components["schemas"]["ChannelSyncReport"];
export type ChannelMembership = components["schemas"]["ChannelMembership"];
export type MembershipChanges = components["schemas"]["MembershipChanges"];
export type TeamChatHealth = components["schemas"]["TeamChatHealth"];
export type ChatEventRequest = components["schemas"]["ChatEventRequest"];
export type ChatAnswer = components["schemas"]["ChatAnswer"];
export type Memory = components["schemas"]["Memory"];
export type Schedule = components["schemas"]["Schedule"];
export type ScheduleDraft = components["schemas"]["ScheduleDraft"];
export type SchedulePreviewRequest = components["schemas"]["SchedulePreviewRequest"];
export type SchedulePreview = components["schemas"]["SchedulePreview"];
export type ScheduleUpdate = components["schemas"]["ScheduleUpdate"];
export type UnattendedWork = components["schemas"]["UnattendedWork"];
export type WebhookHealth = components["schemas"]["WebhookHealth"];
export type WebhookStats = components["schemas"]["WebhookStats"];
export type FailedWebhook = components["schemas"]["FailedWebhook"];
export type WebhookStatus = components["schemas"]["WebhookStatus"];
export type WebhookDelivery = components["schemas"]["WebhookDelivery"];
export type WebhookDeliveryContent = components["schemas"]["WebhookDeliveryContent"];
export type WebhookReplay = components["schemas"]["WebhookReplay"];
export type WebhookReceipt = components["schemas"]["WebhookReceipt"];
export type WebhookTypeSettings = components["schemas"]["WebhookTypeSettings"];
export type WebhookTypeChange = components["schemas"]["WebhookTypeChange"];
export type Subscription = components["schemas"]["Subscription"];
export type SubscriptionDelivery = components["schemas"]["SubscriptionDelivery"];
export type SubscriptionRequest = components["schemas"]["SubscriptionRequest"];
export type CreatedSubscription = components["schemas"]["CreatedSubscription"];
export type OutboxMessage = components["schemas"]["OutboxMessage"];
export type IgnoredMail = components["schemas"]["IgnoredMail"];
export type LimitsReport = components["schemas"]["LimitsReport"];
export type Spent = components["schemas"]["Spent"];
export type SpendingLimits = components["schemas"]["SpendingLimits"];
export type PeriodLimits = components["schemas"]["PeriodLimits"];
