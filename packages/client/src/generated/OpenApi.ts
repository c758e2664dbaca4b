// Generated from the OpenAPI document by `npm run generate`. Do not edit.
export interface paths {
    readonly "/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Name and version; browsers are redirected to the console, or to the docs while there is none */
        readonly get: operations["system.welcome"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the service is available: 503 if the database does not respond within 2 s */
        readonly get: operations["system.liveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Every part of the service, with what to set to fix it */
        readonly get: operations["system.health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/version": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Version and features */
        readonly get: operations["system.version"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/info": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the programs that tool servers need are installed */
        readonly get: operations["system.info"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The settings in effect of the process that answers; of a secret, only whether it is set */
        readonly get: operations["system.settings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How many tasks ended, how long they took and what they used, over time */
        readonly get: operations["system.history"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The metrics of this process, as Prometheus text; requires METRICS_TOKEN if it is set */
        readonly get: operations["system.metrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Leads a browser to the identity provider's sign-in; an error is an HTML page */
        readonly get: operations["signIn.login"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/callback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Completes the sign-in that the browser began, and sets the cookie of its session; an error is an HTML page */
        readonly get: operations["signIn.callback"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who sends the request, and by what it is signed in */
        readonly get: operations["signIn.session"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth/logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Ends the session of the browser; its event streams end too */
        readonly post: operations["signIn.logout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tasks, newest first, without logs, outputs and webhook data; pages of long texts are shorter. In hosted mode, a member sees of the tasks of others what GET /task/{task_id} shows of them */
        readonly get: operations["tasks.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks/counts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How many tasks of a list have each status, up to 1,000 each */
        readonly get: operations["tasks.counts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One task with its logs and outputs. In hosted mode, only its creator, its assignee, the owner and admins see its content; to other members `description`, `question`, `plan`, `error`, `attachments`, webhook data and the data of logs are empty */
        readonly get: operations["tasks.find"];
        readonly put?: never;
        readonly post?: never;
        /** Archives the task; a second call deletes it */
        readonly delete: operations["tasks.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/subtasks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The subtasks that the task dispatched, newest first, as GET /tasks shows them */
        readonly get: operations["tasks.subtasks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/worker-status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Which worker runs the task, and when it is due */
        readonly get: operations["tasks.workerStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Creates a task from a user's request */
        readonly post: operations["tasks.chat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/human_response": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Answers the question of a task that waits for input */
        readonly post: operations["tasks.humanResponse"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Stops the task and its subtasks */
        readonly post: operations["tasks.cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Continues a failed task from its last saved step */
        readonly post: operations["tasks.retry"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/message": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Sends the agent a message for its next model call. It answers the question of a task that waits for input, and continues a finished task by a new one, whose id is in the response */
        readonly post: operations["tasks.message"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Server-sent events: log, status, text, usage; ends after the terminal status. Whoever may not read the task's content gets no text, and logs without data */
        readonly get: operations["tasks.events"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Server-sent events of all tasks: `log`, `status`, `archived` and `deleted`, each with its `task_id`, after Last-Event-ID or from now on; the first one, `position`, says where. The stream has no end. Logs have no data where the caller may not read the task's content */
        readonly get: operations["tasks.allEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The conversation as it is sent to the model, or all of it. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
        readonly get: operations["tasks.messages"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What the tasks and subtasks of the user used, in total and by day: tokens, calls and cost */
        readonly get: operations["tasks.usage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/worker/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The workers, the due tasks and the scheduled jobs */
        readonly get: operations["tasks.workerHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/steps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The steps of a task, newest first, with the first 2,000 characters of each text. In hosted mode, whoever may not read the task's content gets no texts, calls and results */
        readonly get: operations["taskSteps.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/steps/{seq}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One step with its whole texts */
        readonly get: operations["taskSteps.find"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/steps/{seq}/context": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What the model saw when it made a step of kind `model`, or sees after one of kind `compacted`: the messages, and of a call the whole system prompt and the tools. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
        readonly get: operations["taskSteps.context"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/task/{task_id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The task and all its steps as lines of JSON: first `{"task": ...}`, then `{"step": ...}` for each step, oldest first. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members */
        readonly get: operations["taskSteps.export"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks/bulk": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Cancels, retries or archives all tasks that match a filter, as the caller: newest first, in the background, once for each task, also through a crash. Tasks that are made later are left alone */
        readonly post: operations["taskBulk.start"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks/bulk/{bulk_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far an operation is. For the one who asked for it, the owner and admins */
        readonly get: operations["taskBulk.find"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chat/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The skills and tools that a task with this message would get now; it makes no task and no model call */
        readonly post: operations["taskPreview.preview"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Skills, by name */
        readonly get: operations["skills.list"];
        readonly put?: never;
        /** Creates a skill in SKILLS_PATH */
        readonly post: operations["skills.create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills/requirements": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What each skill lacks on this machine */
        readonly get: operations["skills.requirements"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills/{skill_name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One skill with its instructions */
        readonly get: operations["skills.find"];
        /** Changes the given fields; a built-in skill is replaced by a changed copy in SKILLS_PATH */
        readonly put: operations["skills.update"];
        readonly post?: never;
        /** Deletes a skill in SKILLS_PATH; a built-in skill that it replaced is used again */
        readonly delete: operations["skills.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills/match": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The skills that fit a request; by tags alone while there are no embeddings */
        readonly post: operations["skills.match"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills/reload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Scans the folders now, and returns what changed */
        readonly post: operations["skills.reload"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills/debug/similarity/{query}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The score of every skill for a request */
        readonly get: operations["skills.similarity"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/skills/generate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Writes a skill with the language model */
        readonly post: operations["skills.generate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/mcp/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A fixed message: the workers run the tool servers */
        readonly get: operations["toolServers.legacyStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/mcp/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The state of the tool servers */
        readonly get: operations["toolServers.status"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/mcp/servers/{server_name}/tools": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The tools of a server with their definitions, also those that are off; empty before its first list */
        readonly get: operations["toolServers.tools"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/mcp/servers/{server_name}/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Accepts tools that are off by the definitions that they had when they were looked at, and no others */
        readonly post: operations["toolServers.accept"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/mcp/configure": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The configuration as it was sent, with ******** for each value of env and headers */
        readonly get: operations["toolServers.configuration"];
        readonly put?: never;
        /** Replaces the configuration, then waits some seconds for the servers to connect. The value ******** in env or headers keeps the stored secret of that name if the server's command, arguments, folder and url are unchanged. A secret in env is kept only if also no other variable is added or changed, because a variable could make the program send the secret elsewhere. If a secret can't be kept, nothing is changed: 400 names it */
        readonly post: operations["toolServers.configure"];
        /** Deletes the configuration and stops all tool servers */
        readonly delete: operations["toolServers.clear"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** All users, by name, then by id */
        readonly get: operations["users.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The user of the token; the default user on a self-hosted service */
        readonly get: operations["users.me"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Sets fields; a field that was given is not overwritten by a sync, and null clears it */
        readonly put: operations["users.change"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/overrides": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Removes all overrides, so that the next sync may write all fields */
        readonly delete: operations["users.clearOverrides"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/notifications": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The user's feed, newest first */
        readonly get: operations["notifications.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/notifications/{notification_id}/mark_read": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Marks a notification as read; a second call changes nothing */
        readonly post: operations["notifications.markRead"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/notifications/{notification_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Deletes a notification from the feed */
        readonly delete: operations["notifications.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/upload-file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Uploads a file, for the attachments of a task and the tools of the agent */
        readonly post: operations["files.upload"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/files/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** All files of a user, those in folders too, by path */
        readonly get: operations["files.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/storage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How much of the storage quota the user's files take; measured once a minute */
        readonly get: operations["files.usage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/files/{user_id}/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The content, as an attachment. Range (one range), If-Range, If-None-Match and If-Modified-Since are supported */
        readonly get: operations["files.download"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a file */
        readonly delete: operations["files.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/mcp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** One message of an MCP client (streamable HTTP, without sessions). A call that waits, or asks for progress, is answered with server-sent events */
        readonly post: operations["mcp.message"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team/invite": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Invites a member; 200 with the same invitation while one is open */
        readonly post: operations["team.invite"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team/info": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The tier, the seats and the members */
        readonly get: operations["team.info"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team/members/{member_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Sets the role of a member or of an invitation; it counts from the next request on */
        readonly put: operations["team.change"];
        readonly post?: never;
        /** Removes a member or withdraws an invitation, and frees the seat */
        readonly delete: operations["team.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/channels": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** All discovered channels, newest first */
        readonly get: operations["channels.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/channels/{channel_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A channel */
        readonly get: operations["channels.find"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/channels/sync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Syncs users, channels and their members with the chat platform, and responds when that is done */
        readonly post: operations["channels.syncAll"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/channels/{channel_id}/sync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Syncs a channel and its members */
        readonly post: operations["channels.sync"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/channels/{channel_id}/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The members of a channel with their roles, by name, then by id */
        readonly get: operations["channels.members"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/channels/{channel_id}/members/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Sets what a member does in the channel; the prompts of agents contain it */
        readonly put: operations["channels.changeMember"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team-chat/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tests the connection to the chat platform by a call; always 200 */
        readonly get: operations["teamChat.health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team-chat/dm_response": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Accepts an event, which is processed later: 200, or 503 if it could not be stored. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
        readonly post: operations["chatRequests.event"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team-chat/interactive": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Handles a button: stop reminders, answer a question. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
        readonly post: operations["chatRequests.interaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/team-chat/command": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The slash command: tasks, status, answers, cancellation. Signed by the chat platform with CHAT_SIGNING_SECRET: X-Slack-Signature or X-Chat-Signature, and its timestamp */
        readonly post: operations["chatRequests.command"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/memories": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What the user's agents remember, newest first */
        readonly get: operations["memories.list"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes all memories of the user; a second call changes nothing */
        readonly delete: operations["memories.removeAll"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/memories/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** All memories of the user, one JSON object a line, newest first */
        readonly get: operations["memories.export"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/memories/{memory_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Deletes a memory; agents no longer find it */
        readonly delete: operations["memories.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}/data": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Cancels the user's tasks, then deletes tasks, notifications, memories, files and profile. A seat in the team stays, with its e-mail address alone. A second call changes nothing; for an id that no user ever had, it is 404 */
        readonly delete: operations["personalData.erase"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Schedules, newest first; those that have ended stay for 30 days */
        readonly get: operations["schedules.list"];
        readonly put?: never;
        /** Creates a schedule */
        readonly post: operations["schedules.create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{schedule_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A schedule with its next runs */
        readonly get: operations["schedules.get"];
        /** Changes what the body names; a new time makes a schedule that has ended active again */
        readonly put: operations["schedules.change"];
        readonly post?: never;
        /** Deletes a schedule; its tasks and reminders stay */
        readonly delete: operations["schedules.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{schedule_id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Stops the runs until it is resumed; a second call changes nothing */
        readonly post: operations["schedules.pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{schedule_id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Continues with the next run from now on; a second call changes nothing */
        readonly post: operations["schedules.resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{schedule_id}/run": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Runs it now, in addition to its plan; `last_task_id` is the task */
        readonly post: operations["schedules.run"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the queue of webhooks is available */
        readonly get: operations["webhooks.health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How many webhooks are queued and failed, and the last failures */
        readonly get: operations["webhooks.stats"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether a worker processes webhooks */
        readonly get: operations["webhooks.status"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The webhooks, or events of the team chat, that arrived, newest first */
        readonly get: operations["webhooks.deliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/deliveries/{delivery_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A delivery with its headers, without secrets, and its payload */
        readonly get: operations["webhooks.delivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/deliveries/{delivery_id}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Makes a new task from the stored body of a webhook; a failed chat event is processed again */
        readonly post: operations["webhooks.replay"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/{webhook_type}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Accepts a webhook: 200 once it is committed; a worker makes a task of it. Unsigned and from elsewhere, on a self-hosted service, the task has read-only tools */
        readonly post: operations["webhooks.receive"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook/team-chat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Accepts a webhook of type team-chat: no token, but a rate limit */
        readonly post: operations["webhooks.receiveTeamChat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscriptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The caller's subscriptions, newest first; an admin's list has those of all users */
        readonly get: operations["subscriptions.list"];
        readonly put?: never;
        /** Posts the events of tasks to an address. Only this response contains the secret */
        readonly post: operations["subscriptions.create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscriptions/{subscription_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A subscription with the state of its newest event */
        readonly get: operations["subscriptions.get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a subscription with its deliveries, also those that wait */
        readonly delete: operations["subscriptions.remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscriptions/{subscription_id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Activates a subscription that was disabled. Earlier events are not posted */
        readonly post: operations["subscriptions.resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscriptions/{subscription_id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Posts an event subscription.test */
        readonly post: operations["subscriptions.test"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscriptions/{subscription_id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The events that were or will be posted, newest first; for 30 days */
        readonly get: operations["subscriptions.deliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subscriptions/{subscription_id}/deliveries/{delivery_id}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Posts an event once more, under the same webhook-id */
        readonly post: operations["subscriptions.replay"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/outbox": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Messages of the last 30 days with the state of their delivery, newest first */
        readonly get: operations["outbox.list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/outbox/{outbox_id}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Sends a failed message again; one that may have arrived may arrive twice */
        readonly post: operations["outbox.retry"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
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
                readonly [key: string]: boolean;
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
            /** Tokens it may use; null: no limit */
            readonly token_budget: components["schemas"]["Int"] | null;
            /** Input and output tokens used so far */
            readonly tokens_used: number;
            /** Why it failed, and what to do about it */
            readonly error: string | null;
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
        readonly WaitingFor: {
            /**
             * answer: of a person; subtasks: their ends; timer: a time that the agent chose; retry: the next attempt after a crash or a failed call of the model; place: a free place on a worker; shard: a worker
             * @enum {string}
             */
            readonly reason: "answer" | "subtasks" | "timer" | "retry" | "place" | "shard";
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
        /** an integer */
        readonly Int: number;
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
            /** Tasks with this status; 1000 means as many or more */
            readonly pending: number;
            /** Tasks with this status; 1000 means as many or more */
            readonly running: number;
            /** Tasks with this status; 1000 means as many or more */
            readonly waiting_input: number;
            /** Tasks with this status; 1000 means as many or more */
            readonly waiting_subagents: number;
            /** Tasks with this status; 1000 means as many or more */
            readonly completed: number;
            /** Tasks with this status; 1000 means as many or more */
            readonly failed: number;
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
            /** The owner of the task; default: the caller, or `default` */
            readonly user_id?: string | null;
            /** The user who answers the task's questions; default: `user_id` */
            readonly assignee?: string | null;
            /** Title; default: taken from the message */
            readonly title?: string | null;
            /** Channel or project */
            readonly project_id?: string | null;
            /** Names of files that the user has uploaded */
            readonly attachments?: readonly string[] | null;
            /** The task that this one continues; the agent sees its outcome */
            readonly continue_task_id?: string | null;
            /** Token budget of the task and its subtasks, at least 4000; default: none */
            readonly max_tokens_total?: components["schemas"]["Int"] | null;
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
            /** The answer to its question */
            readonly response: string;
            /** The user who answers; becomes the assignee if there is none */
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
            /** The user who sends it, and the owner of a continuation; default: the owner of the task */
            readonly user_id?: string | null;
        };
        readonly Message: {
            /**
             * The request, or a later message of a person
             * @enum {string}
             */
            readonly role: "user";
            /** The text */
            readonly content: string;
            /** Pictures that are sent with it */
            readonly images?: readonly {
                /** Path in the user's sandbox */
                readonly path: string;
                /** Such as image/png */
                readonly media_type: string;
                /** Bytes; null until it is first sent */
                readonly size: components["schemas"]["Int"] | null;
                /** SHA-256 in hex; null until it is first sent */
                readonly digest: string | null;
            }[];
        } | {
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
            /** The result; that of a failed call begins with `Error:` */
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
            readonly runners: readonly {
                /** host:port of the worker */
                readonly address: string;
                /** Shards that it owns */
                readonly shards: number;
                /** Tasks that it runs */
                readonly active_tasks: number;
                /** Due tasks that are queued to it */
                readonly queued_tasks: number;
                /** Its last heartbeat */
                readonly last_seen_at: string | null;
            }[];
            /** Due tasks that no worker has claimed */
            readonly pending_jobs: number;
            /** The due task that has waited the longest */
            readonly oldest_pending: {
                /** Task id: a time-sortable UUIDv7 */
                readonly task_id: string;
                /**
                 * Format: date-time
                 * When it was due
                 */
                readonly since: string;
            } | null;
            /** The scheduled jobs of all processes */
            readonly scheduled_jobs: readonly {
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
            }[];
        };
        readonly TaskStep: {
            /** Number of the step, from 1 */
            readonly seq: number;
            /**
             * woken: a worker took the task; prepared: skills and work steps were selected; model: the model answered; started: calls with outside effects began; dispatched: subtasks were made; results: tools returned; compacted: older messages were replaced by a summary; forced: a limit ended the task; steered: somebody sent a message; answered: somebody answered its question; model_failed: a call of the model is made again; progressed: a tool server reported how far a call is; cancelled, retried, crashed, failed: as their names say
             * @enum {string}
             */
            readonly kind: "woken" | "prepared" | "model" | "started" | "dispatched" | "results" | "compacted" | "forced" | "steered" | "answered" | "cancelled" | "retried" | "crashed" | "model_failed" | "progressed" | "failed";
            /**
             * Format: date-time
             * When the step was journalled, at the end of its work
             */
            readonly at: string;
            /** Milliseconds that the model call, or the longest of the tool calls, took; null: nothing was measured */
            readonly duration_ms: number | null;
            /** Status of the task since this step; null: unchanged */
            readonly status: ("pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents") | null;
            /** What happened, in one line */
            readonly title: string;
            /** What the model wrote, the summary, the message, the question or the reason of an end; null: none */
            readonly text: string | null;
            /** Tokens sent to the model; null: no call */
            readonly input_tokens: components["schemas"]["Int"] | null;
            /** Tokens that the model wrote; null: no call */
            readonly output_tokens: components["schemas"]["Int"] | null;
            /** Cost of the call by MODEL_PRICES; null: no call, or no price */
            readonly cost: components["schemas"]["Finite"] | null;
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
                /** The result; that of a failed call begins with `Error:` */
                readonly content: string;
                /** Milliseconds that the call took */
                readonly duration_ms: number;
            }[];
            /** Subtasks that the step made */
            readonly subtasks: readonly {
                /** Id of the call */
                readonly call_id: string;
                /** The subtask */
                readonly task_id: string;
                /**
                 * The kind of subagent
                 * @enum {string}
                 */
                readonly agent_type: "general" | "research" | "tool-specialist";
            }[];
            /** When the task goes on after this step; null: at once, or on an event */
            readonly until: string | null;
            /** Whether a text is cut; GET /task/{task_id}/steps/{seq} has the whole texts */
            readonly truncated: boolean;
        };
        readonly StepContext: {
            /** Number of the model step */
            readonly seq: number;
            /** The messages that the call got, the newest last; a summary is a system message. Results of tools and summaries are between the marks that tell the model that they are data */
            readonly messages: readonly components["schemas"]["Message"][];
            /** The system prompt of the call, without what it had of other people (colleagues, messages of a channel); null: not recorded, as of tasks of an earlier version, or no call of the model */
            readonly system: string | null;
            /** The tools that the call offered; null where `system` is */
            readonly tools: readonly {
                /** Name of the tool */
                readonly name: string;
                /** What it does */
                readonly description: string;
                /** JSON Schema of its arguments */
                readonly parameters: unknown;
            }[] | null;
            /** Older messages that a summary replaced in this call; GET /task/{task_id}/messages?full=true has them */
            readonly replaced: number;
            /** Skills whose instructions were in the system prompt */
            readonly skills: readonly string[];
            /** Memories that were in the system prompt */
            readonly memories: readonly string[];
            /** Work steps that were in the system prompt */
            readonly work_steps: readonly string[];
        };
        readonly BulkRequest: {
            /**
             * What to do to each task
             * @enum {string}
             */
            readonly action: "cancel" | "retry" | "archive";
            /** Which tasks; without a field, all that are not archived */
            readonly filter: {
                /**
                 * Only tasks with this status
                 * @enum {string}
                 */
                readonly status?: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
                /** Only tasks of this user */
                readonly creator?: string;
                /** Only tasks assigned to this user */
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
                /** Text in the title or the description; of tasks whose content the caller may not read, in the title */
                readonly q?: string;
                /** Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled */
                readonly cancelled?: boolean;
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
            readonly action: "cancel" | "retry" | "archive";
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
        };
        readonly TaskPreview: {
            /** The skills that the agent would get, best first */
            readonly skills: readonly components["schemas"]["SkillMatch"][];
            /** Skills that match, but can't be used on this machine */
            readonly lacking: readonly components["schemas"]["LackingSkill"][];
            /** The tools that the agent would get */
            readonly tools: readonly components["schemas"]["PreviewTool"][];
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
        readonly SkillFault: {
            /** The file or folder */
            readonly path: string;
            /** What is wrong with it */
            readonly message: string;
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
                readonly [key: string]: unknown;
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
                readonly [key: string]: unknown;
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
             * connected, failed, disabled or connecting
             * @enum {string}
             */
            readonly status: "connected" | "failed" | "disabled" | "connecting";
            /** How many tools it offers to agents */
            readonly tool_count: number;
            /** Their names on the server */
            readonly tools: readonly string[];
            /** Tools that agents can't use until an owner or admin accepts them as they are */
            readonly tools_off?: readonly components["schemas"]["HeldTool"][];
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
                readonly [key: string]: unknown;
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
                readonly [key: string]: string;
            };
        };
        readonly MCPConfigRequest: {
            /** All tool servers by name; servers that are not listed are stopped */
            readonly mcpServers: {
                readonly [key: string]: components["schemas"]["ToolServerEntry"];
            };
        };
        readonly ToolServerEntry: {
            /** Program to start; it communicates over standard input and output */
            readonly command?: string | null;
            /** Its arguments */
            readonly args?: readonly string[] | null;
            /** Environment of the program, beside a few harmless variables; never shown again */
            readonly env?: {
                readonly [key: string]: string;
            } | null;
            /** Folder to start it in */
            readonly cwd?: string | null;
            /** Address of a remote server */
            readonly url?: string | null;
            /** http (streamable, the default for an address) or sse; stdio for a command */
            readonly type?: string | null;
            /** Headers of every request to it; never shown again */
            readonly headers?: {
                readonly [key: string]: string;
            } | null;
            /** true: keep the server, but do not use it */
            readonly disabled?: boolean | null;
            /** Seconds a call of one of its tools may take, 1 to 600; a call also ends before the time-out of its step. Default: MCP_CALL_TIMEOUT */
            readonly timeout_seconds?: number | null;
            /** The only tools that agents may use; default: all */
            readonly allowed_tools?: readonly string[] | null;
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
            readonly notify_by?: readonly ("chat" | "email" | "ui")[] | null;
        };
        readonly Notification: {
            /** Notification id: a time-sortable UUIDv7 */
            readonly id: string;
            /** The user whose feed it is in */
            readonly user_id: string;
            /** The task it is about */
            readonly task_id: string | null;
            /**
             * completion, question, failure or reminder
             * @enum {string}
             */
            readonly kind: "completion" | "question" | "failure" | "reminder";
            /** The task's title */
            readonly title: string;
            /** The result, question, message or reason of failure; truncated if long */
            readonly body: string;
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
                readonly [key: string]: unknown;
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
            /** When it runs, if it recurs: a five-field cron; `%2+1` after its weekdays: only in every second week */
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
            /** When it recurs: a five-field cron, or words such as `every weekday at 9`, `every other week` or `last friday of the month` */
            readonly every?: string | null;
            /** The chat platform's id of the channel for results and reminders */
            readonly channel_id?: string | null;
            /** Title; default: taken from the message */
            readonly title?: string | null;
            /** IANA time zone; default: the user's, or else UTC */
            readonly timezone?: string | null;
            /** Whose it is; default: the caller, or `default` */
            readonly user_id?: string | null;
        };
        readonly ScheduleUpdate: {
            /** What the agent should do, or the text of the reminder */
            readonly message?: string | null;
            /** task: each run makes a task; reminder: each run notifies the user. Default of a new schedule: task */
            readonly kind?: ("task" | "reminder") | null;
            /** When it runs once: ISO 8601, or words such as `tomorrow at 9`; either this or `every` */
            readonly at?: string | null;
            /** When it recurs: a five-field cron, or words such as `every weekday at 9`, `every other week` or `last friday of the month` */
            readonly every?: string | null;
            /** The chat platform's id of the channel for results and reminders */
            readonly channel_id?: string | null;
            /** Title; default: taken from the message */
            readonly title?: string | null;
            /** IANA time zone; a recurrence keeps its local time */
            readonly timezone?: string | null;
        };
        readonly WebhookHealth: {
            /**
             * The queue answers
             * @enum {string}
             */
            readonly status: "ok";
            /** Deliveries by state */
            readonly queue_stats: {
                /** Deliveries that wait for a worker, or for their next attempt */
                readonly pending: number;
                /** Deliveries that a worker makes a task of */
                readonly processing: number;
                /** Deliveries that failed five times, or can't become a task */
                readonly failed: number;
            };
            /** troupe-webhooks */
            readonly service: string;
        };
        readonly WebhookStats: {
            /** Deliveries by state */
            readonly queue_stats: {
                /** Deliveries that wait for a worker, or for their next attempt */
                readonly pending: number;
                /** Deliveries that a worker makes a task of */
                readonly processing: number;
                /** Deliveries that failed five times, or can't become a task */
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
                /** Deliveries that wait for a worker, or for their next attempt */
                readonly pending: number;
                /** Deliveries that a worker makes a task of */
                readonly processing: number;
                /** Deliveries that failed five times, or can't become a task */
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
                readonly [key: string]: string;
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
            readonly events?: readonly ("task.created" | "task.started" | "task.waiting" | "task.resumed" | "task.completed" | "task.failed" | "task.archived")[] | null;
            /** Signs the requests: whsec_ and 24 to 64 bytes in base64. Default: a new one */
            readonly secret?: string | null;
            /** own (default): of tasks that the user created or is the assignee of. all: of every task; for admins */
            readonly tasks?: ("own" | "all") | null;
            /** Whose subscription it is; default: the caller's. Only admins name others */
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Welcome = components['schemas']['Welcome'];
export type Healthy = components['schemas']['Healthy'];
export type HealthReport = components['schemas']['HealthReport'];
export type HealthCheck = components['schemas']['HealthCheck'];
export type VersionInfo = components['schemas']['VersionInfo'];
export type SystemInfo = components['schemas']['SystemInfo'];
export type ToolAvailability = components['schemas']['ToolAvailability'];
export type SettingsReport = components['schemas']['SettingsReport'];
export type SettingInEffect = components['schemas']['SettingInEffect'];
export type TaskHistory = components['schemas']['TaskHistory'];
export type HistoryInterval = components['schemas']['HistoryInterval'];
export type SignedIn = components['schemas']['SignedIn'];
export type User = components['schemas']['User'];
export type LogoutRequest = components['schemas']['LogoutRequest'];
export type Task = components['schemas']['Task'];
export type WaitingFor = components['schemas']['WaitingFor'];
export type Int = components['schemas']['Int'];
export type TaskLogEntry = components['schemas']['TaskLogEntry'];
export type TaskOutput = components['schemas']['TaskOutput'];
export type Finite = components['schemas']['Finite'];
export type TaskCounts = components['schemas']['TaskCounts'];
export type WorkerStatus = components['schemas']['WorkerStatus'];
export type ChatRequest = components['schemas']['ChatRequest'];
export type Accepted = components['schemas']['Accepted'];
export type HumanResponse = components['schemas']['HumanResponse'];
export type CancelRequest = components['schemas']['CancelRequest'];
export type MessageRequest = components['schemas']['MessageRequest'];
export type Message = components['schemas']['Message'];
export type UserUsage = components['schemas']['UserUsage'];
export type DayUsage = components['schemas']['DayUsage'];
export type WorkerHealth = components['schemas']['WorkerHealth'];
export type TaskStep = components['schemas']['TaskStep'];
export type StepContext = components['schemas']['StepContext'];
export type BulkRequest = components['schemas']['BulkRequest'];
export type BulkOperation = components['schemas']['BulkOperation'];
export type TaskPreviewRequest = components['schemas']['TaskPreviewRequest'];
export type TaskPreview = components['schemas']['TaskPreview'];
export type SkillMatch = components['schemas']['SkillMatch'];
export type LackingSkill = components['schemas']['LackingSkill'];
export type PreviewTool = components['schemas']['PreviewTool'];
export type SkillSummary = components['schemas']['SkillSummary'];
export type SkillStatuses = components['schemas']['SkillStatuses'];
export type SkillStatus = components['schemas']['SkillStatus'];
export type SkillDetail = components['schemas']['SkillDetail'];
export type SkillMatchRequest = components['schemas']['SkillMatchRequest'];
export type SkillMatches = components['schemas']['SkillMatches'];
export type SkillReload = components['schemas']['SkillReload'];
export type SkillFault = components['schemas']['SkillFault'];
export type SkillSimilarity = components['schemas']['SkillSimilarity'];
export type SkillScore = components['schemas']['SkillScore'];
export type SkillCreateRequest = components['schemas']['SkillCreateRequest'];
export type SkillUpdateRequest = components['schemas']['SkillUpdateRequest'];
export type SkillRemoved = components['schemas']['SkillRemoved'];
export type SkillGenerateRequest = components['schemas']['SkillGenerateRequest'];
export type SkillGenerated = components['schemas']['SkillGenerated'];
export type MCPLegacyStatus = components['schemas']['MCPLegacyStatus'];
export type MCPConfigResponse = components['schemas']['MCPConfigResponse'];
export type ToolServerState = components['schemas']['ToolServerState'];
export type HeldTool = components['schemas']['HeldTool'];
export type ToolServerTools = components['schemas']['ToolServerTools'];
export type ToolServerTool = components['schemas']['ToolServerTool'];
export type AcceptedTools = components['schemas']['AcceptedTools'];
export type MCPConfigRequest = components['schemas']['MCPConfigRequest'];
export type ToolServerEntry = components['schemas']['ToolServerEntry'];
export type UserChanges = components['schemas']['UserChanges'];
export type Notification = components['schemas']['Notification'];
export type Delivery = components['schemas']['Delivery'];
export type UploadedFile = components['schemas']['UploadedFile'];
export type StorageUsage = components['schemas']['StorageUsage'];
export type UserFile = components['schemas']['UserFile'];
export type McpMessage = components['schemas']['McpMessage'];
export type McpAnswer = components['schemas']['McpAnswer'];
export type TeamInviteRequest = components['schemas']['TeamInviteRequest'];
export type TeamInvitation = components['schemas']['TeamInvitation'];
export type TeamInfo = components['schemas']['TeamInfo'];
export type TeamMember = components['schemas']['TeamMember'];
export type TeamMemberChange = components['schemas']['TeamMemberChange'];
export type Channel = components['schemas']['Channel'];
export type ChannelSyncReport = components['schemas']['ChannelSyncReport'];
export type ChannelMembership = components['schemas']['ChannelMembership'];
export type MembershipChanges = components['schemas']['MembershipChanges'];
export type TeamChatHealth = components['schemas']['TeamChatHealth'];
export type ChatEventRequest = components['schemas']['ChatEventRequest'];
export type ChatAnswer = components['schemas']['ChatAnswer'];
export type Memory = components['schemas']['Memory'];
export type Schedule = components['schemas']['Schedule'];
export type ScheduleDraft = components['schemas']['ScheduleDraft'];
export type ScheduleUpdate = components['schemas']['ScheduleUpdate'];
export type WebhookHealth = components['schemas']['WebhookHealth'];
export type WebhookStats = components['schemas']['WebhookStats'];
export type FailedWebhook = components['schemas']['FailedWebhook'];
export type WebhookStatus = components['schemas']['WebhookStatus'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryContent = components['schemas']['WebhookDeliveryContent'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type WebhookReceipt = components['schemas']['WebhookReceipt'];
export type Subscription = components['schemas']['Subscription'];
export type SubscriptionDelivery = components['schemas']['SubscriptionDelivery'];
export type SubscriptionRequest = components['schemas']['SubscriptionRequest'];
export type CreatedSubscription = components['schemas']['CreatedSubscription'];
export type OutboxMessage = components['schemas']['OutboxMessage'];
export type $defs = Record<string, never>;
export interface operations {
    readonly "system.welcome": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Welcome */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Welcome"];
                };
            };
        };
    };
    readonly "system.liveness": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Healthy */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Healthy"];
                };
            };
        };
    };
    readonly "system.health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** HealthReport */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HealthReport"];
                };
            };
        };
    };
    readonly "system.version": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** VersionInfo */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VersionInfo"];
                };
            };
        };
    };
    readonly "system.info": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SystemInfo */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemInfo"];
                };
            };
        };
    };
    readonly "system.settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SettingsReport */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SettingsReport"];
                };
            };
        };
    };
    readonly "system.history": {
        readonly parameters: {
            readonly query?: {
                /** day: by the hour (default); week: by six hours; month: by the day */
                readonly period?: "day" | "week" | "month";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** TaskHistory */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskHistory"];
                };
            };
        };
    };
    readonly "system.metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** a string */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
        };
    };
    readonly "signIn.login": {
        readonly parameters: {
            readonly query?: {
                /** Path of this service to which the browser goes afterwards; default: its first page */
                readonly return_to?: string;
                /** none: renews the session of the browser if the identity provider need not ask the person anything; otherwise the session stays as it is, and the browser goes to return_to */
                readonly prompt?: "none";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: never;
    };
    readonly "signIn.callback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: never;
    };
    readonly "signIn.session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SignedIn */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    readonly "signIn.logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LogoutRequest"];
            };
        };
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "tasks.list": {
        readonly parameters: {
            readonly query?: {
                /** Only tasks with this status */
                readonly status?: "pending" | "running" | "completed" | "failed" | "waiting_input" | "waiting_subagents";
                /** Only tasks of this user */
                readonly creator?: string;
                /** Only tasks assigned to this user */
                readonly assignee?: string;
                /** Only tasks of this channel or project */
                readonly project_id?: string;
                /** Only tasks made by this: team chat, mail, a schedule or a webhook, or by a request to the API */
                readonly source?: "chat" | "email" | "schedule" | "webhook" | "api";
                /** Only tasks that this schedule made */
                readonly schedule_id?: string;
                /** Only tasks created by this type of webhook */
                readonly webhook_type?: string;
                /** Subtasks are listed only when asked for */
                readonly task_type?: "task" | "subtask";
                /** Only subtasks of this task */
                readonly parent_task_id?: string;
                /** Only tasks made at this time or later, as 2026-01-31 or 2026-01-31T09:30:00Z */
                readonly created_from?: string;
                /** Only tasks made before this time, as 2026-01-31 or 2026-01-31T09:30:00Z */
                readonly created_before?: string;
                /** Text in the title or the description; of tasks whose content the caller may not read, in the title */
                readonly q?: string;
                /** Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled */
                readonly cancelled?: boolean;
                /** Archived tasks too */
                readonly include_archived?: boolean;
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Task"][];
                };
            };
        };
    };
    readonly "tasks.counts": {
        readonly parameters: {
            readonly query?: {
                /** Only tasks of this user */
                readonly creator?: string;
                /** Only tasks assigned to this user */
                readonly assignee?: string;
                /** Only tasks of this channel or project */
                readonly project_id?: string;
                /** Only tasks made by this: team chat, mail, a schedule or a webhook, or by a request to the API */
                readonly source?: "chat" | "email" | "schedule" | "webhook" | "api";
                /** Only tasks that this schedule made */
                readonly schedule_id?: string;
                /** Only tasks created by this type of webhook */
                readonly webhook_type?: string;
                /** Subtasks are listed only when asked for */
                readonly task_type?: "task" | "subtask";
                /** Only subtasks of this task */
                readonly parent_task_id?: string;
                /** Only tasks made at this time or later, as 2026-01-31 or 2026-01-31T09:30:00Z */
                readonly created_from?: string;
                /** Only tasks made before this time, as 2026-01-31 or 2026-01-31T09:30:00Z */
                readonly created_before?: string;
                /** Text in the title or the description; of tasks whose content the caller may not read, in the title */
                readonly q?: string;
                /** Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled */
                readonly cancelled?: boolean;
                /** Archived tasks too */
                readonly include_archived?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** TaskCounts */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskCounts"];
                };
            };
        };
    };
    readonly "tasks.find": {
        readonly parameters: {
            readonly query?: {
                /** false: without the log lines, of which a long task has many */
                readonly logs?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** A task, or a subtask that another task dispatched */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    readonly "tasks.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "tasks.subtasks": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Task"][];
                };
            };
        };
    };
    readonly "tasks.workerStatus": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WorkerStatus */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WorkerStatus"];
                };
            };
        };
    };
    readonly "tasks.chat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** The same key and body get the first response again for 24 hours */
                readonly "idempotency-key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChatRequest"];
            };
        };
        readonly responses: {
            /** Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    readonly "tasks.humanResponse": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["HumanResponse"];
            };
        };
        readonly responses: {
            /** Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    readonly "tasks.cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CancelRequest"];
            };
        };
        readonly responses: {
            /** Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    readonly "tasks.retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    readonly "tasks.message": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** The same key and body get the first response again for 24 hours */
                readonly "idempotency-key"?: string;
            };
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MessageRequest"];
            };
        };
        readonly responses: {
            /** Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    readonly "tasks.events": {
        readonly parameters: {
            readonly query?: {
                /** The same, for clients that can't set headers */
                readonly last_event_id?: string;
            };
            readonly header?: {
                /** Resume after this event */
                readonly "last-event-id"?: string;
            };
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** a string */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
        };
    };
    readonly "tasks.allEvents": {
        readonly parameters: {
            readonly query?: {
                /** Resume after this event */
                readonly last_event_id?: string;
            };
            readonly header?: {
                /** Resume after this event */
                readonly "last-event-id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** a string */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
        };
    };
    readonly "tasks.messages": {
        readonly parameters: {
            readonly query?: {
                /** true: with the older messages that are sent only as a summary */
                readonly full?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Message"][];
                };
            };
        };
    };
    readonly "tasks.usage": {
        readonly parameters: {
            readonly query?: {
                /** Only tasks created on this day in UTC or later */
                readonly from?: string;
                /** Only tasks created on this day in UTC or earlier */
                readonly to?: string;
            };
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** UserUsage */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UserUsage"];
                };
            };
        };
    };
    readonly "tasks.workerHealth": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WorkerHealth */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WorkerHealth"];
                };
            };
        };
    };
    readonly "taskSteps.list": {
        readonly parameters: {
            readonly query?: {
                /** Only steps after this number */
                readonly after?: number;
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["TaskStep"][];
                };
            };
        };
    };
    readonly "taskSteps.find": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
                /** Number of the step */
                readonly seq: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** TaskStep */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskStep"];
                };
            };
        };
    };
    readonly "taskSteps.context": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
                /** Number of the step */
                readonly seq: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** StepContext */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StepContext"];
                };
            };
        };
    };
    readonly "taskSteps.export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Task id */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** a string */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                };
            };
        };
    };
    readonly "taskBulk.start": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** The same key and body get the first response again for 24 hours */
                readonly "idempotency-key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BulkRequest"];
            };
        };
        readonly responses: {
            /** Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BulkOperation"];
                };
            };
        };
    };
    readonly "taskBulk.find": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Id of the operation */
                readonly bulk_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** BulkOperation */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BulkOperation"];
                };
            };
        };
    };
    readonly "taskPreview.preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TaskPreviewRequest"];
            };
        };
        readonly responses: {
            /** TaskPreview */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskPreview"];
                };
            };
        };
    };
    readonly "skills.list": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["SkillSummary"][];
                };
            };
        };
    };
    readonly "skills.create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SkillCreateRequest"];
            };
        };
        readonly responses: {
            /** A skill with its instructions */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillDetail"];
                };
            };
        };
    };
    readonly "skills.requirements": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SkillStatuses */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillStatuses"];
                };
            };
        };
    };
    readonly "skills.find": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Skill name */
                readonly skill_name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** A skill with its instructions */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillDetail"];
                };
            };
        };
    };
    readonly "skills.update": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Skill name */
                readonly skill_name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SkillUpdateRequest"];
            };
        };
        readonly responses: {
            /** A skill with its instructions */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillDetail"];
                };
            };
        };
    };
    readonly "skills.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Skill name */
                readonly skill_name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SkillRemoved */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillRemoved"];
                };
            };
        };
    };
    readonly "skills.match": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SkillMatchRequest"];
            };
        };
        readonly responses: {
            /** SkillMatches */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillMatches"];
                };
            };
        };
    };
    readonly "skills.reload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SkillReload */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillReload"];
                };
            };
        };
    };
    readonly "skills.similarity": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** A request, URL-encoded */
                readonly query: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** SkillSimilarity */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillSimilarity"];
                };
            };
        };
    };
    readonly "skills.generate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SkillGenerateRequest"];
            };
        };
        readonly responses: {
            /** SkillGenerated */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillGenerated"];
                };
            };
        };
    };
    readonly "toolServers.legacyStatus": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** MCPLegacyStatus */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MCPLegacyStatus"];
                };
            };
        };
    };
    readonly "toolServers.status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** MCPConfigResponse */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MCPConfigResponse"];
                };
            };
        };
    };
    readonly "toolServers.tools": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Name of the tool server, URL-encoded */
                readonly server_name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** ToolServerTools */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToolServerTools"];
                };
            };
        };
    };
    readonly "toolServers.accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Name of the tool server, URL-encoded */
                readonly server_name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AcceptedTools"];
            };
        };
        readonly responses: {
            /** MCPConfigResponse */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MCPConfigResponse"];
                };
            };
        };
    };
    readonly "toolServers.configuration": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** MCPConfigRequest */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MCPConfigRequest"];
                };
            };
        };
    };
    readonly "toolServers.configure": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MCPConfigRequest"];
            };
        };
        readonly responses: {
            /** MCPConfigResponse */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MCPConfigResponse"];
                };
            };
        };
    };
    readonly "toolServers.clear": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** MCPConfigResponse */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MCPConfigResponse"];
                };
            };
        };
    };
    readonly "users.list": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["User"][];
                };
            };
        };
    };
    readonly "users.me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** A person, or the service itself */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    readonly "users.change": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UserChanges"];
            };
        };
        readonly responses: {
            /** A person, or the service itself */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    readonly "users.clearOverrides": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** A person, or the service itself */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    readonly "notifications.list": {
        readonly parameters: {
            readonly query?: {
                /** Only unread ones */
                readonly unread?: boolean;
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Notification"][];
                };
            };
        };
    };
    readonly "notifications.markRead": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
                /** Notification id */
                readonly notification_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Notification */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    readonly "notifications.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
                /** Notification id */
                readonly notification_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "files.upload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": {
                    /** The owner of the file; default: the caller, or `default`. Send it before the file: until then the file counts against the caller's quota */
                    readonly user_id?: string;
                    /**
                     * Format: binary
                     * The file, with its name. An existing file of that name is replaced once all of it has arrived
                     */
                    readonly file: Blob;
                };
            };
        };
        readonly responses: {
            /** Success */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UploadedFile"];
                };
            };
        };
    };
    readonly "files.list": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["UserFile"][];
                };
            };
        };
    };
    readonly "files.usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** How much of the quota a user's files take */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StorageUsage"];
                };
            };
        };
    };
    readonly "files.download": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
                /** Path of the file; a / may be written as it is or as %2F */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": Blob;
                };
            };
        };
    };
    readonly "files.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
                /** Path of the file; a / may be written as it is or as %2F */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "mcp.message": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** The version that client and server have agreed on */
                readonly "mcp-protocol-version"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["McpMessage"];
            };
        };
        readonly responses: {
            /** McpAnswer */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpAnswer"];
                };
            };
            /** Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "team.invite": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TeamInviteRequest"];
            };
        };
        readonly responses: {
            /** TeamInvitation */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamInvitation"];
                };
            };
            /** Success */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamInvitation"];
                };
            };
        };
    };
    readonly "team.info": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** TeamInfo */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamInfo"];
                };
            };
        };
    };
    readonly "team.change": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Id of the invitation, also once it is accepted */
                readonly member_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TeamMemberChange"];
            };
        };
        readonly responses: {
            /** TeamMember */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamMember"];
                };
            };
        };
    };
    readonly "team.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Id of the invitation, also once it is accepted */
                readonly member_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "channels.list": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Channel"][];
                };
            };
        };
    };
    readonly "channels.find": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** The chat platform's id of the channel */
                readonly channel_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Channel */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    readonly "channels.syncAll": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** ChannelSyncReport */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChannelSyncReport"];
                };
            };
        };
    };
    readonly "channels.sync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** The chat platform's id of the channel */
                readonly channel_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** ChannelSyncReport */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChannelSyncReport"];
                };
            };
        };
    };
    readonly "channels.members": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** The chat platform's id of the channel */
                readonly channel_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["ChannelMembership"][];
                };
            };
        };
    };
    readonly "channels.changeMember": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** The chat platform's id of the channel */
                readonly channel_id: string;
                /** User id, or the chat platform's id of the user */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MembershipChanges"];
            };
        };
        readonly responses: {
            /** ChannelMembership */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChannelMembership"];
                };
            };
        };
    };
    readonly "teamChat.health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** TeamChatHealth */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamChatHealth"];
                };
            };
        };
    };
    readonly "chatRequests.event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChatEventRequest"];
            };
        };
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** The challenge of url_verification */
                        readonly challenge: string;
                    } | {
                        /** Whether the event was accepted */
                        readonly ok: boolean;
                        /**
                         * Why it was not
                         * @enum {string}
                         */
                        readonly error?: "invalid_signature" | "invalid_request";
                    };
                };
            };
        };
    };
    readonly "chatRequests.interaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": {
                    /** JSON of the interaction: user, actions, response_url */
                    readonly payload: string;
                };
            };
        };
        readonly responses: {
            /** ChatAnswer */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChatAnswer"];
                };
            };
        };
    };
    readonly "chatRequests.command": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
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
        readonly responses: {
            /** ChatAnswer */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChatAnswer"];
                };
            };
        };
    };
    readonly "memories.list": {
        readonly parameters: {
            readonly query?: {
                /** Text in the memory or in a tag of it */
                readonly q?: string;
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Memory"][];
                };
            };
        };
    };
    readonly "memories.removeAll": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "memories.export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** a string */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                };
            };
        };
    };
    readonly "memories.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
                /** Memory id */
                readonly memory_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "personalData.erase": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** User id */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "schedules.list": {
        readonly parameters: {
            readonly query?: {
                /** Only schedules of this user */
                readonly user_id?: string;
                /** Only schedules with this status */
                readonly status?: "active" | "paused" | "done";
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Schedule"][];
                };
            };
        };
    };
    readonly "schedules.create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ScheduleDraft"];
            };
        };
        readonly responses: {
            /** Success */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    readonly "schedules.get": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Schedule id */
                readonly schedule_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    readonly "schedules.change": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Schedule id */
                readonly schedule_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ScheduleUpdate"];
            };
        };
        readonly responses: {
            /** Schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    readonly "schedules.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Schedule id */
                readonly schedule_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "schedules.pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Schedule id */
                readonly schedule_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    readonly "schedules.resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Schedule id */
                readonly schedule_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    readonly "schedules.run": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Schedule id */
                readonly schedule_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    readonly "webhooks.health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WebhookHealth */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookHealth"];
                };
            };
        };
    };
    readonly "webhooks.stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WebhookStats */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookStats"];
                };
            };
        };
    };
    readonly "webhooks.status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WebhookStatus */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookStatus"];
                };
            };
        };
    };
    readonly "webhooks.deliveries": {
        readonly parameters: {
            readonly query?: {
                /** webhook (the default), chat (events of the team chat), or the name of another source */
                readonly source?: string;
                /** Only deliveries of this type */
                readonly type?: string;
                /** Only deliveries in this state */
                readonly state?: "pending" | "processing" | "failed" | "done";
                /** Only the delivery that became this task */
                readonly task_id?: string;
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["WebhookDelivery"][];
                };
            };
        };
    };
    readonly "webhooks.delivery": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Delivery id */
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WebhookDeliveryContent */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryContent"];
                };
            };
        };
    };
    readonly "webhooks.replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Delivery id */
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** WebhookReplay */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    readonly "webhooks.receive": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Type of the webhook: code-host, payments, sms, team-chat or any other name */
                readonly webhook_type: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": unknown;
            };
        };
        readonly responses: {
            /** WebhookReceipt */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
        };
    };
    readonly "webhooks.receiveTeamChat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": unknown;
            };
        };
        readonly responses: {
            /** WebhookReceipt */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
        };
    };
    readonly "subscriptions.list": {
        readonly parameters: {
            readonly query?: {
                /** Only those of this user */
                readonly user_id?: string;
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Subscription"][];
                };
            };
        };
    };
    readonly "subscriptions.create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SubscriptionRequest"];
            };
        };
        readonly responses: {
            /** Success */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedSubscription"];
                };
            };
        };
    };
    readonly "subscriptions.get": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Subscription id */
                readonly subscription_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Subscription */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    readonly "subscriptions.remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Subscription id */
                readonly subscription_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "subscriptions.resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Subscription id */
                readonly subscription_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Subscription */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    readonly "subscriptions.test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Subscription id */
                readonly subscription_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriptionDelivery"];
                };
            };
        };
    };
    readonly "subscriptions.deliveries": {
        readonly parameters: {
            readonly query?: {
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** Subscription id */
                readonly subscription_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["SubscriptionDelivery"][];
                };
            };
        };
    };
    readonly "subscriptions.replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Subscription id */
                readonly subscription_id: string;
                /** Delivery id */
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriptionDelivery"];
                };
            };
        };
    };
    readonly "outbox.list": {
        readonly parameters: {
            readonly query?: {
                /** Only those in this state */
                readonly state?: "pending" | "sending" | "sent" | "failed";
                /** Only those of this channel */
                readonly channel?: "chat" | "email" | "webhook";
                /** Entries per page, 1 to 1000 (default 100); a page of long ones ends after 4 MB */
                readonly limit?: number;
                /** Where the previous page ended; from its Link header */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** Success */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["OutboxMessage"][];
                };
            };
        };
    };
    readonly "outbox.retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** Id of the message */
                readonly outbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** OutboxMessage */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OutboxMessage"];
                };
            };
        };
    };
}
