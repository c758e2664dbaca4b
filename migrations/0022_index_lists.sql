-- Each filter of GET /tasks that few tasks may match has an index in the order of the list. The status of an actor changes where its
-- row enters other indexes anyway, except at the first claim of a task that has waited for a place.
create index actors_by_status on actors (status, task_id);
drop index actors_failed;
drop index actors_waiting;

-- GET /tasks?cancelled=true, and ?status=failed&cancelled=false. A task that failed before there was `ended_by` gets it.
update actors set ended_by = case when error ~ '^Cancelled[.:]' then 'cancelled' else 'failure' end
where status = 'failed' and ended_by is null;
create index actors_by_end on actors (ended_by, task_id) where error is not null;

-- GET /tasks?project_id= and ?source=, but not of requests to the API, which are most.
create index tasks_by_project on tasks (project_id, id) where project_id is not null;
create index tasks_by_source on tasks (source, id) where source is not null;

-- GET /api/outbox?state= and ?channel=, GET /webhook/deliveries?state= and ?type=, GET /api/schedules?status=: in the order of
-- the lists, whatever else is newer. Every update of a message enters its other indexes anyway.
create index outbox_by_state on outbox (state, id);
create index outbox_by_channel on outbox (channel, id);
create index inbound_messages_by_state on inbound_messages (source, state, id);
create index inbound_messages_by_type on inbound_messages (source, type, id);
create index schedules_by_status on schedules (status, id);
