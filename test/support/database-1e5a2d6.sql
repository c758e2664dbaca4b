-- A database as commit 1e5a2d6 leaves it, with tasks in every state. That commit's service ran against a scripted model
-- server (test/support/modelServer.mjs) on PostgreSQL 15; each task is named by the case in its description. The first
-- process was stopped in order, the next two were killed: while one task waited for its retry (a trigger, since removed,
-- refused a step of it three times), and in the middle of model calls and of a call to a tool server, with the slots
-- full. Then, without a worker, tasks were made, answered, retried and cancelled over HTTP, and pg_dump wrote this.
-- database-1e5a2d6.json beside it has what that service answered last.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.notification_id(at timestamp with time zone, task_id uuid, seq integer, place integer) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((((lpad(to_hex(((EXTRACT(epoch FROM at) * (1000)::numeric))::bigint), 12, '0'::text) || '7'::text) || lpad(to_hex((seq % 4096)), 3, '0'::text)) || '8'::text) || lpad(to_hex((place % 4096)), 3, '0'::text)) || "right"((task_id)::text, 12)))::uuid;
CREATE TABLE public.actors (
    task_id uuid NOT NULL,
    shard smallint NOT NULL,
    creator text NOT NULL,
    started_at timestamp(3) with time zone,
    epoch integer DEFAULT 0 NOT NULL,
    seq integer DEFAULT 0 NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    iteration_count integer DEFAULT 0 NOT NULL,
    recursion_count integer DEFAULT 0 NOT NULL,
    input_tokens integer DEFAULT 0 NOT NULL,
    output_tokens integer DEFAULT 0 NOT NULL,
    model_calls integer DEFAULT 0 NOT NULL,
    tool_calls integer DEFAULT 0 NOT NULL,
    progress smallint DEFAULT 0 NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    job_seq integer,
    inbox_sent integer DEFAULT 0 NOT NULL,
    wake_at timestamp(3) with time zone,
    watched_until timestamp(3) with time zone,
    completed_at timestamp(3) with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    runner text,
    question text,
    last_tool_call_id text,
    error text,
    awaited_by uuid,
    subtasks_open smallint,
    resume_locked_until timestamp(3) with time zone,
    line text,
    plan_seq integer,
    CONSTRAINT actors_progress_check CHECK (((progress >= 0) AND (progress <= 100))),
    CONSTRAINT actors_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'completed'::text, 'failed'::text, 'waiting_input'::text, 'waiting_subagents'::text])))
)
WITH (fillfactor='45');
CREATE TABLE public.cluster_locks (
    shard_id character varying(50) NOT NULL,
    address character varying(255) NOT NULL,
    acquired_at timestamp without time zone NOT NULL
);
CREATE TABLE public.cluster_runners (
    machine_id integer NOT NULL,
    address character varying(255) NOT NULL,
    runner text NOT NULL,
    healthy boolean DEFAULT true NOT NULL,
    last_heartbeat timestamp without time zone DEFAULT now() NOT NULL
);
CREATE SEQUENCE public.cluster_runners_machine_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.cluster_runners_machine_id_seq OWNED BY public.cluster_runners.machine_id;
CREATE TABLE public.idempotency_keys (
    caller text NOT NULL,
    key text NOT NULL,
    digest text NOT NULL,
    task_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.inbox (
    task_id uuid NOT NULL,
    key text NOT NULL,
    number integer NOT NULL,
    body text NOT NULL,
    sent_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.memories (
    id uuid NOT NULL,
    user_id text NOT NULL,
    content text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    task_id uuid,
    model text NOT NULL,
    dimensions integer NOT NULL,
    vector real[] NOT NULL,
    version integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    sketch bytea
);
ALTER TABLE ONLY public.memories ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.memories ALTER COLUMN sketch SET STORAGE MAIN;
CREATE TABLE public.memory_owners (
    user_id text NOT NULL,
    version integer NOT NULL,
    removals integer DEFAULT 0 NOT NULL,
    memories integer NOT NULL
);
CREATE TABLE public.notifications (
    id uuid NOT NULL,
    task_id uuid,
    seq integer,
    is_read boolean GENERATED ALWAYS AS ((read_at IS NOT NULL)) STORED NOT NULL,
    read_at timestamp(3) with time zone,
    user_id text NOT NULL,
    kind text,
    title text,
    body text,
    CONSTRAINT notifications_check CHECK ((((seq IS NULL) = (kind IS NOT NULL)) AND ((seq IS NULL) = (title IS NOT NULL)))),
    CONSTRAINT notifications_kind_check CHECK ((kind = ANY (ARRAY['completion'::text, 'question'::text, 'failure'::text, 'reminder'::text])))
);
CREATE TABLE public.remembered_tasks (
    task_id uuid NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.steps (
    task_id uuid NOT NULL,
    seq integer NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.tasks (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    creator text NOT NULL,
    assignee text,
    title text,
    description text NOT NULL,
    context text,
    task_type text NOT NULL,
    agent_type text,
    parent_task_id uuid,
    project_id text,
    attachments text[] DEFAULT '{}'::text[] NOT NULL,
    continued_from uuid,
    token_budget integer,
    webhook_type text,
    webhook_payload text,
    webhook_headers text,
    source_ip text,
    archived_at timestamp(3) with time zone,
    max_iterations smallint,
    CONSTRAINT tasks_agent_type_check CHECK ((agent_type = ANY (ARRAY['general'::text, 'research'::text, 'tool-specialist'::text]))),
    CONSTRAINT tasks_max_iterations_check CHECK ((max_iterations > 0)),
    CONSTRAINT tasks_task_type_check CHECK ((task_type = ANY (ARRAY['task'::text, 'subtask'::text]))),
    CONSTRAINT tasks_token_budget_check CHECK ((token_budget > 0))
);
CREATE TABLE public.tool_definitions (
    server text NOT NULL,
    tool text NOT NULL,
    digest text NOT NULL,
    seen_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.tool_server_config (
    single boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    servers text NOT NULL,
    changed_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT tool_server_config_single_check CHECK (single)
);
CREATE TABLE public.tool_server_reports (
    process uuid NOT NULL,
    version bigint NOT NULL,
    servers text NOT NULL,
    reported_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.troupe_migrations (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.users (
    id text NOT NULL,
    name text,
    display_name text,
    email text,
    chat_user_id text,
    title text,
    timezone text,
    role text DEFAULT 'member'::text NOT NULL,
    responsibilities text,
    avatar_url text,
    is_system boolean DEFAULT false NOT NULL,
    notify_by text[] DEFAULT '{}'::text[] NOT NULL,
    overrides text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
ALTER TABLE ONLY public.cluster_runners ALTER COLUMN machine_id SET DEFAULT nextval('public.cluster_runners_machine_id_seq'::regclass);
INSERT INTO public.actors VALUES
	('01a202e7-9265-7def-be2d-26b53538dfe5', 295, 'bela', '2026-11-22 10:57:40.463+00', 1, 3, '2026-11-22 10:57:40.809+00', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:40.809+00', 'failed', NULL, NULL, NULL, 'The local model server refused the request (400): "the prompt is refused".', NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9488-793a-9290-2fc0e94da3c5', 162, 'ada', '2026-11-22 10:57:41.051+00', 1, 3, '2026-11-22 10:57:41.25+00', 1, 1, 900, 40, 1, 0, 10, 0, 1, 0, NULL, NULL, NULL, 'waiting_input', NULL, 'Which colour?
- Red
- Blue', 'call_ok4000010', NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 187, 'ada', '2026-11-22 10:57:33.96+00', 1, 7, '2026-11-22 10:57:34.842+00', 3, 5, 3600, 160, 4, 3, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:34.842+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 180, 'ada', '2026-11-22 10:57:40.067+00', 1, 12, '2026-11-22 10:57:40.305+00', 5, 9, 6300, 280, 7, 4, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:40.305+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', 124, 'ada', '2026-11-22 10:57:40.408+00', 1, 4, '2026-11-22 10:57:42.259+00', 2, 3, 1800, 80, 2, 1, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:42.259+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', 183, 'ada', '2026-11-22 10:57:39.599+00', 1, 4, '2026-11-22 10:57:40.037+00', 2, 3, 1800, 80, 2, 1, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:40.037+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-9242-7a61-b724-60027b16e18a', 246, 'bela', '2026-11-22 10:57:40.457+00', 1, 6, '2026-11-22 10:57:41.007+00', 2, 4, 7800, 180, 2, 2, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:41.007+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 243, 'ada', '2026-11-22 10:57:40.112+00', 1, 4, '2026-11-22 10:57:40.2+00', 2, 3, 1800, 80, 2, 1, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:40.2+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 220, 'bela', '2026-11-22 10:57:40.603+00', 3, 6, '2026-11-22 10:57:42.311+00', 1, 1, 900, 40, 1, 0, 100, 0, 5, 0, NULL, NULL, '2026-11-22 10:57:42.311+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 148, 'bela', '2026-11-22 10:57:41.001+00', 2, 7, '2026-11-22 10:57:42.45+00', 2, 3, 1800, 80, 2, 1, 100, 0, 5, 1, NULL, NULL, '2026-11-22 10:57:42.45+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-9357-7b36-8563-68512d20f6c2', 165, 'bela', '2026-11-22 10:57:40.704+00', 2, 4, '2026-11-22 10:58:01.31+00', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, '2026-11-22 10:58:01.31+00', NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9422-71f0-b163-9d06da310c5a', 56, 'ada', '2026-11-22 10:57:40.912+00', 1, 2, '2026-11-22 10:57:41+00', 1, 1, 900, 40, 1, 0, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:41+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-94c7-7b10-a052-b25865910f42', 127, 'ada', '2026-11-22 10:57:41.087+00', 2, 7, '2026-11-22 10:57:41.952+00', 2, 3, 1800, 80, 2, 1, 100, 0, 5, 1, NULL, NULL, '2026-11-22 10:57:41.952+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-93c1-78ae-9b34-7fb4e401042a', 233, 'ada', '2026-11-22 10:57:40.825+00', 2, 4, '2026-11-22 10:57:42.371+00', 1, 1, 900, 40, 1, 0, 10, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:42.371+00', 'failed', NULL, NULL, NULL, 'Cancelled: changed my mind', NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', 194, 'bela', '2026-11-22 10:57:41.051+00', 1, 4, '2026-11-22 10:58:01.287+00', 1, 1, 900, 40, 1, 0, 10, 0, 1, 1, '2026-11-22 10:58:01.287+00', NULL, NULL, 'running', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', 183, 'cleo', '2026-11-22 10:57:53.906+00', 1, 4, '2026-11-22 10:57:54.163+00', 1, 1, 900, 40, 1, 0, 10, 0, 1, 0, NULL, NULL, NULL, 'waiting_subagents', NULL, NULL, '["call_ok400001f","call_ok400001g"]', NULL, NULL, 1, NULL, NULL, 2),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 289, 'bela', '2026-11-22 10:57:44.07+00', 3, 7, '2026-11-22 10:57:48.794+00', 1, 1, 900, 40, 1, 0, 10, 3, 6, 0, '2026-11-22 10:57:52.794+00', NULL, NULL, 'running', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-9550-7958-a60d-ca81b722533b', 116, 'ada', '2026-11-22 10:57:41.225+00', 1, 3, '2026-11-22 10:57:41.747+00', 1, 1, 900, 40, 1, 0, 10, 0, 1, 0, '2026-11-22 10:59:41.746+00', NULL, NULL, 'running', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
	('01a202e7-9749-7f4c-9f8c-5819af61362a', 120, 'ada', '2026-11-22 10:57:41.747+00', 1, 2, '2026-11-22 10:57:41.797+00', 1, 1, 900, 40, 1, 0, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:41.797+00', 'completed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-e3ad-7a72-a397-a961078a59a8', 38, 'cleo', NULL, 0, 0, '2026-11-22 10:58:01.261+00', 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, '2026-11-22 10:58:01.263+00', NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-c96a-7326-8772-11de3cbdbcc1', 261, 'cleo', '2026-11-22 10:57:54.56+00', 2, 2, '2026-11-22 10:58:01.348+00', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, NULL, NULL, '2026-11-22 10:58:01.348+00', 'failed', NULL, NULL, NULL, 'Cancelled: no longer needed', '01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', NULL, NULL, NULL, NULL),
	('01a202e7-c7d0-730e-913a-6d84779739eb', 136, 'cleo', '2026-11-22 10:57:54.154+00', 1, 2, '2026-11-22 10:57:54.371+00', 1, 1, 900, 40, 1, 0, 100, 0, 1, 0, NULL, NULL, '2026-11-22 10:57:54.371+00', 'completed', NULL, NULL, NULL, NULL, '01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', NULL, NULL, NULL, NULL),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', 182, 'cleo', '2026-11-22 10:57:54.395+00', 1, 4, '2026-11-22 10:57:54.613+00', 1, 1, 900, 40, 1, 0, 10, 0, 1, 1, '2026-11-22 10:58:01.348+00', NULL, NULL, 'waiting_subagents', NULL, NULL, '["call_ok400001l"]', NULL, NULL, 0, '2026-11-22 10:59:01.348+00', NULL, 2),
	('01a202e7-c7d0-7f8f-8681-96e433235f97', 266, 'cleo', '2026-11-22 10:57:54.154+00', 1, 3, '2026-11-22 10:57:54.555+00', 1, 2, 900, 40, 1, 1, 19, 1, 1, 0, '2026-11-22 10:57:54.141+00', NULL, NULL, 'running', '127.0.0.1:34431', NULL, NULL, NULL, '01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', NULL, NULL, NULL, NULL),
	('01a202e7-c9ff-7f4b-a387-09aa216886a2', 135, 'dora', '2026-11-22 10:57:54.725+00', 1, 3, '2026-11-22 10:57:54.777+00', 1, 1, 900, 40, 1, 0, 10, 1, 1, 0, '2026-11-22 10:57:54.721+00', NULL, NULL, 'running', '127.0.0.1:34431', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-ca86-7539-9fa7-8573616ccf5d', 112, 'dora', NULL, 0, 0, '2026-11-22 10:57:54.822+00', 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, '2026-11-22 10:57:54.824+00', NULL, NULL, 'pending', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '127.0.0.1:34431', NULL),
	('01a202e7-ca84-733e-bf35-7a50ed4f7d65', 252, 'dora', '2026-11-22 10:57:54.837+00', 1, 3, '2026-11-22 10:57:54.914+00', 1, 2, 900, 40, 1, 1, 10, 1, 1, 0, '2026-11-22 10:57:54.823+00', NULL, NULL, 'running', '127.0.0.1:34431', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2);
INSERT INTO public.cluster_locks VALUES
	('default:1', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:10', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:100', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:101', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:102', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:103', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:104', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:105', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:106', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:107', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:108', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:109', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:11', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:110', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:111', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:112', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:113', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:114', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:115', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:116', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:117', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:118', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:119', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:12', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:120', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:121', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:122', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:123', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:124', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:125', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:126', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:127', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:128', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:129', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:13', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:130', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:131', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:132', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:133', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:134', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:135', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:136', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:137', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:138', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:139', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:14', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:140', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:141', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:142', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:143', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:144', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:145', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:146', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:147', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:148', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:149', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:15', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:150', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:151', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:152', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:153', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:154', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:155', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:156', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:157', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:158', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:159', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:16', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:160', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:161', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:162', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:163', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:164', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:165', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:166', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:167', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:168', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:169', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:17', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:170', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:171', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:172', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:173', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:174', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:175', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:176', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:177', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:178', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:179', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:18', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:180', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:181', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:182', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:183', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:184', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:185', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:186', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:187', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:188', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:189', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:19', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:190', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:191', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:192', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:193', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:194', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:195', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:196', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:197', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:198', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:199', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:2', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:20', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:200', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:201', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:202', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:203', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:204', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:205', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:206', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:207', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:208', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:209', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:21', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:210', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:211', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:212', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:213', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:214', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:215', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:216', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:217', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:218', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:219', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:22', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:220', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:221', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:222', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:223', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:224', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:225', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:226', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:227', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:228', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:229', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:23', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:230', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:231', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:232', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:233', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:234', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:235', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:236', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:237', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:238', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:239', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:24', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:240', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:241', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:242', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:243', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:244', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:245', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:246', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:247', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:248', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:249', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:25', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:250', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:251', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:252', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:253', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:254', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:255', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:256', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:257', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:258', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:259', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:26', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:260', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:261', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:262', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:263', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:264', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:265', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:266', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:267', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:268', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:269', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:27', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:270', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:271', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:272', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:273', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:274', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:275', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:276', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:277', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:278', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:279', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:28', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:280', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:281', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:282', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:283', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:284', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:285', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:286', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:287', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:288', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:289', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:29', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:290', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:291', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:292', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:293', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:294', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:295', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:296', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:297', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:298', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:299', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:3', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:30', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:300', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:31', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:32', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:33', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:34', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:35', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:36', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:37', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:38', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:39', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:4', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:40', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:41', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:42', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:43', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:44', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:45', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:46', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:47', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:48', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:49', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:5', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:50', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:51', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:52', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:53', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:54', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:55', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:56', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:57', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:58', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:59', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:6', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:60', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:61', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:62', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:63', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:64', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:65', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:66', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:67', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:68', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:69', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:7', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:70', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:71', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:72', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:73', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:74', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:75', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:76', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:77', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:78', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:79', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:8', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:80', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:81', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:82', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:83', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:84', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:85', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:86', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:87', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:88', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:89', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:9', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:90', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:91', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:92', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:93', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:94', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:95', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:96', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:97', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:98', '127.0.0.1:34431', '2026-11-22 10:57:52.771921'),
	('default:99', '127.0.0.1:34431', '2026-11-22 10:57:52.771921');
INSERT INTO public.cluster_runners VALUES
	(2, '127.0.0.1:34431', '{"address":{"host":"127.0.0.1","port":34431},"groups":["default"],"weight":1}', true, '2026-11-22 10:57:54.845257');
INSERT INTO public.idempotency_keys VALUES
	('self-hosted', 'key-report', '31c68121025455d473639ffe28848831ea0a4c1d939d3743d8339e08119cd0b8', '01a202e7-78e5-7cc0-b250-bf04eb7d144e', '2026-11-22 10:57:33.939+00'),
	('self-hosted', 'key-plain', '2d8d1bd4cc010fc35bd0502a3ed0e7b23c3ab0a38a1a6ae0f1b66e19f4445f62', '01a202e7-8ec6-70aa-8ff6-3da876511faa', '2026-11-22 10:57:39.536+00'),
	('self-hosted', 'key-long', '43079711f518f2c5b33f1c8323bd95728c4c3727fb5fb6f4b0104caf14c44d14', '01a202e7-90ce-7e5e-b2df-b0996d17160b', '2026-11-22 10:57:40.048+00'),
	('self-hosted', 'key-remember', '172788dbc83864dd0ce4a156752ff7ab2b9ee80a97c18472bfa6a309542ac46c', '01a202e7-90f6-7bbe-b39d-fe65f2d451ce', '2026-11-22 10:57:40.089+00'),
	('self-hosted', 'key-continued', 'f0d84a04569376ed10b0d1de1356a17da5326bae1f74faac1f30614b5b0ad187', '01a202e7-922b-741b-adfe-dd91f8cbc95a', '2026-11-22 10:57:40.396+00'),
	('self-hosted', 'key-forced', 'a0053529d3277daf9ea5d37d41a9dc9e1a5e2cf2270d3bc60570147d7571273b', '01a202e7-9242-7a61-b724-60027b16e18a', '2026-11-22 10:57:40.434+00'),
	('self-hosted', 'key-broken', '312e2d4a6b6b2021a96d2eed77bbed5cc5b14b8df6a62546c1841b294ae5bba9', '01a202e7-9265-7def-be2d-26b53538dfe5', '2026-11-22 10:57:40.455+00'),
	('self-hosted', 'key-retried', '14a3a3e3f1b55bbb1199faab95680578518a09fbfc35c1fb95c40eb26ef86be0', '01a202e7-92d7-72fe-a901-cbac8ff70465', '2026-11-22 10:57:40.569+00'),
	('self-hosted', 'key-retry-pending', 'fa83843bc8a8ab306e600361477d895ea0f010626307598ffc8631e404254701', '01a202e7-9357-7b36-8563-68512d20f6c2', '2026-11-22 10:57:40.696+00'),
	('self-hosted', 'key-cancelled', '3cebb9e70cd49031a1ac043f542cb925a08b923066e8e8f3f59adb347e16f333', '01a202e7-93c1-78ae-9b34-7fb4e401042a', '2026-11-22 10:57:40.802+00'),
	('self-hosted', 'key-archived', '45dc0f4cbfcc274ec7d395edb1e8a61b9c95886fcdebcdab7837f6dfd104a66d', '01a202e7-9422-71f0-b163-9d06da310c5a', '2026-11-22 10:57:40.9+00'),
	('self-hosted', 'key-answered', '5c201a16f296749d1af4fb142de4bd1054f67011e8b2b87c1d719cbd9437a397', '01a202e7-9450-7bc1-a421-5a66e973b142', '2026-11-22 10:57:40.945+00'),
	('self-hosted', 'key-question', 'bc80f1ff6ae20427df9d507e12ff1feb98c7c6f49e36ed43055595d41e907625', '01a202e7-9488-793a-9290-2fc0e94da3c5', '2026-11-22 10:57:41.001+00'),
	('self-hosted', 'key-inbox', 'f0a26240a98481b8dbdc3ef1c0cff8ee09f512651e5e3d8d8252791eff9117a9', '01a202e7-9499-78c0-97e4-099ca9dd3dbd', '2026-11-22 10:57:41.019+00'),
	('self-hosted', 'key-parent-done', 'ec3dc8df0031f4b6e0da21d076fbae83f7bf048209504cf3a7d9b851bcff4b8a', '01a202e7-94c7-7b10-a052-b25865910f42', '2026-11-22 10:57:41.067+00'),
	('self-hosted', 'key-sleeping', 'e53b1d407377df4f922b9a1e4e2b75a084b8de93aed97920996df90b754c8673', '01a202e7-9550-7958-a60d-ca81b722533b', '2026-11-22 10:57:41.202+00'),
	('self-hosted', 'key-crashing', 'f43bba6a938aa46b33e9f7091b4f1038c12ace6a8f5c3c5c3b363f6f3e72c641', '01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', '2026-11-22 10:57:44.055+00'),
	('self-hosted', 'key-parent', '7210d2ded2bfa753faa357dd458321ca4de18a6a92dcc85fee746981d59c6d90', '01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', '2026-11-22 10:57:53.889+00'),
	('self-hosted', 'key-parent-ended', 'ea8255d4e69d0ae141597b95828eaa5edd8f69da51012e760c9fe094ab245b63', '01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', '2026-11-22 10:57:54.365+00'),
	('self-hosted', 'key-ledger', 'e96103743ea2ddca1461a1dd3d1b6f1b4bedd1fa1deaa829e9ff22bf277e1a25', '01a202e7-c9ff-7f4b-a387-09aa216886a2', '2026-11-22 10:57:54.722+00'),
	('self-hosted', 'key-inflight', '3fdd2f53a0d99a1fa7dafc22939ced518d4c4cea4cf9d381d72b31f26539bea8', '01a202e7-ca84-733e-bf35-7a50ed4f7d65', '2026-11-22 10:57:54.823+00'),
	('self-hosted', 'key-queued', 'f2a43b5e072d37ab1f2d91c7f2dae75cbdc3ad290404d0b10d31b6e079e99829', '01a202e7-ca86-7539-9fa7-8573616ccf5d', '2026-11-22 10:57:54.825+00'),
	('self-hosted', 'key-waiting', '93aed7f85daec643b6487ccb05e6ca9d8a13e7a89bc61321f1c1b070a357ed14', '01a202e7-e3ad-7a72-a397-a961078a59a8', '2026-11-22 10:58:01.265+00');
INSERT INTO public.inbox VALUES
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', 'answered:4', 1, '{"kind" : "answered", "toolCallId" : "call_ok4000012", "text" : "Medium"}', '2026-11-22 10:58:01.288+00'),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', 'subtasks_ended', 1, '{"kind":"subtasks_ended"}', '2026-11-22 10:58:01.35+00');
INSERT INTO public.memories VALUES
	('01a202e7-8f87-7fc0-b06e-2c74bf0d30da', 'ada', 'Task: Case report: make the weekly report from sign-ups.csv, week over week
Outcome: Week 47 had 12 sign-ups, three more than the week before.', '{}', '01a202e7-78e5-7cc0-b250-bf04eb7d144e', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.145865,0,0,0,0,0,0,0,0,0,0,-0.145865,0,-0.29173,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.145865,0,0,0,0,0,0,0,0,0.145865,0,0.145865,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.58346,0,0.145865,0,0,0,0,0,0,0,0,0,0,0.145865,0,-0.145865,0,0,0,0,0,0,0,0,0.145865,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.145865,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.29173,0,0,0,0,-0.29173,0,0,0,0,0.145865,-0.145865,0,0.145865,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.145865,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.145865,0,0,0,0,0,0,0,0,0,0,0.29173,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 1, '2026-11-22 10:57:39.721+00', '2026-11-22 10:57:39.721+00', '\xc0c2913bb78a163bb78a963bb78a163bb78a163b000000000000000000000000000000000000000000000000000000c000000000000000000000c0008100000000000000000000000000000000000000000000400000000000000000400040000000000000000000000000000000000000000000000000000000000000810020000000000000000000002000e000000000000000002000000000000000000000000000000000000000000000000000000000c000000000000000000000000000000000008100000000810000000040c000400000000000000000000000000000000000c00000000000000000000000000000000000000000000000000000000040000000000000000000007f0000000000000000000000000000000000000000'),
	('01a202e7-913d-7dcf-975b-10a1852baa6e', 'ada', 'The office printer is called Gutenberg and stands on the third floor.', '{office,printer}', NULL, 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.26726124,0,0,0,0,0.26726124,0,-0.5345225,0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.26726124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.26726124}', 2, '2026-11-22 10:57:40.185+00', '2026-11-22 10:57:40.185+00', '\x6c319a3b4cea893b000000004cea093b4cea093b000000000000000000000000000000000000000000000000000000000000000000c1000000003f00813f00000000000000000000000000000000000000c10000000000000000000000003f000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007f000000000000000000000000000000000000000000000000008100000000000000000000000000000081000000000000000000000000000000000000000000000000000000000000007f00000000000000000000000000007f'),
	('01a202e7-9814-702d-9b9a-c93859f6d66c', 'ada', 'Task: Case plain: what is in my folder?
Outcome: There is one file: report.md.', '{}', '01a202e7-8ec6-70aa-8ff6-3da876511faa', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.24253562,-0.48507124,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.24253562,0,0,0,0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.24253562,0,0,0,0,0,0,0,0,0,-0.24253562,0,0,0,0,-0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.24253562,0,0,0,0,0,0,0,0,0,0,-0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0.24253562,0,0,0,0.24253562,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 3, '2026-11-22 10:57:41.951+00', '2026-11-22 10:57:41.951+00', '\xb8c6583be24f7a3be24ffa3ae24ffa3ae24ffa3a0000000000000000000000000000000000000000000000000000000000000000c18100000000000000000000000000000000000000000000000000c10000003f00000000000000000000000000000081000000000000000000000000000000000000000000000000007f00000000000000000081000000008100000000000000000000000000000000000000000000000000000000000000000000000000007f00000000000000000000810000000000000000000000000000000000007f0000000000000000000000000000000000000000000000000000000000000000000000000000000000000081000000000000000000000000007f0000007f00000000000000000000000000000000'),
	('01a202e7-982f-7a0d-93dd-78c7f7680c4f', 'ada', 'Task: Case remember: the office printer is called Gutenberg
Outcome: I will remember the printer.', '{}', '01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2182179,0,0,0,0,0.2182179,0,-0.4364358,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2182179,0,0.2182179,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2182179,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2182179,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2182179,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2182179,0,0,0,-0.2182179,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.4364358,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.4364358}', 3, '2026-11-22 10:57:41.951+00', '2026-11-22 10:57:41.951+00', '\x45ea893bf136613bf136e13af136e13af136613b000000000000000000000000000000000000000000000000000000000000000000c1000000003f00810000000000000000000000000000000000000000c1003f00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008100000000000000000000000000000000000000000000000000000000000000008100000000000000000000000000000000000000000000000000000000000000000000007f0000000000000000000000000000c1000000c100000000000000000000000000000000000000000000000000000000007f000000000000000000000000000000000000000000000000000000007f'),
	('01a202e7-9838-726f-b886-00fde8e079d0', 'ada', 'Task: Case long: look at the folder four times
Outcome: Nothing has changed in four looks.', '{}', '01a202e7-90ce-7e5e-b2df-b0996d17160b', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.23570226,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.23570226,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.23570226,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.23570226,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.23570226,0,0,0,0,0,0,0,0,0.23570226,0,0.23570226,0,0,0,0,0,0,0,0,0,0,0,0.23570226,0,0,0,0,0.23570226,0,0,-0.23570226,0,0,0,0,0,0,0.47140452,0,0,0,0,0,0,0,0,0,0,0,0.23570226,0,0,0,-0.23570226,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.23570226,0,0,0,0,0,0.23570226,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 3, '2026-11-22 10:57:41.951+00', '2026-11-22 10:57:41.951+00', '\xa8e6a03b7442f33a7442f33a7442733b7442f33a0000000000000000000000000000000000000000000000000000000000000000000000000000000081000000000000000000000000000000000000000000007f0000000000000000000000000000000000000000000000000000000000000081000000000000000000000000000000000000000000000000810000000000000000000000000000000000007f00000000000000003f003f00000000000000000000003f000000003f0000c10000000000007f00000000000000000000003f000000c10000000000000000000000000000000000000000000000000000000000000000000000000000008100000000007f00000000000000000000000000000000000000000000000000000000'),
	('01a202e7-983e-7c3a-83b5-0180e32796a2', 'ada', 'Task: Case archived: nothing
Outcome: Nothing to do.', '{}', '01a202e7-9422-71f0-b163-9d06da310c5a', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.31622776,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.6324555,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 3, '2026-11-22 10:57:41.951+00', '2026-11-22 10:57:41.951+00', '\xf52e233bf92e233bf92e233bf92ea33b000000000000000000000000000000000000000000000000000000000000000000000000810000000000000000000000000000007f00000000000000000000000000007f0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000810000000000007f000000000000000000000000000000000000000000007f00000000000000000000000000000000000000000000000000000000000000000000000000003f000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'),
	('01a202e7-984b-7e28-bb7d-1c5c1f5b99d5', 'bela', 'Task: Case forced: are the invoices paid?
Outcome: Eleven of twelve invoices are paid; the last one is open.', '{}', '01a202e7-9242-7a61-b724-60027b16e18a', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,-0.38490018,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.19245009,0,0,0,0.19245009,0,0,-0.38490018,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.38490018,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.19245009,0,0,0,-0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.19245009,0,0,0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.38490018,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.19245009,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 1, '2026-11-22 10:57:41.963+00', '2026-11-22 10:57:41.963+00', '\xfa5f833be19e463be19e463be19ec63ae19e463b000000000000000000000000000000000000008100000000000000000000000000c10000003f000081000000000000000000000000000000000000000000003f000000000000000000000000000000000000000000000000007f0000000000000000000000000000000000000000000000000000c1000000c1000000000000000000000000000000000000007f0000000000000000000000000000000000000000000000000000000000000081000000000000000000000000000000007f00007f0000000000000000000000000000000000000000c10000000000000000000000000000007f0000000000000000000000000000000000000000003f00000000000000000000000000000000'),
	('01a202e7-a02f-766c-82b5-bbf32fadb485', 'ada', 'Task: Case parent-done: count lines
Outcome: The part is done.', '{}', '01a202e7-94c7-7b10-a052-b25865910f42', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2773501,-0.2773501,0,0,0,0,0,0,-0.2773501,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2773501,0,0,0,0,0,0,0,0,-0.2773501,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2773501,0,0,0,0,0.5547002,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2773501,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2773501,0,0,0,0,0,0,0,0,0.2773501,0,0}', 4, '2026-11-22 10:57:43.993+00', '2026-11-22 10:57:43.993+00', '\x021f0f3b131f0f3b131f8f3b131f0f3b131f0f3b0000000000000000000000000000000000000000000000000000000000000000818100000000000081000000000000000000000000000000000000000000007f0000000000000000810000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c0000000007f0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007f0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007f00000000000000007f0000'),
	('01a202e7-a037-7455-b242-5a4b01162a5f', 'ada', 'Task: Case continued: and what does the report say?
Outcome: The earlier report says 12 sign-ups.', '{}', '01a202e7-922b-741b-adfe-dd91f8cbc95a', 'local/fake-embedding', 256, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2085144,-0.4170288,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2085144,0,0,0,0.2085144,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.4170288,0,0,0,0,0,0,0,0,0,0.2085144,0,-0.2085144,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2085144,0,0.2085144,0,0,-0.2085144,0,0,0,0,0,0,-0.2085144,0.2085144,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2085144,0,0.4170288,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 4, '2026-11-22 10:57:43.993+00', '2026-11-22 10:57:43.993+00', '\x38c8833b3333573b3333573b3333d73a3333573b0000000000000000000000000000000000000000000000000000000000000000000000000000004081000000000000000000000000000000000000c0000000400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000810000000000000000004000c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000081007f000081000000000000817f00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c0007f0000000000000000000000000000000000000000'),
	('01a202e7-a050-7f7b-a84f-e7bb66e60c5a', 'bela', 'Task: Case retried: summarise the other contract
Outcome: It worked the second time.', '{}', '01a202e7-92d7-72fe-a901-cbac8ff70465', 'local/fake-embedding', 256, '{0.2581989,0,0,-0.2581989,0,0,0,0,0,0,0,0,0,0,0,0,-0.2581989,0,0,0,0,0,0,0,0,0,0,0,-0.5163978,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2581989,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2581989,0,0,0,0,0,0,0,0,0,0,-0.2581989,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2581989,0,0.2581989,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.2581989,0,0,0,0,0,0,-0.2581989,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2581989,0,0,0,0,0,0,0,0,0,0}', 2, '2026-11-22 10:57:44.02+00', '2026-11-22 10:57:44.02+00', '\x023d853b1f3d853b1f3d053b1f3d053b1f3d053b000000000000000000000000400000c0000000000000000000000000c0000000000000000000000081000000000000000000000000000000000000000000004000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000081000000000000000000008100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000081007f000000000000000000000000000000000000000000000000000000000000000000000000000000000000008100000000000081000000000000000000000000000000007f00000000000000000000'),
	('01a202e7-a053-7059-a034-3cd606ad1308', 'bela', 'Task: Case answered: plan the tour
Outcome: North it is.', '{}', '01a202e7-9450-7bc1-a421-5a66e973b142', 'local/fake-embedding', 256, '{0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,-0.31622776,0,0.31622776,0,0,-0.31622776,0,0,0,0,0,0,-0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,-0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31622776,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 2, '2026-11-22 10:57:44.02+00', '2026-11-22 10:57:44.02+00', '\x6c16b131f92e233bf92e233bf92e233b00000000000000000000000000000000000000007f000000000000000000000081007f00008100000000000081000000000000000000000000000000000000000000007f00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007f00000000000000008100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000810000000000000000000000000000000000007f000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO public.memory_owners VALUES
	('ada', 4, 0, 8),
	('bela', 2, 0, 3);
INSERT INTO public.notifications VALUES
	('01a202e7-90c6-7004-8000-3da876511faa', '01a202e7-8ec6-70aa-8ff6-3da876511faa', 4, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-9169-7004-8000-fe65f2d451ce', '01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 4, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-91d1-700c-8000-b0996d17160b', '01a202e7-90ce-7e5e-b2df-b0996d17160b', 12, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-93c9-7003-8000-26b53538dfe5', '01a202e7-9265-7def-be2d-26b53538dfe5', 3, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-9424-7003-8000-cbac8ff70465', '01a202e7-92d7-72fe-a901-cbac8ff70465', 3, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-9455-7003-8000-68512d20f6c2', '01a202e7-9357-7b36-8563-68512d20f6c2', 3, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-9488-7002-8000-9d06da310c5a', '01a202e7-9422-71f0-b163-9d06da310c5a', 2, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-9490-7006-8000-60027b16e18a', '01a202e7-9242-7a61-b724-60027b16e18a', 6, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-9490-7003-8000-7fb4e401042a', '01a202e7-93c1-78ae-9b34-7fb4e401042a', 3, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-9503-7003-8000-5a66e973b142', '01a202e7-9450-7bc1-a421-5a66e973b142', 3, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-9582-7003-8000-2fc0e94da3c5', '01a202e7-9488-793a-9290-2fc0e94da3c5', 3, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-9656-7003-8000-099ca9dd3dbd', '01a202e7-9499-78c0-97e4-099ca9dd3dbd', 3, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-9841-7007-8000-b25865910f42', '01a202e7-94c7-7b10-a052-b25865910f42', 7, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-9974-7004-8000-dd91f8cbc95a', '01a202e7-922b-741b-adfe-dd91f8cbc95a', 4, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-99a8-7006-8000-cbac8ff70465', '01a202e7-92d7-72fe-a901-cbac8ff70465', 6, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-99e4-7004-8000-7fb4e401042a', '01a202e7-93c1-78ae-9b34-7fb4e401042a', 4, DEFAULT, NULL, 'ada', NULL, NULL, NULL),
	('01a202e7-9a32-7007-8000-5a66e973b142', '01a202e7-9450-7bc1-a421-5a66e973b142', 7, DEFAULT, NULL, 'bela', NULL, NULL, NULL),
	('01a202e7-7c6e-7006-8000-bf04eb7d144e', '01a202e7-78e5-7cc0-b250-bf04eb7d144e', 6, DEFAULT, '2026-11-22 10:57:42.75+00', 'ada', NULL, NULL, NULL),
	('01a202e7-7c7a-7007-8000-bf04eb7d144e', '01a202e7-78e5-7cc0-b250-bf04eb7d144e', 7, DEFAULT, '2026-11-22 10:57:42.763+00', 'ada', NULL, NULL, NULL);
INSERT INTO public.remembered_tasks VALUES
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', '2026-11-22 10:57:39.722+00'),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', '2026-11-22 10:57:41.952+00'),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', '2026-11-22 10:57:41.952+00'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', '2026-11-22 10:57:41.952+00'),
	('01a202e7-9422-71f0-b163-9d06da310c5a', '2026-11-22 10:57:41.952+00'),
	('01a202e7-9242-7a61-b724-60027b16e18a', '2026-11-22 10:57:41.964+00'),
	('01a202e7-94c7-7b10-a052-b25865910f42', '2026-11-22 10:57:44.003+00'),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', '2026-11-22 10:57:44.003+00'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', '2026-11-22 10:57:44.02+00'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', '2026-11-22 10:57:44.02+00');
INSERT INTO public.steps VALUES
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 1, '2026-11-22 10:57:33.961+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 2, '2026-11-22 10:57:34.562+00', '{"kind":"prepared","skills":[{"name":"weekly-report-from-csv","score":0.549}],"tokens":[900,40],"steps":["Read the export","Compare with last week","Write the report"],"tools":["read_file","attach_file","ask_human","run_skill_script","dispatch_subagent","write_file"],"millis":522}'),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 3, '2026-11-22 10:57:34.627+00', '{"kind":"model","message":{"content":"","tool_calls":[{"id":"call_ok4000002","name":"write_file","arguments":"{\"path\":\"report.md\",\"content\":\"# Week 47\\n\\nSign-ups: 12 (+3)\\n\"}"}]},"tokens":[900,40],"millis":43}'),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 4, '2026-11-22 10:57:34.743+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok4000002","name":"write_file","content":"Wrote report.md, which now has 29 bytes."},"millis":102}]}'),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 5, '2026-11-22 10:57:34.783+00', '{"kind":"model","message":{"content":"The report is written; it goes with the answer.","tool_calls":[{"id":"call_ok4000004","name":"attach_file","arguments":"{\"path\":\"report.md\"}"},{"id":"call_ok4000005","name":"ask_human","arguments":"{\"question\":\"The report is ready.\",\"wait_for_answer\":false}"}]},"tokens":[900,40],"millis":18}'),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 6, '2026-11-22 10:57:34.83+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok4000004","name":"attach_file","content":"report.md (29 bytes) will be attached to the completion message."},"millis":28},{"message":{"tool_call_id":"call_ok4000005","name":"ask_human","content":"The message was sent. Nobody answers it: go on."},"millis":1}],"attach":["report.md"],"notices":["The report is ready."]}'),
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', 7, '2026-11-22 10:57:34.842+00', '{"kind":"model","message":{"content":"Week 47 had 12 sign-ups, three more than the week before."},"tokens":[900,40],"millis":3,"end":"answered","files":[{"filename":"report.md","size":29}]}'),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', 1, '2026-11-22 10:57:39.6+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', 2, '2026-11-22 10:57:39.982+00', '{"kind":"model","message":{"content":"First I look at what is there, then I \"sum\" it up.\nNothing else.","tool_calls":[{"id":"call_ok4000008","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":33}'),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', 3, '2026-11-22 10:57:40.023+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok4000008","name":"list_directory","content":"report.md (29 bytes)"},"millis":21}]}'),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', 4, '2026-11-22 10:57:40.038+00', '{"kind":"model","message":{"content":"There is one file: report.md."},"tokens":[900,40],"millis":4,"end":"answered"}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 1, '2026-11-22 10:57:40.074+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 1, '2026-11-22 10:57:40.113+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 2, '2026-11-22 10:57:40.156+00', '{"kind":"model","message":{"content":"","tool_calls":[{"id":"call_ok400000b","name":"memory_save","arguments":"{\"content\":\"The office printer is called Gutenberg and stands on the third floor.\",\"tags\":[\"office\",\"printer\"]}"}]},"tokens":[900,40],"millis":2}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 2, '2026-11-22 10:57:40.169+00', '{"kind":"model","message":{"content":"Looking at the folder.","tool_calls":[{"id":"call_ok400000d","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":2}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 3, '2026-11-22 10:57:40.187+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000d","name":"list_directory","content":"report.md (29 bytes)"},"millis":10}]}'),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 3, '2026-11-22 10:57:40.192+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000b","name":"memory_save","content":"Saved."},"millis":21}]}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 4, '2026-11-22 10:57:40.197+00', '{"kind":"model","message":{"content":"Once more.","tool_calls":[{"id":"call_ok400000f","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":2}'),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', 4, '2026-11-22 10:57:40.201+00', '{"kind":"model","message":{"content":"I will remember the printer."},"tokens":[900,40],"millis":2,"end":"answered"}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 5, '2026-11-22 10:57:40.204+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000f","name":"list_directory","content":"report.md (29 bytes)"},"millis":1}]}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 6, '2026-11-22 10:57:40.211+00', '{"kind":"model","message":{"content":"And again.","tool_calls":[{"id":"call_ok400000i","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":2}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 7, '2026-11-22 10:57:40.218+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000i","name":"list_directory","content":"report.md (29 bytes)"},"millis":1}]}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 8, '2026-11-22 10:57:40.223+00', '{"kind":"compacted","because":"messages","upto":3,"summary":"Original intent: look at the folder four times.\n\nTool results: it holds report.md.","tokens":[900,40],"millis":2}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 9, '2026-11-22 10:57:40.23+00', '{"kind":"model","message":{"content":"A last time.","tool_calls":[{"id":"call_ok400000l","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":2}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 10, '2026-11-22 10:57:40.236+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000l","name":"list_directory","content":"report.md (29 bytes)"},"millis":2}]}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 11, '2026-11-22 10:57:40.241+00', '{"kind":"compacted","because":"messages","upto":5,"summary":"Original intent: look at the folder four times.\n\nTool results: it holds report.md.","tokens":[900,40],"millis":2}'),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', 12, '2026-11-22 10:57:40.305+00', '{"kind":"model","message":{"content":"Nothing has changed in four looks."},"tokens":[900,40],"millis":60,"end":"answered"}'),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', 1, '2026-11-22 10:57:40.409+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9242-7a61-b724-60027b16e18a', 1, '2026-11-22 10:57:40.457+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9265-7def-be2d-26b53538dfe5', 1, '2026-11-22 10:57:40.464+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9265-7def-be2d-26b53538dfe5', 2, '2026-11-22 10:57:40.586+00', '{"kind":"prepared","skills":[{"name":"summarize-document","score":0.45}],"millis":24}'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 1, '2026-11-22 10:57:40.603+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9242-7a61-b724-60027b16e18a', 2, '2026-11-22 10:57:40.694+00', '{"kind":"model","message":{"content":"Eleven of twelve invoices are paid.","tool_calls":[{"id":"call_ok400000p","name":"list_directory","arguments":"{}"}]},"tokens":[3900,90],"millis":34}'),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', 2, '2026-11-22 10:57:40.703+00', '{"kind":"model","message":{"content":"","tool_calls":[{"id":"call_ok400000r","name":"read_document","arguments":"{\"path\":\"report.md\"}"}]},"tokens":[900,40],"millis":92}'),
	('01a202e7-9357-7b36-8563-68512d20f6c2', 1, '2026-11-22 10:57:40.704+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9242-7a61-b724-60027b16e18a', 3, '2026-11-22 10:57:40.706+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000p","name":"list_directory","content":"The folder is empty."},"millis":4}]}'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 2, '2026-11-22 10:57:40.706+00', '{"kind":"prepared","skills":[{"name":"summarize-document","score":0.45}],"millis":88}'),
	('01a202e7-9265-7def-be2d-26b53538dfe5', 3, '2026-11-22 10:57:40.809+00', '{"kind":"failed","error":"The local model server refused the request (400): \"the prompt is refused\"."}'),
	('01a202e7-93c1-78ae-9b34-7fb4e401042a', 1, '2026-11-22 10:57:40.826+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9422-71f0-b163-9d06da310c5a', 1, '2026-11-22 10:57:40.913+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9357-7b36-8563-68512d20f6c2', 3, '2026-11-22 10:57:40.949+00', '{"kind":"failed","error":"The local model server refused the request (400): \"the prompt is refused\"."}'),
	('01a202e7-9242-7a61-b724-60027b16e18a', 5, '2026-11-22 10:57:41+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000t","name":"list_directory","content":"The folder is empty."},"millis":57}]}'),
	('01a202e7-93c1-78ae-9b34-7fb4e401042a', 2, '2026-11-22 10:57:41+00', '{"kind":"model","message":{"content":"","tool_calls":[{"id":"call_ok400000v","name":"ask_human","arguments":"{\"question\":\"Shall I delete it?\"}"}]},"tokens":[900,40],"millis":31}'),
	('01a202e7-9422-71f0-b163-9d06da310c5a', 2, '2026-11-22 10:57:41+00', '{"kind":"model","message":{"content":"Nothing to do."},"tokens":[900,40],"millis":19,"end":"answered"}'),
	('01a202e7-9242-7a61-b724-60027b16e18a', 6, '2026-11-22 10:57:41.008+00', '{"kind":"forced","reason":"Of the token budget of 8000 20 are left; another model call takes about 3139.","output":"Eleven of twelve invoices are paid; the last one is open.","files":[]}'),
	('01a202e7-93c1-78ae-9b34-7fb4e401042a', 3, '2026-11-22 10:57:41.008+00', '{"kind":"results","results":[],"asked":{"id":"call_ok400000v","question":"Shall I delete it?"}}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 1, '2026-11-22 10:57:41.088+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9242-7a61-b724-60027b16e18a', 4, '2026-11-22 10:57:40.9+00', '{"kind":"model","message":{"content":"Eleven of twelve invoices are paid; the last one is open.","tool_calls":[{"id":"call_ok400000t","name":"list_directory","arguments":"{}"}]},"tokens":[3900,90],"millis":108}'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 3, '2026-11-22 10:57:40.9+00', '{"kind":"failed","error":"The local model server refused the request (400): \"the prompt is refused\"."}'),
	('01a202e7-9357-7b36-8563-68512d20f6c2', 2, '2026-11-22 10:57:40.9+00', '{"kind":"prepared","skills":[{"name":"summarize-document","score":0.45}],"millis":99}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 1, '2026-11-22 10:57:41.024+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9488-793a-9290-2fc0e94da3c5', 1, '2026-11-22 10:57:41.052+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', 1, '2026-11-22 10:57:41.052+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 2, '2026-11-22 10:57:41.102+00', '{"kind":"model","message":{"content":"A question first.","tool_calls":[{"id":"call_ok400000y","name":"ask_human","arguments":"{\"question\":\"Which region?\",\"choices\":[\"North\",\"South\"]}"}]},"tokens":[900,40],"millis":35}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 3, '2026-11-22 10:57:41.123+00', '{"kind":"results","results":[],"asked":{"id":"call_ok400000y","question":"Which region?\n- North\n- South"}}'),
	('01a202e7-9550-7958-a60d-ca81b722533b', 1, '2026-11-22 10:57:41.226+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9488-793a-9290-2fc0e94da3c5', 2, '2026-11-22 10:57:41.227+00', '{"kind":"model","message":{"content":"A question first.","tool_calls":[{"id":"call_ok4000010","name":"ask_human","arguments":"{\"question\":\"Which colour?\",\"choices\":[\"Red\",\"Blue\"]}"}]},"tokens":[900,40],"millis":107}'),
	('01a202e7-9488-793a-9290-2fc0e94da3c5', 3, '2026-11-22 10:57:41.25+00', '{"kind":"results","results":[],"asked":{"id":"call_ok4000010","question":"Which colour?\n- Red\n- Blue"}}'),
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', 2, '2026-11-22 10:57:41.25+00', '{"kind":"model","message":{"content":"A question first.","tool_calls":[{"id":"call_ok4000012","name":"ask_human","arguments":"{\"question\":\"Which size?\"}"}]},"tokens":[900,40],"millis":119}'),
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', 3, '2026-11-22 10:57:41.462+00', '{"kind":"results","results":[],"asked":{"id":"call_ok4000012","question":"Which size?"}}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 2, '2026-11-22 10:57:41.72+00', '{"kind":"model","message":{"content":"One part.","tool_calls":[{"id":"call_ok4000014","name":"dispatch_subagent","arguments":"{\"task_description\":\"Case sub-done: count the lines\"}"}]},"tokens":[900,40],"millis":221}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 3, '2026-11-22 10:57:41.728+00', '{"kind":"dispatched","subtasks":[{"call":"call_ok4000014","task":"01a202e7-9749-7f4c-9f8c-5819af61362a","agent":"general","budget":null}]}'),
	('01a202e7-9550-7958-a60d-ca81b722533b', 2, '2026-11-22 10:57:41.728+00', '{"kind":"model","message":{"content":"I wait for two minutes.","tool_calls":[{"id":"call_ok4000016","name":"wait","arguments":"{\"seconds\":120}"}]},"tokens":[900,40],"millis":4}'),
	('01a202e7-9749-7f4c-9f8c-5819af61362a', 1, '2026-11-22 10:57:41.748+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-9550-7958-a60d-ca81b722533b', 3, '2026-11-22 10:57:41.748+00', '{"kind":"results","results":[],"deferred":[{"id":"call_ok4000016","until":1795345181730,"message":{"role":"tool","tool_call_id":"call_ok4000016","name":"wait","content":"Waited 120 seconds."}}]}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 4, '2026-11-22 10:57:41.796+00', '{"kind":"results","results":[],"awaiting":["call_ok4000014"]}'),
	('01a202e7-9749-7f4c-9f8c-5819af61362a', 2, '2026-11-22 10:57:41.798+00', '{"kind":"model","message":{"content":"There are 40 lines."},"tokens":[900,40],"millis":16,"end":"answered"}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 5, '2026-11-22 10:57:41.895+00', '{"kind":"woken","epoch":2,"reason":"resume","runner":"127.0.0.1:34431"}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 6, '2026-11-22 10:57:41.945+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok4000014","name":"dispatch_subagent","content":"The general subagent is done (task 01a202e7-9749-7f4c-9f8c-5819af61362a).\n\nThere are 40 lines."},"millis":0}],"spent":940}'),
	('01a202e7-94c7-7b10-a052-b25865910f42', 7, '2026-11-22 10:57:41.953+00', '{"kind":"model","message":{"content":"The part is done."},"tokens":[900,40],"millis":4,"end":"answered"}'),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', 3, '2026-11-22 10:57:42.251+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000r","name":"read_document","content":"# Week 47\n\nSign-ups: 12 (+3)"},"millis":1544}]}'),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', 4, '2026-11-22 10:57:42.26+00', '{"kind":"model","message":{"content":"The earlier report says 12 sign-ups."},"tokens":[900,40],"millis":2,"end":"answered"}'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 4, '2026-11-22 10:57:42.286+00', '{"kind":"retried"}'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 5, '2026-11-22 10:57:42.298+00', '{"kind":"woken","epoch":3,"reason":"retry","runner":"127.0.0.1:34431"}'),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', 6, '2026-11-22 10:57:42.312+00', '{"kind":"model","message":{"content":"It worked the second time."},"tokens":[900,40],"millis":1,"end":"answered"}'),
	('01a202e7-93c1-78ae-9b34-7fb4e401042a', 4, '2026-11-22 10:57:42.372+00', '{"kind":"cancelled","error":"Cancelled: changed my mind"}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 4, '2026-11-22 10:57:42.42+00', '{"kind":"answered","by":"ada"}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 5, '2026-11-22 10:57:42.429+00', '{"kind":"woken","epoch":2,"reason":"resume","runner":"127.0.0.1:34431"}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 6, '2026-11-22 10:57:42.441+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400000y","name":"ask_human","content":"North"},"millis":0}]}'),
	('01a202e7-9450-7bc1-a421-5a66e973b142', 7, '2026-11-22 10:57:42.45+00', '{"kind":"model","message":{"content":"North it is."},"tokens":[900,40],"millis":3,"end":"answered"}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 1, '2026-11-22 10:57:44.073+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 2, '2026-11-22 10:57:44.088+00', '{"kind":"model","message":{"content":"Looking first.","tool_calls":[{"id":"call_ok400001d","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":4}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 3, '2026-11-22 10:57:44.104+00', '{"kind":"crashed","reason":"the journal refused the step","retryAt":1795345065095}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 4, '2026-11-22 10:57:45.721+00', '{"kind":"woken","epoch":2,"reason":"recovery","runner":"127.0.0.1:34431"}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 5, '2026-11-22 10:57:45.779+00', '{"kind":"crashed","reason":"the journal refused the step","retryAt":1795345067768}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 6, '2026-11-22 10:57:48.754+00', '{"kind":"woken","epoch":3,"reason":"recovery","runner":"127.0.0.1:34431"}'),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', 7, '2026-11-22 10:57:48.794+00', '{"kind":"crashed","reason":"the journal refused the step","retryAt":1795345072776}'),
	('01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', 1, '2026-11-22 10:57:53.907+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', 2, '2026-11-22 10:57:54.116+00', '{"kind":"model","message":{"content":"Two parts, side by side.","tool_calls":[{"id":"call_ok400001f","name":"dispatch_subagent","arguments":"{\"task_description\":\"Case sub-quick: count the files\",\"agent_type\":\"research\"}"},{"id":"call_ok400001g","name":"dispatch_subagent","arguments":"{\"task_description\":\"Case sub-slow: count the folders\",\"context\":\"There are few.\",\"max_iterations\":5,\"token_budget\":50000}"}]},"tokens":[900,40],"millis":46}'),
	('01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', 3, '2026-11-22 10:57:54.142+00', '{"kind":"dispatched","subtasks":[{"call":"call_ok400001f","task":"01a202e7-c7d0-730e-913a-6d84779739eb","agent":"research","budget":null},{"call":"call_ok400001g","task":"01a202e7-c7d0-7f8f-8681-96e433235f97","agent":"general","budget":null}]}'),
	('01a202e7-c7d0-730e-913a-6d84779739eb', 1, '2026-11-22 10:57:54.155+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-c7d0-7f8f-8681-96e433235f97', 1, '2026-11-22 10:57:54.155+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', 4, '2026-11-22 10:57:54.218+00', '{"kind":"results","results":[],"awaiting":["call_ok400001f","call_ok400001g"]}'),
	('01a202e7-c7d0-730e-913a-6d84779739eb', 2, '2026-11-22 10:57:54.374+00', '{"kind":"model","message":{"content":"There are 3 files."},"tokens":[900,40],"millis":140,"end":"answered"}'),
	('01a202e7-c7d0-7f8f-8681-96e433235f97', 2, '2026-11-22 10:57:54.376+00', '{"kind":"model","message":{"content":"","tool_calls":[{"id":"call_ok400001j","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":147}'),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', 1, '2026-11-22 10:57:54.396+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', 2, '2026-11-22 10:57:54.526+00', '{"kind":"model","message":{"content":"One part that ends while no worker runs.","tool_calls":[{"id":"call_ok400001l","name":"dispatch_subagent","arguments":"{\"task_description\":\"Case sub-cancelled: count the words\"}"}]},"tokens":[900,40],"millis":21}'),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', 3, '2026-11-22 10:57:54.546+00', '{"kind":"dispatched","subtasks":[{"call":"call_ok400001l","task":"01a202e7-c96a-7326-8772-11de3cbdbcc1","agent":"general","budget":null}]}'),
	('01a202e7-c7d0-7f8f-8681-96e433235f97', 3, '2026-11-22 10:57:54.555+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400001j","name":"list_directory","content":"The folder is empty."},"millis":130}]}'),
	('01a202e7-c96a-7326-8772-11de3cbdbcc1', 1, '2026-11-22 10:57:54.572+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', 4, '2026-11-22 10:57:54.614+00', '{"kind":"results","results":[],"awaiting":["call_ok400001l"]}'),
	('01a202e7-c9ff-7f4b-a387-09aa216886a2', 1, '2026-11-22 10:57:54.726+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-c9ff-7f4b-a387-09aa216886a2', 2, '2026-11-22 10:57:54.775+00', '{"kind":"model","message":{"content":"","tool_calls":[{"id":"call_ok400001n","name":"fixture__hang","arguments":"{}"}]},"tokens":[900,40],"millis":10}'),
	('01a202e7-c9ff-7f4b-a387-09aa216886a2', 3, '2026-11-22 10:57:54.778+00', '{"kind":"started","calls":["call_ok400001n"]}'),
	('01a202e7-ca84-733e-bf35-7a50ed4f7d65', 1, '2026-11-22 10:57:54.837+00', '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:34431"}'),
	('01a202e7-ca84-733e-bf35-7a50ed4f7d65', 2, '2026-11-22 10:57:54.885+00', '{"kind":"model","message":{"content":"Looking first.","tool_calls":[{"id":"call_ok400001p","name":"list_directory","arguments":"{}"}]},"tokens":[900,40],"millis":5}'),
	('01a202e7-ca84-733e-bf35-7a50ed4f7d65', 3, '2026-11-22 10:57:54.914+00', '{"kind":"results","results":[{"message":{"tool_call_id":"call_ok400001p","name":"list_directory","content":"The folder is empty."},"millis":20}]}'),
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', 4, '2026-11-22 10:58:01.288+00', '{"kind":"answered","by":null}'),
	('01a202e7-9357-7b36-8563-68512d20f6c2', 4, '2026-11-22 10:58:01.311+00', '{"kind":"retried"}'),
	('01a202e7-c96a-7326-8772-11de3cbdbcc1', 2, '2026-11-22 10:58:01.35+00', '{"kind":"cancelled","error":"Cancelled: no longer needed"}');
INSERT INTO public.tasks VALUES
	('01a202e7-78e5-7cc0-b250-bf04eb7d144e', '2026-11-22 10:57:33.925+00', 'ada', NULL, 'Weekly report', 'Case report: make the weekly report from sign-ups.csv, week over week', NULL, 'task', NULL, NULL, 'growth', '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-8ec6-70aa-8ff6-3da876511faa', '2026-11-22 10:57:39.526+00', 'ada', NULL, NULL, 'Case plain: what is in my folder?', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-90ce-7e5e-b2df-b0996d17160b', '2026-11-22 10:57:40.046+00', 'ada', NULL, NULL, 'Case long: look at the folder four times', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-90f6-7bbe-b39d-fe65f2d451ce', '2026-11-22 10:57:40.086+00', 'ada', NULL, NULL, 'Case remember: the office printer is called Gutenberg', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-922b-741b-adfe-dd91f8cbc95a', '2026-11-22 10:57:40.395+00', 'ada', NULL, NULL, 'Case continued: and what does the report say?', 'This continues the task "Case plain: what is in my folder?". Its outcome was:
<earlier_outcome>
There is one file: report.md.
</earlier_outcome>', 'task', NULL, NULL, NULL, '{report.md}', '01a202e7-8ec6-70aa-8ff6-3da876511faa', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9242-7a61-b724-60027b16e18a', '2026-11-22 10:57:40.418+00', 'bela', NULL, NULL, 'Case forced: are the invoices paid?', NULL, 'task', NULL, NULL, NULL, '{}', NULL, 8000, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9265-7def-be2d-26b53538dfe5', '2026-11-22 10:57:40.453+00', 'bela', NULL, NULL, 'Case broken: summarise the contract', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-92d7-72fe-a901-cbac8ff70465', '2026-11-22 10:57:40.567+00', 'bela', NULL, NULL, 'Case retried: summarise the other contract', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9357-7b36-8563-68512d20f6c2', '2026-11-22 10:57:40.695+00', 'bela', NULL, NULL, 'Case retry-pending: summarise the third contract', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-93c1-78ae-9b34-7fb4e401042a', '2026-11-22 10:57:40.801+00', 'ada', NULL, NULL, 'Case cancelled: clean up', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9450-7bc1-a421-5a66e973b142', '2026-11-22 10:57:40.944+00', 'bela', NULL, NULL, 'Case answered: plan the tour', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9488-793a-9290-2fc0e94da3c5', '2026-11-22 10:57:41+00', 'ada', NULL, NULL, 'Case question: paint the door', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9499-78c0-97e4-099ca9dd3dbd', '2026-11-22 10:57:41.017+00', 'bela', NULL, NULL, 'Case inbox: order a shirt', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-94c7-7b10-a052-b25865910f42', '2026-11-22 10:57:41.063+00', 'ada', NULL, NULL, 'Case parent-done: count lines', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9550-7958-a60d-ca81b722533b', '2026-11-22 10:57:41.2+00', 'ada', NULL, NULL, 'Case sleeping: call back tomorrow', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-9749-7f4c-9f8c-5819af61362a', '2026-11-22 10:57:41.728+00', 'ada', NULL, NULL, 'Case sub-done: count the lines', NULL, 'subtask', 'general', '01a202e7-94c7-7b10-a052-b25865910f42', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10),
	('01a202e7-9422-71f0-b163-9d06da310c5a', '2026-11-22 10:57:40.898+00', 'ada', NULL, NULL, 'Case archived: nothing', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 10:57:42.399+00', NULL),
	('01a202e7-a076-77f0-a7fc-0ba76a2eeaa7', '2026-11-22 10:57:44.054+00', 'bela', NULL, NULL, 'Case crashing: look and fall', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', '2026-11-22 10:57:53.862+00', 'cleo', NULL, NULL, 'Case parent: count files and folders', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-c7d0-730e-913a-6d84779739eb', '2026-11-22 10:57:54.142+00', 'cleo', NULL, NULL, 'Case sub-quick: count the files', NULL, 'subtask', 'research', '01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10),
	('01a202e7-c7d0-7f8f-8681-96e433235f97', '2026-11-22 10:57:54.142+00', 'cleo', NULL, NULL, 'Case sub-slow: count the folders', 'There are few.', 'subtask', 'general', '01a202e7-c6c6-74ff-8139-88b7b9fb4c9a', NULL, '{}', NULL, 50000, NULL, NULL, NULL, NULL, NULL, 5),
	('01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', '2026-11-22 10:57:54.356+00', 'cleo', NULL, NULL, 'Case parent-ended: count words', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-c96a-7326-8772-11de3cbdbcc1', '2026-11-22 10:57:54.546+00', 'cleo', NULL, NULL, 'Case sub-cancelled: count the words', NULL, 'subtask', 'general', '01a202e7-c8b4-7eb7-8d24-8b5e583be4b3', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10),
	('01a202e7-c9ff-7f4b-a387-09aa216886a2', '2026-11-22 10:57:54.687+00', 'dora', NULL, NULL, 'Case ledger: call the tool that hangs', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-ca84-733e-bf35-7a50ed4f7d65', '2026-11-22 10:57:54.82+00', 'dora', NULL, NULL, 'Case inflight: look and be interrupted', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-ca86-7539-9fa7-8573616ccf5d', '2026-11-22 10:57:54.822+00', 'dora', NULL, NULL, 'Case queued: look and wait in the queue', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a202e7-e3ad-7a72-a397-a961078a59a8', '2026-11-22 10:58:01.261+00', 'cleo', NULL, NULL, 'Case waiting: wait for a worker', NULL, 'task', NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.tool_server_config VALUES
	(true, 2, '{"elsewhere":{"transport":"http","url":"http://127.0.0.1:9/mcp","headers":{"authorization":{"sealed":"f+53JSBuCoF+9hq3bYIFWlJ9dL4YAonu7KtKHRnEjxeCi0AajXmqbb+LwKr2AoW4ovg="}},"disabled":true,"timeoutSeconds":null,"allowedTools":["search"]},"fixture":{"transport":"stdio","command":"node","args":["fixture.mjs"],"cwd":null,"env":{"SECRET_TOKEN":{"sealed":"mahmLN352lm0d5J79V5ryvhX8+QcLNT1V2l1jBAgJweoLeFYkcA5reGAvw=="}},"disabled":true,"timeoutSeconds":30,"allowedTools":null}}', '2026-11-22 10:58:01.361+00');
INSERT INTO public.tool_server_reports VALUES
	('01a202e7-8e54-768c-b98d-6bf4ca6e3b02', 1, '[{"name":"fixture","transport":"stdio","status":"connected","tool_count":17,"tools":["echo","count","append","put","boom","hang","cancelled","giant","noise","grow","redefine","fork","env","picture","parts","structured","refuse"],"error":null,"connected_at":"2026-11-22T10:57:39.703Z"}]', '2026-11-22 10:57:44.435+00'),
	('01a202e7-c39f-7645-98c0-e5c45027f836', 1, '[{"name":"fixture","transport":"stdio","status":"connected","tool_count":17,"tools":["echo","count","append","put","boom","hang","cancelled","giant","noise","grow","redefine","fork","env","picture","parts","structured","refuse"],"error":null,"connected_at":"2026-11-22T10:57:53.911Z"}]', '2026-11-22 10:57:53.913+00');
INSERT INTO public.troupe_migrations VALUES
	(1, '2026-11-22 10:57:30.970148+00', 'create_tasks'),
	(3, '2026-11-22 10:57:30.970148+00', 'create_people'),
	(4, '2026-11-22 10:57:30.970148+00', 'create_memories'),
	(5, '2026-11-22 10:57:30.970148+00', 'create_tool_servers'),
	(6, '2026-11-22 10:57:30.970148+00', 'add_subtask_columns'),
	(7, '2026-11-22 10:57:30.970148+00', 'add_memory_sketches'),
	(8, '2026-11-22 10:57:30.970148+00', 'queue_due_tasks'),
	(9, '2026-11-22 10:57:30.970148+00', 'slim_actors'),
	(11, '2026-11-22 10:57:30.970148+00', 'derive_plans'),
	(12, '2026-11-22 10:57:30.970148+00', 'skip_blank_plans');
INSERT INTO public.users VALUES
	('default', 'default', NULL, NULL, NULL, NULL, NULL, 'owner', NULL, NULL, false, '{}', '{}', '2026-11-22 10:57:32.554+00', '2026-11-22 10:57:32.554+00'),
	('bela', 'bela', NULL, NULL, NULL, NULL, NULL, 'member', NULL, NULL, false, '{}', '{}', '2026-11-22 10:57:40.423+00', '2026-11-22 10:57:40.423+00'),
	('ada', 'Ada Lovelace', NULL, 'ada@example.org', NULL, 'Analyst', 'Europe/London', 'member', NULL, NULL, false, '{email}', '{email,name,notify_by,timezone,title}', '2026-11-22 10:57:33.928+00', '2026-11-22 10:57:53.817+00'),
	('cleo', 'cleo', NULL, NULL, NULL, NULL, NULL, 'member', NULL, NULL, false, '{}', '{}', '2026-11-22 10:57:53.863+00', '2026-11-22 10:57:53.863+00'),
	('dora', 'dora', NULL, NULL, NULL, NULL, NULL, 'member', NULL, NULL, false, '{}', '{}', '2026-11-22 10:57:54.691+00', '2026-11-22 10:57:54.691+00');
SELECT pg_catalog.setval('public.cluster_runners_machine_id_seq', 3, true);
ALTER TABLE ONLY public.actors
    ADD CONSTRAINT actors_pkey PRIMARY KEY (task_id);
ALTER TABLE ONLY public.cluster_locks
    ADD CONSTRAINT cluster_locks_pkey PRIMARY KEY (shard_id);
ALTER TABLE ONLY public.cluster_runners
    ADD CONSTRAINT cluster_runners_address_key UNIQUE (address);
ALTER TABLE ONLY public.cluster_runners
    ADD CONSTRAINT cluster_runners_pkey PRIMARY KEY (machine_id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key);
ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (task_id, key);
ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_owners
    ADD CONSTRAINT memory_owners_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (user_id, is_read, id);
ALTER TABLE ONLY public.remembered_tasks
    ADD CONSTRAINT remembered_tasks_pkey PRIMARY KEY (task_id);
ALTER TABLE ONLY public.steps
    ADD CONSTRAINT steps_pkey PRIMARY KEY (task_id, seq);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tool_definitions
    ADD CONSTRAINT tool_definitions_pkey PRIMARY KEY (server, tool);
ALTER TABLE ONLY public.tool_server_config
    ADD CONSTRAINT tool_server_config_pkey PRIMARY KEY (single);
ALTER TABLE ONLY public.tool_server_reports
    ADD CONSTRAINT tool_server_reports_pkey PRIMARY KEY (process);
ALTER TABLE ONLY public.troupe_migrations
    ADD CONSTRAINT troupe_migrations_pkey PRIMARY KEY (migration_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX actors_completed ON public.actors USING btree (completed_at) WHERE ((completed_at IS NOT NULL) AND (error IS NULL));
CREATE INDEX actors_due ON public.actors USING btree (wake_at) INCLUDE (shard, creator, task_id) WHERE ((wake_at IS NOT NULL) AND (line IS NULL));
CREATE INDEX actors_failed ON public.actors USING btree (task_id) WHERE (error IS NOT NULL);
CREATE INDEX actors_in_line ON public.actors USING btree (line, creator, wake_at) INCLUDE (shard, task_id) WHERE ((wake_at IS NOT NULL) AND (line IS NOT NULL));
CREATE INDEX actors_waiting ON public.actors USING btree (task_id) WHERE (last_tool_call_id IS NOT NULL);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX memories_by_change ON public.memories USING btree (user_id, version, id);
CREATE INDEX memories_by_model ON public.memories USING btree (user_id, model, dimensions);
CREATE INDEX remembered_tasks_by_age ON public.remembered_tasks USING btree (at);
CREATE INDEX tasks_by_creator ON public.tasks USING btree (creator, id);
CREATE INDEX tasks_by_parent ON public.tasks USING btree (parent_task_id, id) WHERE (parent_task_id IS NOT NULL);
CREATE INDEX users_by_age ON public.users USING btree (created_at, id);
CREATE UNIQUE INDEX users_by_chat_user ON public.users USING btree (chat_user_id) WHERE (chat_user_id IS NOT NULL);
